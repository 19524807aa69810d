// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/generate/rows.hpp>
#include <ostinato/spmv/space/list.hpp>

#include "paper.hpp"

namespace ostinato::cli {

namespace {

using generate_detail::Diagonal;
using generate_detail::uniform;

// Ranges of keys for the hash.
constexpr std::int64_t value_key = std::int64_t{1} << 40, length_key = std::int64_t{1} << 50;
constexpr std::uint64_t seed = 1;

double value(Index row, Index column) { return 2 * uniform(seed, row, value_key + column) - 1; }

Index columns_of(const PaperMatrix& m) { return m.cols > 0 ? m.cols : m.rows; }
double mean_row(const PaperMatrix& m) { return static_cast<double>(m.nonzeros) / m.rows; }

/// floor((i + 1) x) - floor(i x): whole numbers whose mean over i is x.
Index share(std::int64_t i, double x) {
  const auto at = static_cast<double>(i);
  return static_cast<Index>(std::floor((at + 1) * x) - std::floor(at * x));
}

/// Diagonals that are empty in most of the sections that the rows are cut into. In each group of diagonals the full
/// ones lie beside each other and drift from the first to the last. Short gaps thin them out evenly.
class BrokenDiagonals {
 public:
  explicit BrokenDiagonals(const PaperMatrix& m) : rows_(m.rows) {
    constexpr Index shortest_section = 512;
    const StandIn& s = m.stand_in;
    const double full = std::min<double>(s.diagonals, mean_row(m) + static_cast<double>(s.padded) / m.rows);
    const auto wanted = static_cast<Index>(4 * std::ceil(s.diagonals / full));
    sections_.resize(static_cast<std::size_t>(std::clamp<Index>(m.rows / shortest_section, 1, wanted)));
    double places = 0;
    for (Index k = 0; k < count(); ++k) {
      sections_[static_cast<std::size_t>(k)] = full_ones(s, k, share(k, full));
      for (const Index offset : sections_[static_cast<std::size_t>(k)]) {
        places += std::max<Index>(0, std::min(first_row(k + 1), rows_ - offset) - std::max(first_row(k), -offset));
      }
    }
    kept_ = std::min(1.0, static_cast<double>(m.nonzeros) / places);
  }

  template <class Emit>
  void operator()(Index row, Emit& emit) const {
    // Multiples of these irrational numbers spread evenly over 0 .. 1, along a row and along a diagonal.
    constexpr double along_row = 0.6180339887498949, along_diagonal = 0.7548776662466927;
    const auto section = static_cast<std::size_t>(std::int64_t{row} * count() / rows_);
    for (std::size_t k = 0; k < sections_[section].size(); ++k) {
      const Index column = row + sections_[section][k];
      const double at = static_cast<double>(k) * along_row + row * along_diagonal;
      if (column < 0 || column >= rows_ || at - std::floor(at) >= kept_) continue;
      emit(column, [=] { return value(row, column); });
    }
  }

 private:
  Index count() const { return static_cast<Index>(sections_.size()); }

  Index first_row(Index section) const {
    return static_cast<Index>((std::int64_t{section} * rows_ + count() - 1) / count());
  }

  /// The offsets of the `full` diagonals of a section, ascending.
  std::vector<Index> full_ones(const StandIn& s, Index section, Index full) const {
    const double drift = count() > 1 ? static_cast<double>(section) / (count() - 1) : 0;
    const Index stride = std::max(s.stride, (s.diagonals + s.groups - 1) / s.groups);
    std::vector<Index> offsets;
    for (Index g = 0; g < s.groups; ++g) {
      const auto part = [&](Index of, Index from) {
        return (of * (g + 1) + from) / s.groups - (of * g + from) / s.groups;
      };
      // Where there are fewer than groups, each section takes other groups.
      const Index shift = full < s.groups ? section % s.groups : 0;
      const Index width = part(s.diagonals, 0), here = std::min(width, part(full, shift));
      const auto drifted = static_cast<Index>(std::lround(drift * (width - here)));
      for (Index k = 0; k < here; ++k) offsets.push_back((g - s.groups / 2) * stride - width / 2 + drifted + k);
    }
    return offsets;
  }

  Index rows_;
  std::vector<std::vector<Index>> sections_;  ///< the offsets of the full diagonals of each
  double kept_ = 1;                           ///< share of their places that hold an entry
};

/// Rows of dense blocks, spread evenly over the columns within reach. The number of blocks varies by 30 %.
struct BlockRows {
  Index cols, block, nodes;  ///< nodes: columns of blocks
  double node_of_row, mean, reach;

  explicit BlockRows(const PaperMatrix& m)
      : cols(columns_of(m)),
        block(m.stand_in.block),
        nodes((cols + block - 1) / block),
        node_of_row(static_cast<double>(nodes) / m.rows),
        mean(std::min<double>(nodes, mean_row(m) / block)),
        reach(std::min<double>(nodes, std::max(2 * mean, m.stand_in.spread * nodes))) {}

