// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/triangular/factors.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

namespace ostinato {

struct LibraryFactorOptions {
  enum class Kind {
    definite,   ///< symmetric positive definite: L L^T without pivoting
    symmetric,  ///< L D L^T with pivots of one and two rows
    general,    ///< L U with pivoting
  };
  Kind kind = Kind::general;
  bool match = true;               ///< large entries are moved to the diagonal, where the pattern isn't symmetric
  double pivot = 0.01;             ///< a pivot has this share of the largest entry of its column; `definite` has none
  double most_seconds = HUGE_VAL;  ///< factors that are predicted to take longer are refused
  std::vector<Index> order = {};   ///< of the rows, at each place; empty: the library orders them
  bool takes_bands = false;        ///< narrow ones, too, which our own code factors in less time
};

/// Factors that are predicted to take longer than they may.
class SlowFactors : public ArgumentError {
 public:
  using ArgumentError::ArgumentError;
};

extern const bool has_klu;  ///< whether the build has KLU

/// What a library keeps of a matrix that it has factored.
class FactorsInLibrary {
 public:
  virtual ~FactorsInLibrary() = default;
  virtual std::string library() const = 0;  ///< with its version: "MUMPS 5.5.1"
  virtual std::size_t rows() const = 0;
  virtual std::size_t bytes() const = 0;
  virtual Offset nonzeros() const = 0;  ///< of L and U
  virtual void solve(std::span<double> x, bool transposed) = 0;
  virtual Index null_pivots() const { return 0; }      ///< those that are 0 but for rounding
  virtual Index negative_pivots() const { return 0; }  ///< of L D L^T: the negative eigenvalues, unless pivots are 0
  /// To take for the same pattern with other values; empty where the values decide, too.
  virtual std::vector<Index> order() const { return {}; }
};

/// Complete factors of a matrix that a library makes and keeps. MUMPS, in its sequential form, makes those that take
/// many operations: multifrontal, with the BLAS. It is opened when it is first asked for, so that programs run without
/// it. KLU, in builds with SuiteSparse, makes the others, column by column.
///
/// Memory    8 to 16 bytes an entry of the factors, and while they are made twice that at most.
/// Exec      On the calling thread, or on one of their own for what takes long: a stop leaves that to end by itself.
///           MUMPS serves one thread at a time; others wait. Threads of the BLAS are its own affair.
/// Source    Amestoy, Duff, L'Excellent & Koster, SIAM J. Matrix Anal. Appl. 23 (2001) 15-41. Davis & Palamadai
///           Natarajan, ACM Trans. Math. Softw. 37 (2010) article 36: KLU.
class LibraryFactors {
 public:
  using Options = LibraryFactorOptions;

  static std::string multifrontal();  ///< "MUMPS 5.5.1"; empty where there is none

  /// Whether MUMPS is there and is predicted to take less time than others: for some hundred rows and more, unless
  /// these have few entries. A fit to 100 real matrices on an EPYC, 2026-11.
  static bool suits(Index rows, Offset nonzeros);

  /// Orders the rows, announces the factors to `memory`, makes them. Nothing where no library suits the matrix, which
  /// has a narrow band, say; nor where MUMPS ends at a singular one, or KLU finds a pivot that is 0 but for rounding.
  /// Requires  A square matrix with canonical rows and finite values; symmetric unless `general`.
  /// Throws    NotDefinite where `definite` doesn't hold; TooManyEntries where the factors have more entries than
  ///           memory.most_entries, before they are made, or after that if pivots off the diagonal fill more;
  ///           ArgumentError for a matrix that can't be factored; SlowFactors; Stopped once `stop` is made,
  ///           within a tenth of a second; std::bad_alloc.
  static std::optional<LibraryFactors> make(const CsrView<double>& a, const Options& options,
                                            const FactorMemory& memory, const StopRequest& stop = {});

  void solve(std::span<double> x) const { kept_->solve(x, false); }            ///< x := A^-1 x
  void solve_transposed(std::span<double> x) const { kept_->solve(x, true); }  ///< x := A^-T x
  const FactorsInLibrary& kept() const { return *kept_; }

 private:
  explicit LibraryFactors(std::unique_ptr<FactorsInLibrary> kept) : kept_(std::move(kept)) {}
  std::unique_ptr<FactorsInLibrary> kept_;
};

namespace detail {

/// As LibraryFactors::make(), by one library. Null where that doesn't suit.
std::unique_ptr<FactorsInLibrary> factor_by_mumps(const CsrView<double>& a, const LibraryFactorOptions& options,
                                                  const FactorMemory& memory, const StopRequest& stop);
std::unique_ptr<FactorsInLibrary> factor_by_klu(const CsrView<double>& a, const LibraryFactorOptions& options,
                                                const FactorMemory& memory);

}  // namespace detail

}  // namespace ostinato
