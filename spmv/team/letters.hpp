// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>

#include <ostinato/spmv/team/team.hpp>

// What letters between ranks hold: arrays, one behind the other.

namespace ostinato::detail {

template <class T>
void append(Team::Bytes& to, const T* values, std::size_t count) {
  if (count == 0) return;
  const auto* const from = reinterpret_cast<const std::byte*>(values);
  to.insert(to.end(), from, from + count * sizeof(T));
}

/// Reads what append() has written, in the same order.
class Reader {
 public:
  explicit Reader(const Team::Bytes& from) : at_(from.data()), left_(from.size()) {}
  template <class T>
  void read(T* to, std::size_t count) {
    if (count > 0) std::memcpy(to, at_, count * sizeof(T));
    at_ += count * sizeof(T);
    left_ -= count * sizeof(T);
  }
  std::size_t left() const { return left_; }  ///< bytes

 private:
  const std::byte* at_;
  std::size_t left_;
};

}  // namespace ostinato::detail
