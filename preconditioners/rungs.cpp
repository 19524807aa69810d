// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/rungs.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <ostinato/preconditioners/any_preconditioner.hpp>

namespace ostinato {

template <class Space>
double predicted_seconds(const Rung& rung, const Structure& s) {
  const auto entries = static_cast<double>(s.nonzeros);
  if (rung.is_one_level()) return least_seconds_to_leave_jacobi(entries);
  // Hierarchies are made on the GPU (H200, 2026-11), factors on the host. With kind=plain this is set-up and solve of
  // mesh2d:1000 and mesh3d:100, a little more: its cycles take the time of some four iterations each. The 25 ms of
  // kernels that are used for the first time are left out.
  if (rung.options == Rung::plain) return 12e-3 + 1e-9 * entries;
  if (Space::on_device && rung.name == "multigrid") return 15e-3 + 4e-9 * entries;
  // Small systems are given the time of some hundred iterations: on a GPU, these take longer.
  const double least = Space::on_device ? 50e-3 : 1e-3;
  const double share = s.rows < rung.from_rows ? std::sqrt(s.rows / rung.from_rows) : 1;
  return std::max(least, share * rung.seconds_an_entry * entries);
}

template <class Space, class T>
std::string why_no_complete_factors(const Analysis<Space, T>& analysis) {
  const Structure& s = analysis.structure();
  std::vector<char> has_entry(static_cast<std::size_t>(s.cols), 0);
  const CsrView<T>& a = analysis.matrix().view();
  Array<Index> col(a.col.size());
  analysis.space().download(col.data(), a.col.data(), a.col.size_bytes());
  for (const Index j : col) has_entry[static_cast<std::size_t>(j)] = 1;
  const auto empty = std::count(has_entry.begin(), has_entry.end(), 0);
  const auto text = [](auto count, const char* what) {
    return "lu: A is singular, because " + std::to_string(count) + " " + what +
           (count == 1 ? " has no entry" : "s have no entry");
  };
  if (s.empty_rows > 0) return text(s.empty_rows, "row");
  return empty > 0 ? text(empty, "column") : std::string();
}

template <class Space, class T>
std::vector<std::string_view> stronger_preconditioners(const Structure& s) {
  std::vector<std::string_view> names;
  for (const Rung& rung : auto_rungs) {
    const bool again = std::find(names.begin(), names.end(), rung.name) != names.end();
    if (s.finite && !again && rung.suits<Space, T>(s, true)) names.push_back(rung.name);
  }
  return names;
}

template double predicted_seconds<Host>(const Rung&, const Structure&);
template double predicted_seconds<Cuda>(const Rung&, const Structure&);

#define OSTINATO_INSTANTIATE(Space, T)                                     \
  template std::string why_no_complete_factors(const Analysis<Space, T>&); \
  template std::vector<std::string_view> stronger_preconditioners<Space, T>(const Structure&)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato
