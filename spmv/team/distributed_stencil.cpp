// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/distributed_stencil.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/shapes.hpp>
#include <ostinato/spmv/space/distributed.hpp>
#include <ostinato/spmv/space/dot.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps_definition.hpp>
#include <ostinato/spmv/stencil/stencil_rows.hpp>
#include <ostinato/spmv/team/halo.hpp>
#include <ostinato/spmv/team/halo_steps.hpp>

namespace ostinato {

namespace {

using detail::centre;
using detail::neighbours;
using detail::Planes;
using detail::Step;

Boundaries& last_boundaries(Stencil& s) {
  const int axis = detail::last_axis(s.extents);
  return axis == 2 ? s.z : axis == 1 ? s.y : s.x;
}

/// Planes of a stencil of constant coefficients as a stencil of its own: what lies beyond counts as Dirichlet, but
/// where the grid ends.
Stencil cut(const Stencil& whole, Index first, Index planes) {
  Stencil part = whole;
  const Index all = detail::planes_of(whole.extents);
  if (planes == all && first == 0) return part;
  Boundaries& sides = last_boundaries(part);
  const auto ends = [&](Boundary& side, bool is_end) {
    if (!is_end || side == Boundary::periodic) side = Boundary::dirichlet;
  };
  ends(sides.begin, first == 0);
  ends(sides.end, first + planes == all);
  part.extents = detail::with_planes(whole.extents, planes);
  return part;
}

/// The points of a place (0, 1 or 2) along an axis, of points begin .. end - 1.
Offset points_of(int place, Index extent, Index begin, Index end) {
  Offset count = 0;
  if (place == 0) count = begin == 0 && end > 0;
  if (place == 1) count = std::max<Index>(0, std::min(end, extent - 1) - std::max<Index>(begin, 1));
  if (place == 2) count = extent > 1 && begin < extent && end == extent;
  return count;
}

}  // namespace

Partition slab_partition(const Team& team, const Extents& points) {
  constexpr Index places = 32, most_of_mean = 4;  // a cut moves by half a unit at most
  const auto planes = static_cast<std::int64_t>(detail::planes_of(points));
  const auto plane = static_cast<std::int64_t>(points.points()) / std::max<std::int64_t>(1, planes);
  const std::int64_t ranks = team.size();
  std::int64_t unit = 1;
  const auto is_enough = [&] { return unit * places >= planes && unit * plane % Partition::block == 0; };
  while (!is_enough() && 2 * unit * ranks * most_of_mean <= planes) unit *= 2;
  std::vector<Index> offsets;
  for (std::int64_t r = 0; r <= ranks; ++r) {
    const std::int64_t nearest = (2 * planes * r + ranks * unit) / (2 * ranks * unit) * unit;
    offsets.push_back(static_cast<Index>((r == ranks ? planes : std::min(planes, nearest)) * plane));
  }
  return Partition(std::move(offsets));
}

/// The rows of a rank's planes and of those beside them.
template <class Local, class T>
struct DistributedStencil<Local, T>::Rows {
  Planes planes{};
  Extents extents;
  detail::Slots slots{};
  std::vector<T> a;

  T at(int neighbour, std::size_t point) const {
    const int slot = slots[static_cast<std::size_t>(neighbour)];
    return slot < 0 ? T{0} : a[static_cast<std::size_t>(slot) * extents.points() + point];
  }
  /// Some of the planes as a stencil of their own. The rows are final: what leads out of the grid was added already.
  Stencil cut(const Grid& grid, Index first, Index count) const {
    const Index whole = detail::planes_of(grid.extents);
    Stencil part{.extents = detail::with_planes(grid.extents, count)};
    for (int k = 0; k < neighbours; ++k) {
      const Step d = Step::of(k);
      if (slots[static_cast<std::size_t>(k)] >= 0) part.terms.push_back({d.x, d.y, d.z, 1});
    }
    Boundaries* const sides[] = {&part.x, &part.y, &part.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool stays = count == whole || static_cast<int>(axis) != detail::last_axis(grid.extents);
      if (grid.periodic[axis] && stays) *sides[axis] = {Boundary::periodic, Boundary::periodic};
    }
    const int axis = detail::last_axis(grid.extents);
    part.coefficient = [this, axis, shift = first - planes.begin](Index x, Index y, Index z, int dx, int dy, int dz) {
      (axis == 0 ? x : axis == 1 ? y : z) += shift;
      return static_cast<double>(at(Step{dx, dy, dz}.number(), extents.number(x, y, z)));
    };
    return part;
  }
};

/// Products with vectors in float.
template <class Local, class T>
class DistributedStencil<Local, T>::Lower final : public LinearMap<Space, float> {
 public:
  explicit Lower(const DistributedStencil& a) : LinearMap<Space, float>(a.space(), a.rows(), a.cols()), a_(a) {}

  void apply(float alpha, Block<const float> x, float beta, Block<float> y) const override {
    require_shapes("apply", this->rows(), this->cols(), x.rows, y.rows);
    for (int k = 0; k < y.columns; ++k) {
      a_.multiply(a_.in_float_, beta != 0, x.column(k).data(), y.column(k).data(),
                  [&](const StencilOperator<Local, T>& a, std::span<const float> from, std::span<float> to, auto) {
                    a.lower()->apply(alpha, from, beta, to);
                  });
    }
  }
  void apply_dot(Block<const float> x, Block<float> y, Block<const float> w, Slot<float> slots) const override {
    require_shapes("apply_dot", this->rows(), this->cols(), x.rows, y.rows);
    require_shapes("apply_dot", this->rows(), this->cols(), x.rows, w.rows);
    if constexpr (is_cuda<Local>) {
      // Of another w the sums differ in the last bits between one rank and two, on some grids.
      const bool is_of_x = w.columns > 0 && w.column(0).data() == x.column(0).data();
      for (int k = 0; a_.product_ && is_of_x && k < y.columns; ++k)
        a_.dot_of_planes(x.column(k).data(), y.column(k).data(), w.column(k).data(), slots + k);
      if (a_.product_ && is_of_x) return;
    }
    LinearMap<Space, float>::apply_dot(x, y, w, slots);
  }
  bool capturable() const override { return a_.in_float_.ghosts->capturable(); }
  const Facts* facts() const override { return a_.facts(); }

