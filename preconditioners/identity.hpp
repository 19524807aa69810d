// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ostinato {

/// No preconditioner: M = I. The solvers skip the preconditioning step.
struct Identity {
  using is_identity = void;
  using is_capturable = void;

  std::size_t bytes() const { return 0; }
};

}  // namespace ostinato
