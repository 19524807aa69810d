// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <ostinato/preconditioners/contract/application.hpp>
#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/fsai/approximate_factor.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// A factorised sparse approximate inverse, M^-1 = G^T G, for symmetric matrices with a positive diagonal; where all of
/// the diagonal is negative, for -A. M is symmetric positive definite, whatever A is, and its application is two
/// products, with G and with G^T, each in the format that is chosen for it. approximate_factor.hpp says what G is.
///
/// Traffic   Two products, and sizeof(T) a row written and read between them.
/// Exec      The constructor makes G in parallel over rows: with pattern=a on the space, if no row of G has more than
///           150 entries; otherwise on the host, for which it downloads the matrix from a GPU and uploads G. apply and
///           apply_dot are enqueued, allocate nothing, and may be captured. One thread at a time applies an object;
///           a second one gets an ArgumentError.
/// Throws    ArgumentError when the matrix isn't symmetric, by more than the rounding of its values, or holds NaN or
///           infinity, when G leaves the range of T, and naming the first row whose diagonal entry isn't positive.
template <class Space, class T>
class Fsai {
 public:
  using space_type = Space;
  using value_type = T;
  using is_capturable = void;
  static constexpr std::string_view name = "fsai";
  static constexpr std::string_view description = "a factorised approximate inverse; for positive definite matrices";
  using Options = FsaiOptions;

  static std::string why_not(const Structure& s);
  static std::string known_options();  ///< for help: "KEY=VALUES, KEY=VALUES"
  /// Throws    ArgumentError for a text with other options.
  static FsaiOptions parse_options(std::string_view text);
  /// What G and its transpose keep in CSR.
  static MemoryPrediction guess(const Analysis<Space, T>& analysis);

  explicit Fsai(const Analysis<Space, T>& analysis, FsaiOptions options = {});
  /// Announces the memory of G and G^T once G is there, before they are put into their formats; until then they are in
  /// host memory, or where they are made on Cuda in that of the GPU, in CSR.
  /// Throws    MemoryLimitError; Stopped once `stop` is made; as the other constructors.
  Fsai(const Analysis<Space, T>& analysis, FsaiOptions options, const StopRequest& stop, const MemoryBudget& memory);
  Fsai(const Space& space, const Csr<T>& a, FsaiOptions options = {}) : Fsai(Analysis<Space, T>(space, a), options) {}

  /// Takes a matrix with new values, with the same options: makes the object anew, so that both are in memory for a
  /// while. After an exception the object is as before.
  /// Throws    DimensionError for another number of rows; as the constructor.
  void update_values(const Analysis<Space, T>& analysis);

  std::size_t rows() const { return between_.size(); }
  const Space& space() const { return g_.space(); }
  /// Changes with update_values(), and when another one is assigned.
  int revision() const { return g_.revision() + transpose_.revision(); }
  /// z = M^-1 r
  void apply(std::span<const T> r, std::span<T> z) const;
  /// z = M^-1 r;  *slot = r . z, which is |G r|^2 and never negative
  void apply_dot(std::span<const T> r, std::span<T> z, Slot<T> slot) const;

  std::size_t bytes() const { return g_.bytes() + transpose_.bytes() + between_.bytes(); }
  double seconds() const;                                      ///< predicted time of the products
  Offset nonzeros() const { return g_.structure().nonzeros; }  ///< of G
  std::string remarks() const;  ///< for reports: "0.57 times the entries of A, products in csr and csr"

 private:
  struct Made;
  Fsai(const Made& made, const FsaiOptions& options);
  static Made make(const Analysis<Space, T>& analysis, const FsaiOptions& options, const StopRequest& stop);

  FsaiOptions options_;
  Operator<Space, T> g_, transpose_;
  Offset entries_of_a_;
  Index diagonal_only_;
  mutable Vector<Space, T> between_;  ///< G r
  OneThread one_thread_;
};

template <class Space, class T>
Fsai(const Space&, const Csr<T>&) -> Fsai<Space, T>;

OSTINATO_EXTERN_CLASS(Fsai);

}  // namespace ostinato