 private:
  const DistributedStencil& a_;
};

template <class Local, class T>
DistributedStencil<Local, T>::DistributedStencil(const Space& space, const Stencil& stencil, const Partition& rows)
    : LinearMap<Space, T>(space, static_cast<std::size_t>(rows.length(space.team())),
                          static_cast<std::size_t>(rows.length(space.team()))),
      row_parts_(rows),
      grid_(detail::grid_of(stencil)) {
  const Team& team = space.team();
  const Index planes = detail::planes_of(grid_.extents);
  plane_ = grid_.extents.points() / static_cast<std::size_t>(planes);
  bool are_planes = rows.ranks() == team.size() && static_cast<std::size_t>(rows.rows()) == grid_.extents.points();
  for (int r = 0; are_planes && r < rows.ranks(); ++r)
    are_planes = static_cast<std::size_t>(rows.offset(r)) % plane_ == 0;
  if (!are_planes) throw ArgumentError("stencil: the rows of ranks aren't whole planes of the grid");
  begin_ = static_cast<Index>(static_cast<std::size_t>(rows.begin(team)) / plane_);
  end_ = static_cast<Index>(static_cast<std::size_t>(rows.end(team)) / plane_);
  find_windows(grid_.periodic[static_cast<std::size_t>(detail::last_axis(grid_.extents))]);
  const std::vector<Index> arranged = meet();
  Rows of_function;
  describe(stencil, of_function);
  team.agreed([&] { build(stencil, of_function, arranged); });
  space.expect_sums(this->rows());
}

template <class Local, class T>
void DistributedStencil<Local, T>::find_windows(bool is_periodic) {
  const Index planes = detail::planes_of(grid_.extents);
  if (begin_ == end_ || end_ - begin_ == planes) return;
  const bool below = begin_ > 0 || is_periodic, above = end_ < planes || is_periodic;
  const auto add = [&](Index plane) {
    const Index first = plane > 0 || is_periodic ? plane - 1 : 0,
                last = plane + 1 < planes || is_periodic ? plane + 1 : planes - 1;
    const std::size_t before =
        windows_.empty() ? 0 : windows_.back().begin + static_cast<std::size_t>(windows_.back().planes) * plane_;
    windows_.push_back({first, last - first + 1, plane - first, nullptr, before});
  };
  if (below) add(begin_);
  if (above && (!below || end_ - begin_ > 1)) add(end_ - 1);
}

/// Finds the ghosts. Returns where the elements of windows are among boundary(); nothing where they are in its order.
template <class Local, class T>
std::vector<Index> DistributedStencil<Local, T>::meet() {
  const Index planes = detail::planes_of(grid_.extents);
  std::vector<Index> ghosts, own, wanted;  // planes
  for (const Window& w : windows_) {
    for (Index k = 0; k < w.planes; ++k) wanted.push_back((w.first + k + planes) % planes);
  }
  const auto is_own = [&](Index plane) { return plane >= begin_ && plane < end_; };
  for (const Index plane : wanted) (is_own(plane) ? own : ghosts).push_back(plane);
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  const auto below = std::lower_bound(ghosts.begin(), ghosts.end(), begin_) - ghosts.begin();
  std::vector<Index> there = ghosts;
  there.insert(there.begin() + below, own.begin(), own.end());
  const auto elements = [&](const std::vector<Index>& of, Index before) {
    std::vector<Index> numbers;
    numbers.reserve(of.size() * plane_);
    for (const Index plane : of) {
      for (std::size_t i = 0; i < plane_; ++i)
        numbers.push_back(static_cast<Index>(static_cast<std::size_t>(plane - before) * plane_ + i));
    }
    return numbers;
  };
  const HaloPlan plan(space_.team(), row_parts_, elements(ghosts, 0));
  const std::vector<Index> owns = elements(own, begin_);
  moving_.ghosts = std::make_unique<GhostExchange<Local, T>>(space_, plan, owns);
  if constexpr (!is_single<T>) in_float_.ghosts = std::make_unique<GhostExchange<Local, float>>(space_, plan, owns);
  if (there == wanted) return {};
  for (Index& plane : wanted) plane = static_cast<Index>(std::find(there.begin(), there.end(), plane) - there.begin());
  return elements(wanted, 0);
}

/// What is known of the whole matrix.
template <class Local, class T>
void DistributedStencil<Local, T>::describe(const Stencil& stencil, Rows& rows) {
  const Team& team = space_.team();
  if (detail::is_by_class(stencil)) {
    const StencilOperator<Host, T> whole(Host(1), stencil);
    grid_ = whole.grid();
    structure_ = whole.structure();
    table_ = whole.table();
    entries_ = entries_of_classes();
  } else {
    detail::StencilPart part;
    team.agreed([&] {
      rows.slots = detail::slots_of(grid_);
      rows.planes = {begin_, end_, begin_, end_};
      for (const Window& w : windows_) {
        rows.planes.begin = std::min(rows.planes.begin, w.first);
        rows.planes.end = std::max(rows.planes.end, w.first + w.planes);
      }
      if (begin_ == end_) return;
      rows.extents = detail::with_planes(grid_.extents, rows.planes.end - rows.planes.begin);
      rows.a.resize(detail::slot_count(grid_) * rows.extents.points());
      part = detail::fill_planes(stencil, grid_, rows.planes, rows.a.data());
    });
    entries_ = part.tally.nonzeros;
    part = team.reduce(part, [](detail::StencilPart all, const detail::StencilPart& more) {
      all.add(more);
      return all;
    });
    grid_.dominant = part.tally.dominant / static_cast<double>(grid_.extents.points());
    structure_ = detail::structure_of(stencil, detail::around_of(grid_), part.tally, part.symmetry);
  }
  largest_row_ = team.most(largest_row_of(rows));
}

template <class Local, class T>
void DistributedStencil<Local, T>::build(const Stencil& stencil, const Rows& rows, std::span<const Index> arranged) {
  const Local& local = space_.local();
  const auto part = [&](Index first, Index planes) {
    return std::make_unique<StencilOperator<Local, T>>(
        local, table_.empty() ? rows.cut(grid_, first, planes) : cut(stencil, first, planes));
  };
  std::size_t elements = 0;
  for (Window& w : windows_) {
    w.a = part(w.first, w.planes);
    elements += static_cast<std::size_t>(w.planes) * plane_;
  }
  if (static_cast<std::size_t>(end_ - begin_) > windows_.size()) slab_ = part(begin_, end_ - begin_);
  arranged_ = Vector<Local, Index>(local, arranged);
  const auto make_room = [&]<class V>(Moving<V>& moving) {
    if (arranged_.size() > 0) moving.x = Vector<Local, V>(local, elements);
    moving.y = Vector<Local, V>(local, elements, V{0});
  };
  make_room(moving_);
  if constexpr (!is_single<T>) {
    make_room(in_float_);
    lower_ = std::make_unique<Lower>(*this);
  }
  right_ = Vector<Local, T>(local, elements, T{0});
  slot_ = Vector<Local, sum_t<T>>(local, 1);
  if constexpr (is_cuda<Local> && !is_single<T>) build_product();
  local.wait();  // other streams may write what is made here
}

/// The product in float with its sum in one pass, where SlabProduct can: the same on all ranks.
template <class Local, class T>
void DistributedStencil<Local, T>::build_product() requires is_cuda<Local> {
  constexpr std::size_t least_plane = 4096;  // points, below which few threads of a tile would have work
  const Extents& e = grid_.extents;
  const bool suits = detail::last_axis(e) == 2 && !detail::around_of(grid_).periodic.any() && e.x % 4 == 0;
  if (table_.empty() || !suits || plane_ < least_plane) return;
  const auto row = detail::row_of_all(table_, e);
  if (!row) return;
  const auto beside = [&](Index plane, const float* gathered) {
    const std::size_t first = static_cast<std::size_t>(plane) * plane_;
    const int rank = row_parts_.owner(static_cast<Index>(first));
    return detail::PlaneBeside{gathered, rank, first - static_cast<std::size_t>(row_parts_.offset(rank))};
  };
  detail::SlabProduct product{.grid = {e.x, e.y, end_ - begin_}, .star = grid_.star, .row = *row};
  const GhostExchange<Local, float>& ghosts = *in_float_.ghosts;
  const float* const there = ghosts.boundary().data();
  const bool has_planes = begin_ < end_;
  if (has_planes && begin_ > 0) product.below = beside(begin_ - 1, there);
  if (has_planes && end_ < e.z) product.above = beside(end_, there + ghosts.plan().below() + ghosts.owns());
  sums_ = Vector<Local, double>(space_.local(), product.sum_count());
  product.sums = sums_.data();
  product_ = product;
}

/// y = A x;  *slot = w . y, by SlabProduct.
template <class Local, class T>
void DistributedStencil<Local, T>::dot_of_planes(const float* x, float* y, const float* w,
                                                 Slot<float> slot) const requires is_cuda<Local> {
  const GhostExchange<Local, float>& ghosts = *in_float_.ghosts;
  detail::SlabProduct product = *product_;
  product.x = x;
  product.y = y;
  product.w = w;
  if (ghosts.meets_in_kernels()) {
    if (ghosts.rendezvous().partners != 0) product.at = ghosts.rendezvous();
    detail::multiply_slab(space_.local(), product);
  } else {
    ghosts.start(x);
    detail::multiply_slab(space_.local(), product, detail::SlabPart::inside);
    ghosts.finish(x);
    detail::multiply_slab(space_.local(), product, detail::SlabPart::sides);
  }
  const std::size_t planes = static_cast<std::size_t>(end_ - begin_);
  sum(space_, planes * static_cast<std::size_t>(Partition::block), detail::SumsOfPlanes{product.sums, product.tiles()},
      slot);
}

/// The nonzeros of this rank's rows, from the table of classes.
template <class Local, class T>
Offset DistributedStencil<Local, T>::entries_of_classes() const {
  const Extents& e = grid_.extents;
  const int axis = detail::last_axis(e);
  const auto points = [&](int of_axis, int place, Index extent) {
    return of_axis == axis ? points_of(place, extent, begin_, end_) : points_of(place, extent, 0, extent);
  };
  Offset entries = 0;
  for (int c = 0; c < neighbours; ++c) {
    const double* const row = table_.data() + static_cast<std::size_t>(c) * neighbours;
    const auto length = static_cast<Offset>(std::count_if(row, row + neighbours, [](double a) { return a != 0; }));
    entries += points(0, c % 3, e.x) * points(1, c / 3 % 3, e.y) * points(2, c / 9, e.z) * length;
  }
  return entries;
}

template <class Local, class T>
double DistributedStencil<Local, T>::largest_row_of(const Rows& rows) const {
  double largest = 0;
  const auto look = [&](auto coefficient) {
    double sum = 0;
    for (int k = 0; k < neighbours; ++k) sum += std::abs(static_cast<double>(coefficient(k)));
    const double own = std::abs(static_cast<double>(static_cast<T>(T{1} / static_cast<T>(coefficient(centre)))));
    largest = std::max(largest, sum * own);
  };
  const Extents& e = grid_.extents;
  for (int c = 0; c < neighbours && !table_.empty(); ++c) {
    if (points_of(c % 3, e.x, 0, e.x) * points_of(c / 3 % 3, e.y, 0, e.y) * points_of(c / 9, e.z, 0, e.z) > 0)
      look([&](int k) { return table_[static_cast<std::size_t>(c * neighbours + k)]; });
  }
  if (!rows.a.empty()) {
    const std::size_t before = static_cast<std::size_t>(begin_ - rows.planes.begin) * plane_;
    for (std::size_t i = before; i < before + this->rows(); ++i) look([&](int k) { return rows.at(k, i); });
  }
  return largest;
}

template <class Local, class T>
std::optional<T> DistributedStencil<Local, T>::constant_diagonal() const {
  if (table_.empty() || !structure_.constant_diagonal) return {};
  return static_cast<T>(table_[centre]);
}

template <class Local, class T>
std::vector<T> DistributedStencil<Local, T>::diagonal() const {
  std::vector<T> diagonal(this->rows());
  if (!table_.empty()) {
    const Extents& e = grid_.extents;
    const auto begin = static_cast<std::size_t>(begin_) * plane_, width = static_cast<std::size_t>(e.x),
               height = static_cast<std::size_t>(e.y);
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      const std::size_t line = (begin + i) / width;
      const int c = detail::place(static_cast<Index>((begin + i) % width), e.x) +
                    3 * detail::place(static_cast<Index>(line % height), e.y) +
                    9 * detail::place(static_cast<Index>(line / height), e.z);
      diagonal[i] = static_cast<T>(table_[static_cast<std::size_t>(c * neighbours + centre)]);
    }
    return diagonal;
  }
  const auto take = [&](const StencilOperator<Local, T>& a, std::size_t from, std::size_t count, T* to) {
    const T* const last = a.coefficients().data() + a.coefficients().size() - static_cast<std::size_t>(a.rows());
    space_.local().download(to, last + from, count * sizeof(T));
  };
  if (slab_ != nullptr) take(*slab_, 0, diagonal.size(), diagonal.data());
  for (const Window& w : windows_)
    take(*w.a, static_cast<std::size_t>(w.kept) * plane_, plane_, diagonal.data() + plane_of(w));
  return diagonal;
}

