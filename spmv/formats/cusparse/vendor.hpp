// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

/// Why cuSPARSE can't be used in this process; empty when it can be. The first call opens cuSPARSE.
std::string why_no_cusparse();

/// The median seconds of one product with cuSPARSE's CSR (ALG1, preprocessed). Set-up times are reported in this unit.
///
/// Exec      Waits. Allocates x, y, 32-bit row pointers and cuSPARSE's buffer, and frees them.
/// Requires  The arrays of `a` are in the memory of the device.
/// Returns   0 for a matrix without entries, for a matrix of 2^31 entries or more, whose row pointers need 64 bits, and
///           where there is no cuSPARSE.
/// Throws    DeviceError.
template <class T>
double vendor_csr_seconds(const Cuda& space, const CsrView<T>& a);

/// The versions of what measured times depend on beside the GPU: the driver, CUDA and cuSPARSE, as they are loaded now.
/// Opens cuSPARSE.
std::string vendor_versions(const Cuda& space);

}  // namespace ostinato