  template <class Emit>
  void operator()(Index row, Emit& emit) const {
    const Index node = row / block;
    const double varied = mean * (0.7 + 0.6 * uniform(seed, node, length_key)) + uniform(seed, node, length_key + 1);
    const double count = std::clamp(std::floor(varied), 1.0, reach);
    const double first = std::clamp(node * block * node_of_row - reach / 2, 0.0, nodes - reach);
    for (Index k = 0; k < count; ++k) {
      // Ranges of whole columns without a common one, so that no block comes twice.
      const double begin = std::floor(first + reach * k / count), end = std::floor(first + reach * (k + 1) / count);
      const auto at = static_cast<Index>(begin + std::floor(uniform(seed, node, k) * (end - begin)));
      for (Index column = at * block; column < std::min(cols, (at + 1) * block); ++column)
        emit(column, [=] { return value(row, column); });
    }
  }
};

/// Rows whose lengths have a power-law tail (exponent 1.73, as of `powerlaw`): half of the entries beside each other
/// near the main diagonal, half in columns of which few are popular.
struct WebRows {
  Index rows;
  double longest, unit = 1;

  explicit WebRows(const PaperMatrix& m) : rows(m.rows), longest(std::min<double>(m.rows / 2, m.stand_in.longest)) {
    for (int step = 0; step < 3; ++step) {  // the longest row cuts lengths off, so that the unit isn't proportional
      double sum = 0;
      for (Index row = 0; row < rows; ++row) sum += length(row);
      unit *= static_cast<double>(m.nonzeros) / sum;
    }
  }

  double length(Index row) const {
    return std::clamp(unit * std::pow(1 - uniform(seed, row, length_key), -1 / 1.73), 1.0, longest);
  }
  Offset draws(Index row) const {
    return static_cast<Offset>(std::floor(length(row) + uniform(seed, row, length_key + 1)));
  }
  Index column(Index row, Offset k) const {
    const Offset count = draws(row), near = count - count / 2;
    if (k < near) return static_cast<Index>(std::clamp<Offset>(row - near / 2, 0, rows - near) + k);
    const double at = (static_cast<double>(k - near) + uniform(seed, row, k)) / static_cast<double>(count / 2);
    return std::min(rows - 1, static_cast<Index>(rows * at * at));
  }
};

bool is_in_space(std::string_view family) { return family.ends_with("3d"); }

}  // namespace

PaperMatrix scaled(PaperMatrix m, double scale) {
  constexpr Index fewest = 1000;
  const double wanted = std::min<double>(m.rows, std::max<double>(fewest, std::round(m.rows * scale)));
  const double share = wanted / m.rows;
  const auto part = [](auto n, double of) {
    return static_cast<decltype(n)>(std::llround(static_cast<double>(n) * of));
  };
  if (m.stand_in.kind == StandIn::Kind::family) {
    const double side = is_in_space(m.stand_in.family) ? std::cbrt(share) : std::sqrt(share);
    m.stand_in.n = 2 * part(m.stand_in.n / 2, side);  // maxwell2d has its counts for even sides
  }
  m.rows = static_cast<Index>(wanted);
  m.cols = part(m.cols, share);
  m.nonzeros = std::min(part(m.nonzeros, share), Offset{m.rows} * columns_of(m));
  m.stand_in.padded = part(m.stand_in.padded, share);
  m.stand_in.stride = part(m.stand_in.stride, share);
  return m;
}

template <class T>
Csr<T> make_stand_in(const PaperMatrix& m) {
  const auto built = [&](const auto& emit_row) {
    Csr<T> a = generate_detail::build_rows<T>(Host(), m.rows, emit_row);  // square
    a.cols = columns_of(m);
    return a;
  };
  switch (m.stand_in.kind) {
    case StandIn::Kind::family:
      return generate<T>(m.stand_in.family, {.n = m.stand_in.n});
    case StandIn::Kind::diagonals:
      return built(BrokenDiagonals(m));
    case StandIn::Kind::blocks:
      return built(BlockRows(m));
    case StandIn::Kind::web: {
      const WebRows web(m);
      return generate_detail::build_drawn_rows<T, Diagonal::as_given>(
          Host(), m.rows, [&](Index row) { return web.draws(row); },
          [&](Index row, Offset k) { return web.column(row, k); }, value);
    }
  }
  return {};
}

std::span<const Paper> papers() {
  static const std::array<Paper, 4> all = {dia_adaptive(), cmrs(), yaspmv(), crs_kepler()};
  return all;
}

#define OSTINATO_INSTANTIATE(T) template Csr<T> make_stand_in<T>(const PaperMatrix&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::cli
