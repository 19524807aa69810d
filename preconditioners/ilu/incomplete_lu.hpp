// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <ostinato/preconditioners/contract/application.hpp>
#include <ostinato/preconditioners/contract/condition.hpp>
#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/contract/rows_named.hpp>
#include <ostinato/preconditioners/ilu/factored_by_library.hpp>
#include <ostinato/preconditioners/ilu/factors_on_gpu.hpp>
#include <ostinato/preconditioners/ilu/ic.hpp>
#include <ostinato/preconditioners/ilu/iluk.hpp>
#include <ostinato/preconditioners/ilu/ilut.hpp>
#include <ostinato/preconditioners/ilu/library_factors.hpp>
#include <ostinato/preconditioners/ilu/zero_fill.hpp>
#include <ostinato/preconditioners/triangular/factored.hpp>
#include <ostinato/preconditioners/triangular/preparation.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/revision.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

/// A preconditioner M = L U with triangular factors L and U of A, complete or not. `Kind` says how A is factored (kinds
/// below).
///
/// Traffic   12 bytes an entry of L and U and a gather each (double), and 80 bytes a row; with factors in float 8 bytes
///           an entry, and a gather of half the bytes.
/// Memory    (4 + sizeof(V)) bytes an entry of L and U beside the diagonal, 32 + 3 sizeof(V) a row, V the type of the
///           factors, in which one more number a row is kept where that isn't T; in host memory four times as much
///           while an object is made there. ilu0 and ic0 on Cuda keep up to 12 bytes an entry of A and 16 a row more,
///           for update_values().
/// Exec      The constructor factors on the calling thread of the host; from a GPU it downloads the matrix and uploads
///           the factors. ilu0 and ic0 on Cuda are factored there (ZeroFill): order=natural downloads nothing, another
///           order the pattern, match=yes the matrix. apply is enqueued, allocates nothing, and may be captured,
///           unless a library made the factors: the host then applies them, and waits. One thread at a time applies an
///           object; a second one gets an ArgumentError.
/// Throws    ArgumentError when the matrix isn't square or holds NaN or infinity, when ic0 or ict get one that isn't
///           symmetric (is_nearly_symmetric()) or whose pivots don't become positive (factor_ic()), when the factors
///           leave the range of T, or when they take more entries than the options allow; MemoryLimitError when they
///           take more than there may be; Stopped within a second after `stop` is made; std::bad_alloc.
template <class Space, class T, class Kind>
class IncompleteLu {
 public:
  using space_type = Space;
  using value_type = T;
  using Options = typename Kind::Options;
  static constexpr std::string_view name = Kind::name;
  static constexpr std::string_view description = Kind::description;

  static std::string why_not(const Structure& s);
  static std::string known_options();  ///< for help: "KEY=VALUES, KEY=VALUES"
  /// Throws    ArgumentError for a text with other options.
  static Options parse_options(std::string_view text);
  static RowsNamed rows_named(const Options& options) {
    return options.preparation.order == Ordering::natural ? RowsNamed::order : RowsNamed::none;
  }

  explicit IncompleteLu(const Analysis<Space, T>& analysis, Options options = {}, const StopRequest& stop = {})
      : IncompleteLu(analysis, std::move(options), stop, MemoryBudget(analysis.space(), name)) {}
  IncompleteLu(const Analysis<Space, T>& analysis, Options options, const StopRequest& stop, const MemoryBudget& memory)
      : IncompleteLu(make(analysis, options, stop, memory), options) {}
  IncompleteLu(const Space& space, const Csr<T>& a, Options options = {}, const StopRequest& stop = {})
      : IncompleteLu(make(space, SpaceCsr<Space, T>(space, a.view()), options, stop, MemoryBudget(space, name)),
                     options) {}

  /// Factors a matrix with new values, with the same options. After an exception the object is as before. On Cuda ilu0
  /// and ic0 keep what they know of the pattern, unless the pattern is another one or match=yes.
  /// Throws    DimensionError for another number of rows; as the constructor.
  void update_values(const Analysis<Space, T>& analysis);

  std::size_t rows() const {
    return std::visit([](const auto& f) { return f.rows(); }, made_.factored);
  }
  const Space& space() const {
    return std::visit([](const auto& f) -> const Space& { return f.space(); }, made_.factored);
  }
  /// Changes with update_values(), and when another one is assigned.
  int revision() const { return revision_.number(); }

  /// z = M^-1 r
  void apply(std::span<const T> r, std::span<T> z) const {
    require_lengths(name, rows(), r.size(), z.size());
    const auto within = one_thread_.enter(name);
    std::visit([&](const auto& f) { f.apply(r, z); }, made_.factored);
  }

