// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

/// Whether a matrix has a symmetric pattern, and values that are symmetric but for rounding: mirrored values differ by
/// 1e-6 of the largest value in their row at most. For preconditioners that use the lower triangle alone.
bool is_nearly_symmetric(const CsrView<double>& a);

}  // namespace ostinato
