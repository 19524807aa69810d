// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/algebraic/coarse_inverse_block.hpp>

#include <ostinato/spmv/space/cuda/overlap.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::algebraic {

namespace {

/// Half of the threads that a thread block may have: each then has the registers that it needs.
constexpr int side = 32, warps = 16, threads = side * warps;
constexpr unsigned all_lanes = 0xffffffffu;

__device__ int lane() { return static_cast<int>(threadIdx.x) % side; }
__device__ int warp() { return static_cast<int>(threadIdx.x) / side; }

/// The values of all lanes combined, on each lane.
template <class V, class F>
__device__ V over_lanes(V v, F combine) {
#pragma unroll
  for (int d = side / 2; d > 0; d /= 2) v = combine(v, __shfl_xor_sync(all_lanes, v, d));
  return v;
}

/// What the threads share.
struct Shared {
  double columns[2][most_inverted_in_block], pivots[2];
  double of_row[most_inverted_in_block], own[most_inverted_in_block], scale[most_inverted_in_block], of_warp[warps];
};

/// A symmetric matrix in the registers of a thread block, of up to Tiles * 32 rows: its part below the diagonal and on
/// it. Element (warp + 16 a, lane + 32 b) is v[a][b]; those above the diagonal are of no use.
template <int Tiles>
struct Elements {
  static constexpr int rows = Tiles * side / warps;
  double v[rows][Tiles];

  /// Whether v[a][b] of some thread is on the diagonal or below it.
  __device__ static constexpr bool is_kept(int a, int b) { return warps * a + warps > side * b; }

  /// Calls use(i, j, element) for the elements of the calling thread.
  template <class F>
  __device__ void visit(F use) {
#pragma unroll
    for (int a = 0; a < rows; ++a) {
#pragma unroll
      for (int b = 0; b < Tiles; ++b) {
        if (is_kept(a, b)) use(warp() + warps * a, lane() + side * b, v[a][b]);
      }
    }
  }
};

/// Gauss-Jordan elimination of a symmetric matrix with ones on its diagonal, with its diagonal entries as pivots, in
/// their order. Where the inverse has the element v, what is eliminated has -v, and 2 - v on the diagonal. All threads
/// call the functions.
template <int Tiles>
struct Elimination {
  Shared& shared;
  Elements<Tiles>& m;
  int n;
  double least;  ///< a pivot is larger

  /// Returns whether all pivots are large enough.
  __device__ bool run() {
    for (int i = static_cast<int>(threadIdx.x); i < most_inverted_in_block; i += threads)
      shared.columns[0][i] = shared.columns[1][i] = 0;
    __syncthreads();
    share<0>(0);
    __syncthreads();
    return run_from<0>();
  }

 private:
  static constexpr int rows = Elements<Tiles>::rows;

  /// The rows warp + 16 a for each a from A on: only a constant index leaves the elements in registers.
  template <int A>
  __device__ bool run_from() {
    if constexpr (A < rows) {
      const int end = min(n, warps * (A + 1));
      for (int k = warps * A; k < end; ++k) {
        const double pivot = shared.pivots[k % 2];
        if (!(pivot > least)) return false;  // the same for all threads
        eliminate(shared.columns[k % 2], 1 / pivot);
        k + 1 < end ? share<A>(k + 1) : share<A + 1>(k + 1);
        __syncthreads();
      }
      return run_from<A + 1>();
    }
    return true;
  }

  /// Copies column k, in row block A, for all threads; above the diagonal it is row k. Two columns take turns, so that
  /// one wait a step does.
  template <int A>
  __device__ void share(int k) {
    if constexpr (A < rows) {
      constexpr int B = warps * A / side;
      double* const to = shared.columns[k % 2];
      const int of_warp = k - warps * A, of_lane = k - side * B;
      if (lane() == of_lane) {
#pragma unroll
        for (int a = A; a < rows; ++a) {
          if (a > A || warp() > of_warp) to[warp() + warps * a] = m.v[a][B];
        }
      }
      if (warp() != of_warp) return;
#pragma unroll
      for (int b = 0; b <= B; ++b) {
        if (b < B || lane() < of_lane) to[lane() + side * b] = m.v[A][b];
      }
      if (lane() == of_lane) {
        shared.pivots[k % 2] = m.v[A][B];
        to[k] = m.v[A][B] - 1;
      }
    }
  }

