// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/triangular/factored.hpp>
#include <ostinato/preconditioners/triangular/factors.hpp>
#include <ostinato/preconditioners/triangular/factors_in_place.hpp>
#include <ostinato/preconditioners/triangular/preparation.hpp>
#include <ostinato/preconditioners/triangular/triangular_solve.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// M^-1 as Factored has it, but with both triangular solves replaced by products, as TriangularOptions say:
///   z = C Q S(U) D^-1 S(L) P R r,  where the factors are L and D U, both L and U with ones on the diagonal,
/// and S(L) is near L^-1.
///
/// The triangles are numbered as the rows and columns of A, so that r and z need no permutation, and the triangles of a
/// grid keep its diagonals. Each is an Operator in the format that is chosen for it. With as many sweeps as the
/// triangle has levels, jacobi is exact. Where the factors are symmetric, S(U) is the transpose of S(L): M is
/// symmetric, and positive definite where D is.
///
/// Traffic   For each triangle steps - 1 products (jacobi), or 2 steps - 1 (isai), and 2 to 4 vectors read or written
///           between them. The first step of jacobi is a copy.
/// Exec      The constructor puts the triangles together on the calling thread of the host; the inverses are made on
///           the space, in double precision. apply is enqueued, allocates nothing, and may be captured. One thread at a
///           time applies an object.
/// Source    Anzt, Chow & Dongarra, Euro-Par 2015, for sweeps in place of a solve; incomplete_inverse() for isai.
template <class Space, class T, class V = T>
class ApproximateFactored {
 public:
  using Announce = std::function<void(const MemoryPrediction&)>;

  /// `symmetric`: U is the transpose of L. `announce` is told bytes() once the formats are chosen, before they are
  /// built.
  /// Throws    ArgumentError naming the first row of A whose pivot is 0 or not finite, or when a number leaves the
  ///           range of V; what announce throws; Stopped once `stop` is made; DeviceError; std::bad_alloc.
  ApproximateFactored(const Space& space, const Factors& factors, const Preparation& how,
                      const TriangularOptions& options, bool symmetric = false, const Announce& announce = {},
                      const StopRequest& stop = {});

  /// From factors in the memory of the space; nothing but a few numbers is downloaded.
  /// Throws    As the other constructor, but a pivot that is 0 or not finite leaves the range, without its row.
  ApproximateFactored(const Space& space, const FactorsInPlace<Space>& factors, const TriangularOptions& options,
                      bool symmetric = false, const Announce& announce = {}, const StopRequest& stop = {});

  /// z = M^-1 r
  void apply(std::span<const T> r, std::span<T> z) const;

  const Space& space() const { return space_; }
  std::size_t rows() const { return over_pivot_.size(); }
  std::size_t bytes() const;
  std::string remarks() const;  ///< for reports: "3 sweeps of Jacobi in dia and dia"
  double seconds() const;       ///< predicted time of the products

  /// The bytes() of triangles in CSR, to go by before the formats are chosen: rows, and entries beside the diagonal.
  static std::size_t bytes_in_csr(std::size_t rows, std::size_t entries, const TriangularOptions& options);

 private:
  /// S(L) for one triangle.
  struct Triangle {
    std::optional<Operator<Space, V>>
        matrix;  ///< without the diagonal for jacobi, with it for isai; absent for one step
    std::optional<Operator<Space, V>> inverse;  ///< for isai
  };
  struct Unit;
  struct Made;

  ApproximateFactored(const Space& space, Made&& made);
  static Unit unit(const Space& space, const Factors& f, const Preparation& how, const TriangularOptions& options,
                   bool symmetric);
  static Unit unit(const Space& space, const FactorsInPlace<Space>& factors, const TriangularOptions& options,
                   bool symmetric);
  static Made make(const Space& space, Unit&& unit, const TriangularOptions& options, const Announce& announce,
                   const StopRequest& stop);
  void solve(const Triangle& triangle, std::span<const V> r, std::span<V> y, std::span<V> spare) const;

  Space space_;
  TriangularOptions options_;
  Triangle lower_, upper_;
  Vector<Space, double> row_scale_, col_scale_;  ///< of the rows and columns of A; empty: 1
  Vector<Space, double> over_pivot_;             ///< of the columns of A
  Vector<Space, Index> row_of_;                  ///< the row of A that a column is matched with; empty: the same
  mutable Vector<Space, V> in_;                  ///< R r; empty when that is r
  mutable Vector<Space, V> y_, w_;
  mutable Vector<Space, double> norm_;  ///< the sum of squares that comes with a residual
};

#define OSTINATO_EXTERN(Space, T, V) extern template class ApproximateFactored<Space, T, V>
OSTINATO_DECLARED_ALL_MIXED(OSTINATO_EXTERN);
#undef OSTINATO_EXTERN

}  // namespace ostinato
