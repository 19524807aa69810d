// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The members of BccooStore, for both spaces: bccoo_host.cpp instantiates them for Host, bccoo_store.cu for Cuda.

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <ostinato/spmv/formats/bccoo/bccoo_steps.hpp>
#include <ostinato/spmv/formats/bccoo/bccoo_store.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/scan.hpp>

namespace ostinato {

namespace formats {

namespace detail {

/// y = alpha (sums of the slices) + beta z
template <class T>
struct CombineSlices {
  const T* sums;
  std::size_t stride;
  int slices;
  Product<T> p;
  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    T sum = 0;
    for (int s = 0; s < slices; ++s) sum += sums[static_cast<std::size_t>(s) * stride + i];
    store_row(p, i, sum);
  }
};

}  // namespace detail

template <class Space, class T>
BccooStore<Space, T>::BccooStore(const Space& space, const CsrView<T>& a, const BccooShape& shape, BccooValues values,
                                 std::span<const Offset> different)
    : space_(space),
      shape_(shape),
      rows_(a.rows),
      cols_(a.cols),
      rows_of_blocks_((a.rows + shape.height - 1) / shape.height),
      values_(values) {
  if (values_ == BccooValues::coded) list_values(a, different);
  if (shape_.hot > 0) choose_hot(a);
  number_blocks(a);
  if (shape_.slices > 1) {
    // Rows without a block in a slice keep the 0 of the beginning.
    slice_sums_ = Scratch<Space, T>(space_, block_rows() * static_cast<std::size_t>(shape_.height));
  }
  store_columns();
  block_col_ = {};
  renumbered_ = {};
}

/// Makes the table of values, sorted by their bits. The bits of +0 are the smallest, so the padding of blocks has code
/// 0.
template <class Space, class T>
void BccooStore<Space, T>::list_values(const CsrView<T>& a, std::span<const Offset> different) {
  using ostinato::detail::bits_of;
  const Vector<Space, Offset> entries(space_, different);
  Vector<Space, T> found(space_, different.size());
  for_each(space_, different.size(), detail::TakeValues<T>{a.val.data(), entries.data(), found.data()});
  std::vector<T> table = found.download();
  if (shape_.area() > 1) table.push_back(T{0});
  std::sort(table.begin(), table.end(), [](T l, T r) { return bits_of(l) < bits_of(r); });
  table.erase(std::unique(table.begin(), table.end(), [](T l, T r) { return bits_of(l) == bits_of(r); }), table.end());
  if (different.empty() || table.size() > bccoo_codes) {
    values_ = BccooValues::whole;
  } else {
    table_ = Vector<Space, T>(space_, table);
  }
}

template <class Space, class T>
void BccooStore<Space, T>::number_blocks(const CsrView<T>& a) {
  const Offset slice = (Offset{cols_} + shape_.slices - 1) / shape_.slices;
  const auto slice_cols = static_cast<Index>(
      std::min<Offset>((slice + shape_.width - 1) / shape_.width * shape_.width, std::max(cols_, 1)));
  detail::BlockOrder order{detail::pattern_of(a), cols_, shape_.height, shape_.width, slice_cols, rows_of_blocks_};
  const auto entries = static_cast<std::size_t>(a.nonzeros());
  Vector<Space, Offset> firsts, start(space_, block_rows() + 1);
  if (shape_.area() > 1) {
    firsts = Vector<Space, Offset>(space_, entries + 1);
    detail::for_entries(space_, order, a.nonzeros(), detail::MarkFirsts{firsts.data()});
    exclusive_scan(space_, firsts.span());
    order.firsts = firsts.data();
  }
  for_each(space_, block_rows(), detail::CountBlocks{order, start.data()});
  exclusive_scan(space_, start.span());
  order.start = start.data();
  space_.download(&blocks_, start.data() + block_rows(), sizeof blocks_);
  groups_ = static_cast<Index>((blocks_ + shape_.blocks_of_group() - 1) / shape_.blocks_of_group());
  block_col_ = Vector<Space, Index>(space_, static_cast<std::size_t>(blocks_));

  if (values_ == BccooValues::coded) {
    place_entries<std::uint8_t>(a, order);
  } else if (values_ == BccooValues::single) {
    place_entries<float>(a, order);
  } else {
    place_entries<T>(a, order);
  }
  mark_rows(start);
}

template <class Space, class T>
template <class Stored>
void BccooStore<Space, T>::place_entries(const CsrView<T>& a, const detail::BlockOrder& order) {
  val_ = Vector<Space, std::byte>(space_, slots() * static_cast<std::size_t>(shape_.area()) * sizeof(Stored));
  space_.zero(val_.data(), val_.bytes());
  const detail::Encode<T, Stored> encode{table_.data(), static_cast<int>(table_.size())};
  detail::for_entries(space_, order, a.nonzeros(),
                      detail::PlaceEntries<T, Stored>{shape_, a.val.data(), renumbered_.data(), block_col_.data(),
                                                      encode, reinterpret_cast<Stored*>(val_.data())});
}

/// Chooses the columns with the most entries, at most shape_.hot of them. A histogram of the entries per column gives
/// the smallest count of a hot column. Its steps are widened until the last steps hold few enough columns.
template <class Space, class T>
void BccooStore<Space, T>::choose_hot(const CsrView<T>& a) {
  using Popularity = detail::ColumnHistogram<Atomic<Space>>;
  const auto cols = static_cast<std::size_t>(cols_);
  Vector<Space, int> count(space_, cols), columns(space_, Popularity::steps);
  space_.zero(count.data(), count.bytes());
  for_each(space_, static_cast<std::size_t>(a.nonzeros()),
           detail::CountColumns<Atomic<Space>>{a.col.data(), count.data()});
  const int popular = 2 * static_cast<int>(a.nonzeros() / std::max(cols_, 1)) + 2;
  Index least = std::numeric_limits<Index>::max(), hot = 0;
  for (int shift = 0; shift < 31 && hot == 0; shift += 5) {
    space_.zero(columns.data(), columns.bytes());
    for_each(space_, cols, Popularity{count.data(), popular, shift, columns.data()});
    const std::vector<int> of_step = columns.download();
    for (int step = Popularity::steps - 1; step > 0 && hot + of_step[static_cast<std::size_t>(step)] <= shape_.hot;
         --step) {
      hot += of_step[static_cast<std::size_t>(step)];
      least = std::max(step << shift, popular);
    }
  }
  shape_.hot = hot;
  if (hot == 0) shape_.threads = std::min(shape_.threads, 256);  // more threads are only for hot columns
  if (hot == 0) return;
  Vector<Space, Offset> before(space_, cols + 1);
  for_each(space_, cols, detail::MarkHot{count.data(), least, before.data()});
  exclusive_scan(space_, before.span());
  renumbered_ = Vector<Space, Index>(space_, cols);
  hot_columns_ = Vector<Space, Index>(space_, static_cast<std::size_t>(hot));
  for_each(space_, cols, detail::Renumber{before.data(), hot, renumbered_.data(), hot_columns_.data()});
}

/// Marks the ends of rows and fills the arrays that depend on them.
template <class Space, class T>
void BccooStore<Space, T>::mark_rows(const Vector<Space, Offset>& start) {
  Vector<Space, Offset> result(space_, block_rows() + 1);
  for_each(space_, block_rows(), detail::MarkResults{start.data(), result.data()});
  exclusive_scan(space_, result.span());
  Offset results = 0;
  space_.download(&results, result.data() + block_rows(), sizeof results);
  results_ = static_cast<Index>(results);
  const auto empty = static_cast<std::size_t>(static_cast<Offset>(block_rows()) - results);
  if (empty > 0) row_of_ = Vector<Space, Index>(space_, static_cast<std::size_t>(results));
  if (empty > 0 && shape_.slices == 1) {
    const bool cut = rows_ % shape_.height != 0;
    Offset last[2];
    space_.download(last, result.data() + block_rows() - 1, sizeof last);
    const int beyond = cut && last[0] == last[1] ? shape_.height - rows_ % shape_.height : 0;
    empty_ = Vector<Space, Index>(space_,
                                  empty * static_cast<std::size_t>(shape_.height) - static_cast<std::size_t>(beyond));
    for_each(space_, block_rows(), detail::ListEmpty{result.data(), shape_.height, rows_, empty_.data()});
  }
  bits_ = Vector<Space, std::uint32_t>(space_, threads() * static_cast<std::size_t>(shape_.words()));
  space_.zero(bits_.data(), bits_.bytes());
  for_each(space_, block_rows(),
           detail::MarkStops<Atomic<Space>>{shape_, start.data(), result.data(), bits_.data(), row_of_.data()});
  for_each(space_, bits_.size(), detail::Invert{bits_.data()});

  const detail::RowOfBlock row_of_block{start.data(), static_cast<Offset>(block_rows())};
  const auto groups = static_cast<std::size_t>(groups_);
  first_ = Vector<Space, Index>(space_, threads() + 1);
  for_each(space_, threads() + 1,
           detail::FindFirstResults{row_of_block, result.data(), blocks_, shape_.tile, first_.data()});
  begin_ = Vector<Space, Index>(space_, groups);
  span_ = Vector<Space, Index>(space_, groups);
  Vector<Space, int> most(space_, 1, 0);
  for_each(space_, groups,
           detail::FindSpans<Atomic<Space>>{row_of_block, blocks_, shape_.blocks_of_group(), first_.data(),
                                            shape_.threads, begin_.data(), span_.data(), most.data()});
  shape_.cache = std::min(shape_.cache, most.download()[0]);
  part_ = Vector<Space, T>(space_, 2 * groups * static_cast<std::size_t>(shape_.height));
  arrived_ = Vector<Space, unsigned>(space_, groups);
  space_.zero(arrived_.data(), arrived_.bytes());
}

/// Stores the block columns, with shape_.compress in the form that takes the fewest bytes.
template <class Space, class T>
void BccooStore<Space, T>::store_columns() {
  if (blocks_ == 0) return;
  if (!shape_.compress || shape_.hot > 0) return store_whole_columns<Index>();
  if (cols_ <= 65536 * Offset{shape_.width}) return store_whole_columns<std::uint16_t>();
  Vector<Space, double> sums(space_, 2);
  sum(space_, threads(), detail::SumEscapes{{block_col_.data(), blocks_, shape_.tile}}, sums.data());
  const std::vector<double> escapes = sums.download();
  const double blocks = static_cast<double>(slots()), tiles = 8.0 * static_cast<double>(threads());
  const double whole = 4 * blocks, difference = 2 * blocks + tiles + 4 * escapes[0],
               byte = blocks + tiles + 4 * escapes[1];
  if (std::min(difference, byte) > 0.95 * whole) return store_whole_columns<Index>();
  if (byte < 0.9 * difference) return store_differences<std::int8_t>(static_cast<Offset>(escapes[1]));
  store_differences<std::int16_t>(static_cast<Offset>(escapes[0]));
}

template <class Space, class T>
template <class Stored>
void BccooStore<Space, T>::store_whole_columns() {
  columns_ = sizeof(Stored) == 2 ? BccooColumns::narrow : BccooColumns::full;
  col_ = Vector<Space, std::byte>(space_, slots() * sizeof(Stored));
  for_each(space_, threads(),
           detail::StoreColumns<Stored>{
               {block_col_.data(), blocks_, shape_.tile}, shape_, reinterpret_cast<Stored*>(col_.data())});
}

template <class Space, class T>
template <class Narrow>
void BccooStore<Space, T>::store_differences(Offset escapes) {
  columns_ = sizeof(Narrow) == 2 ? BccooColumns::difference : BccooColumns::byte;
  const detail::Tile tile{block_col_.data(), blocks_, shape_.tile};
  Vector<Space, Offset> before(space_, threads() + 1);
  for_each(space_, threads(), detail::CountEscapes<Narrow>{tile, before.data()});
  exclusive_scan(space_, before.span());
  col_ = Vector<Space, std::byte>(space_, slots() * sizeof(Narrow));
  base_ = Vector<Space, Index>(space_, threads());
  escapes_ = Vector<Space, Index>(space_, static_cast<std::size_t>(escapes));
  if (escapes > 0) escape_ = Vector<Space, Index>(space_, threads());
  for_each(space_, threads(),
           detail::StoreDifferences<Narrow>{tile, shape_, before.data(), reinterpret_cast<Narrow*>(col_.data()),
                                            base_.data(), escape_.data(), escapes_.data()});
}

template <class Space, class T>
void BccooStore<Space, T>::apply(const Product<T>& p) const {
  if (shape_.slices == 1) return bccoo_apply(space_, view(), p);
  auto sums = slice_sums_.borrow();
  bccoo_apply(space_, view(), plain_product(p.x, sums.data()));
  const std::size_t stride = static_cast<std::size_t>(rows_of_blocks_) * static_cast<std::size_t>(shape_.height);
  for_each(space_, static_cast<std::size_t>(rows_), detail::CombineSlices<T>{sums.data(), stride, shape_.slices, p});
}

template <class Space, class T>
BccooView<T> BccooStore<Space, T>::view() const {
  BccooView<T> v;
  v.shape = shape_;
  v.rows = shape_.slices == 1 ? rows_ : static_cast<Index>(slice_sums_.size());
  v.cols = cols_;
  v.blocks = blocks_;
  v.groups = groups_;
  v.results = results_;
  v.columns = columns_;
  v.values = values_;
  v.bits = bits_.data();
  v.first = first_.data();
  v.col = col_.data();
  v.base = base_.data();
  v.escape = escape_.data();
  v.escapes = escapes_.data();
  v.val = val_.data();
  v.table = table_.data();
  v.row_of = row_of_.data();
  v.empty = empty_.data();
  v.empty_rows = static_cast<Index>(empty_.size());
  v.hot_columns = hot_columns_.data();
  v.begin = begin_.data();
  v.span = span_.data();
  v.part = const_cast<T*>(part_.data());
  v.arrived = const_cast<unsigned*>(arrived_.data());
  return v;
}

template <class Space, class T>
std::size_t BccooStore<Space, T>::bytes() const {
  return bits_.bytes() + first_.bytes() + base_.bytes() + escape_.bytes() + escapes_.bytes() + row_of_.bytes() +
         empty_.bytes() + hot_columns_.bytes() + begin_.bytes() + span_.bytes() + col_.bytes() + val_.bytes() +
         table_.bytes() + part_.bytes() + slice_sums_.bytes() + arrived_.bytes();
}

}  // namespace formats
}  // namespace ostinato