  /// What the pattern of A and the options say: for ilu0 and ic0 close, for ilut and ict an upper bound. For iluk and
  /// lu the constructor finds that out.
  static MemoryPrediction predict(const Analysis<Space, T>& analysis, const Options& options) requires requires {
    Kind::predict_entries(analysis.structure(), options);
  }
  {
    const Structure& s = analysis.structure();
    const bool keeps_more = is_cuda<Space> && Kind::zero_fill.has_value();  // what ZeroFill keeps for new values
    return prediction(s.rows, Kind::predict_entries(s, options), options,
                      keeps_more ? Certainty::at_least : Kind::certainty);
  }

  bool capturable() const { return by_library() == nullptr && on_gpu() == nullptr; }
  bool works_in_float() const { return !is_single<T> && options_.in_float; }
  bool symmetric() const { return Kind::is_symmetric; }
  bool equals_transpose() const { return Kind::is_symmetric; }
  std::size_t bytes() const {
    const std::size_t sweeps = std::visit([](const auto& f) { return f.bytes(); }, made_.factored);
    return sweeps + (made_.zero_fill ? made_.zero_fill->bytes() : 0);
  }
  Offset nonzeros() const { return made_.nonzeros; }  ///< of L and U, without the ones on the diagonal of L
  Index boosted() const { return made_.boosted; }     ///< pivots that were too small, and were raised
  /// Pivots of complete factors that were 0 but for rounding: A is singular then, to working precision. 0 for others.
  Index null_pivots() const { return is_complete() ? made_.null_pivots : 0; }
  /// Of A, by lu and cholesky (estimate_condition()); nothing by others.
  Condition condition() const { return made_.condition; }
  static constexpr bool is_complete() {
    return requires { Kind::is_complete; };
  }
  std::string remarks() const;  ///< for reports: "9.8 times the entries of A, 3 pivots raised"

 private:
  using ByLibrary = FactoredByLibrary<Space, T>;
  static constexpr bool may_be_by_library = requires { Kind::factor_by_library; };
  /// In T, or in float under double; complete ones by a library, too.
  template <class... More>
  using Variant =
      std::conditional_t<!is_single<T>, std::variant<Factored<Space, T>, Factored<Space, T, float>, More...>,
                         std::variant<Factored<Space, T>, More...>>;
  static constexpr bool may_be_on_gpu = may_be_by_library && is_cuda<Space>;
  using AnyFactored = std::conditional_t<may_be_on_gpu, Variant<ByLibrary, FactorsOnGpu<T>>,
                                         std::conditional_t<may_be_by_library, Variant<ByLibrary>, Variant<>>>;
  struct Made {
    AnyFactored factored;
    std::size_t rows;
    Offset nonzeros, entries_of_a;
    Index boosted;
    double shift;
    std::optional<ZeroFill<Space, T>> zero_fill = {};  ///< what made the factors, if they were made on Cuda
    std::string pattern = {};                          ///< Analysis::pattern() of the matrix that it knows
    Index null_pivots = 0;
    Condition condition = {};
  };
  IncompleteLu(Made made, const Options& options) : options_(options), made_(std::move(made)) {}
  /// Of factors with so many entries, the diagonal of L left out.
  static std::size_t bytes_of(Index rows, Offset entries, const Options& options) {
    const auto beside = static_cast<std::size_t>(std::max<Offset>(entries - rows, 0)),
               n = static_cast<std::size_t>(rows);
    return options.in_float ? Factored<Space, T, float>::bytes_of(n, beside) : Factored<Space, T>::bytes_of(n, beside);
  }
  /// The most that such factors take: sweeps on Cuda have a tile a row at most.
  static std::size_t bound_of(Index rows, Offset entries, const Options& options) {
    const std::size_t tiles = is_cuda<Space> ? 2 * static_cast<std::size_t>(rows) : 0;
    return bytes_of(rows, entries, options) + tiles * sizeof(SweepTile);
  }
  static Offset entries_within(std::size_t bytes, Index rows, const Options& options);
  /// That of factors which the host makes. Options and budget stay for as long.
  static FactorMemory memory_on_host(Index rows, const Options& options, const MemoryBudget& budget);
  /// What such factors take.
  static MemoryPrediction prediction(Index rows, Offset entries, const Options& options, Certainty certainty) {
    const bool is_bound = certainty == Certainty::at_most;
    return {is_bound ? bound_of(rows, entries, options) : bytes_of(rows, entries, options), certainty};
  }
  static Csr<double> usable_copy(const Space& space, const SpaceCsr<Space, T>& a);
  static Made make(const Analysis<Space, T>& analysis, const Options& options, const StopRequest& stop,
                   const MemoryBudget& memory);
  static Made make(const Space& space, const SpaceCsr<Space, T>& a, const Options& options, const StopRequest& stop,
                   const MemoryBudget& memory);
  static Made make_on_host(const Space& space, const SpaceCsr<Space, T>& a, const Options& options,
                           const StopRequest& stop, const MemoryBudget& memory);
  /// Null where no library made the factors.
  const ByLibrary* by_library() const {
    if constexpr (may_be_by_library) return std::get_if<ByLibrary>(&made_.factored);
    return nullptr;
  }
  /// Null where they aren't those of cuDSS.
  const FactorsOnGpu<T>* on_gpu() const {
    if constexpr (may_be_on_gpu) return std::get_if<FactorsOnGpu<T>>(&made_.factored);
    return nullptr;
  }
  /// By a library on the host, where cuDSS is predicted to take longer; otherwise nothing.
  static std::optional<Made> make_quickly_on_host(const Analysis<Space, T>& analysis, const Options& options,
                                                  const StopRequest& stop,
                                                  const MemoryBudget& memory) requires may_be_on_gpu;
  /// By cuDSS; nothing where there is none, or it doesn't solve the system.
  static std::optional<Made> make_on_gpu(const Analysis<Space, T>& analysis, const Options& options,
                                         const StopRequest& stop, const MemoryBudget& memory) requires may_be_on_gpu;
  static Made made_by_library(const Space& space, const Csr<double>& whole,
                              LibraryFactors factors) requires may_be_by_library;

