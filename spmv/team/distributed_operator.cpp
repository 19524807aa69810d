// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/distributed_operator.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/cost/cost.hpp>
#include <ostinato/spmv/formats/row_blocks_host.hpp>
#include <ostinato/spmv/shapes.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/distributed.hpp>
#include <ostinato/spmv/space/dot.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/sums_of_warps.hpp>
#include <ostinato/spmv/space/vector_steps_definition.hpp>
#include <ostinato/spmv/team/distributed_facts.hpp>
#include <ostinato/spmv/team/halo.hpp>
#include <ostinato/spmv/team/halo_steps.hpp>
#include <ostinato/spmv/team/numbers.hpp>

namespace ostinato {

namespace {

/// The format beside dia that adds the terms of a row one after the other, as dia does, on any number of ranks.
template <class Local>
constexpr const char* in_order = is_cuda<Local> ? "sliced-ell" : "csr";

template <class Local>
void require_format(const std::string& format) {
  if (format == "auto" || format == "dia" || format == in_order<Local>) return;
  throw ArgumentError("format " + format + ": ranks on " + (is_cuda<Local> ? "GPUs" : "CPUs") + " have auto, " +
                      in_order<Local> + " and dia, whose rows are added in one order");
}

/// `given` itself or, where its rows aren't sorted, `room` with sorted rows.
template <class T>
CsrView<T> sorted(const CsrView<T>& given, Csr<T>& room) {
  check(given);
  if (is_canonical(given)) return given;
  room = canonical(given, checked);
  return room;
}

}  // namespace

/// The rows of a rank, cut into those of the interior and those of the boundary.
template <class Local, class T>
struct DistributedOperator<Local, T>::Cut {
  std::vector<Index> ghosts, own, rows;  ///< ghosts in the numbers of all ranks
  Csr<T> interior, boundary;

  Cut(const CsrView<T>& mine, Index begin, Index end, bool keeps_block) {
    const auto is_own = [=](Index column) { return column >= begin && column < end; };
    const auto row_end = [&](Index i) { return mine.row_ptr[static_cast<std::size_t>(i) + 1]; };
    const auto col = [&](Offset k) { return mine.col[static_cast<std::size_t>(k)]; };
    std::vector<char> is_boundary(static_cast<std::size_t>(mine.rows));
    for (Index i = 0; i < mine.rows; ++i) {
      const Offset first = mine.row_ptr[static_cast<std::size_t>(i)], last = row_end(i);
      if (first == last || (is_own(col(first)) && is_own(col(last - 1)))) continue;
      is_boundary[static_cast<std::size_t>(i)] = 1;
      rows.push_back(i);
      for (Offset k = first; k < last; ++k) is_own(col(k)) ? own.push_back(col(k) - begin) : ghosts.push_back(col(k));
    }
    detail::unite(own);
    detail::unite(ghosts);
    cut_interior(mine, is_boundary, begin, end, keeps_block);
    cut_boundary(mine, begin, end);
  }

  /// Whether sliced-ell can't hold one of the two.
  bool pads_too_much() const {
    return formats::pads_too_much(slots_of(interior), interior.nonzeros()) ||
           formats::pads_too_much(slots_of(boundary), boundary.nonzeros());
  }

 private:
  static Offset slots_of(const Csr<T>& a) {
    constexpr auto slice = static_cast<std::size_t>(Profile::slice_rows);
    Offset slots = 0;
    for (std::size_t first = 0; first < static_cast<std::size_t>(a.rows); first += slice) {
      Offset longest = 0;
      for (std::size_t i = first; i < std::min(first + slice, static_cast<std::size_t>(a.rows)); ++i)
        longest = std::max(longest, a.row_ptr[i + 1] - a.row_ptr[i]);
      slots += static_cast<Offset>(slice) * longest;
    }
    return slots;
  }

