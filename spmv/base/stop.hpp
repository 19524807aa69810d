// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <utility>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato {

/// A request to end work, made in another thread: a std::stop_token, or another object with stop_requested() const.
/// (So this header need not include `<stop_token>`.) An empty one never asks.
class StopRequest {
 public:
  StopRequest() = default;

  template <class Token>
  requires requires(const Token& token) {
    { token.stop_requested() } -> std::convertible_to<bool>;
  }
  StopRequest(Token token) : asks_([token = std::move(token)] { return bool(token.stop_requested()); }) {}

  explicit operator bool() const { return asks_ != nullptr; }
  bool is_made() const { return asks_ != nullptr && asks_(); }

 private:
  std::function<bool()> asks_;
};

/// Reports work that a StopRequest ended before there was a result.
class Stopped : public Error {
 public:
  using Error::Error;
};

/// Looks at a request every now and then, in work whose steps take some nanoseconds each.
class StopCheck {
 public:
  /// `what`: of Stopped, such as "lu was stopped".
  StopCheck(const StopRequest& stop, const char* what) : stop_(stop), what_(what) {}

  /// Counts steps. Some 65536 steps lie between two looks.
  /// Throws    Stopped once the request is made.
  void count(std::size_t steps) {
    constexpr std::size_t between = 65536;
    steps_ += steps;
    if (steps_ < between) return;
    steps_ = 0;
    if (stop_.is_made()) throw Stopped(what_);
  }

 private:
  const StopRequest& stop_;
  const char* what_;
  std::size_t steps_ = 0;
};

}  // namespace ostinato
