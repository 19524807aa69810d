// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include <ostinato/preconditioners/triangular/factored.hpp>
#include <ostinato/preconditioners/triangular/preparation.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace detail {
struct CsrPattern;
struct FactorCounts;
struct FactorOrder;
struct Triangle;
}  // namespace detail

enum class ZeroFillKind { ilu, ic };

/// Factors with the pattern of A, made in the memory of a space: with the same bits as those of factor_iluk() and
/// factor_ic(). Entries of L that are 0 stay in the pattern.
///
/// sweeps() looks at the pattern, factor() at the values; values may change as long as the pattern stays. make() does
/// both. factors() makes the factors alone, for those who don't solve by sweeps. A matrix in its own order isn't
/// downloaded. For another order the pattern is, and for matched rows the whole matrix (prepare()).
///
/// Exec      On Cuda one kernel per phase, whose rows wait for each other; the functions wait for it. make() factors up
///           to 384 rows for each multiprocessor beside sweeps(). On Host the rows come one after the other;
///           IncompleteLu takes factor_iluk() and factor_ic() there.
/// Traffic   factor() and make(): 16 bytes an entry that last until their end. factors(): 16 bytes an entry and 8 a
///           row, which it returns, and for many rows up to 28 a row more until its end. Between the calls 8 bytes a
///           row; of a reordered matrix 12 bytes an entry and 16 a row, too.
/// Source    Park, Smelyanskiy, Sundaram & Dubey, Sparsifying Synchronization for High-Performance Shared-Memory Sparse
///           Triangular Solver, ISC 2014, for levels; Liu, Li, Hogg, Duff & Vinter, Euro-Par 2016, for rows that wait
///           for single elements.
template <class Space, class T>
class ZeroFill {
 public:
  struct Outcome {
    Index boosted = 0;  ///< pivots that were raised
    double shift = 0;   ///< A + shift diag(A) was factored
  };

  /// Requires  A square matrix with canonical rows and finite values; for IC(0) a symmetric pattern and a positive
  ///           diagonal.
  /// Throws    As prepare(); DeviceError; std::bad_alloc.
  ZeroFill(const Space& space, const SpaceCsr<Space, T>& a, ZeroFillKind kind, const PreparationOptions& options,
           const StopRequest& stop = {});

  /// The sweeps of the factors, whose values are unset. V: T, or float under double.
  template <class V = T>
  Factored<Space, T, V> sweeps(const SpaceCsr<Space, T>& a) const;

  /// Factors a matrix with the pattern of the one before, and writes the values into its sweeps. After an exception the
  /// sweeps are as before.
  /// Requires  Rows weren't matched, or the matrix is the one of the constructor: matching depends on values.
  /// Throws    ArgumentError when no shift makes the pivots of IC(0) positive, or when a factor leaves the range of V;
  ///           Stopped.
  template <class V>
  Outcome factor(const SpaceCsr<Space, T>& a, Factored<Space, T, V>& to, const StopRequest& stop = {}) const;

  /// sweeps() and factor().
  /// Requires  No SideStream of the space with number 0.
  template <class V = T>
  std::pair<Factored<Space, T, V>, Outcome> make(const SpaceCsr<Space, T>& a, const StopRequest& stop = {}) const;

  Offset nonzeros() const;  ///< of L and U, without the ones on the diagonal of L
  std::size_t bytes() const;

 private:
  /// A matrix that the host has prepared.
  struct Prepared {
    Vector<Space, Offset> row_ptr;
    Vector<Space, Index> col;
    Vector<Space, Offset> from;                  ///< the entry of A; empty when rows were matched
    Vector<Space, double> val;                   ///< empty unless rows were matched
    Vector<Space, Index> row_at, col_at;         ///< the row and column of A at each place
    Vector<Space, double> row_scale, col_scale;  ///< of the places; empty: 1

    Prepared(const Space& space, const SpaceCsr<Space, T>& a, const PreparationOptions& options,
             const StopRequest& stop);
  };

  struct Work;  ///< arrays of one factorisation

  detail::CsrPattern pattern(const SpaceCsr<Space, T>& a) const;
  detail::Triangle triangle(const SpaceCsr<Space, T>& a, bool upper) const;
  template <class V>
  std::pair<SweepArrays<Space, V>, SweepArrays<Space, V>> list_rows(const SpaceCsr<Space, T>& a,
                                                                    const JoinedGroups& groups,
                                                                    const Vector<Space, Index>& order) const;
  detail::FactorOrder order_by(const Index* row, const Vector<Space, SweepTile>& tiles, Index levels) const;
  void load(const SpaceCsr<Space, T>& a, std::span<double> work) const;
  template <class V>
  detail::FactorOrder order_of(const Factored<Space, T, V>& sweeps) const;
  double first_parameter() const;
  detail::FactorCounts counts_of(const Work& work) const;
  void attempt(const SpaceCsr<Space, T>& a, Work& work, const detail::FactorOrder& order, double parameter,
               const StopRequest& stop) const;
  double find_shift(const SpaceCsr<Space, T>& a, Work& work, const detail::FactorOrder& order,
                    const StopRequest& stop) const;
  template <class V>
  Outcome finish(const SpaceCsr<Space, T>& a, Work& work, Factored<Space, T, V>& to, const StopRequest& stop) const;
  template <class V>
  detail::FactorCounts store(const SpaceCsr<Space, T>& a, const Work& work, Factored<Space, T, V>& to) const;

  Space space_;
  ZeroFillKind kind_;
  Offset entries_;
  std::optional<Prepared> prepared_;
  Vector<Space, Offset> after_;  ///< the first entry of each row past the diagonal
  Offset below_ = 0, on_ = 0;    ///< entries below the diagonal and on it
  Offset in_long_rows_ = 0;      ///< entries of long rows
};

OSTINATO_EXTERN_CLASS(ZeroFill);

}  // namespace ostinato
