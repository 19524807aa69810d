// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The analyses on spaces other than Host and Cuda: the host looks at a copy of the matrix.

#include <future>
#include <string>

#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/analysis/pattern_hash.hpp>
#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/matrix/on_host.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

template <class Space, class T>
Structure analyse(const Space& space, const CsrView<T>& a, AnalysisDepth depth) {
  return analyse(Host(), detail::OnHost<T>(space, a).view(), depth);
}

template <class Space, class T>
void analyse_values(const Space& space, const CsrView<T>& a, Structure& s) {
  analyse_values(Host(), detail::OnHost<T>(space, a).view(), s);
}

template <class Space, class T>
DiagonalCensus take_census(const Space& space, const CsrView<T>& a, std::span<const Index> offsets,
                           Index rows_in_piece) {
  return take_census(Host(), detail::OnHost<T>(space, a).view(), offsets, rows_in_piece);
}

template <class Space, class T>
StartedProfile start_profile(const Space& space, const CsrView<T>& a, bool inspects_values) {
  const detail::OnHost<T> copy(space, a);
  StartedProfile started = start_profile(Host(), copy.view(), inspects_values);
  download(Host(), {started.counters});
  return {{}, std::async(std::launch::deferred, [made = started.made.get()] { return made; })};
}

template <class Space, class T>
std::string pattern_hash(const Space& space, const CsrView<T>& a) {
  return pattern_hash(Host(), detail::OnHost<T>(space, a).view());
}

}  // namespace ostinato
