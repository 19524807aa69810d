// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/triangular/approximate_factored.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/triangular/approximate_factored_steps.hpp>
#include <ostinato/preconditioners/triangular/factored.hpp>
#include <ostinato/preconditioners/triangular/isai.hpp>
#include <ostinato/spmv/algebra/extract.hpp>
#include <ostinato/spmv/algebra/transpose.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/selection/select_format.hpp>
#include <ostinato/spmv/space/scan.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

namespace approximate_factored_definition {

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

inline std::size_t at(Offset k) { return static_cast<std::size_t>(k); }

/// The place of each row or column of A, from the row or column at each place.
inline std::vector<Index> places_of(const std::vector<Index>& order) {
  std::vector<Index> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[at(order[i])] = static_cast<Index>(i);
  return place;
}

/// A strictly lower triangle, and ones on its diagonal where wanted.
inline Csr<double> with_diagonal(const CsrView<double>& strict, bool wanted) {
  Csr<double> l;
  l.rows = l.cols = strict.rows;
  l.row_ptr.reserve(strict.row_ptr.size());
  for (std::size_t i = 0; i < at(strict.rows); ++i) {
    l.col.insert(l.col.end(), strict.col.begin() + strict.row_ptr[i], strict.col.begin() + strict.row_ptr[i + 1]);
    l.val.insert(l.val.end(), strict.val.begin() + strict.row_ptr[i], strict.val.begin() + strict.row_ptr[i + 1]);
    if (wanted) {
      l.col.push_back(static_cast<Index>(i));
      l.val.push_back(1);
    }
    l.row_ptr.push_back(static_cast<Offset>(l.col.size()));
  }
  return l;
}

/// The transpose of U, whose rows are divided by their pivots first.
inline Csr<double> transposed_unit(const Factors& f) {
  Csr<double> u = f.upper;
  for (std::size_t i = 0; i < f.pivot.size(); ++i) {
    for (Offset k = u.row_ptr[i]; k < u.row_ptr[i + 1]; ++k) u.val[at(k)] *= 1 / f.pivot[i];  // as in a sweep
  }
  return transpose(u.view(), checked);
}

inline void require_pivots(const Factors& f, const Preparation& how) {
  for (std::size_t i = 0; i < f.pivot.size(); ++i) {
    if (f.pivot[i] != 0 && std::isfinite(f.pivot[i])) continue;
    throw ArgumentError("the triangular factors are singular: the pivot of " + row_text(at(how.row[i])) +
                        " is 0 or not finite; use --precond none");
  }
}

/// The matrix in V, in arrays of its own. `Exact` says what is wrong where a value leaves the range of V.
template <class Exact, class V, class Space>
SpaceCsr<Space, V> rounded(const Space& space, const CsrView<double>& a) {
  auto r = std::make_shared<CsrStorage<Space, V>>();
  r->rows = a.rows;
  r->cols = a.cols;
  r->row_ptr = Vector<Space, Offset>(space, a.row_ptr.size());
  r->col = Vector<Space, Index>(space, a.col.size());
  r->val = Vector<Space, V>(space, a.val.size());
  space.copy(r->row_ptr.data(), a.row_ptr.data(), a.row_ptr.size_bytes());
  space.copy(r->col.data(), a.col.data(), a.col.size_bytes());
  Vector<Space, double> outside(space, 1, 0.0);
  sum(space, a.val.size(), detail::RoundElements<V>{a.val.data(), r->val.data()}, outside.data());
  if (outside.download()[0] > 0) Exact::throw_out_of_range();
  return SpaceCsr<Space, V>(std::move(r));
}

/// A triangle of factors: L, or L^T, or U with its rows divided by their pivots. Rows have a 1 on the diagonal where
/// wanted.
template <class Space>
SpaceCsr<Space, double> unit_triangle(const Space& space, const FactorsInPlace<Space>& f, bool upper, bool diagonal) {
  const std::size_t n = at(f.rows);
  auto t = std::make_shared<CsrStorage<Space, double>>();
  t->rows = t->cols = f.rows;
  t->row_ptr = Vector<Space, Offset>(space, n + 1);
  const detail::Triangle triangle{{f.rows, f.row_ptr, f.col}, f.after, upper};
  const double* const over = upper && !f.symmetric ? f.pivot() : nullptr;
  const detail::UnitRows rows{triangle, (upper ? f.upper : f.val).data(), over, diagonal};
  for_each(space, n, detail::CountUnitRow{rows, t->row_ptr.data()});
  exclusive_scan(space, t->row_ptr.span());
  Offset entries;
  space.download(&entries, t->row_ptr.data() + n, sizeof entries);
  t->col = Vector<Space, Index>(space, static_cast<std::size_t>(entries));
  t->val = Vector<Space, double>(space, t->col.size());
  for_each(space, n, detail::FillUnitRow{rows, t->row_ptr.data(), t->col.data(), t->val.data()});
  return SpaceCsr<Space, double>(std::move(t));
}

/// Refuses inverses that there is no room for, before they are made. A GPU refuses memory by itself.
template <class Space, class Announce>
void require_room(const Space& space, const CsrView<double>& lower, const CsrView<double>& upper,
                  const Announce& announce, const StopRequest& stop) {
  constexpr std::size_t bytes_while_made = 4 * (sizeof(double) + sizeof(Index));  // pattern, inverse, turned, rounded
  const auto most = static_cast<Offset>(space.free_bytes() / bytes_while_made);
  const Offset entries = count_square_entries(lower, most, stop) + count_square_entries(upper, most, stop);
  if (announce) announce({static_cast<std::size_t>(entries), Certainty::at_least});  // a byte an entry, in any format
  if (entries > most) throw TooManyEntries();
}

template <class Element, class Space>
Vector<Space, Element> uploaded(const Space& space, const std::vector<Element>& from) {
  return Vector<Space, Element>(space, std::span<const Element>(from));
}

}  // namespace approximate_factored_definition

