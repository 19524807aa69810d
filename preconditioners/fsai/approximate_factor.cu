// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/fsai/approximate_factor.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/scan.hpp>

namespace ostinato {

namespace {

constexpr int warp_threads = 32;
constexpr unsigned all_lanes = 0xffffffffu;
constexpr int longest_row = longest_row_of_fsai_on_gpu;
constexpr int short_row = 48;  ///< of which a multiprocessor has room for some twenty at once
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// What the rows have found.
struct Found {
  int longest, diagonal_only, unusable;
};

/// length[i] = the entries of row i of G;  diagonal[i] = sign a_ii
template <class T>
struct FindRows {
  detail::CsrPattern a;
  const T* val;
  double sign;
  Offset* length;
  double* diagonal;
  Found* found;

  __device__ void operator()(std::size_t i) const {
    const Offset k = a.first_from(static_cast<Index>(i), static_cast<Offset>(i));
    length[i] = k - a.row_ptr[i] + 1;
    diagonal[i] = sign * static_cast<double>(val[k]);
    constexpr Offset many = longest_row + 1;
    atomicMax(&found->longest, static_cast<int>(min(length[i], many)));
  }
};

/// Makes the rows of G, a warp each, in shared memory.
template <class T>
struct FactorRows {
  detail::CsrPattern a;
  const T* val;
  double sign;
  const double* diagonal;
  const Offset* row_ptr;  ///< of G
  Index* col;
  T* g;
  Found* found;

  __device__ static int lane() { return static_cast<int>(threadIdx.x); }

  /// The room for rows of at most so many entries, in bytes.
  static std::size_t room(int most) {
    const auto m = static_cast<std::size_t>(most);
    return (m * (m + 1) / 2 + 2 * m) * sizeof(double) + m * sizeof(Index);
  }

  /// Row i, of at most `most` entries.
  __device__ void make(std::size_t i, int most, double* memory) const {
    const auto m = static_cast<int>(row_ptr[i + 1] - row_ptr[i]);
    double *const l = memory, *const scale = l + most * (most + 1) / 2, *const y = scale + most;
    auto* const at = reinterpret_cast<Index*>(y + most);
    for (int p = lane(); p < m; p += warp_threads) {
      const Index j = a.col[a.row_ptr[i] + p];
      at[p] = j;
      col[row_ptr[i] + p] = j;
      scale[p] = ldexp(1.0, -static_cast<int>(floor(0.5 * ilogb(diagonal[j]))));
    }
    for (int k = lane(); k < m * (m + 1) / 2; k += warp_threads) l[k] = 0;
    __syncwarp();
    gather(l, scale, at, m);
    __syncwarp();
    const bool is_definite = factor(l, scale, at, m);
    if (is_definite) solve(l, y, m);
    __syncwarp();
    for (int p = lane(); p < m; p += warp_threads) {
      const bool is_last = p == m - 1;
      const double alone = is_last ? 1 / sqrt(diagonal[i] * scale[p] * scale[p]) : 0;
      const auto v = static_cast<T>((is_definite ? y[p] : alone) * scale[p]);
      g[row_ptr[i] + p] = v;
      if (!isfinite(v) || (is_last && v == 0)) atomicAdd(&found->unusable, 1);
    }
    if (!is_definite && lane() == 0) atomicAdd(&found->diagonal_only, 1);
  }

 private:
  /// Where column q of the lower triangle of m rows begins, less q.
  __device__ static int column(int q, int m) { return q * m - q * (q - 1) / 2 - q; }

