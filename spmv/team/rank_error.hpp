// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato {

/// Reports that work which several ranks share can't go on: another rank has failed, or doesn't come. what() names that
/// rank and says what it said.
class RankError : public Error {
 public:
  RankError(int rank, const std::string& text)
      : Error((rank < 0 ? std::string() : "rank " + std::to_string(rank) + ": ") + text), rank_(rank), text_(text) {}

  int rank() const noexcept { return rank_; }                 ///< the rank that failed; -1 where it isn't known
  const std::string& text() const noexcept { return text_; }  ///< what it said

 private:
  int rank_;
  std::string text_;
};

}  // namespace ostinato
