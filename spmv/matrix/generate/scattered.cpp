// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// Families with random patterns or values: rmat, banded, random, dense-row, powerlaw.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include <ostinato/spmv/matrix/generate/families.hpp>
#include <ostinato/spmv/matrix/generate/rows.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::generate_detail {
namespace {

// Each use of the hash has its own range of keys: draws count from 0, values use value_key + column, row lengths use
// length_key and the following key.
constexpr std::int64_t value_key = std::int64_t{1} << 40;
constexpr std::int64_t length_key = std::int64_t{1} << 50;

/// Uniform in [-1, 1). On the diagonal 1, to which Diagonal::dominant adds the magnitudes of the other entries.
double signed_value(std::uint64_t seed, Index row, Index column) {
  return row == column ? 1.0 : 2 * uniform(seed, row, value_key + column) - 1;
}

/// floor(u count) for u in [0, 1), safe against rounding up to count.
Index pick(double u, Index count) { return std::min(count - 1, static_cast<Index>(u * count)); }

/// Draws from the Poisson distribution by inversion. For means over 50, where inversion takes long, the function rounds
/// a draw from the normal distribution.
Offset poisson_draw(std::uint64_t seed, Index row, double mean) {
  const double u = uniform(seed, row, length_key);
  if (mean > 50) {
    const double angle = 2 * std::numbers::pi * uniform(seed, row, length_key + 1);
    const double normal = std::sqrt(-2 * std::log1p(-u)) * std::cos(angle);
    return std::max<Offset>(0, std::llround(mean + std::sqrt(mean) * normal));
  }
  double probability = std::exp(-mean);
  double below = probability;
  Offset k = 0;
  while (u >= below && k < 200) {  // for a mean of 50, the tail beyond 200 is less than one ulp
    probability *= mean / static_cast<double>(++k);
    below += probability;
  }
  return k;
}

/// R-MAT row by row. In a given row, the bits of the column are independent. The number of edges in the row is (in the
/// limit of many edges) Poisson distributed, and its mean is the row's share of the edges.
struct RmatRows {
  int levels;
  double edges;
  std::uint64_t seed;
  static constexpr double a = 0.57, b = 0.19, c = 0.19, d = 0.05;

  Offset draws(Index row) const {
    const int ones = std::popcount(static_cast<std::uint32_t>(row));
    return poisson_draw(seed, row, edges * std::pow(a + b, levels - ones) * std::pow(c + d, ones));
  }
  Index column(Index row, Offset k) const {
    Index col = 0;
    for (int level = 0; level < levels; ++level) {
      const bool down = (row >> level) & 1;
      const double right = down ? d / (c + d) : b / (a + b);
      if (uniform(seed, row, k * levels + level) < right) col |= Index{1} << level;
    }
    return col;
  }
};

/// The pattern of `banded`: the gap of each diagonal, and the scatter points by row.
struct BrokenBand {
  Index n, width;
  std::uint64_t seed;
  Array<std::pair<Index, Index>> gaps;    // gaps[d]: rows [first, end) of diagonal d - width
  Array<std::pair<Index, Index>> points;  // (row, column), ascending

  BrokenBand(const GenerateOptions& options)
      : n(options.n), width(std::min(options.bandwidth, n - 1)), seed(options.seed) {
    require_memory("a band of " + std::to_string(width) + " diagonals on each side",
                   (2.0 * width + options.scatter * n) * sizeof gaps[0]);
    for (Index offset = -width; offset <= width; ++offset) {
      const Index length = n - std::abs(offset);
      const Index gap = offset == 0 ? 0 : static_cast<Index>(options.broken * length);
      if (gap == 0) {
        gaps.emplace_back(0, 0);
        continue;
      }
      const Index first = std::max(0, -offset) + pick(uniform(seed, -1, offset), length - gap + 1);
      gaps.emplace_back(first, first + gap);
    }
    add_points(options.scatter);
  }

  /// Spreads the scatter points over the offsets outside the band. Each of equal ranges of offsets gets one point, so
  /// no two points share a diagonal.
  void add_points(double share) {
    const Offset offsets = 2 * (Offset{n} - 1 - width);
    const Offset count = std::min(offsets, static_cast<Offset>(std::llround(share * n)));
    for (Offset k = 0; k < count; ++k) {
      const Offset first = offsets * k / count;
      const Offset last = offsets * (k + 1) / count;
      const Offset place = first + pick(uniform(seed, -2, k), static_cast<Index>(last - first));
      const Offset below = n - 1 - width;  // places 0 .. below - 1 are the offsets 1 - n .. -width - 1
      const auto offset = static_cast<Index>(place < below ? place + 1 - n : place - below + width + 1);
      const Index row = std::max(0, -offset) + pick(uniform(seed, -3, k), n - std::abs(offset));
      points.emplace_back(row, row + offset);
    }
    std::sort(points.begin(), points.end());
  }