/// The x of the windows, after the exchange.
template <class Local, class T>
template <class V>
const V* DistributedStencil<Local, T>::windows_x(const Moving<V>& moving) const {
  const V* const boundary = moving.ghosts->boundary().data();
  if (arranged_.size() == 0) return boundary;
  pick(space_.local(), arranged_, boundary, moving.x.data());
  return moving.x.data();
}

/// Calls multiply(a, x, y, window) for the slab, with a null, and for the windows, whose y is that of the slab where it
/// is read.
template <class Local, class T>
template <class V, class Multiply>
void DistributedStencil<Local, T>::multiply(const Moving<V>& moving, bool reads_y, const V* x, V* y,
                                            Multiply multiply) const {
  const Local& local = space_.local();
  V* const of_windows = moving.y.data();
  for (const Window& w : windows_) {
    if (reads_y) local.copy(of_windows + kept_in(w), y + plane_of(w), plane_ * sizeof(V));
  }
  const auto by = [&](const StencilOperator<Local, T>& a, const V* from, V* to, const Window* window) {
    const auto n = static_cast<std::size_t>(a.rows());
    multiply(a, std::span<const V>(from, n), std::span<V>(to, n), window);
  };
  moving.ghosts->start(x);
  if (slab_ != nullptr) by(*slab_, x, y, nullptr);
  moving.ghosts->finish(x);
  const V* const from = windows_x(moving);
  for (const Window& w : windows_) {
    by(*w.a, from + w.begin, of_windows + w.begin, &w);
    local.copy(y + plane_of(w), of_windows + kept_in(w), plane_ * sizeof(V));
  }
}