  Options options_;
  Made made_;
  Revision revision_;
  OneThread one_thread_;
};

/// ILU(0): the pattern of A.
struct Ilu0Kind {
  static constexpr std::string_view name = "ilu0";
  static constexpr std::string_view description = "incomplete LU with the pattern of A";
  static constexpr bool is_symmetric = false;
  static constexpr std::optional<ZeroFillKind> zero_fill = ZeroFillKind::ilu;
  struct Options {
    PreparationOptions preparation = {.match = false, .order = Ordering::rcm};
    bool in_float = false;  ///< under double: factors in float, half the bytes
  };
  static constexpr Certainty certainty = Certainty::close;
  static Offset predict_entries(const Structure& s, const Options& options);
  static Factors factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                        const StopRequest& stop);
};

/// ILU(k): fill of some levels.
struct IlukKind {
  static constexpr std::string_view name = "iluk";
  static constexpr std::string_view description = "incomplete LU with fill of some levels";
  static constexpr bool is_symmetric = false;
  static constexpr std::optional<ZeroFillKind> zero_fill = {};
  struct Options {
    int level = 1;
    PreparationOptions preparation = {.match = false, .order = Ordering::rcm};
    bool in_float = false;  ///< under double: factors in float, half the bytes
  };
  static Factors factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                        const StopRequest& stop);
};

/// ILUTP: the largest entries, with pivoting.
struct IlutKind {
  static constexpr std::string_view name = "ilut";
  static constexpr std::string_view description = "incomplete LU of the largest entries, with pivoting";
  static constexpr bool is_symmetric = false;
  static constexpr std::optional<ZeroFillKind> zero_fill = {};
  struct Options {
    IlutOptions factors = {};
    PreparationOptions preparation = {.match = true, .order = Ordering::best};
    bool in_float = false;  ///< under double: factors in float, half the bytes
  };
  static constexpr Certainty certainty = Certainty::at_most;
  static Offset predict_entries(const Structure& s, const Options& options);
  static Factors factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                        const StopRequest& stop);
};

/// The complete factors: with them one or two iterations are enough. On the host MUMPS or KLU makes them, where these
/// are there and suit the matrix (LibraryFactors), unless `order` or `precision` say something else.
struct LuKind {
  static constexpr std::string_view name = "lu";
  static constexpr std::string_view description = "complete LU, as a direct solver";
  static constexpr bool is_symmetric = false;
  static constexpr bool is_complete = true;
  static constexpr std::optional<ZeroFillKind> zero_fill = {};
  struct Options {
    double fill = 0;     ///< entries of L and U at most, as a multiple of those of A; 0: as memory allows
    double pivot = 0.1;  ///< as in IlutOptions; MUMPS and KLU take a tenth of it, MUMPS a thousandth for L D L^T
    bool raise = true;   ///< pivots that are nearly 0 (IlutOptions::boost); otherwise such a matrix is refused
    PreparationOptions preparation = {.match = true, .order = Ordering::with_pivots, .equilibrate = true};
    bool in_float = false;                ///< under double: factors in float, half the bytes
    std::vector<Index> known_order = {};  ///< of a matrix with the same pattern, by a library; empty: none
  };
  static Factors factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                        const StopRequest& stop);
  /// Nothing where the options are none for a library.
  static std::optional<LibraryFactorOptions> options_for_library(const Options& options, bool is_symmetric);
  /// By a library; nothing where there is none, or it doesn't suit the matrix or the options.
  static std::optional<LibraryFactors> factor_by_library(const CsrView<double>& a, const Options& options,
                                                         const FactorMemory& memory, const StopRequest& stop,
                                                         bool takes_bands);
};

