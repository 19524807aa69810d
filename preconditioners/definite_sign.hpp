// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/analysis/facts.hpp>

namespace ostinato {

/// -1 for a symmetric matrix that may be negative definite, otherwise 1. CG solves -A x = -b then, so that M has to be
/// that of -A.
inline int definite_sign(const Facts& s) { return s.symmetric && s.negative_diagonal ? -1 : 1; }

}  // namespace ostinato
