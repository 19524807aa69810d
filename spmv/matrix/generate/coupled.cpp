// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
//
// Problems with several unknowns per node: kgs, maxwell2d, fem27.
#include <algorithm>
#include <array>
#include <limits>

#include <ostinato/spmv/matrix/generate/families.hpp>
#include <ostinato/spmv/matrix/generate/grid.hpp>
#include <ostinato/spmv/matrix/generate/rows.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::generate_detail {
namespace {

/// -laplace / 2 + phi, times h^2, with a smooth phi h^2 between 1 and 1.5.
template <int D>
struct Schroedinger {
  Index n;
  SineTable sine{std::int64_t{n} + 1};

  double centre(const Point<D>& p) const {
    double product = 0.5;
    for (const Index at : p.at) product *= sine[std::int64_t{at} + 1];
    return D + 1 + product;
  }
  double neighbour(const Point<D>&, int, int) const { return -0.5; }
};

/// The first half of the rows is the real part, the second half the imaginary part. Multiplication by i s couples the
/// two parts by -s and +s.
template <int D>
struct CoupledGrids {
  Index nodes;
  Stencil<D, Schroedinger<D>> stencil;
  static constexpr double coupling = 0.25;  // less than phi h^2, so rows are diagonally dominant

  template <class Emit>
  void operator()(Index row, Emit& emit) const {
    const bool imaginary = row >= nodes;
    const Index first = imaginary ? nodes : 0;
    auto shifted = [&emit, first](Index column, const auto& value) { emit(first + column, value); };
    if (imaginary) emit(row - nodes, [] { return coupling; });
    stencil(row - first, shifted);
    if (!imaginary) emit(row + nodes, [] { return -coupling; });
  }
};

/// The rows of maxwell2d. The number of a node is n * grid line + position in the line. Neighbours along x are the
/// nodes with adjacent numbers. They are missing only at the first and last node of the grid or, in blocks that only
/// the medium couples, of the medium. So each of the nine blocks lacks two entries, whatever n is.
class MaxwellRows {
 public:
  explicit MaxwellRows(Index n)
      : n_(n), nodes_(n_ * n_), medium_begin_(n_ / 4 * n_), medium_end_(medium_begin_ + n_ / 2 * n_) {}

  template <class Emit>
  void operator()(Index row, Emit& emit) const {
    const std::int64_t field = row / nodes_;
    const std::int64_t node = row % nodes_;
    const bool in_medium = node >= medium_begin_ && node < medium_end_;
    for (int other = 0; other < 3; ++other) {
      if (other == field) {
        emit_own(emit, other, node, field == hx && in_medium);
      } else if (other != hx && field != hx) {
        emit_along_x(emit, other, node, 0, nodes_, {curl / 2, loss, -curl / 2});
      } else if (in_medium) {
        emit_along_x(emit, other, node, medium_begin_, medium_end_, {medium / 2, medium, -medium / 2});
      }
    }
  }

 private:
  // These values keep the rows diagonally dominant: (1, 4, 1) / 6 leaves 1/3 for the other entries of a row.
  static constexpr int hx = 0;
  static constexpr double curl = 0.2, loss = 0.02, medium = 0.02, drift = 0.1;
  using Three = std::array<double, 3>;

  template <class Emit>
  void emit_along_x(Emit& emit, int field, std::int64_t node, std::int64_t begin, std::int64_t end, Three v) const {
    for (int k = 0; k < 3; ++k) {
      const std::int64_t to = node + k - 1;
      if (to >= begin && to < end) emit(static_cast<Index>(field * nodes_ + to), [&] { return v[k]; });
    }
  }
  template <class Emit>
  void emit_along_y(Emit& emit, int field, std::int64_t to, double v) const {
    if (to >= 0 && to < nodes_) emit(static_cast<Index>(field * nodes_ + to), [&] { return v; });
  }

  /// Emits the coupling of a field to itself: the compact mass (1, 4, 1) / 6 and, where the field drifts,
  /// (1, -6, 3, 2) / 6 along y.
  template <class Emit>
  void emit_own(Emit& emit, int field, std::int64_t node, bool drifts) const {
    if (drifts) emit_along_y(emit, field, node - 2 * n_, drift / 6);
    if (drifts) emit_along_y(emit, field, node - n_, -drift);
    emit_along_x(emit, field, node, 0, nodes_, {1.0 / 6, 2.0 / 3 + (drifts ? drift / 2 : 0.0), 1.0 / 6});
    if (drifts) emit_along_y(emit, field, node + n_, drift / 3);
  }

  std::int64_t n_, nodes_, medium_begin_, medium_end_;
};

/// The rows of fem27: each row couples to all unknowns of the up to 27 nodes in its neighbourhood.
struct BlockRows {
  Grid<3> grid;
  int unknowns;
  bool constant;
  std::uint64_t seed;

  template <class Emit>
  void operator()(Index row, Emit& emit) const {
    const Point<3> p = grid.point(row / unknowns);
    for (Index z = low(p.at[2]); z <= high(p.at[2]); ++z)
      for (Index y = low(p.at[1]); y <= high(p.at[1]); ++y) {
        const Index line = z * grid.stride[2] + y * grid.stride[1];
        const Index end = (line + high(p.at[0])) * unknowns + unknowns - 1;
        for (Index column = (line + low(p.at[0])) * unknowns; column <= end; ++column)
          emit(column, [&] { return value(row, column); });
      }
  }

  Index low(Index at) const { return std::max(at - 1, 0); }
  Index high(Index at) const { return std::min(at + 1, grid.n - 1); }

  double value(Index row, Index column) const {
    if (constant) return row == column ? 27.0 * unknowns : -1.0;
    if (row == column) return 0.1;  // the row sum, because Diagonal::dominant adds the other magnitudes
    return uniform(seed, std::min(row, column), std::max(row, column)) - 1;
  }
};

}  // namespace

template <class T, int D>
Csr<T> kgs(std::string_view family, const GenerateOptions& options) {
  const Index rows = checked_rows(family, options.n, D, 2);
  return build_rows<T>(Host(), rows, CoupledGrids<D>{rows / 2, {Grid<D>(options.n), {options.n}}});
}

template <class T>
Csr<T> maxwell2d(std::string_view family, const GenerateOptions& options) {
  const Index rows = checked_rows(family, options.n, 2, 3);
  return build_rows<T>(Host(), rows, MaxwellRows(options.n));
}

template <class T>
Csr<T> fem27(std::string_view family, const GenerateOptions& options) {
  check_range(family, "unknowns", options.unknowns, 1, std::numeric_limits<int>::max());
  const Index rows = checked_rows(family, options.n, 3, options.unknowns);
  const BlockRows emit_row{Grid<3>(options.n), options.unknowns, options.constant, options.seed};
  return options.constant ? build_rows<T>(Host(), rows, emit_row)
                          : build_rows<T, Diagonal::dominant>(Host(), rows, emit_row);
}

#define OSTINATO_INSTANTIATE(T)                                           \
  template Csr<T> kgs<T, 2>(std::string_view, const GenerateOptions&);    \
  template Csr<T> kgs<T, 3>(std::string_view, const GenerateOptions&);    \
  template Csr<T> maxwell2d<T>(std::string_view, const GenerateOptions&); \
  template Csr<T> fem27<T>(std::string_view, const GenerateOptions&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::generate_detail