  template <class Emit>
  void operator()(Index row, Emit& emit) const {
    auto send = [&](Index column) { emit(column, [&] { return signed_value(seed, row, column); }); };
    auto point = std::lower_bound(points.begin(), points.end(), std::pair<Index, Index>(row, 0));
    for (; point != points.end() && point->first == row && point->second < row; ++point) send(point->second);
    for (Index offset = std::max(-width, -row); offset <= std::min(width, n - 1 - row); ++offset) {
      const auto [gap, end] = gaps[static_cast<std::size_t>(offset + width)];
      if (row < gap || row >= end) send(row + offset);
    }
    for (; point != points.end() && point->first == row; ++point) send(point->second);
  }
};

/// Links of a web-like graph: half of the links lead to nearby nodes, half to popular nodes. The distributions have
/// power-law tails.
struct WebRows {
  Index n;
  std::uint64_t seed;

  Offset links(Index row) const {
    // P(links >= k) = k^-1.73. The mean of this distribution, zeta(1.73), is 2.
    const double x = std::pow(1 - uniform(seed, row, length_key), -1 / 1.73);
    return static_cast<Offset>(std::min(x, n / 2 + 1.0));
  }
  Index column(Index row, Offset k) const {
    if (k == 0) return row;
    const double u = uniform(seed, row, 2 * k + 1);
    const std::uint64_t kind = hash(seed, row, 2 * k);
    if (kind & 1) return pick(u * u * u, n);  // popular: column c has a probability proportional to c^(-2/3)
    const auto distance = static_cast<std::int64_t>(1 / (u + 1e-3));
    const std::int64_t to = row + (kind & 2 ? distance : -distance);
    return static_cast<Index>(std::clamp<std::int64_t>(to, 0, n - 1));
  }
};

}  // namespace

template <class T>
Csr<T> rmat(std::string_view family, const GenerateOptions& options) {
  checked_rows(family, options.n, 1);
  check_range(family, "entries_per_row", options.entries_per_row, 1, std::numeric_limits<Index>::max());
  const auto rounded = std::bit_ceil(static_cast<std::uint32_t>(options.n));
  const Index rows = checked_rows(family, options.n, 0, rounded);
  const RmatRows graph{std::countr_zero(rounded), options.entries_per_row * rows, options.seed};
  return build_drawn_rows<T, Diagonal::as_given>(
      Host(), rows, [&](Index row) { return graph.draws(row); },
      [&](Index row, Offset k) { return graph.column(row, k); },
      [&](Index row, Index column) { return 1 - uniform(graph.seed, row, value_key + column); });
}

template <class T>
Csr<T> banded(std::string_view family, const GenerateOptions& options) {
  const Index rows = checked_rows(family, options.n, 1);
  check_range(family, "bandwidth", options.bandwidth, 0, std::numeric_limits<Index>::max());
  check_range(family, "broken", options.broken, 0, 1);
  check_range(family, "scatter", options.scatter, 0, 1);
  return build_rows<T, Diagonal::dominant>(Host(), rows, BrokenBand(options));
}

template <class T>
Csr<T> random(std::string_view family, const GenerateOptions& options) {
  const Index n = checked_rows(family, options.n, 1);
  check_range(family, "entries_per_row", options.entries_per_row, 1, std::numeric_limits<Index>::max());
  const double mean = std::min<double>(options.entries_per_row, n);
  const std::uint64_t seed = options.seed;
  return build_rows<T, Diagonal::dominant>(Host(), n, [=](Index row, auto& emit) {
    const double whole = std::floor(mean);
    const auto count = static_cast<Offset>(whole) + (uniform(seed, row, length_key) < mean - whole ? 1 : 0);
    for (Offset k = 0; k < count; ++k) {
      const auto first = static_cast<Index>(Offset{n} * k / count);
      const auto end = static_cast<Index>(Offset{n} * (k + 1) / count);
      const Index column = row >= first && row < end ? row : first + pick(uniform(seed, row, k), end - first);
      emit(column, [&] { return signed_value(seed, row, column); });
    }
  });
}

template <class T>
Csr<T> dense_row(std::string_view family, const GenerateOptions& options) {
  const Index n = checked_rows(family, options.n, 1);
  const std::uint64_t seed = options.seed;
  return build_rows<T, Diagonal::dominant>(Host(), n, [=](Index row, auto& emit) {
    const bool dense = row == n / 2;
    const Index end = dense ? n - 1 : row;
    for (Index column = dense ? 0 : row; column <= end; ++column)
      emit(column, [&] { return signed_value(seed, row, column); });
  });
}

template <class T>
Csr<T> powerlaw(std::string_view family, const GenerateOptions& options) {
  const Index n = checked_rows(family, options.n, 1);
  const WebRows web{n, options.seed};
  return build_drawn_rows<T, Diagonal::dominant>(
      Host(), n, [&](Index row) { return 1 + web.links(row); }, [&](Index row, Offset k) { return web.column(row, k); },
      [&](Index row, Index column) { return signed_value(web.seed, row, column); });
}

#define OSTINATO_INSTANTIATE(T)                                           \
  template Csr<T> rmat<T>(std::string_view, const GenerateOptions&);      \
  template Csr<T> banded<T>(std::string_view, const GenerateOptions&);    \
  template Csr<T> random<T>(std::string_view, const GenerateOptions&);    \
  template Csr<T> dense_row<T>(std::string_view, const GenerateOptions&); \
  template Csr<T> powerlaw<T>(std::string_view, const GenerateOptions&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::generate_detail
