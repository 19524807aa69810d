// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include <ostinato/spmv/team/team.hpp>

namespace ostinato::test {

/// Calls work(team) on so many ranks of this process for each number or, where mpirun has started the program, once on
/// the processes: one suite for both.
template <class F>
void on_ranks(std::initializer_list<int> sizes, F work) {
  if (Team::launched() > 1) {
    const Team team = Team::mpi();
    team.set_patience(30);
    team.together([&] { work(team); });
    return;
  }
  for (const int size : sizes) {
    SCOPED_TRACE(std::to_string(size) + " ranks");
    Team::run(size, [&](const Team& team) {
      team.set_patience(30);
      work(team);
    });
  }
}

}  // namespace ostinato::test
