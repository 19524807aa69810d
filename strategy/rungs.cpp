// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/rungs.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>
#include <ostinato/preconditioners/ilu/lu_order.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

namespace ostinato {

namespace {

std::any usual(const Structure&, bool) { return {}; }

std::any plain(const Structure&, bool) { return MultigridOptions{.kind = MultigridKind::plain}; }
std::any aggressive(const Structure&, bool) {
  return MultigridOptions{.kind = MultigridKind::classical, .aggressive = 1};
}
std::any classical(const Structure&, bool) { return MultigridOptions{.kind = MultigridKind::classical}; }

constexpr double as_memory_allows = 0;

std::any small_cholesky(const Structure&, bool) { return CholeskyKind::Options{.fill = 6}; }
std::any cholesky(const Structure&, bool thorough) {
  return CholeskyKind::Options{.fill = thorough ? as_memory_allows : 100};
}

std::any lu(const Structure&, bool thorough) { return LuKind::Options{.fill = thorough ? as_memory_allows : 100}; }
std::any lu_unmatched(const Structure&, bool thorough) {
  LuKind::Options o{.fill = thorough ? as_memory_allows : 100, .pivot = 1};
  o.preparation.match = false;
  return o;
}

/// Those that are predicted to take longer, once the order is known, are refused. A matching gives rows without a
/// diagonal entry another one. MUMPS makes use of factors with null pivots.
std::any direct(const Structure& s, bool) {
  LuKind::Options o{.raise = LibraryFactors::suits(s.rows, s.nonzeros)};
  o.preparation.match = s.missing_diagonal > 0;
  o.preparation.most_seconds = most_direct_seconds(s);
  return o;
}

/// The same for a matrix that may be positive definite.
std::any direct_cholesky(const Structure& s, bool) {
  CholeskyKind::Options o{.fill = 100};
  o.preparation.most_seconds = most_direct_seconds(s);
  return o;
}

}  // namespace

constinit const std::array<Rung, 14> auto_rungs = {{{"fsai", RungRole::usual, usual, 0},
                                                    {"chebyshev", RungRole::usual, usual, 0},
                                                    {"ilu0", RungRole::usual, usual, 0.2e-6},
                                                    {"multigrid", RungRole::plain, plain, 0.1e-6},
                                                    {"multigrid", RungRole::aggressive, aggressive, 0.2e-6},
                                                    {"multigrid", RungRole::usual, classical, 0.5e-6},
                                                    {"cholesky", RungRole::usual, small_cholesky, 0.3e-6},
                                                    {"ict", RungRole::usual, usual, 0.5e-6},
                                                    {"cholesky", RungRole::usual, cholesky, 3e-6, 12000},
                                                    {"cholesky", RungRole::direct, direct_cholesky, 0},
                                                    {"lu", RungRole::direct, direct, 0},
                                                    {"ilut", RungRole::usual, usual, 1e-6, 12000},
                                                    {"lu", RungRole::usual, lu, 10e-6, 130000},
                                                    {"lu", RungRole::usual, lu_unmatched, 10e-6, 130000}}};

namespace {

constexpr double seconds_to_host = 1e-3;  ///< a small matrix goes there from a GPU, and is applied

double fitted_seconds(const Rung& rung, const Structure& s) {
  const double share = s.rows < rung.from_rows ? std::sqrt(s.rows / rung.from_rows) : 1;
  return share * rung.seconds_an_entry * static_cast<double>(s.nonzeros);
}

}  // namespace

template <class Space>
double predicted_seconds(const Rung& rung, const Structure& s) {
  const auto entries = static_cast<double>(s.nonzeros);
  if (rung.is_one_level()) return least_seconds_to_leave_jacobi(entries);
  if (rung.is_direct()) return typical_lu_seconds(s) + (Space::has_streams ? seconds_to_host : 0);
  // Hierarchies are made on the GPU (H200, 2026-11), factors on the host. With kind=plain this is set-up and solve of
  // mesh2d:1000 and mesh3d:100, a little more: its cycles take the time of some four iterations each. The 25 ms of
  // kernels that are used for the first time are left out.
  if (Space::has_streams && rung.is_plain()) return 12e-3 + 1e-9 * entries;
  if (Space::has_streams && rung.name == "multigrid") return 15e-3 + 4e-9 * entries;
  // Small systems are given the time of some hundred iterations on a GPU. On a host each set-up takes some time.
  const double fitted = fitted_seconds(rung, s);
  return Space::has_streams ? std::max(50e-3, fitted) : 0.4e-3 + fitted;
}

double most_direct_seconds(const Structure& s) {
  constexpr double times = 3;
  const auto incomplete =
      std::find_if(auto_rungs.begin(), auto_rungs.end(), [](const Rung& r) { return r.name == "ilut"; });
  return times * fitted_seconds(*incomplete, s);
}

template <class Space>
bool suits_direct(const Structure& s) {
  constexpr Index most_rows_if_small = 2000;
  constexpr double little_on_gpu = 15e-3;  // incomplete ones take longer there
  // The numbers of the rows may hide a band, and an order is found in little time. Where a matching brings entries to
  // an empty diagonal, incomplete factors mostly do, and are quickly made of small matrices.
  const double share = s.missing_diagonal == 0 ? 2 : s.rows > most_rows_if_small ? 0.8 : 0.3;
  const double seconds = typical_lu_seconds(s);
  const bool is_quick = seconds > 0 && seconds <= share * most_direct_seconds(s);
  if (!Space::has_streams) return s.empty_rows == 0 && is_quick;
  const bool has_library =
      LibraryFactors::suits(s.rows, s.nonzeros) || (has_klu && !(s.symmetric && s.positive_diagonal));
  return s.empty_rows == 0 && has_library && (is_quick || (seconds > 0 && seconds <= little_on_gpu));
}

template <class Space, class T>
int next_rung(const Structure& s, const RungsLeft& left) {
  int next = -1, direct = -1;
  for (int number = static_cast<int>(auto_rungs.size()) - 1; number >= left.from; --number) {
    const Rung& rung = auto_rungs[static_cast<std::size_t>(number)];
    if (!rung.suits<Space, T>(s, left.may_be_definite)) continue;
    if ((rung.is_one_level() && !left.one_level) || (rung.is_plain() && !left.plain)) continue;
    if (rung.is_direct()) direct = number;
    if (!rung.is_direct() || left.direct) next = number;
  }
  if (direct < 0 || !left.direct) return next;
  const auto seconds = [&s](int number) {
    return predicted_seconds<Space>(auto_rungs[static_cast<std::size_t>(number)], s);
  };
  return seconds(direct) < seconds(next) ? direct : next;
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
  RungsLeft left;
  for (int next = 0; s.finite && (next = next_rung<Space, T>(s, left)) >= 0; left.from = next + 1) {
    const std::string_view name = auto_rungs[static_cast<std::size_t>(next)].name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

#define OSTINATO_INSTANTIATE_SPACES(Space)                                 \
  template double predicted_seconds<Space>(const Rung&, const Structure&); \
  template bool suits_direct<Space>(const Structure&)
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE_SPACES);
#undef OSTINATO_INSTANTIATE_SPACES

#define OSTINATO_INSTANTIATE(Space, T)                                     \
  template std::string why_no_complete_factors(const Analysis<Space, T>&); \
  template int next_rung<Space, T>(const Structure&, const RungsLeft&);    \
  template std::vector<std::string_view> stronger_preconditioners<Space, T>(const Structure&)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
