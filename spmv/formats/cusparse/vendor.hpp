// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

/// Seconds of one product with cuSPARSE's CSR (ALG1, preprocessed), the unit in which set-up is told: a median.
///
/// Exec      Waits. Takes memory for x, y, row pointers of 32 bits and cuSPARSE's buffer, and gives it back.
/// Requires  The arrays of `a` are in the memory of the device.
/// Returns   0 for a matrix without entries, and where cuSPARSE can't take 64-bit row pointers (2^31 entries and more).
/// Throws    DeviceError.
template <class T>
double vendor_csr_seconds(const Cuda& space, const CsrView<T>& a);

}  // namespace ostinato
