// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

/// A matrix in the memory of a space, and what was found out about it. Made once; operators, preconditioners and reports
/// share it. A copy is the same analysis.
///
/// Exec      The constructors wait for the result. The matrix stays in memory until the last copy has gone.
/// Requires  One host thread at a time uses an analysis and its copies.
/// Throws    ArgumentError when the arrays aren't those of a matrix; DeviceError; std::bad_alloc.
template <class Space, class T>
class Analysis {
 public:
  Analysis(const Space& space, SpaceCsr<Space, T> matrix, AnalysisDepth depth = AnalysisDepth::quick);

  /// Host: refers to the caller's arrays, which have to stay, unless rows have to be put in order first.
  Analysis(const Space& space, const CsrView<T>& a, AnalysisDepth depth = AnalysisDepth::quick)
      : Analysis(space, SpaceCsr<Space, T>(space, a), depth) {}
  Analysis(const Space& space, const Csr<T>& a, AnalysisDepth depth = AnalysisDepth::quick)
      : Analysis(space, a.view(), depth) {}

  /// Takes the matrix over.
  Analysis(const Space& space, Csr<T>&& a, AnalysisDepth depth = AnalysisDepth::quick)
      : Analysis(space, SpaceCsr<Space, T>(space, std::move(a)), depth) {}

  const Space& space() const { return state_->space; }
  const SpaceCsr<Space, T>& matrix() const { return state_->matrix; }
  const Structure& structure() const { return state_->structure; }
  double seconds() const { return state_->seconds; }  ///< that the analysis took, without an upload

  /// Takes the census that a quick analysis left out.
  void complete() const;

 private:
  struct State {
    Space space;
    SpaceCsr<Space, T> matrix;
    Structure structure;
    AnalysisDepth depth;
    double seconds;
  };
  std::shared_ptr<State> state_;
};

template <class Space, class T>
Analysis(const Space&, const Csr<T>&) -> Analysis<Space, T>;
template <class Space, class T>
Analysis(const Space&, const Csr<T>&, AnalysisDepth) -> Analysis<Space, T>;
template <class Space, class T>
Analysis(const Space&, Csr<T>&&) -> Analysis<Space, T>;
template <class Space, class T>
Analysis(const Space&, Csr<T>&&, AnalysisDepth) -> Analysis<Space, T>;

extern template class Analysis<Host, float>;
extern template class Analysis<Host, double>;
extern template class Analysis<Cuda, float>;
extern template class Analysis<Cuda, double>;

}  // namespace ostinato