/// IC(0): the pattern of A, for symmetric positive definite matrices. M is symmetric, as CG requires.
struct Ic0Kind {
  static constexpr std::string_view name = "ic0";
  static constexpr std::string_view description = "incomplete Cholesky with the pattern of A";
  static constexpr bool is_symmetric = true;
  static constexpr std::optional<ZeroFillKind> zero_fill = ZeroFillKind::ic;
  struct Options {
    PreparationOptions preparation = {.match = false, .order = Ordering::rcm};
    bool in_float = false;  ///< under double: factors in float, half the bytes
  };
  static constexpr Certainty certainty = Certainty::close;
  static Offset predict_entries(const Structure& s, const Options& options);
  static Factors factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                        const StopRequest& stop);
};

/// ICT: the largest entries, for symmetric positive definite matrices. M is symmetric, as CG requires.
struct IctKind {
  static constexpr std::string_view name = "ict";
  static constexpr std::string_view description = "incomplete Cholesky of the largest entries";
  static constexpr bool is_symmetric = true;
  static constexpr std::optional<ZeroFillKind> zero_fill = {};
  struct Options {
    double drop = 1e-3, fill = 10;  ///< as in IcOptions
    PreparationOptions preparation = {.match = false, .order = Ordering::rcm};
    bool in_float = false;  ///< under double: factors in float, half the bytes
  };
  static constexpr Certainty certainty = Certainty::at_most;
  static Offset predict_entries(const Structure& s, const Options& options);
  static Factors factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                        const StopRequest& stop);
};

/// Complete Cholesky, for symmetric positive definite matrices: half the work of LU, and M is symmetric.
struct CholeskyKind {
  static constexpr std::string_view name = "cholesky";
  static constexpr std::string_view description = "complete Cholesky, as a direct solver";
  static constexpr bool is_symmetric = true;
  static constexpr std::optional<ZeroFillKind> zero_fill = {};
  struct Options {
    double fill = 0;  ///< as in LuKind
    PreparationOptions preparation = {.match = false, .order = Ordering::least_work};
    bool in_float = false;                ///< under double: factors in float, half the bytes
    std::vector<Index> known_order = {};  ///< of a matrix with the same pattern, by a library; empty: none
  };
  static Factors factor(const CsrView<double>& a, const Options& options, const FactorMemory& memory,
                        const StopRequest& stop);
  /// Nothing where the options are none for a library.
  static std::optional<LibraryFactorOptions> options_for_library(const Options& options, bool is_symmetric);
  /// By a library; nothing where there is none, or it doesn't suit the matrix or the options.
  static std::optional<LibraryFactors> factor_by_library(const CsrView<double>& a, const Options& options,
                                                         const FactorMemory& memory, const StopRequest& stop,
                                                         bool takes_bands);
};

template <class Space, class T>
using Ilu0 = IncompleteLu<Space, T, Ilu0Kind>;
template <class Space, class T>
using Iluk = IncompleteLu<Space, T, IlukKind>;
template <class Space, class T>
using Ilut = IncompleteLu<Space, T, IlutKind>;
template <class Space, class T>
using Lu = IncompleteLu<Space, T, LuKind>;
template <class Space, class T>
using Ic0 = IncompleteLu<Space, T, Ic0Kind>;
template <class Space, class T>
using Ict = IncompleteLu<Space, T, IctKind>;
template <class Space, class T>
using CompleteCholesky = IncompleteLu<Space, T, CholeskyKind>;

#define OSTINATO_EXTERN(Kind, Space, T) extern template class IncompleteLu<Space, T, Kind>
OSTINATO_DECLARED_ALL_OF(OSTINATO_EXTERN, Ilu0Kind);
OSTINATO_DECLARED_ALL_OF(OSTINATO_EXTERN, IlukKind);
OSTINATO_DECLARED_ALL_OF(OSTINATO_EXTERN, IlutKind);
OSTINATO_DECLARED_ALL_OF(OSTINATO_EXTERN, LuKind);
OSTINATO_DECLARED_ALL_OF(OSTINATO_EXTERN, Ic0Kind);
OSTINATO_DECLARED_ALL_OF(OSTINATO_EXTERN, IctKind);
OSTINATO_DECLARED_ALL_OF(OSTINATO_EXTERN, CholeskyKind);
#undef OSTINATO_EXTERN

}  // namespace ostinato
