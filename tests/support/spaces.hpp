// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::test {

/// A space and a value type as one type, for typed tests.
template <class S, class V>
struct On {
  using Space = S;
  using T = V;
};

}  // namespace ostinato::test

#include "support/every_space.hpp"

namespace ostinato::test {

template <class... Case>
constexpr bool any_on_device(testing::Types<Case...>) {
  return (Case::Space::on_device || ...);
}

/// What is in the library with CUDA alone may be called under `if constexpr (built_with_cuda)`.
inline constexpr bool built_with_cuda = any_on_device(EverySpace{});

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
  using S = typename Case::Space;
  using V = typename Case::T;

 protected:
  void SetUp() override {
    if (const std::string reason = why_absent<S>(); !reason.empty()) GTEST_SKIP() << reason;
    space_.emplace();
  }

  const S& space() const { return *space_; }

  template <class Element = V>
  Vector<S, Element> put(const std::vector<Element>& host) const {
    return Vector<S, Element>(space(), std::span<const Element>(host));
  }

 private:
  std::optional<S> space_;
};

}  // namespace ostinato::test
