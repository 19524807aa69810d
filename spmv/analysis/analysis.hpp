// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <ostinato/spmv/analysis/grid.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

/// A matrix in the memory of a space, together with its Structure. Operators, preconditioners and reports share one
/// analysis. Copies refer to the same analysis. What only some formats need is found out when it is asked for: the
/// census of the diagonals, the grid.
///
/// Exec      The constructors wait for the result. The matrix stays in memory as long as a copy of the analysis exists.
/// Requires  Only one host thread at a time makes operators and preconditioners from an analysis and its copies. An
///           object that was moved from throws ArgumentError when it is asked, until another one is assigned to it.
/// Throws    ArgumentError when the arrays don't form a valid matrix; DeviceError; std::bad_alloc.
template <class Space, class T>
class Analysis {
  static_assert(Real<T>, "an analysis is of a matrix in float or double");
  struct State;

 public:
  Analysis(const Space& space, SpaceCsr<Space, T> matrix, AnalysisDepth depth = AnalysisDepth::without_census);

  /// On Host the arrays of a view are lent: they must outlive the analysis and the operators made from it, whatever
  /// their formats. When rows are unsorted or hold duplicates, the analysis owns a sorted copy instead.
  Analysis(const Space& space, const CsrView<T>& a, AnalysisDepth depth = AnalysisDepth::without_census)
      : Analysis(space, SpaceCsr<Space, T>(space, a), depth) {}

  /// On Host the matrix must outlive the analysis, which refers to it. Operators own what they need of it.
  Analysis(const Space& space, const Csr<T>& a, AnalysisDepth depth = AnalysisDepth::without_census)
      : Analysis(space, SpaceCsr<Space, T>(space, a), depth) {}

  /// On Host the analysis takes over the arrays of the matrix, and shares them with operators that need them.
  Analysis(const Space& space, Csr<T>&& a, AnalysisDepth depth = AnalysisDepth::without_census)
      : Analysis(space, SpaceCsr<Space, T>(space, std::move(a)), depth) {}

  /// For a matrix whose structure is known. Analyses nothing.
  /// Requires  The structure is that of the matrix: products with that of another one may be wrong.
  /// Throws    ArgumentError when rows, columns or entries aren't as many as the structure says.
  Analysis(const Space& space, SpaceCsr<Space, T> matrix, Structure structure);

  // A matrix of another library comes here.
  template <detail::ForeignMatrix Matrix>
  Analysis(const Space& space, const Matrix&, AnalysisDepth = {}) : Analysis(space, CsrView<T>{}) {
    detail::explain_matrix<Matrix>();
  }

  const Space& space() const { return state().space; }
  const SpaceCsr<Space, T>& matrix() const { return state().matrix; }
  const Structure& structure() const { return state().structure; }
  double seconds() const { return state().seconds; }  ///< duration of the analysis, without an upload

  /// The analysis for as long as a copy of it exists.
  class Weak {
   public:
    Weak() = default;
    /// Nothing when the last copy of the analysis is gone.
    std::optional<Analysis> lock() const {
      auto state = state_.lock();
      return state == nullptr ? std::nullopt : std::optional<Analysis>(Analysis(std::move(state)));
    }

   private:
    friend class Analysis;
    explicit Weak(const Analysis& analysis) : state_(analysis.state_) {}
    std::weak_ptr<typename Analysis::State> state_;
  };
  Weak weak() const { return Weak(*this); }

  /// Takes the census of diagonals if there is none yet and an analysis of this depth takes one.
  void complete(AnalysisDepth depth = AnalysisDepth::full) const;

  /// The pattern's hash (pattern_hash()), computed by the first call. Several threads may ask at once.
  const std::string& pattern() const;

  /// The grid on which the matrix lives, or why there is none (find_grid()), found by the first call. Several threads
  /// may ask at once.
  const Grid& grid() const;

 private:
  struct State {
    Space space;
    SpaceCsr<Space, T> matrix;
    Structure structure;
    std::string pattern;
    std::optional<Grid> grid;
    double seconds;
    std::mutex mutex = {};  ///< of what is found later
  };
  explicit Analysis(std::shared_ptr<State> state) : state_(std::move(state)) {}

  State& state() const {
    if (state_ == nullptr) throw ArgumentError("the analysis was moved from");
    return *state_;
  }

  std::shared_ptr<State> state_;
};

template <class Space, class T>
Analysis(const Space&, const Csr<T>&) -> Analysis<Space, T>;
template <class Space, detail::ForeignMatrix Matrix>
requires IsSpace<Space> Analysis(const Space&, const Matrix&)
->Analysis<Space, double>;
template <class Space, class T>
Analysis(const Space&, const Csr<T>&, AnalysisDepth) -> Analysis<Space, T>;
template <class Space, class T>
Analysis(const Space&, Csr<T>&&) -> Analysis<Space, T>;
template <class Space, class T>
Analysis(const Space&, Csr<T>&&, AnalysisDepth) -> Analysis<Space, T>;

OSTINATO_EXTERN_CLASS(Analysis);

}  // namespace ostinato
