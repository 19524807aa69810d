// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace ostinato {

/// The number of a state of an object. No other object has it, nor has the object in another state: a copy, and an
/// object to which another one is assigned, have numbers of their own.
class Revision {
 public:
  Revision() = default;
  Revision(const Revision&) noexcept {}
  Revision& operator=(const Revision&) noexcept {
    renew();
    return *this;
  }

  void renew() noexcept { number_ = next(); }
  int number() const { return number_; }

 private:
  static int next() noexcept {
    static std::atomic<unsigned> count = 0;
    constexpr unsigned most = 1u << 28;  // a few times the number is still an int
    return static_cast<int>(count++ % most);
  }

  int number_ = next();
};

}  // namespace ostinato