/// The factors with ones on the diagonal, in the order in which they were made, and what the solves need besides.
template <class Space, class T, class V>
struct ApproximateFactored<Space, T, V>::Unit {
  SpaceCsr<Space, double> lower;
  std::optional<SpaceCsr<Space, double>> upper;  ///< the transpose of U; absent where that is L
  Vector<Space, Index> row_place,
      col_place;  ///< of the rows and columns of A; no column places where these are the same
  Vector<Space, double> row_scale, col_scale;  ///< as in the object
  Vector<Space, double> over_pivot;
  Vector<Space, Index> row_of;
};

template <class Space, class T, class V>
struct ApproximateFactored<Space, T, V>::Made {
  /// A matrix and the format that is chosen for it.
  struct Part {
    Part(const Space& space, const SpaceCsr<Space, V>& a) : analysis(space, a), choice(choose_format(analysis)) {}
    Operator<Space, V> build() const { return Operator<Space, V>(analysis, choice); }

    Analysis<Space, V> analysis;
    Choice choice;
  };
  struct Parts {
    std::optional<Part> matrix, inverse;

    Triangle build() const {
      Triangle t;
      if (matrix) t.matrix.emplace(matrix->build());
      if (inverse) t.inverse.emplace(inverse->build());
      return t;
    }
  };

  Unit unit;
  TriangularOptions options;
  Parts lower = {}, upper = {};

  bool is_moved() const { return unit.row_scale.size() > 0 || (is_single<V> && !is_single<T>); }

  /// What a triangle takes, from its transpose when it is the upper one, numbered as A.
  static Parts parts(const Space& space, const SpaceCsr<Space, double>& l, bool transposed,
                     std::span<const Index> place, const TriangularOptions& options, const StopRequest& stop) {
    const auto placed = [&](const SpaceCsr<Space, double>& a) {
      end_factoring_on(stop);
      const SpaceCsr<Space, double> turned = transposed ? transpose(space, a) : a;
      return Part(space, approximate_factored_definition::rounded<Factored<Space, T, V>, V>(
                             space, permute(space, turned, place, place).view()));
    };
    Parts p;
    if (options.steps() > 1) p.matrix.emplace(placed(l));
    if (options.solve == TriangularSolve::isai)
      p.inverse.emplace(placed(incomplete_inverse(space, l, options.power, stop)));
    return p;
  }

  MemoryPrediction memory() const {
    const std::size_t n = unit.over_pivot.size();
    const std::size_t vectors = unit.row_scale.bytes() + unit.col_scale.bytes() + unit.over_pivot.bytes() +
                                unit.row_of.bytes() + (is_moved() ? 3 : 2) * n * sizeof(V) + sizeof(double);
    MemoryPrediction all = {vectors, Certainty::close};
    for (const std::optional<Part>* part : {&lower.matrix, &lower.inverse, &upper.matrix, &upper.inverse}) {
      if (!*part) continue;
      const MemoryPrediction one = memory_of((*part)->choice);
      all.bytes += one.bytes;
      all.certainty = std::max(all.certainty, one.certainty);
    }
    return all;
  }
};

template <class Space, class T, class V>
auto ApproximateFactored<Space, T, V>::unit(const Space& space, const Factors& f, const Preparation& how,
                                            const TriangularOptions& options, bool symmetric) -> Unit {
  using Exact = Factored<Space, T, V>;
  approximate_factored_definition::require_pivots(f, how);
  const std::size_t n = f.pivot.size();
  std::vector<Index> column(n), row_of(n);
  std::vector<double> over_pivot(n);
  bool is_matched = false;
  for (std::size_t i = 0; i < n; ++i) {
    column[i] = how.col[f.col.empty() ? i : approximate_factored_definition::at(f.col[i])];
    row_of[approximate_factored_definition::at(column[i])] = how.row[i];
    over_pivot[approximate_factored_definition::at(column[i])] = 1 / f.pivot[i];
    is_matched |= column[i] != how.row[i];
  }
  Exact::require_scales(over_pivot);
  Exact::require_scales(how.row_scale);
  Exact::require_scales(how.col_scale);
  const bool diagonal = options.solve == TriangularSolve::isai;
  Unit u{
      .lower = SpaceCsr<Space, double>(space, approximate_factored_definition::with_diagonal(f.lower.view(), diagonal)),
      .upper = {},
      .row_place =
          approximate_factored_definition::uploaded(space, approximate_factored_definition::places_of(how.row)),
      .col_place = {},
      .row_scale = approximate_factored_definition::uploaded(space, how.row_scale),
      .col_scale = approximate_factored_definition::uploaded(space, how.col_scale),
      .over_pivot = approximate_factored_definition::uploaded(space, over_pivot),
      .row_of = {}};
  if (is_matched)
    u.col_place = approximate_factored_definition::uploaded(space, approximate_factored_definition::places_of(column));
  if (is_matched) u.row_of = approximate_factored_definition::uploaded(space, row_of);
  if (!symmetric)
    u.upper.emplace(space, approximate_factored_definition::with_diagonal(
                               approximate_factored_definition::transposed_unit(f).view(), diagonal));
  return u;
}

template <class Space, class T, class V>
auto ApproximateFactored<Space, T, V>::unit(const Space& space, const FactorsInPlace<Space>& f,
                                            const TriangularOptions& options, bool symmetric) -> Unit {
  using Exact = Factored<Space, T, V>;
  const std::size_t n = approximate_factored_definition::at(f.rows);
  const bool diagonal = options.solve == TriangularSolve::isai;
  Unit u{.lower = approximate_factored_definition::unit_triangle(space, f, false, diagonal),
         .upper = {},
         .row_place = Vector<Space, Index>(space, n),
         .col_place = {},
         .row_scale = {},
         .col_scale = {},
         .over_pivot = Vector<Space, double>(space, n),
         .row_of = {}};
  Vector<Space, double> outside(space, 1, 0.0);
  sum(space, n, detail::PlaceRows<V>{f.row, f.pivot(), Exact::scale_range, u.row_place.data(), u.over_pivot.data()},
      outside.data());
  if (outside.download()[0] > 0) Exact::throw_out_of_range();
  if (!symmetric || !f.symmetric)
    u.upper = transpose(space, approximate_factored_definition::unit_triangle(space, f, true, diagonal));
  return u;
}

template <class Space, class T, class V>
auto ApproximateFactored<Space, T, V>::make(const Space& space, Unit&& unit, const TriangularOptions& options,
                                            const Announce& announce, const StopRequest& stop) -> Made {
  Made made{.unit = std::move(unit), .options = options};
  Unit& u = made.unit;
  const Vector<Space, Index>& col_place = u.col_place.size() > 0 ? u.col_place : u.row_place;
  if constexpr (Space::has_host_memory) {
    if (options.solve == TriangularSolve::isai && options.power == 2)
      approximate_factored_definition::require_room(space, u.lower.view(), (u.upper ? *u.upper : u.lower).view(),
                                                    announce, stop);
  }
  made.lower = Made::parts(space, u.lower, false, std::as_const(u.row_place).span(), options, stop);
  made.upper = Made::parts(space, u.upper ? *u.upper : u.lower, true, std::as_const(col_place).span(), options, stop);
  if (announce) announce(made.memory());
  return made;
}

template <class Space, class T, class V>
ApproximateFactored<Space, T, V>::ApproximateFactored(const Space& space, const Factors& factors,
                                                      const Preparation& how, const TriangularOptions& options,
                                                      bool symmetric, const Announce& announce, const StopRequest& stop)
    : ApproximateFactored(space, make(space, unit(space, factors, how, options, symmetric), options, announce, stop)) {}

template <class Space, class T, class V>
ApproximateFactored<Space, T, V>::ApproximateFactored(const Space& space, const FactorsInPlace<Space>& factors,
                                                      const TriangularOptions& options, bool symmetric,
                                                      const Announce& announce, const StopRequest& stop)
    : ApproximateFactored(space, make(space, unit(space, factors, options, symmetric), options, announce, stop)) {}

template <class Space, class T, class V>
ApproximateFactored<Space, T, V>::ApproximateFactored(const Space& space, Made&& made)
    : space_(space),
      options_(made.options),
      lower_(made.lower.build()),
      upper_(made.upper.build()),
      row_scale_(std::move(made.unit.row_scale)),
      col_scale_(std::move(made.unit.col_scale)),
      over_pivot_(std::move(made.unit.over_pivot)),
      row_of_(std::move(made.unit.row_of)),
      in_(space, row_scale_.size() > 0 || (is_single<V> && !is_single<T>) ? over_pivot_.size() : 0),
      y_(space, over_pivot_.size()),
      w_(space, over_pivot_.size()),
      norm_(space, 1) {}

