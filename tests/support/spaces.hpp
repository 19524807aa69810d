// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/vector.hpp>

#include "support/typed_test.hpp"

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
  return (Case::Space::has_streams || ...);
}

/// True in a build with CUDA. Functions that exist only with CUDA may be called under `if constexpr (built_with_cuda)`.
inline constexpr bool built_with_cuda = any_on_device(EverySpace{});

template <class Space>
constexpr const char* space_name() {
  return Space::has_streams ? "Cuda" : "Host";
}

template <class T>
constexpr const char* value_name() {
  return is_single<T> ? "float" : "double";
}

/// Names such as "Cuda_double". CTest recognises tests that need a GPU by the space in their names.
struct SpaceNames {
  template <class Case>
  static std::string GetName(int) {
    return std::string(space_name<typename Case::Space>()) + "_" + value_name<typename Case::T>();
  }
};

/// Says why tests of the space can't run here; empty when they can.
template <class Space>
std::string why_absent() {
  if constexpr (Space::has_streams) {
    return Cuda::why_absent();
  } else {
    return "";
  }
}

/// The base class of typed tests. SetUp() makes the space, or skips the test.
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
