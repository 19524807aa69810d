// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

namespace ostinato {

/// What a further step may take.
struct StrongerOptions {
  bool thorough = false;      ///< as much as memory allows
  bool definite = true;       ///< A may be positive definite, if it is symmetric
  double seconds = HUGE_VAL;  ///< that there are: nothing is begun that is predicted to take longer
  double left = 0;            ///< seconds that the solve is predicted to take with this one; 0: it doesn't get there
  std::size_t mem_limit = 0;  ///< bytes that this and weaker ones may keep together; 0: what is free
  StopRequest stop = {};      ///< ends what is being made, with Stopped
};

/// Why a preconditioner wasn't taken.
struct Refusal {
  enum class Why {
    nothing,   ///< it was taken
    poor,      ///< its cycle shrinks an error too little
    no_time,   ///< it is predicted to be ready after the time that is left
    singular,  ///< A has a row or a column without an entry
    memory,    ///< there is too little
    refused,   ///< its constructor refuses the matrix
  };
  Why why = Why::nothing;
  std::string text;  ///< a sentence, for messages alone

  explicit operator bool() const { return why != Why::nothing; }
};

/// A preconditioner of a strategy: one that solve() may leave for another one, which this one makes.
template <class Space, class T>
class PreconditionerStep : public PreconditionerBase<Space, T> {
 public:
  using PreconditionerBase<Space, T>::PreconditionerBase;

  /// Another preconditioner, to try where this one is slow; null when there is none.
  virtual const PreconditionerBase<Space, T>* fallback() const { return nullptr; }
  /// A preconditioner that takes more time and memory, for where this one doesn't get there, made by the call; null
  /// when there is none. `refused` has those that couldn't be made.
  virtual const PreconditionerBase<Space, T>* stronger(const StrongerOptions&, std::vector<Refusal>& refused) const {
    (void)refused;
    return nullptr;
  }
  /// Predicted time to make that, as far as one solve has to bear it; 0 where there is nothing.
  /// What stronger() has made; null where it hasn't.
  virtual const PreconditionerStep* made_stronger() const { return nullptr; }
  virtual double stronger_seconds() const { return 0; }
  virtual bool is_weak() const { return false; }  ///< it isn't symmetric, and leaves many iterations all the same
};

/// The step that a preconditioner is; null for one that nothing follows.
template <class Space, class T>
const PreconditionerStep<Space, T>* step_of(const PreconditionerRef<Space, T>& m) {
  return dynamic_cast<const PreconditionerStep<Space, T>*>(m.get());
}

/// What the choice of a solver asks of m.
template <class Space, class T>
PreconditionerTraits traits_of(const PreconditionerRef<Space, T>& m) {
  const PreconditionerStep<Space, T>* const step = step_of(m);
  const double rate = m.rate();
  const bool is_weak = m.symmetric() ? rate == 0 : step != nullptr && step->is_weak();
  return {.symmetric = m.symmetric(), .varies = m.varies(), .weak = is_weak, .rate = rate};
}

/// Predicted time to make what is stronger than m, as far as one solve has to bear it; 0 where there is nothing.
template <class Space, class T>
double stronger_seconds(const PreconditionerRef<Space, T>& m) {
  const PreconditionerStep<Space, T>* const step = step_of(m);
  return step == nullptr ? 0 : step->stronger_seconds();
}

/// The preconditioner of a name, of m and the stronger ones that were made after it: the last one; m where none has it.
template <class Space, class T>
PreconditionerRef<Space, T> last_in_use(const PreconditionerRef<Space, T>& m, std::string_view name) {
  PreconditionerRef<Space, T> last = m;
  for (const PreconditionerStep<Space, T>* step = step_of(m); step != nullptr; step = step->made_stronger())
    if (step->name() == name) last = *step;
  return last;
}

/// The sentences of refusals, one after the other.
inline std::string text_of(const std::vector<Refusal>& refused) {
  std::string text;
  for (const Refusal& one : refused) text += (text.empty() ? "" : "; ") + one.text;
  return text;
}

}  // namespace ostinato
