// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/analysis/analysis.hpp>

#include <utility>

#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/analysis/pattern_hash.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/space/together.hpp>

namespace ostinato {

template <class Space, class T>
std::shared_ptr<const DiagonalCensus> census_of(const Space& space, const CsrView<T>& a, const Structure& s,
                                                AnalysisDepth depth) {
  if (!takes_census(s, depth)) return nullptr;
  auto census = std::make_shared<DiagonalCensus>(take_census(space, a, s.offsets));
  census->symmetric = s.symmetric;
  return census;
}

template <class Space, class T>
Analysis<Space, T>::Analysis(const Space& space, SpaceCsr<Space, T> matrix, AnalysisDepth depth) {
  if (!makes_parts(space)) space.wait();
  const Stopwatch watch;
  Structure structure = analyse(space, matrix.view(), depth);
  const double seconds = watch.seconds();
  state_.reset(new State{space, std::move(matrix), std::move(structure), {}, {}, seconds});
}

template <class Space, class T>
Analysis<Space, T>::Analysis(const Space& space, SpaceCsr<Space, T> matrix, Structure structure)
    : state_(new State{space, std::move(matrix), std::move(structure), {}, {}, 0}) {
  const CsrView<T>& a = state_->matrix.view();
  const Structure& s = state_->structure;
  if (a.rows != s.rows || a.cols != s.cols || a.nonzeros() != s.nonzeros || s.profile == nullptr)
    throw ArgumentError("analysis: the structure is that of another matrix");
}

template <class Space, class T>
void Analysis<Space, T>::complete(AnalysisDepth depth) const {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (s.structure.census != nullptr) return;
  const Stopwatch watch;
  if (s.structure.lengths_only) {
    s.structure = analyse(s.space, s.matrix.view(), depth);
  } else {
    if (auto census = census_of(s.space, s.matrix.view(), s.structure, depth)) s.structure.census = std::move(census);
  }
  s.seconds += watch.seconds();
}

template <class Space, class T>
const std::string& Analysis<Space, T>::pattern() const {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (!s.pattern.empty()) return s.pattern;
  const Stopwatch watch;
  s.pattern = pattern_hash(s.space, s.matrix.view());
  s.seconds += watch.seconds();
  return s.pattern;
}

template <class Space, class T>
const Grid& Analysis<Space, T>::grid() const {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (s.grid.has_value()) return *s.grid;
  const Stopwatch watch;
  s.grid = find_grid(s.space, s.matrix.view(), s.structure);
  s.seconds += watch.seconds();
  return *s.grid;
}

}  // namespace ostinato