/// y = S r. The vectors don't overlap; `spare` is overwritten.
template <class Space, class T, class V>
void ApproximateFactored<Space, T, V>::solve(const Triangle& triangle, std::span<const V> r, std::span<V> y,
                                             std::span<V> spare) const {
  const int steps = options_.steps();
  if (triangle.inverse) {
    triangle.inverse->apply(V{1}, r, V{0}, y);
    for (int step = 1; step < steps; ++step) {
      triangle.matrix->residual(y, r, spare, norm_.data());
      triangle.inverse->apply(V{1}, spare, V{1}, y);
    }
    return;
  }
  if (steps == 1) return copy<V>(space_, r, y);
  std::span<const V> last = r;
  for (int left = steps - 2; left >= 0; --left) {  // the last step writes y
    const std::span<V> next = left % 2 == 0 ? y : spare;
    triangle.matrix->residual(last, r, next, norm_.data());
    last = next;
  }
}

template <class Space, class T, class V>
void ApproximateFactored<Space, T, V>::apply(std::span<const T> r, std::span<T> z) const {
  const std::size_t n = over_pivot_.size();
  const auto or_null = [](const auto& v) { return v.size() > 0 ? v.data() : nullptr; };
  const bool moves = in_.size() > 0;
  std::span<const V> in;
  if (moves) {
    for_each(space_, n, detail::MoveScaled<T, V>{r.data(), nullptr, or_null(row_scale_), in_.data()});
    in = in_.span();
  } else if constexpr (std::is_same_v<T, V>) {
    in = r;
  }
  solve(lower_, in, y_.span(), w_.span());
  for_each(space_, n, detail::MoveScaled<V, V>{y_.data(), or_null(row_of_), over_pivot_.data(), w_.data()});
  if (moves) {
    solve(upper_, w_.span(), y_.span(), in_.span());
    for_each(space_, n, detail::MoveScaled<V, T>{y_.data(), nullptr, or_null(col_scale_), z.data()});
  } else if constexpr (std::is_same_v<T, V>) {
    solve(upper_, w_.span(), z, y_.span());
  }
}

template <class Space, class T, class V>
std::size_t ApproximateFactored<Space, T, V>::bytes() const {
  std::size_t all = row_scale_.bytes() + col_scale_.bytes() + over_pivot_.bytes() + row_of_.bytes() + in_.bytes() +
                    y_.bytes() + w_.bytes() + norm_.bytes();
  for (const auto* op : {&lower_.matrix, &lower_.inverse, &upper_.matrix, &upper_.inverse})
    all += *op ? (*op)->bytes() : 0;
  return all;
}

template <class Space, class T, class V>
std::size_t ApproximateFactored<Space, T, V>::bytes_in_csr(std::size_t rows, std::size_t entries,
                                                           const TriangularOptions& options) {
  const bool is_isai = options.solve == TriangularSolve::isai;
  const std::size_t matrices = (is_isai ? 1 : 0) + (options.steps() > 1 ? 1 : 0);
  const std::size_t stored = entries + (is_isai ? 2 * rows : 0);
  return matrices * (2 * (rows + 1) * sizeof(Offset) + stored * (sizeof(Index) + sizeof(V))) +
         rows * (sizeof(double) + 3 * sizeof(V));
}

template <class Space, class T, class V>
double ApproximateFactored<Space, T, V>::seconds() const {
  const auto one = [](const std::optional<Operator<Space, V>>& op) {
    return op && !op->choice().candidates.empty() ? op->choice().candidates.front().product_seconds() : 0.0;
  };
  const int steps = options_.steps();
  double total = 0;
  for (const Triangle* t : {&lower_, &upper_}) total += (steps - 1) * one(t->matrix) + steps * one(t->inverse);
  return total;
}

template <class Space, class T, class V>
std::string ApproximateFactored<Space, T, V>::remarks() const {
  const bool is_isai = options_.solve == TriangularSolve::isai;
  const std::string steps = std::to_string(options_.steps()) + (options_.steps() == 1 ? " sweep" : " sweeps");
  std::string all = is_isai ? "triangles by " + steps + " of ISAI" : "triangles by " + steps + " of Jacobi";
  if (is_isai && options_.power > 1) all += " with the pattern of power " + std::to_string(options_.power);
  const auto& lower = is_isai ? lower_.inverse : lower_.matrix;
  const auto& upper = is_isai ? upper_.inverse : upper_.matrix;
  return lower ? all + " in " + lower->format() + " and " + upper->format() : all;
}

}  // namespace ostinato
