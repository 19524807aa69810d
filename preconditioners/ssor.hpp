// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <ostinato/preconditioners/contract/application.hpp>
#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/contract/rows_named.hpp>
#include <ostinato/preconditioners/triangular/factored.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/revision.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

struct SsorOptions {
  double omega = 1;       ///< 0.01 .. 1.99; 1: Gauss-Seidel
  bool coloured = true;   ///< rows in the order of their colours, otherwise in their own order
  bool symmetric = true;  ///< a sweep forward and one back, otherwise the first one alone
};

/// Symmetric successive over-relaxation, M = (D + omega L) D^-1 (D + omega U) / (omega (2 - omega)), where D is the
/// diagonal of A, L its lower and U its upper triangle, in the order of a colouring: rows of a colour don't depend on
/// each other, so that a sweep has as many steps as there are colours. Natural order takes fewer iterations, and as
/// many steps as rows may wait for each other. With `symmetric` false M = D / omega + L.
///
/// M is symmetric when A is. For a symmetric matrix |D| is taken, so that M is positive definite, and where all of the
/// diagonal is negative, M is that of -A.
///
/// Traffic   (4 + 2 sizeof(T)) bytes an entry of A, half of which sizeof(T) is a gather, and some 40 + 6 sizeof(T) a
///           row.
/// Exec      The constructor works on the calling thread of the host; from a GPU it downloads the matrix and uploads
///           the sweeps. apply is enqueued, allocates nothing, and may be captured: two Sweeps
///           (preconditioners/triangular/sweep.hpp). One thread at a time applies an object;
///           a second one gets an ArgumentError.
/// Throws    ArgumentError when the matrix isn't square or holds NaN or infinity, when the sweeps leave the range of T,
///           and naming the first row whose diagonal entry is missing or 0.
/// Source    Saad, Iterative Methods for Sparse Linear Systems, sections 4.1 and 12.4.
template <class Space, class T>
class Ssor {
 public:
  using space_type = Space;
  using value_type = T;
  using is_capturable = void;
  static constexpr std::string_view name = "ssor";
  static constexpr std::string_view description = "sweeps of Gauss-Seidel or over-relaxation, forward and back";
  using Options = SsorOptions;

  static std::string why_not(const Structure& s);
  static std::string known_options();  ///< for help: "KEY=VALUES, KEY=VALUES"
  /// Throws    ArgumentError for a text with other options.
  static SsorOptions parse_options(std::string_view text);
  static RowsNamed rows_named(const SsorOptions& options) {
    return options.coloured ? RowsNamed::none : RowsNamed::order;
  }

  explicit Ssor(const Analysis<Space, T>& analysis, SsorOptions options = {});
  Ssor(const Space& space, const Csr<T>& a, SsorOptions options = {}) : Ssor(Analysis<Space, T>(space, a), options) {}

  /// Takes a matrix with new values, with the same options. After an exception the object is as before.
  /// Throws    DimensionError for another number of rows; as the constructor.
  void update_values(const Analysis<Space, T>& analysis);

  std::size_t rows() const { return factored_.rows(); }
  const Space& space() const { return factored_.space(); }
  /// Changes with update_values(), and when another one is assigned.
  int revision() const { return revision_.number(); }
  /// z = M^-1 r
  void apply(std::span<const T> r, std::span<T> z) const {
    require_lengths(name, rows(), r.size(), z.size());
    const auto within = one_thread_.enter(name);
    factored_.apply(r, z);
  }

  /// Forward sweeps alone have about half of the entries beside the diagonal.
  static MemoryPrediction predict(const Analysis<Space, T>& analysis, const SsorOptions& options);

  bool symmetric() const { return options_.symmetric; }
  std::size_t bytes() const { return factored_.bytes(); }

 private:
  SsorOptions options_;
  std::size_t rows_;
  Factored<Space, T> factored_;
  Revision revision_;
  OneThread one_thread_;
};

template <class Space, class T>
Ssor(const Space&, const Csr<T>&) -> Ssor<Space, T>;

OSTINATO_EXTERN_CLASS(Ssor);

}  // namespace ostinato
