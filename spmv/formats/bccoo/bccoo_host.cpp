// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// BCCOO on Host: the portable product and the instances of BccooStore.

#include <array>
#include <bit>
#include <utility>
#include <vector>

#include <ostinato/spmv/formats/bccoo/bccoo_build.hpp>
#include <ostinato/spmv/formats/store_row.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::formats {

namespace {

constexpr int longest_tile = 128;

/// The block columns of one tile.
template <class T>
struct TileColumns {
  std::array<Index, longest_tile> col;

  TileColumns(const BccooView<T>& a, Index tile, Offset slot) {
    if (a.columns == BccooColumns::full) {
      read(a, static_cast<const Index*>(a.col) + slot);
    } else if (a.columns == BccooColumns::narrow) {
      read(a, static_cast<const std::uint16_t*>(a.col) + slot);
    } else if (a.columns == BccooColumns::difference) {
      add(a, tile, static_cast<const std::int16_t*>(a.col) + slot);
    } else {
      add(a, tile, static_cast<const std::int8_t*>(a.col) + slot);
    }
  }

 private:
  template <class Stored>
  void read(const BccooView<T>& a, const Stored* from) {
    for (int j = 0; j < a.shape.tile; ++j) {
      const Index stored = from[j * a.shape.threads], hot = a.shape.hot;
      col[static_cast<std::size_t>(j)] = stored < hot ? a.hot_columns[stored] : stored - hot;
    }
  }

  template <class Stored>
  void add(const BccooView<T>& a, Index tile, const Stored* from) {
    Index now = a.base[tile];
    const Index* escapes = a.escape != nullptr ? a.escapes + a.escape[tile] : nullptr;
    for (int j = 0; j < a.shape.tile; ++j) {
      const Index difference = from[j * a.shape.threads];
      now = difference != -1 ? now + difference : *escapes++;
      col[static_cast<std::size_t>(j)] = now;
    }
  }
};

/// The partial sums at both ends of a chunk of groups.
template <class T>
struct ChunkEnds {
  std::array<T, 4> head{};  ///< sum up to the end of a row that began before the chunk
  std::array<T, 4> tail{};  ///< after the last row end; the whole chunk when no row ends
  Index head_result = 0;
  bool has_head = false;
  bool has_stop = false;
};

template <class T, class Stored, int H, int W>
class Chunk {
 public:
  Chunk(const BccooView<T>& a, const Product<T>& p, Index group) : a_(a), p_(p) {
    ends_.has_head = a.begin[group] != group;
    result_ = ends_.head_result = a.first[static_cast<Offset>(group) * a.shape.threads];
  }

  void add_group(Index group) {
    for (int t = 0; t < a_.shape.threads; ++t) add_tile(group, t);
  }

  ChunkEnds<T> ends() {
    ends_.tail = sum_;
    return ends_;
  }

 private:
  void add_tile(Index group, int thread) {
    const Offset slot = static_cast<Offset>(group) * a_.shape.blocks_of_group() + thread;
    const TileColumns<T> columns(a_, group * a_.shape.threads + thread, slot);
    const Stored* val = static_cast<const Stored*>(a_.val) + (slot - thread) * (H * W) + thread;
    const std::uint32_t* bits = a_.bits + static_cast<Offset>(group) * a_.shape.words() * a_.shape.threads + thread;
    for (int j = 0; j < a_.shape.tile;) {
      const std::uint32_t stops = ~bits[j / 32 * a_.shape.threads] >> (j % 32);
      const int left = std::min(32 - j % 32, a_.shape.tile - j), run = std::min(std::countr_zero(stops), left);
      const int end = run < left ? j + run + 1 : j + run;
      for (; j < end; ++j) add_block(columns.col[static_cast<std::size_t>(j)], val + j * (H * W) * a_.shape.threads);
      if (run < left) close();
    }
  }

