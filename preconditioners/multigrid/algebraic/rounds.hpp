// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ostinato::algebraic {

/// Whether the host looks after round 0, 1, ... if anything is left to do. On a GPU a look takes as long as a round
/// without work; so there is none before round `first`, and a round must do nothing where nothing is left.
template <class Space>
bool is_look(int round, int first) {
  return !Space::has_streams || round >= first;
}

}  // namespace ostinato::algebraic
