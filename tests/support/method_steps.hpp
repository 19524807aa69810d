// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/recurrence/convergence_state.hpp>
#include <ostinato/solvers/recurrence/workspace.hpp>

#include "support/steps.hpp"

// Support for tests of a method's vector steps, which read the state of the recurrence.

namespace ostinato::test {

template <class Case>
class MethodStepsTest : public StepsTest<Case> {
 protected:
  void SetUp() override {
    StepsTest<Case>::SetUp();
    if (this->IsSkipped()) return;
    state_ = Vector<typename Case::Space, ConvergenceState>(this->space(), 1, ConvergenceState{});
  }

  ConvergenceState* state(const ConvergenceState& value) {
    this->space().upload(state_.data(), &value, sizeof value);
    return state_.data();
  }
  ConvergenceState state() const { return read_scalar(this->space(), state_.data()); }

 private:
  Vector<typename Case::Space, ConvergenceState> state_;
};

inline ConvergenceState stopped_by(int state) {
  ConvergenceState s;
  s.state = state;
  return s;
}

inline constexpr int end_states[] = {ConvergenceState::reached_goal, ConvergenceState::broke_down,
                                     ConvergenceState::not_a_number, ConvergenceState::grew, ConvergenceState::spent};

}  // namespace ostinato::test
