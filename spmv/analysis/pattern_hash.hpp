// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

class Host;
class Cuda;

/// A hash of the pattern of a matrix: 24 hexadecimal digits, made from the shape and the positions of the entries, not
/// from the values. The hash of a pattern is the same on every space. Two different patterns have the same hash with a
/// probability of 2^-96. The hash isn't cryptographic.
///
/// Exec      In parallel on the space, in whose memory the matrix is. Waits for the result.
/// Traffic   Reads the columns once.
template <class T>
std::string pattern_hash(const Host& space, const CsrView<T>& a);
template <class T>
std::string pattern_hash(const Cuda& space, const CsrView<T>& a);

/// Tells whether arrays hold the same pattern as before, in a quarter of the time of pattern_hash() on Host: a hash of
/// the arrays as they are, for this process only. Two different patterns of one shape have the same mark with a
/// probability of 2^-64. On Cuda: pattern_hash().
///
/// Requires  rows + 1 row pointers. Nothing else: malformed arrays have another mark than a matrix.
/// Source    NH: Black et al., UMAC, CRYPTO '99, with two independent keys; the sums of the blocks are mixed.
template <class T>
std::string pattern_mark(const Host& space, const CsrView<T>& a);
template <class T>
std::string pattern_mark(const Cuda& space, const CsrView<T>& a) {
  return pattern_hash(space, a);
}

}  // namespace ostinato
