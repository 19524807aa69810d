// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include <ostinato/spmv/cuda.hpp>
#include <ostinato/spmv/host.hpp>
#include <ostinato/spmv/vector.hpp>

namespace ostinato::test {

/// A space and a value type as one type, for typed tests.
template <class S, class V>
struct On {
  using Space = S;
  using T = V;
};

using EverySpace = testing::Types<On<Host, float>, On<Host, double>, On<Cuda, float>, On<Cuda, double>>;

template <class Space>
constexpr const char* space_name() {
  return Space::on_device ? "Cuda" : "Host";
}

template <class T>
constexpr const char* value_name() {
  return sizeof(T) == 4 ? "float" : "double";
}

/// "Cuda_double": CTest tells the tests that need a GPU by the space in their names.
struct SpaceNames {
  template <class Case>
  static std::string GetName(int) {
    return std::string(space_name<typename Case::Space>()) + "_" + value_name<typename Case::T>();
  }
};

/// Why tests of the space can't run here; empty when they can.
template <class Space>
std::string why_absent() {
  if constexpr (Space::on_device) {
    return Cuda::device_count() == 0 ? Cuda::why_absent() : "";
  } else {
    return "";
  }
}

/// A typed test that has a space, or skips.
template <class Case>
class SpaceTest : public testing::Test {
 public:
  using Space = typename Case::Space;
  using T = typename Case::T;

 protected:
  void SetUp() override {
    if (const std::string reason = why_absent<Space>(); !reason.empty()) GTEST_SKIP() << reason;
    space_.emplace();
  }

  const Space& space() const { return *space_; }

  template <class V = T>
  Vector<Space, V> put(const std::vector<V>& host) const {
    return Vector<Space, V>(space(), std::span<const V>(host));
  }

 private:
  std::optional<Space> space_;
};

}  // namespace ostinato::test
