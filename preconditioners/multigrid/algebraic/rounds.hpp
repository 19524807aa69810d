// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ostinato::algebraic {

/// Whether the host looks after round 0, 1, ... if anything is left to do. On a GPU a look takes as long as several
/// kernels without work; so several rounds pass between looks, and a round must do nothing where nothing is left.
template <class Space>
bool is_look(int round) {
  constexpr int first = 3, between = 3;
  return !Space::on_device || (round >= first && (round - first) % between == 0);
}

}  // namespace ostinato::algebraic