  /// All rows, so that blocks of rows are those of the vectors; those of the boundary are overwritten later. With the
  /// entries that they have in own columns the interior is a block of the main diagonal, which dia stores in half of
  /// the memory where it is symmetric; otherwise they are left empty.
  void cut_interior(const CsrView<T>& mine, const std::vector<char>& is_boundary, Index begin, Index end,
                    bool keeps_block) {
    interior.rows = mine.rows;
    interior.cols = end - begin;
    interior.col.reserve(mine.col.size());
    interior.val.reserve(mine.val.size());
    for (std::size_t i = 0; i < is_boundary.size(); ++i) {
      const auto first = static_cast<std::size_t>(mine.row_ptr[i]),
                 last = static_cast<std::size_t>(mine.row_ptr[i + 1]);
      for (std::size_t k = first; k < last && (keeps_block || is_boundary[i] == 0); ++k) {
        if (mine.col[k] < begin || mine.col[k] >= end) continue;
        interior.col.push_back(mine.col[k] - begin);
        interior.val.push_back(mine.val[k]);
      }
      interior.row_ptr.push_back(static_cast<Offset>(interior.col.size()));
    }
  }

  void cut_boundary(const CsrView<T>& mine, Index begin, Index end) {
    using detail::place_in;
    const Index below = place_in(ghosts, begin), of_own = static_cast<Index>(own.size());
    boundary.rows = static_cast<Index>(rows.size());
    boundary.cols = of_own + static_cast<Index>(ghosts.size());
    for (const Index i : rows) {
      const std::size_t row = static_cast<std::size_t>(i);
      for (auto k = static_cast<std::size_t>(mine.row_ptr[row]); k < static_cast<std::size_t>(mine.row_ptr[row + 1]);
           ++k) {
        const Index column = mine.col[k];
        const Index at = column < begin ? place_in(ghosts, column)
                         : column < end ? below + place_in(own, column - begin)
                                        : of_own + place_in(ghosts, column);
        boundary.col.push_back(at);
        boundary.val.push_back(mine.val[k]);
      }
      boundary.row_ptr.push_back(static_cast<Offset>(boundary.col.size()));
    }
  }
};

template <class Local, class T>
DistributedOperator<Local, T>::DistributedOperator(const Space& space, const Partition& rows, const Partition& cols,
                                                   const CsrView<T>& mine, const std::string& format,
                                                   const Facts* known)
    : LinearMap<Space, T>(space, static_cast<std::size_t>(rows.length(space.team())),
                          static_cast<std::size_t>(cols.length(space.team()))),
      row_parts_(rows),
      column_parts_(cols) {
  const Team& team = space.team();
  Csr<T> room;
  CsrView<T> a;
  team.agreed([&] {
    require_format<Local>(format);
    if (mine.rows != rows.length(team) || mine.cols != cols.rows())
      throw ArgumentError("the rows of this rank are " + std::to_string(mine.rows) + " x " + std::to_string(mine.cols) +
                          ", and the partition says " + std::to_string(rows.length(team)) + " x " +
                          std::to_string(cols.rows()));
    a = sorted(mine, room);
  });
  entries_ = a.nonzeros();
  facts_ = known != nullptr ? *known : distributed_facts(team, rows, cols, a);
  format_ = format != "auto" ? format : has_few_diagonals(team, rows, a) ? "dia" : in_order<Local>;
  auto cut = team.agreed([&] { return std::make_unique<Cut>(a, cols.begin(team), cols.end(team), format_ == "dia"); });
  if (is_cuda<Local> && format == "auto" && format_ != "dia" && team.most(cut->pads_too_much() ? 1 : 0) > 0)
    format_ = "csr";
  ghosts_ = std::make_unique<GhostExchange<Local, T>>(space, HaloPlan(team, cols, cut->ghosts), cut->own);
  team.agreed([&] { build(std::move(*cut)); });
  space.expect_sums(this->rows());
}

/// What joins the sums of warps, where the formats leave them.
template <class Local, class T>
void DistributedOperator<Local, T>::build_join(const Cut& cut) requires is_cuda<Local> {
  if (format_ != "dia" && format_ != in_order<Local>) return;
  const auto there = [&]<class Values>(const Values& from) {
    using V = typename Values::value_type;
    return Vector<Cuda, V>(space_.local(), std::span<const V>(from));
  };
  const std::size_t blocks = (this->rows() + host_block - 1) / host_block;
  std::vector<Index> first(blocks + 1), place = cut.ghosts;
  auto col = cut.boundary.col;
  std::vector<std::uint8_t> rank(place.size());
  for (const Index row : cut.rows) ++first[static_cast<std::size_t>(row) / host_block + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  const Index below = static_cast<Index>(ghosts_->plan().below()), owns = static_cast<Index>(cut.own.size());
  for (Index& c : col)
    c = c < below ? ~c : c < below + owns ? cut.own[static_cast<std::size_t>(c - below)] : ~(c - owns);
  ghosts_->plan().for_ghosts([&](int owner, std::size_t begin, std::size_t count) {
    for (std::size_t g = begin; g < begin + count; ++g) {
      rank[g] = static_cast<std::uint8_t>(owner);
      place[g] -= column_parts_.offset(owner);
    }
  });
  gpu_.sums = Vector<Cuda, double>(space_.local(), (this->rows() + warp_rows - 1) / warp_rows);
  gpu_.first_of = there(first);
  gpu_.ptr = there(cut.boundary.row_ptr);
  gpu_.col = there(col);
  gpu_.val = there(cut.boundary.val);
  gpu_.ghost_rank = there(rank);
  gpu_.ghost_place = there(place);
}

template <class Local, class T>
void DistributedOperator<Local, T>::build(Cut cut) {
  const Local& local = space_.local();
  const std::size_t rows = cut.rows.size();
  rows_ = Vector<Local, Index>(local, std::span<const Index>(cut.rows));
  y_ = Vector<Local, T>(local, rows);
  slot_ = Vector<Local, sum_t<T>>(local, 1);
  for (const Index row : cut.rows) {
    const std::size_t block = static_cast<std::size_t>(row) / host_block;
    if (boundary_blocks_.empty() || boundary_blocks_.back() != block) boundary_blocks_.push_back(block);
  }
  if constexpr (is_cuda<Local>) build_join(cut);
  if (cut.interior.nonzeros() > 0 || rows < this->rows())
    interior_ = std::make_unique<Operator<Local, T>>(local, std::move(cut.interior), FormatOptions{.format = format_});
  if (rows > 0)
    boundary_ = std::make_unique<Operator<Local, T>>(
        local, std::move(cut.boundary), FormatOptions{.format = format_ == "dia" ? in_order<Local> : format_});
  local.wait();  // other streams may write what is made here
}

template <class Local, class T>
void DistributedOperator<Local, T>::add_adjoint(const CsrView<T>& mine) {
  const Team& team = space_.team();
  const Csr<T> rows = transposed(team, mine, row_parts_, column_parts_);
  adjoint_ = std::make_unique<DistributedOperator>(space_, column_parts_, row_parts_, rows.view());
}

/// Multiplies the interior rows while the ghosts come, and then those of the boundary, into y_.
template <class Local, class T>
template <class Interior, class Boundary>
void DistributedOperator<Local, T>::multiply(const T* x, Interior interior, Boundary boundary) const {
  ghosts_->start(x);
  if (interior_ != nullptr) interior(*interior_);
  ghosts_->finish(x);
  if (boundary_ != nullptr) boundary(*boundary_);
}

template <class Local, class T>
void DistributedOperator<Local, T>::apply(T alpha, Block<const T> x, T beta, Block<T> y) const {
  require_shapes("apply", this->rows(), this->cols(), x.rows, y.rows);
  for (int k = 0; k < y.columns; ++k) {
    T* const to = y.column(k).data();
    if constexpr (is_cuda<Local>) {
      if (joins_on_gpu()) {
        apply_on_gpu(alpha, x.column(k).data(), beta, to);
        continue;
      }
    }
    if (beta != T{0}) pick<Local, T>(space_.local(), rows_, to, y_.data());
    multiply(
        x.column(k).data(), [&](const auto& a) { a.apply(alpha, x.column(k), beta, y.column(k)); },
        [&](const auto& a) { a.apply(alpha, ghosts_->boundary(), beta, y_.span()); });
    put<Local, T>(space_.local(), rows_, y_.data(), to);
  }
}

template <class Local, class T>
void DistributedOperator<Local, T>::apply_dot(Block<const T> x, Block<T> y, Block<const T> w, Slot<T> slots) const {
  require_shapes("apply_dot", this->rows(), this->cols(), x.rows, y.rows);
  require_shapes("apply_dot", this->rows(), this->cols(), x.rows, w.rows);
  if constexpr (Local::has_host_memory) {
    for (int k = 0; k < y.columns; ++k) {
      formats::detail::dot_blocks().clear();
      multiply(
          x.column(k).data(), [&](const auto& a) { a.apply_dot(x.column(k), y.column(k), w.column(k), slot_.data()); },
          [&](const auto& a) { a.apply(T{1}, ghosts_->boundary(), T{0}, y_.span()); });
      put<Local, T>(space_.local(), rows_, y_.data(), y.column(k).data());
      join_dot(w.column(k).data(), y.column(k).data(), slots + k);
    }
  } else {
    if (!joins_on_gpu()) return LinearMap<Space, T>::apply_dot(x, y, w, slots);
    for (int k = 0; k < y.columns; ++k)
      dot_on_gpu(x.column(k).data(), y.column(k).data(), w.column(k).data(), slots + k);
  }
}

template <class Local, class T>
detail::BoundaryRows<T> DistributedOperator<Local, T>::boundary_rows() const requires is_cuda<Local> {
  return {static_cast<Index>(rows_.size()), rows_.data(), gpu_.ptr.data(), gpu_.col.data(), gpu_.val.data()};
}

/// What the boundary's kernel reads: in captured products by itself, from the memory of the ranks.
template <class Local, class T>
detail::Ghosts<T> DistributedOperator<Local, T>::ghosts_there() const requires is_cuda<Local> {
  detail::Ghosts<T> ghosts{ghosts_->boundary().data(), ghosts_->plan().below(), ghosts_->owns()};
  if (!ghosts_->meets_in_kernels()) return ghosts;
  ghosts.at = ghosts_->rendezvous();
  ghosts.rank = gpu_.ghost_rank.data();
  return ghosts;
}

/// y = alpha A x + beta y. In captured products the ranks write ghosts for each other, since x may change soon, and the
/// boundary's kernel takes them. Interior rows that stand for those of the boundary are empty, but in dia.
template <class Local, class T>
void DistributedOperator<Local, T>::apply_on_gpu(T alpha, const T* x, T beta, T* y) const requires is_cuda<Local> {
  const bool stays = beta == T{0} || (beta == T{1} && format_ != "dia"), takes_given = ghosts_->meets_in_kernels();
  if (!stays) pick<Local, T>(space_.local(), rows_, y, y_.data());
  ghosts_->start(x);
  if (interior_ != nullptr) interior_->apply(alpha, In<T>(x, this->cols()), beta, Out<T>(y, this->rows()));
  if (!takes_given) ghosts_->finish(x);
  detail::Ghosts<T> ghosts = ghosts_there();
  ghosts.are_given = takes_given;
  if (takes_given)
    ghosts_->plan().for_ghosts(
        [&](int rank, std::size_t begin, std::size_t) { ghosts.begin[rank] = static_cast<unsigned>(begin); });
  detail::BoundaryRows<T> rows = boundary_rows();
  rows.alpha = alpha;
  rows.beta = beta;
  if (!stays) rows.before = y_.data();
  detail::multiply_boundary(space_.local(), rows, ghosts, x, y);
}

/// y = A x;  *slot = w . y of all ranks, from the sums that warps leave of the interior rows. In captured products the
/// boundary's kernel reads the ghosts from the memory of the other ranks, whose x stays as it is until the sum.
template <class Local, class T>
void DistributedOperator<Local, T>::dot_on_gpu(const T* x, T* y, const T* w,
                                               Slot<T> slot) const requires is_cuda<Local> {
  const std::size_t n = this->rows();
  const bool reads_peers = ghosts_->meets_in_kernels();
  if (!reads_peers) ghosts_->start(x);
  if (interior_ != nullptr) {
    const SumsOfWarps there(space_.local(), const_cast<double*>(gpu_.sums.data()));
    interior_->apply_dot(In<T>(x, this->cols()), Out<T>(y, n), In<T>(w, n), slot_.data());
  }
  if (!reads_peers) ghosts_->finish(x);
  detail::Ghosts<T> ghosts = ghosts_there();
  if (reads_peers) ghosts.place = gpu_.ghost_place.data();
  detail::multiply_boundary(space_.local(), boundary_rows(), ghosts, x, y);
  sum(space_, n, detail::DotOfProduct<T>{gpu_.sums.data(), gpu_.first_of.data(), w, y}, slot);
}

/// *slot = w . y of all ranks, from the sums of blocks that the interior rows have left, where their format does that.
template <class Local, class T>
void DistributedOperator<Local, T>::join_dot(const T* w, const T* y, Slot<T> slot) const requires is_host<Local> {
  using Sum = Sums<1, sum_t<T>>;
  const std::size_t n = this->rows(), blocks = (n + host_block - 1) / host_block;
  const std::vector<double>& left = formats::detail::dot_blocks();
  if (left.size() < blocks) return dot<T>(space_, In<T>(w, n), In<T>(y, n), slot);
  auto sums = space_.template block_sums<Sum>(n);
  sums.for_parts([&](std::size_t, std::size_t end, Sum* of) {
    for (std::size_t block = 0; block < blocks; ++block) of[block] = {{left[block]}};
    for (const std::size_t block : boundary_blocks_)
      of[block] =
          ostinato::detail::block_sums(Dot<T>{w, y}, block * host_block, std::min(end, (block + 1) * host_block));
  });
  sums.reduce();
  *slot = 0;
  for (std::size_t block = 0; block < sums.blocks(); ++block) *slot += sums.data()[block].v[0];
}

template <class Local, class T>
bool DistributedOperator<Local, T>::accurate_residual(double outer, double inner, Block<const T> x, Block<const T> b,
                                                      Block<T> r, Slot<T> slots) const {
  require_shapes("accurate_residual", this->rows(), this->cols(), x.rows, r.rows);
  for (int k = 0; k < r.columns; ++k) {
    const T* const from = x.column(k).data();
    ghosts_->start(from);
    if (interior_ != nullptr)
      interior_->accurate_residual(outer, inner, x.column(k), b.column(k), r.column(k), slot_.data());
    ghosts_->finish(from);
    if (boundary_ != nullptr) {
      Vector<Local, T> right(space_.local(), rows_.size());
      pick(space_.local(), rows_, b.column(k).data(), right.data());
      boundary_->accurate_residual(outer, inner, ghosts_->boundary(), right.span(), y_.span(), slot_.data());
      put<Local, T>(space_.local(), rows_, y_.data(), r.column(k).data());
    }
    dot<T>(space_, r.column(k), r.column(k), slots + k);
  }
  return true;
}

template <class Local, class T>
std::size_t DistributedOperator<Local, T>::bytes() const {
  const auto of = [](const std::unique_ptr<Operator<Local, T>>& a) { return a == nullptr ? 0 : a->bytes(); };
  std::size_t total = of(interior_) + of(boundary_) + ghosts_->bytes() + rows_.bytes() + y_.bytes();
  if constexpr (is_cuda<Local>) total += gpu_.bytes();
  return total + (adjoint_ == nullptr ? 0 : adjoint_->bytes());
}

template <class Local, class T>
HaloReport DistributedOperator<Local, T>::report() const {
  HaloReport report = ghosts_->report();
  report.rows = static_cast<std::int64_t>(this->rows());
  report.entries = entries_;
  report.boundary_rows = static_cast<std::int64_t>(rows_.size());
  return report;
}

template <class T>
Csr<T> own_block(const Team& team, const Partition& parts, const CsrView<T>& mine) {
  const Index begin = parts.begin(team), end = parts.end(team);
  Csr<T> block;
  block.rows = mine.rows;
  block.cols = end - begin;
  block.row_ptr.reserve(mine.row_ptr.size());
  block.col.reserve(mine.col.size());
  block.val.reserve(mine.val.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(mine.rows); ++i) {
    for (auto k = static_cast<std::size_t>(mine.row_ptr[i]); k < static_cast<std::size_t>(mine.row_ptr[i + 1]); ++k) {
      if (mine.col[k] < begin || mine.col[k] >= end) continue;
      block.col.push_back(mine.col[k] - begin);
      block.val.push_back(mine.val[k]);
    }
    block.row_ptr.push_back(static_cast<Offset>(block.col.size()));
  }
  return block;
}

OSTINATO_CLASS(DistributedOperator);
#define OSTINATO_INSTANTIATE(T) template Csr<T> own_block(const Team&, const Partition&, const CsrView<T>&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato
