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

}  // namespace ostinato