  /// The place of column j among at[0] .. at[p]; -1 if it isn't there.
  __device__ static int place_of(const Index* at, int p, Index j) {
    int low = 0;
    for (int high = p; low < high;) {
      const int middle = (low + high) / 2;
      if (at[middle] < j) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return at[low] == j ? low : -1;
  }

  /// l := the lower triangle of A(J, J), scaled so that its diagonal is in 1 .. 4. Some lanes have a row.
  __device__ void gather(double* l, const double* scale, const Index* at, int m) const {
    constexpr int lanes = 8;
    bool is_usable = true;
    for (int p = lane() / lanes; p < m; p += warp_threads / lanes) {
      const Index row = at[p];
      const Offset end = a.row_ptr[row + 1];
      for (Offset k = a.row_ptr[row] + lane() % lanes; k < end; k += lanes) {
        const Index j = a.col[k];
        if (j > row) break;
        const int q = place_of(at, p, j);
        if (q < 0) continue;
        const double v = sign * static_cast<double>(val[k]) * scale[p] * scale[q];
        is_usable = is_usable && isfinite(v);
        l[column(q, m) + p] = v;
      }
    }
    if (!is_usable) atomicAdd(&found->unusable, 1);
  }

  /// l := its Cholesky factor, column by column. False where the matrix isn't positive definite to rounding.
  __device__ bool factor(double* l, const double* scale, const Index* at, int m) const {
    for (int q = 0; q < m; ++q) {
      const int of_column = column(q, m);
      for (int p = q + lane(); p < m; p += warp_threads) {
        double v = l[of_column + p];
        for (int k = 0, other = 0; k < q; ++k, other += m - k) v -= l[other + p] * l[other + q];
        l[of_column + p] = v;
      }
      __syncwarp();
      const double pivot = l[of_column + q], whole = diagonal[at[q]] * scale[q] * scale[q];
      if (!(pivot > m * epsilon * whole) || !isfinite(pivot)) return false;
      const double root = sqrt(pivot);
      __syncwarp();  // all lanes have read the pivot
      for (int p = q + lane(); p < m; p += warp_threads) l[of_column + p] = p == q ? root : l[of_column + p] / root;
      __syncwarp();
    }
    return true;
  }

  /// L^T y = e(m - 1)
  __device__ void solve(const double* l, double* y, int m) const {
    for (int q = m - 1; q >= 0; --q) {
      const int of_column = column(q, m);
      double sum = 0;
      for (int p = q + 1 + lane(); p < m; p += warp_threads) sum += l[of_column + p] * y[p];
#pragma unroll
      for (int half = warp_threads / 2; half > 0; half /= 2) sum += __shfl_down_sync(all_lanes, sum, half);
      if (lane() == 0) y[q] = ((q == m - 1 ? 1.0 : 0.0) - sum) / l[of_column + q];
      __syncwarp();
    }
  }
};

/// Makes the rows of more than `above` entries and of at most `most`.
template <class T>
__global__ void __launch_bounds__(warp_threads) factor_kernel(FactorRows<T> rows, int above, int most) {
  extern __shared__ double memory[];
  cuda::pdl_trigger_and_wait();
  const Offset length = rows.row_ptr[blockIdx.x + 1] - rows.row_ptr[blockIdx.x];
  if (length > above && length <= most) rows.make(blockIdx.x, most, memory);
}

}  // namespace

template <class T>
std::optional<FactorOnCuda<T>> approximate_factor(const Cuda& space, const CsrView<T>& a, double sign) {
  const auto rows = static_cast<std::size_t>(a.rows);
  const detail::CsrPattern pattern = detail::pattern_of(a);
  Vector<Cuda, Offset> row_ptr(space, rows + 1);
  Vector<Cuda, double> diagonal(space, rows);
  Vector<Cuda, Found> found(space, 1, Found{});
  for_each(space, rows, FindRows<T>{pattern, a.val.data(), sign, row_ptr.data(), diagonal.data(), found.data()});
  exclusive_scan(space, row_ptr.span());
  Offset entries = 0;
  space.download(&entries, row_ptr.data() + rows, sizeof entries);
  const int most = found.download().front().longest;
  if (most > longest_row) return {};
  const auto g = std::make_shared<CsrStorage<Cuda, T>>(CsrStorage<Cuda, T>{
      a.rows, a.rows, std::move(row_ptr), Vector<Cuda, Index>(space, static_cast<std::size_t>(entries)),
      Vector<Cuda, T>(space, static_cast<std::size_t>(entries))});
  if (rows > 0) {
    const OnDevice here(space);
    // The same for all matrices: other threads may launch the kernel, too. Short rows need no more than any kernel has.
    constexpr auto kind = cudaFuncAttributeMaxDynamicSharedMemorySize;
    const auto bytes = static_cast<int>(FactorRows<T>::room(longest_row));
    // An older GPU has less; the host does without.
    if (most > short_row && !cuda_succeeds(cudaFuncSetAttribute(factor_kernel<T>, kind, bytes))) return {};
    const FactorRows<T> all{pattern,           a.val.data(),  sign,          diagonal.data(),
                            g->row_ptr.data(), g->col.data(), g->val.data(), found.data()};
    const auto launch = [&](int above, int up_to) {
      cuda::launch(space, factor_kernel<T>, static_cast<unsigned>(rows), warp_threads, FactorRows<T>::room(up_to), all,
                   above, up_to);
    };
    launch(0, std::min(most, short_row));
    if (most > short_row) launch(short_row, most);
  }
  const Found made = found.download().front();
  if (made.unusable > 0) return {};
  return FactorOnCuda<T>{SpaceCsr<Cuda, T>(g), made.diagonal_only};
}

#define OSTINATO_INSTANTIATE(T) \
  template std::optional<FactorOnCuda<T>> approximate_factor(const Cuda&, const CsrView<T>&, double)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
