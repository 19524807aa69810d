// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <ostinato/spmv/analysis/structure.hpp>

namespace ostinato {

/// The structure that analyse() finds for a matrix in float whose values are those of another one times a power of two,
/// from the structure of that other one, in double or float. So a matrix of few different values needn't be analysed
/// again in float. Nothing where values would be rounded or leave the range of float's normal numbers, or where the
/// census doesn't say which values there are.
///
/// Exec      On the calling thread. Copies the structure, whose census takes some bytes for each 256 rows.
std::optional<Structure> scaled_structure(const Structure& s, double factor);

/// The same where rounding to float may change values: for a symmetric matrix of many different values, also after
/// rounding, from the structure of the matrix before. Properties of single diagonals that rounding alone has made, as a
/// constant value, aren't found, nor are values that are exact in bfloat16; the norm, the sign of the main diagonal and
/// its missing entries are those before rounding. Nothing for other matrices, and where a value may leave the range of
/// float.
///
/// Exec      Takes the profile of `a` in the memory of the space (take_profile()), and waits.
/// Requires  `a` is the matrix of `s` times the factor, in float.
template <class Space>
std::optional<Structure> rounded_structure(const Space& space, const CsrView<float>& a, const Structure& s,
                                           double factor);

}  // namespace ostinato
