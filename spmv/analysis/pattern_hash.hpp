// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

class Host;
class Cuda;

/// Names the pattern of a matrix: 24 hexadecimal digits made from its shape and the places of its entries, not from the
/// values. Matrices with the same pattern have the same hash on every space; others have another one but for a chance
/// of 2^-96. Not made to withstand somebody who looks for a collision.
///
/// Exec      In parallel where the matrix is; waits for the result.
/// Traffic   Reads the columns once.
template <class T>
std::string pattern_hash(const Host& space, const CsrView<T>& a);
template <class T>
std::string pattern_hash(const Cuda& space, const CsrView<T>& a);

}  // namespace ostinato
