// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/formats/cmrs/cmrs_build.hpp>
#include <ostinato/spmv/formats/contract/product.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato::formats {

/// Converts a CSR matrix in the memory of the space. Waits for the number of slots.
template <class T>
CmrsMatrix<Host, T> cmrs_build(const Host& space, const CsrView<T>& a, const CmrsShape& shape);
template <class T>
CmrsMatrix<Cuda, T> cmrs_build(const Cuda& space, const CsrView<T>& a, const CmrsShape& shape);

/// Takes new values on the same pattern. Enqueued.
template <class T>
void cmrs_set_values(const Host& space, const CsrView<T>& a, CmrsMatrix<Host, T>& m);
template <class T>
void cmrs_set_values(const Cuda& space, const CsrView<T>& a, CmrsMatrix<Cuda, T>& m);

/// Converts back to CSR with ascending columns. Waits.
template <class T>
Csr<T> cmrs_to_csr(const Host& space, const CmrsMatrix<Host, T>& m);
template <class T>
Csr<T> cmrs_to_csr(const Cuda& space, const CmrsMatrix<Cuda, T>& m);

/// Computes the product p. `block` is the number of threads of a CUDA thread block: 64, 128 or 256; unused on Host.
/// Enqueued.
template <class T>
void cmrs_apply(const Host& space, const CmrsMatrix<Host, T>& m, const Product<T>& p, int block);
template <class T>
void cmrs_apply(const Cuda& space, const CmrsMatrix<Cuda, T>& m, const Product<T>& p, int block);

}  // namespace ostinato::formats
