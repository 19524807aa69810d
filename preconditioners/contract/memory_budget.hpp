// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <ostinato/spmv/selection/choice.hpp>

namespace ostinato {

/// How far to trust a prediction.
enum class Certainty {
  close,     ///< within a tenth
  at_most,   ///< an upper bound
  at_least,  ///< a lower bound
  rough,     ///< a guess, which may be off by a factor of 4
};

/// The memory that a preconditioner keeps, its bytes(), as it is known before that memory is taken.
struct MemoryPrediction {
  std::size_t bytes = 0;
  Certainty certainty = Certainty::close;
};
/// That of an operator in the format that was chosen for it.
MemoryPrediction memory_of(const Choice& choice);
std::string_view to_string(Certainty certainty);       ///< "close", "at_most", ...: the names of the JSON report
std::string in_words(const MemoryPrediction& memory);  ///< "12.3 MB", "at most 12.3 MB", "about 12.3 MB"

/// What `taken` bytes leave of a limit, at least 1; 0 stands for no limit.
constexpr std::size_t memory_left(std::size_t limit, std::size_t taken) {
  return limit == 0 ? 0 : limit > taken ? limit - taken : 1;
}

/// The memory that a preconditioner may keep: up to a limit of the caller, and up to what is free. A set-up announces
/// what it is going to keep before it takes that memory.
class MemoryBudget {
 public:
  /// `owner`: the preconditioner, for messages. `limit`: bytes; 0: what is free. `taken`: bytes of the limit that
  /// others keep.
  template <class Space>
  MemoryBudget(const Space& space, std::string_view owner, std::size_t limit = 0, std::size_t taken = 0)
      : owner_(owner), limit_(limit), taken_(taken), pooled_([space] { return space.pooled_bytes(); }), free_([space] {
          return space.free_bytes();
        }) {}

  /// Says what the preconditioner is going to keep in all. prediction() tells the first close one, or else the first.
  /// Throws    MemoryLimitError when that is certainly more than there may be.
  void announce(const MemoryPrediction& memory) const;

  /// Checks what the preconditioner has taken in the end.
  /// Throws    MemoryLimitError when that is more than the limit.
  void confirm(std::size_t bytes) const;

  /// The budget of a part of the preconditioner, which keeps `bytes` already: what the part announces is added to
  /// these.
  MemoryBudget beside(std::size_t bytes) const;

  std::size_t most() const;  ///< bytes that there may be now
  const std::optional<MemoryPrediction>& prediction() const { return prediction_; }

 private:
  [[noreturn]] void refuse(const MemoryPrediction& memory) const;

  std::string owner_;
  std::size_t limit_, taken_;
  std::size_t kept_ = 0;  ///< by other parts of the preconditioner
  std::function<std::size_t()> pooled_, free_;
  mutable std::optional<MemoryPrediction> prediction_;
};

}  // namespace ostinato