  void add_block(Index block_col, const Stored* val) {
    const int stride = a_.shape.threads;
    for (int w = 0; w < W; ++w) {
      const Offset j = static_cast<Offset>(block_col) * W + w;
      const T x = W == 1 || j < a_.cols ? p_.x[j] : T{0};
      for (int r = 0; r < H; ++r) sum_[static_cast<std::size_t>(r)] += value(val[(r * W + w) * stride]) * x;
    }
  }

  T value(Stored stored) const {
    if constexpr (sizeof(Stored) == 1) {
      return a_.table[stored];
    } else {
      return static_cast<T>(stored);
    }
  }

  void close() {
    if (!ends_.has_stop && ends_.has_head) {
      ends_.head = sum_;
    } else {
      store(a_, p_, result_, sum_);
    }
    ends_.has_stop = true;
    ++result_;
    sum_ = {};
  }

 public:
  static void store(const BccooView<T>& a, const Product<T>& p, Index result, const std::array<T, 4>& sum) {
    const Offset begin = static_cast<Offset>(a.block_row(result)) * H;
    for (int r = 0; r < H && begin + r < a.rows; ++r) {
      detail::store_row(p, static_cast<std::size_t>(begin + r), sum[static_cast<std::size_t>(r)]);
    }
  }

 private:
  const BccooView<T>& a_;
  const Product<T>& p_;
  ChunkEnds<T> ends_;
  std::array<T, 4> sum_{};
  Index result_ = 0;
};

/// Adds up chunks of groups in parallel. A serial pass then joins the rows that lie in several chunks, from first to
/// last.
template <class T, class Stored, int H, int W>
void multiply(const Host& host, const BccooView<T>& a, const Product<T>& p) {
  using Work = Chunk<T, Stored, H, W>;
  constexpr Offset chunk_blocks = 16384 / (H * W);
  const Index length = static_cast<Index>(std::max<Offset>(1, chunk_blocks / a.shape.blocks_of_group()));
  const auto chunks = static_cast<std::size_t>((a.groups + length - 1) / length);
  std::vector<ChunkEnds<T>> ends(chunks);
  parallel_for(host, chunks, [&, ends = ends.data()](std::size_t c) {
    const Index begin = static_cast<Index>(c) * length, end = std::min(begin + length, a.groups);
    Work work(a, p, begin);
    for (Index group = begin; group < end; ++group) work.add_group(group);
    ends[c] = work.ends();
  });
  std::array<T, 4> carry{};
  for (const ChunkEnds<T>& e : ends) {
    if (e.has_stop) {
      for (int r = 0; r < H; ++r) carry[static_cast<std::size_t>(r)] += e.head[static_cast<std::size_t>(r)];
      if (e.has_head) Work::store(a, p, e.head_result, carry);
      carry = {};
    }
    for (int r = 0; r < H; ++r) carry[static_cast<std::size_t>(r)] += e.tail[static_cast<std::size_t>(r)];
  }
}

template <class T, class Stored>
void multiply_blocks(const Host& host, const BccooView<T>& a, const Product<T>& p) {
  with_block_size(a.shape, [&]<int H, int W>() { multiply<T, Stored, H, W>(host, a, p); });
}

}  // namespace

template <class T>
void bccoo_apply(const Host& host, const BccooView<T>& a, const Product<T>& p) {
  if (a.groups > 0 && a.values == BccooValues::coded) {
    multiply_blocks<T, std::uint8_t>(host, a, p);
  } else if (a.groups > 0 && a.values == BccooValues::single) {
    multiply_blocks<T, float>(host, a, p);
  } else if (a.groups > 0) {
    multiply_blocks<T, T>(host, a, p);
  }
  for_each(host, static_cast<std::size_t>(a.empty_rows),
           [empty = a.empty, p](std::size_t i) { detail::store_empty_row(p, static_cast<std::size_t>(empty[i])); });
}

#define OSTINATO_INSTANTIATE(T)                                                   \
  template void bccoo_apply(const Host&, const BccooView<T>&, const Product<T>&); \
  template class BccooStore<Host, T>
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::formats
