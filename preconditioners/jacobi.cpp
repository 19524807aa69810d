// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cmath>

#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

namespace {

/// The sum of the entries at (i, i): rows may be unsorted and hold duplicates.
template <class T>
T diagonal(const CsrView<T>& a, std::size_t i) {
  T sum = 0;
  for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
    if (static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)]) == i) sum += a.val[static_cast<std::size_t>(k)];
  }
  return sum;
}

template <class T>
Array<T> inverse_diagonal(const CsrView<T>& a) {
  const Host host;
  const std::size_t rows = static_cast<std::size_t>(a.rows);
  Array<T> inverse(rows);
  std::size_t first_bad = rows;
  parallel_for(host, (rows + host_block - 1) / host_block, [&, out = inverse.data()](std::size_t block) {
    for (std::size_t i = block * host_block; i < std::min(rows, (block + 1) * host_block); ++i) {
      out[i] = T{1} / diagonal(a, i);
      if (!std::isfinite(out[i]) || out[i] == T{0}) {
        std::atomic_ref<std::size_t> bad(first_bad);
        for (std::size_t seen = bad.load(); i < seen && !bad.compare_exchange_weak(seen, i);) {
        }
      }
    }
  });
  if (first_bad < rows) {
    throw ArgumentError(
        "jacobi: row " + std::to_string(first_bad + 1) +
        " has no diagonal entry that can be divided by (it is missing, 0 or not finite); use --precond none");
  }
  return inverse;
}

}  // namespace

template <class Space, class T>
Jacobi<Space, T>::Jacobi(const Space& space, const CsrView<T>& a)
    : space_(space), inverse_(space, inverse_diagonal(a)) {}

template <class Space, class T>
void Jacobi<Space, T>::apply(std::span<const T> r, std::span<T> z) const {
  multiply<T>(space_, inverse_, r, z);
}

template <class Space, class T>
void Jacobi<Space, T>::apply_dot(std::span<const T> r, std::span<T> z, double* slot) const {
  multiply_dot<T>(space_, inverse_, r, z, slot);
}

template class Jacobi<Host, float>;
template class Jacobi<Host, double>;
template class Jacobi<Cuda, float>;
template class Jacobi<Cuda, double>;

}  // namespace ostinato
