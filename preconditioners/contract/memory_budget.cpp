// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/contract/memory_budget.hpp>

#include <algorithm>
#include <array>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/units.hpp>

namespace ostinato {

namespace {

/// Less than this is taken without asking the system what is free.
constexpr std::size_t little = std::size_t{16} << 20;

std::string text(std::size_t bytes) { return bytes_text(static_cast<double>(bytes)); }

}  // namespace

MemoryPrediction memory_of(const Choice& choice) {
  const Cost& cost = choice.candidates.front().cost;
  if (cost.most_bytes <= cost.bytes) return {cost.bytes, Certainty::close};
  return {cost.most_bytes, Certainty::at_most};
}

std::string_view to_string(Certainty certainty) {
  constexpr std::array<std::string_view, 4> names = {"close", "at_most", "at_least", "rough"};
  return names[static_cast<std::size_t>(certainty)];
}

std::string in_words(const MemoryPrediction& memory) {
  constexpr std::array<std::string_view, 4> words = {"", "at most ", "at least ", "about "};
  return std::string(words[static_cast<std::size_t>(memory.certainty)]) + text(memory.bytes);
}

void MemoryBudget::announce(const MemoryPrediction& memory) const {
  const bool is_close = prediction_ && prediction_->certainty == Certainty::close;
  if (!prediction_ || (memory.certainty == Certainty::close && !is_close)) prediction_ = memory;
  if (memory.certainty != Certainty::close && memory.certainty != Certainty::at_least) return;
  const MemoryPrediction whole{kept_ + memory.bytes, memory.certainty};
  const bool is_over_limit = limit_ > 0 && whole.bytes > memory_left(limit_, taken_);
  const auto fits = [&] { return memory.bytes <= little || memory.bytes <= pooled_() || memory.bytes <= free_(); };
  if (is_over_limit || !fits()) refuse(whole);
}

void MemoryBudget::confirm(std::size_t bytes) const {
  if (limit_ > 0 && kept_ + bytes > memory_left(limit_, taken_)) refuse({kept_ + bytes});
}

MemoryBudget MemoryBudget::beside(std::size_t bytes) const {
  MemoryBudget rest = *this;
  rest.kept_ += bytes;
  rest.prediction_.reset();
  return rest;
}

std::size_t MemoryBudget::most() const {
  const std::size_t free = free_();
  return limit_ == 0 ? free : std::min(free, memory_left(limit_, taken_ + kept_));
}

void MemoryBudget::refuse(const MemoryPrediction& memory) const {
  const std::string needs = owner_ + ": takes " + in_words(memory) + " of memory, and ";
  const std::string other = owner_ == "jacobi" || owner_ == "spai0" ? "none" : "jacobi";
  if (limit_ == 0 || memory.bytes <= memory_left(limit_, taken_))
    throw MemoryLimitError(needs + text(free_()) + " are free; use preconditioner " + other);
  const std::string taken = taken_ > 0 ? ", of which " + text(taken_) + " are taken" : std::string();
  throw MemoryLimitError(needs + "the limit is " + text(limit_) + taken + "; raise the limit, or use preconditioner " +
                         other);
}

}  // namespace ostinato