template <class Local, class T>
void DistributedStencil<Local, T>::apply(T alpha, Block<const T> x, T beta, Block<T> y) const {
  require_shapes("apply", this->rows(), this->cols(), x.rows, y.rows);
  for (int k = 0; k < y.columns; ++k) {
    multiply(moving_, beta != T{0}, x.column(k).data(), y.column(k).data(),
             [&](const StencilOperator<Local, T>& a, std::span<const T> from, std::span<T> to, auto) {
               a.apply(alpha, from, beta, to);
             });
  }
}

/// Calls subtract(a, x, b, r) for the slab and for the windows, of each column, and sums up r . r.
template <class Local, class T>
template <class Subtract>
void DistributedStencil<Local, T>::find_residual(Block<const T> x, Block<const T> b, Block<T> r, Slot<T> slots,
                                                 Subtract subtract) const {
  for (int k = 0; k < r.columns; ++k) {
    const T* const of_slab = b.column(k).data();
    for (const Window& w : windows_)
      space_.local().copy(right_.data() + kept_in(w), of_slab + plane_of(w), plane_ * sizeof(T));
    multiply(moving_, false, x.column(k).data(), r.column(k).data(),
             [&](const auto& a, std::span<const T> from, std::span<T> to, const Window* w) {
               const T* const right = w == nullptr ? of_slab : right_.data() + w->begin;
               subtract(a, from, std::span<const T>(right, to.size()), to);
             });
    dot<T>(space_, r.column(k), r.column(k), slots + k);
  }
}

template <class Local, class T>
void DistributedStencil<Local, T>::residual(Block<const T> x, Block<const T> b, Block<T> r, Slot<T> slots) const {
  require_shapes("residual", this->rows(), this->cols(), x.rows, r.rows);
  find_residual(x, b, r, slots,
                [&](const auto& a, auto from, auto right, auto to) { a.residual(from, right, to, slot_.data()); });
}

template <class Local, class T>
bool DistributedStencil<Local, T>::accurate_residual(double outer, double inner, Block<const T> x, Block<const T> b,
                                                     Block<T> r, Slot<T> slots) const {
  require_shapes("accurate_residual", this->rows(), this->cols(), x.rows, r.rows);
  find_residual(x, b, r, slots, [&](const auto& a, auto from, auto right, auto to) {
    a.accurate_residual(outer, inner, from, right, to, slot_.data());
  });
  return true;
}

template <class Local, class T>
std::size_t DistributedStencil<Local, T>::bytes() const {
  std::size_t total = arranged_.bytes() + right_.bytes() + moving_.bytes() + in_float_.bytes() + sums_.bytes();
  if (slab_ != nullptr) total += slab_->bytes();
  for (const Window& w : windows_) total += w.a->bytes();
  return total;
}

template <class Local, class T>
HaloReport DistributedStencil<Local, T>::report() const {
  HaloReport report = moving_.ghosts->report();
  if (in_float_.ghosts != nullptr) {
    const HaloReport more = in_float_.ghosts->report();
    report.exchanges += more.exchanges;
    report.seconds += more.seconds;
  }
  report.rows = static_cast<std::int64_t>(this->rows());
  report.entries = entries_;
  report.boundary_rows = static_cast<std::int64_t>(windows_.size() * plane_);
  return report;
}

OSTINATO_CLASS(DistributedStencil);

}  // namespace ostinato
