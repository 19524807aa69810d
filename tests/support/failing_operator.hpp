// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/error.hpp>

namespace ostinato::test {

/// An operator whose product number `at` throws, as where memory runs out or the device is lost.
template <class Op, class Failure>
class FailsAt {
 public:
  using value_type = typename Op::value_type;
  FailsAt(const Op& op, int at, Failure failure) : op_(op), at_(at), failure_(std::move(failure)) {}
  auto rows() const { return op_.rows(); }
  auto cols() const { return op_.cols(); }
  const Facts& facts() const { return op_.structure(); }
  void apply(value_type alpha, std::span<const value_type> x, value_type beta, std::span<value_type> y) const {
    if (++calls_ == at_) throw failure_;
    op_.apply(alpha, x, beta, y);
  }
  bool has_failed() const { return calls_ >= at_; }

 private:
  const Op& op_;
  int at_;
  Failure failure_;
  mutable int calls_ = 0;
};

/// Solves with operators that fail at the first product, at a later one and so on, until none fails any more, and
/// expects that the failure always reaches the caller. Returns how many have failed.
template <class Op, class Solve>
int count_passed_on(const Op& op, Solve solve) {
  int failed = 0;
  for (int at = 1;; at += 1 + at / 8, ++failed) {
    const FailsAt lost(op, at, DeviceError("CUDA: an illegal memory access was encountered"));
    std::string text;
    try {
      solve(lost);
    } catch (const DeviceError& e) {
      text = e.what();
    }
    if (!lost.has_failed()) return failed;
    EXPECT_NE(text.find("illegal memory access"), std::string::npos) << "product " << at;
  }
}

}  // namespace ostinato::test