  /// m(i, j) -= m(i, k) m(k, j) / p with the pivot p. With p - 1 in the place of p in the column this also divides
  /// m(i, k) and m(k, j) by p, and makes 2 - 1 / p of p: without a choice by element, which takes longer than the
  /// product.
  __device__ void eliminate(const double* column, double inverse) {
    double of_column[Tiles];
#pragma unroll
    for (int b = 0; b < Tiles; ++b) of_column[b] = column[lane() + side * b];
#pragma unroll
    for (int a = 0; a < rows; ++a) {
      const double of_row = -column[warp() + warps * a] * inverse;
#pragma unroll
      for (int b = 0; b < Tiles; ++b) {
        if (Elements<Tiles>::is_kept(a, b)) m.v[a][b] = fma(of_row, of_column[b], m.v[a][b]);
      }
    }
  }
};

/// The largest v of the threads.
__device__ double largest_of_all(Shared& shared, double v) {
  const auto larger = [](double a, double b) { return fmax(a, b); };
  v = over_lanes(v, larger);
  if (lane() == 0) shared.of_warp[warp()] = v;
  __syncthreads();
  return over_lanes(shared.of_warp[lane() % warps], larger);
}

/// Writes the matrix with all its zeros.
template <class T>
__device__ void fill(const CoarsestMatrix<T>& m) {
  const int n = m.a.rows;
  for (int p = static_cast<int>(threadIdx.x); p < n * n; p += threads) m.full[p] = 0;
  __syncthreads();
  for (int i = warp(); i < n; i += warps) {
    for (Offset k = m.a.row_ptr[i] + lane(); k < m.a.row_ptr[i + 1]; k += side) {
      const double v = m.factor * static_cast<double>(m.val[k]);
      const bool is_nothing = m.a.col[k] == i && m.size != nullptr && fabs(v) <= m.rounding * m.size[i];
      m.full[i * n + m.a.col[k]] = is_nothing ? 0 : v;
    }
  }
  __syncthreads();
}

/// What decides how the matrix is inverted.
struct Kind {
  bool may_be_definite;  ///< symmetric, and all diagonal entries have the same sign
  bool is_singular_for_constants;
  double largest;
};

template <class T>
__device__ Kind kind_of(const CoarsestMatrix<T>& m, Shared& shared) {
  const int n = m.a.rows;
  const double* const v = m.full;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += threads) shared.own[i] = v[i * n + i];
  __syncthreads();
  double most = 0;
  bool may_be_definite = true, is_singular = true;
  for (int i = warp(); i < n; i += warps) {
    const double own = shared.own[i];
    double of_row = 0;
    may_be_definite = may_be_definite && (shared.own[0] < 0 ? own < 0 : own > 0);
#pragma unroll
    for (int b = 0; b < most_inverted_in_block / side; ++b) {
      const int j = lane() + side * b;
      const double e = j < n ? v[i * n + j] : 0, other = j < n ? v[j * n + i] : 0, apart = e - other;
      const double both = j < n ? sqrt(fabs(own)) * sqrt(fabs(shared.own[j])) : 0;  // the product may be out of range
      most = fmax(most, fabs(e));
      may_be_definite = may_be_definite && fabs(apart) <= m.no_pivot * fmax(fabs(e), both);
      of_row += e;
    }
    of_row = over_lanes(of_row, [](double a, double b) { return a + b; });
    if (lane() == 0) shared.of_row[i] = of_row;
  }
  const double largest = largest_of_all(shared, most);
  for (int i = static_cast<int>(threadIdx.x); i < n; i += threads)
    is_singular = is_singular && fabs(shared.of_row[i]) <= 1e-6 * largest;
  return {__syncthreads_and(may_be_definite) != 0, __syncthreads_and(is_singular) != 0, largest};
}

/// The matrix with `shift` in all places, times `sign`, scaled to ones on the diagonal: shared.scale has the factors.
template <class T, int Tiles>
__device__ void read(const CoarsestMatrix<T>& m, Shared& shared, double shift, double sign, Elements<Tiles>& elements) {
  const int n = m.a.rows;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += threads)
    shared.scale[i] = 1 / sqrt(fabs(shared.own[i] + shift));
  __syncthreads();
  elements.visit([&](int i, int j, double& v) {
    const bool is_inside = i < n && j < i;
    v = is_inside ? sign * (m.full[i * n + j] + shift) * shared.scale[i] * shared.scale[j] : 0;
    if (i == j && i < n) v = 1;
  });
}

/// Writes the inverse, plus `more` in all places, the same bits on both sides of the diagonal. Returns whether it is
/// finite in float.
template <class T, int Tiles>
__device__ bool write(const CoarsestMatrix<T>& m, const Shared& shared, Elements<Tiles>& eliminated, double sign,
                      double more) {
  const int n = m.a.rows;
  bool is_finite = true;
  eliminated.visit([&](int i, int j, double element) {
    if (i >= n || j > i) return;
    const double v = (i == j ? 2 : 0) - element;
    const auto inverse = static_cast<float>(more + sign * v * shared.scale[i] * shared.scale[j]);
    is_finite = is_finite && inverse - inverse == 0;
    m.inverse[i * n + j] = m.inverse[j * n + i] = inverse;
  });
  return __syncthreads_and(is_finite) != 0;
}

template <int Tiles, class T>
__global__ void __launch_bounds__(threads) inverse_kernel(CoarsestMatrix<T> m) {
  __shared__ Shared shared;
  cuda::pdl_trigger_and_wait();
  const int n = m.a.rows;
  fill(m);
  const Kind kind = kind_of(m, shared);
  bool is_made = false;
  if (kind.may_be_definite) {
    // With s in all places the eigenvalue of constants is s n in the place of 0, and the others are as before.
    const double sign = m.full[0] < 0 ? -1 : 1, s = sign * fmax(kind.largest, 1e-300) / n;
    Elements<Tiles> elements;
    read(m, shared, kind.is_singular_for_constants ? s : 0, sign, elements);
    if (Elimination<Tiles>{shared, elements, n, m.least_pivot}.run())
      is_made = write(m, shared, elements, sign, kind.is_singular_for_constants ? -1 / (s * n * n) : 0);
  }
  if (threadIdx.x == 0) *m.is_made = is_made ? 1 : 0;
}

}  // namespace

template <class T>
void invert_in_block(const Cuda& space, const CoarsestMatrix<T>& m) {
  const auto launch = [&](auto kernel) { cuda::launch(space, kernel, 1, threads, 0, m); };
  if (m.a.rows <= side) return launch(inverse_kernel<1, T>);
  if (m.a.rows <= 2 * side) return launch(inverse_kernel<2, T>);
  launch(inverse_kernel<most_inverted_in_block / side, T>);
}

#define OSTINATO_INSTANTIATE(T) template void invert_in_block(const Cuda&, const CoarsestMatrix<T>&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::algebraic
