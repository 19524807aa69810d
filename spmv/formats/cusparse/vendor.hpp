// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

/// The median seconds of one product with cuSPARSE's CSR (ALG1, preprocessed). Set-up times are reported in this unit.
///
/// Exec      Waits. Allocates x, y, 32-bit row pointers and cuSPARSE's buffer, and frees them.
/// Requires  The arrays of `a` are in the memory of the device.
/// Returns   0 for a matrix without entries and for a matrix of 2^31 entries or more, whose row pointers need 64 bits.
/// Throws    DeviceError.
template <class T>
double vendor_csr_seconds(const Cuda& space, const CsrView<T>& a);

/// The versions of what measured times depend on beside the GPU: the driver, CUDA and cuSPARSE, as they are loaded now.
std::string vendor_versions(const Cuda& space);

}  // namespace ostinato
