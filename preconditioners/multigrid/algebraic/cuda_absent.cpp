// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of algebraic multigrid in a build without CUDA. They are never called, because such a build can't create
// a Cuda object (spmv/space/cuda_absent.cpp).

#include <ostinato/preconditioners/multigrid/algebraic/aggregation_rounds.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/coarse_inverse_block.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/factor_aggregates.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/groups.hpp>
#include <ostinato/preconditioners/multigrid/algebraic/groups_rows.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato::algebraic {

template <>
Members<Cuda> members_of(const Cuda&, const Vector<Cuda, Index>&, Index) {
  throw DeviceError(Cuda::why_absent());
}

void decide_all_roots(const Cuda&, const detail::CsrPattern&, std::uint64_t*, std::uint32_t*) {
  throw DeviceError(Cuda::why_absent());
}

void factor_aggregates(const Cuda&, std::size_t, const FactorAggregate&) { throw DeviceError(Cuda::why_absent()); }

template <class T>
void invert_in_block(const Cuda&, const CoarsestMatrix<T>&) {
  throw DeviceError(Cuda::why_absent());
}

template <class T>
void collapse_rows(const Cuda&, std::size_t, Offset, const CollapseRow<T>&) {
  throw DeviceError(Cuda::why_absent());
}
template <class T>
void move_rows(const Cuda&, std::size_t, Offset, const MoveRow<T>&) {
  throw DeviceError(Cuda::why_absent());
}

#define OSTINATO_INSTANTIATE(T)                                                         \
  template void invert_in_block(const Cuda&, const CoarsestMatrix<T>&);                 \
  template void collapse_rows(const Cuda&, std::size_t, Offset, const CollapseRow<T>&); \
  template void move_rows(const Cuda&, std::size_t, Offset, const MoveRow<T>&)
OSTINATO_INSTANTIATE(float);
OSTINATO_INSTANTIATE(double);

}  // namespace ostinato::algebraic
