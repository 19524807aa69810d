// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The diagonal family on Host: the portable kernels of bands.hpp.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <ostinato/spmv/formats/diagonal/band_kernels.hpp>
#include <ostinato/spmv/formats/diagonal/bands_fill.hpp>
#include <ostinato/spmv/formats/row_blocks_host.hpp>

namespace ostinato::formats {

namespace {

using namespace detail;

/// Most bands that one pass over the sums adds up.
constexpr std::size_t most_fused = 8;

/// The values of a band: element i is the value of row begin + i.
template <Storage S, class T>
struct BandValues;

template <class E, class T>
const E* elements_from(const BandView<T>& a, const Band& band, Index begin) {
  return reinterpret_cast<const E*>(a.data) + (band.base + begin);
}

template <class T>
struct BandValues<Storage::full, T> {
  const T* at;
  static BandValues of(const BandView<T>& a, const Band& band, Index begin) {
    return {elements_from<T>(a, band, begin)};
  }
  T operator[](Index i) const { return at[i]; }
};

template <class T>
struct BandValues<Storage::single, T> {
  const float* at;
  static BandValues of(const BandView<T>& a, const Band& band, Index begin) {
    return {elements_from<float>(a, band, begin)};
  }
  T operator[](Index i) const { return static_cast<T>(at[i]); }
};

template <class T>
struct BandValues<Storage::bfloat, T> {
  const std::uint16_t* at;
  static BandValues of(const BandView<T>& a, const Band& band, Index begin) {
    return {elements_from<std::uint16_t>(a, band, begin)};
  }
  T operator[](Index i) const { return static_cast<T>(float_of(at[i])); }
};

template <class T>
struct BandValues<Storage::code, T> {
  const std::uint8_t* at;
  const T* codes;
  static BandValues of(const BandView<T>& a, const Band& band, Index begin) {
    return {elements_from<std::uint8_t>(a, band, begin), a.codes};
  }
  T operator[](Index i) const { return codes[at[i]]; }
};

template <class T>
struct BandValues<Storage::constant, T> {
  T value;
  static BandValues of(const BandView<T>& a, const Band& band, Index) { return {a.constants[band.diagonal]}; }
  T operator[](Index) const { return value; }
};

/// 32 rows of a MaskedBand: element l is the value of row l. The mask bit is widened to a lane of ones or zeros:
/// compilers vectorise this bitwise "and", but not a conditional.
template <class T>
struct MaskedWord {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;  // as wide as T
  Bits bits;
  const T* at;

  T operator[](Index l) const {
    return std::bit_cast<T>((Bits{0} - (bits >> static_cast<Bits>(l) & 1)) & std::bit_cast<Bits>(at[l]));
  }
};

/// Values under a mask, 32 rows at a time. A constant has a mask of ones, a full band values of its own as well. So one
/// pass reads masked, constant and full bands, which occur together in coupled stencils.
template <class T>
class MaskedBand {
 public:
  void read(const BandView<T>& a, const Band& band, Index begin) {
    const Offset at = band.base + begin;
    if (band.storage == Storage::full) {
      values_ = reinterpret_cast<const T*>(a.data) + at;
    } else {
      copies_.fill(a.constants[band.diagonal]);
    }
    if (band.storage == Storage::mask) {
      words_ = reinterpret_cast<const std::uint32_t*>(a.data) + (at >> 5);
      shift_ = static_cast<int>(at & 31);
    }
  }

  /// The values of rows begin + i .. begin + i + 31; i is a multiple of 32.
  MaskedWord<T> word(Index i) const { return {bits(i), values_ != nullptr ? values_ + i : copies_.data()}; }

 private:
  static constexpr auto no_holes = [] {
    std::array<std::uint32_t, block_rows / 32 + 1> all{};
    all.fill(~std::uint32_t{0});
    return all;
  }();

  /// When shift_ is 0, this function reads one word too many: the plan leaves room behind every diagonal.
  std::uint32_t bits(Index i) const {
    const std::uint64_t high = words_[i / 32 + 1], low = words_[i / 32];
    return static_cast<std::uint32_t>((high << 32 | low) >> shift_);
  }

  const std::uint32_t* words_ = no_holes.data();
  int shift_ = 0;
  const T* values_ = nullptr;  ///< null when all values are the same
  std::array<T, 32> copies_;
};

/// Adds up rows i .. i + rows - 1 of masked bands; rows is at most 32.
template <bool Fresh, class T, class V, std::size_t K>
void masked_span(const std::array<MaskedBand<T>, K>& band, std::array<const V*, K> shifted, Index i, Index rows,
                 T* sum) {
  std::array<MaskedWord<T>, K> word;
  for (std::size_t k = 0; k < K; ++k) {
    word[k] = band[k].word(i);
    shifted[k] += i;
  }
  multiply_add<Fresh>(word, shifted, rows, sum + i);
}

/// Adds up the products of rows begin .. end - 1 with K bands, all of which lie inside the matrix in these rows. With
/// Fresh the old values of sum are ignored. S is the storage of all K bands; with mask, full bands and constants may be
/// among them.
template <Storage S, int K, bool Fresh, class T, class V>
void band_span(const BandView<T>& a, const Band* band, Index begin, Index end, const V* x, T* sum) {
  const Index rows = end - begin;
  std::array<const V*, K> shifted;
  for (std::size_t k = 0; k < K; ++k) shifted[k] = x + (static_cast<Offset>(begin) + band[k].offset);
  if constexpr (S == Storage::mask) {
    std::array<MaskedBand<T>, K> masked;
    for (std::size_t k = 0; k < K; ++k) masked[k].read(a, band[k], begin);
    Index i = 0;
    for (; i + 32 <= rows; i += 32) masked_span<Fresh>(masked, shifted, i, 32, sum);
    if (i < rows) masked_span<Fresh>(masked, shifted, i, rows - i, sum);
  } else {
    std::array<BandValues<S, T>, K> value;
    for (std::size_t k = 0; k < K; ++k) value[k] = BandValues<S, T>::of(a, band[k], begin);
    multiply_add<Fresh>(value, shifted, rows, sum);
  }
}

template <class T, class V>
using BandSpan = void (*)(const BandView<T>&, const Band*, Index, Index, const V*, T*);

template <Storage S, bool Fresh, class T, class V, std::size_t... K>
constexpr std::array<BandSpan<T, V>, sizeof...(K)> spans_of(std::index_sequence<K...>) {
  return {&band_span<S, K + 1, Fresh, T, V>...};
}

/// The band_span for a storage and a number of bands.
template <bool Fresh, class T, class V>
BandSpan<T, V> span_for(Storage storage, std::size_t count) {
  constexpr std::make_index_sequence<most_fused> fused;
  static constexpr std::array spans = {
      spans_of<Storage::full, Fresh, T, V>(fused),   spans_of<Storage::single, Fresh, T, V>(fused),
      spans_of<Storage::bfloat, Fresh, T, V>(fused), spans_of<Storage::code, Fresh, T, V>(fused),
      spans_of<Storage::mask, Fresh, T, V>(fused),   spans_of<Storage::constant, Fresh, T, V>(fused)};
  return spans[static_cast<std::size_t>(storage)][count - 1];
}

/// The bands from `first` on that one pass can take, and the storage argument of their band_span.
struct BandGroup {
  Storage storage;
  std::size_t count;

  static BandGroup from(const Band* first, const Band* last) {
    BandGroup group{first->storage, 1};
    for (; first + group.count < last && group.count < most_fused; ++group.count) {
      const Storage next = first[group.count].storage;
      if (next == group.storage) continue;
      if (!is_maskable(next) || !is_maskable(group.storage)) break;
      group.storage = Storage::mask;
    }
    return group;
  }

 private:
  static bool is_maskable(Storage s) { return s == Storage::mask || s == Storage::constant || s == Storage::full; }
};

/// Adds a band that may leave the matrix, clipped to its part inside.
template <class T, class V>
void add_edge(const BandView<T>& a, const Band& band, Index begin, Index end, const V* x, T* sum) {
  const Offset from = std::max<Offset>(begin, -static_cast<Offset>(band.offset));
  const Offset to = std::min<Offset>(end, static_cast<Offset>(a.cols) - band.offset);
  if (from >= to) return;
  const auto add = span_for<false, T, V>(band.storage, 1);
  add(a, &band, static_cast<Index>(from), static_cast<Index>(to), x, sum + (from - begin));
}

/// sum = rows begin .. end - 1 of a row piece. Bands inside the matrix are added several per pass, other bands one by
/// one. Offsets ascend, so the bands inside the matrix are adjacent.
template <class T, class V>
void add_piece(const BandView<T>& a, const RowPiece& piece, Index begin, Index end, const V* x, T* sum) {
  const Band* const all = a.bands + piece.first_band;
  const Band* const past = all + piece.bands;
  const Band* first = all;
  while (first != past && Offset{begin} + first->offset < 0) ++first;
  const Band* last = past;
  while (last != first && Offset{end} + last[-1].offset > Offset{a.cols}) --last;
  if (first != all || last == first) std::fill(sum, sum + (end - begin), T{0});
  for (const Band* band = all; band != first; ++band) add_edge(a, *band, begin, end, x, sum);
  for (const Band* band = first; band != last;) {
    const BandGroup group = BandGroup::from(band, last);
    const auto add = band == all ? span_for<true, T, V>(group.storage, group.count)
                                 : span_for<false, T, V>(group.storage, group.count);
    add(a, band, begin, end, x, sum);
    band += group.count;
  }
  for (const Band* band = last; band != past; ++band) add_edge(a, *band, begin, end, x, sum);
}

/// Adds the remainder, the entries that no band holds. begin is a multiple of piece_rows.
template <class T, class V>
void add_remainder(const RemainderView<T>& r, Index begin, Index end, const V* x, T* sum) {
  for (Index row = 0; row < end - begin; row += piece_rows) {
    const Index piece = (begin + row) / piece_rows;
    for (Index k = r.ptr[piece]; k < r.ptr[piece + 1]; ++k)
      sum[row + r.row[k]] += r.val[k] * static_cast<T>(x[r.col[k]]);
  }
}

/// Calls f(piece, from, to) for the parts of the row pieces in rows begin .. end - 1. begin is a multiple of
/// piece_rows.
template <class T, class F>
void for_pieces(const BandView<T>& a, Index begin, Index end, F f) {
  const RowPiece* piece = a.pieces + a.piece_of[begin / piece_rows];
  for (Index from = begin; from < end; from = (piece++)->end) f(*piece, from, std::min(end, piece->end));
}

/// sum = rows begin .. end - 1 of A x.
template <class T>
struct AddBands {
  BandView<T> a;

  template <class V>
  void operator()(Index begin, Index end, const V* x, T* sum) const {
    for_pieces(a, begin, end, [&](const RowPiece& piece, Index from, Index to) {
      add_piece(a, piece, from, to, x, sum + (from - begin));
    });
    if (a.remainder.ptr != nullptr) add_remainder(a.remainder, begin, end, x, sum);
  }
};

/// Sets the stored values of some rows of a band to 0. The thread that will read the rows does so, so that
/// their memory is near it. Whole words of masks are set: the plan starts a diagonal at a multiple of 32 rows and
/// leaves room behind it.
template <class T>
void clear(const BandView<T>& a, const Band& band, Index begin, Index end, std::byte* data) {
  const Offset from = std::max<Offset>(begin, -static_cast<Offset>(band.offset)) / 32 * 32;
  const Offset to = (std::min<Offset>(end, static_cast<Offset>(a.cols) - band.offset) + 31) / 32 * 32;
  const int bits = storage_bits(band.storage, sizeof(T));
  if (band.mirrored || bits == 0 || from >= to) return;
  std::memset(data + (band.base + from) * bits / 8, 0, static_cast<std::size_t>((to - from) * bits / 8));
}

}  // namespace

namespace {

template <class T>
FillRow<Atomic<Host>, T> fill_row(const CsrView<T>& a, const BandView<T>& to, const BandStore<T>& store) {
  return {to, a.row_ptr.data(), a.col.data(), a.val.data(), store.data, static_cast<int>(to.plan->codes.size())};
}

/// Sets the stored values to 0.
template <class T>
void clear(const Host& host, const BandView<T>& to, const BandStore<T>& store) {
  row_blocks(host, to.rows, [=, data = store.data](std::size_t, Index begin, Index end) {
    for_pieces(to, begin, end, [&](const RowPiece& piece, Index from, Index past) {
      for (Index b = 0; b < piece.bands; ++b) clear(to, to.bands[piece.first_band + b], from, past, data);
    });
  });
}

template <class T>
void fill_constants(const Host& host, const CsrView<T>& a, const BandView<T>& to, const BandStore<T>& store) {
  for_each(
      host, to.plan->constants.size(),
      FillConstant<T>{a.row_ptr.data(), a.col.data(), a.val.data(), store.first_row, store.offset, store.constants});
}

template <class T>
void fill_remainder(const Host& host, const CsrView<T>& a, const BandView<T>& to, const BandStore<T>& store) {
  if (to.remainder.ptr == nullptr) return;
  for_each(host, to.plan->remainder_ptr.size() - 1,
           FillRemainder<T>{to, a.row_ptr.data(), a.col.data(), a.val.data(), store.remainder_row, store.remainder_col,
                            store.remainder_val});
}

/// The rows, in as many shares as there are threads.
struct RowShares {
  Index rows;
  std::size_t count;

  Offset begin(std::size_t share) const {
    return static_cast<Offset>(rows) * static_cast<Offset>(share) / static_cast<Offset>(count);
  }
};

RowShares shares_of(const Host& host, Index rows) {
  const auto threads = static_cast<std::size_t>(host.threads());
  return {rows, std::clamp<std::size_t>(static_cast<std::size_t>(rows / block_rows), 1, threads)};
}

/// Stores the values of rows first .. end - 1 and returns how many entries the bands give back.
template <class T>
Offset refill_share(FillRow<Atomic<Host>, T> rows, Index first, Index end) {
  Offset kept = 0;
  for (Index i = first; i < end;) {
    const Index piece_end = std::min(end, (i / piece_rows + 1) * piece_rows);
    Index past = i;
    while (past < piece_end && rows.is_full(past)) ++past;
    if (past == i) {
      kept += rows.refill(i++, first);
    } else {
      kept += rows.refill_full(i, past, first);
      i = past;
    }
  }
  return kept;
}

/// How many rows above its own a mirrored entry's value is at most.
Index mirrored_reach(const BandPlan& plan) {
  Index reach = 0;
  for (const Band& b : plan.bands) {
    if (b.mirrored) reach = std::max(reach, -b.offset);
  }
  return reach;
}

}  // namespace

template <class T>
void band_fill(const Host& host, const CsrView<T>& a, const BandView<T>& to, const BandStore<T>& store) {
  clear(host, to, store);
  fill_constants(host, a, to, store);
  for_each(host, static_cast<std::size_t>(to.rows), fill_row(a, to, store));
  fill_remainder(host, a, to, store);
}

template <class T>
Offset band_refill(const Host& host, const CsrView<T>& a, const BandView<T>& to, const BandStore<T>& store) {
  fill_constants(host, a, to, store);
  const RowShares shares = shares_of(host, to.rows);
  const auto rows = fill_row(a, to, store);
  std::vector<Offset> kept(shares.count);
  parallel_for(host, shares.count, [=, out = kept.data()](std::size_t share) {
    out[share] =
        refill_share(rows, static_cast<Index>(shares.begin(share)), static_cast<Index>(shares.begin(share + 1)));
  });
  // Mirrored entries whose values another thread has stored meanwhile.
  parallel_for(host, shares.count, [=, out = kept.data(), reach = mirrored_reach(*to.plan)](std::size_t share) {
    const Offset first = shares.begin(share), end = std::min(shares.begin(share + 1), first + reach);
    for (Offset i = first; i < end; ++i)
      out[share] += rows.mirrored_above(static_cast<Index>(i), static_cast<Index>(first));
  });
  fill_remainder(host, a, to, store);
  return std::accumulate(kept.begin(), kept.end(), Offset{0});
}

template <class T>
Offset band_count_kept(const Host& host, const CsrView<T>& a, const BandView<T>& stored) {
  double kept = 0;
  sum(host, static_cast<std::size_t>(stored.rows),
      detail::CountKept<T>{stored, a.row_ptr.data(), a.col.data(), a.val.data()}, &kept);
  return static_cast<Offset>(kept);
}

template <class T>
void band_apply(const Host& host, const BandView<T>& a, const Product<T>& p) {
  detail::multiply_blocks(host, a.rows, p, AddBands<T>{a});
}

template <class T, class V>
void band_apply_dot(const Host& host, const BandView<T>& a, const Product<T, V>& p, const V* w, Slot<V> slot) {
  detail::multiply_dot_blocks(host, a.rows, p, w, slot, AddBands<T>{a});
}

#define OSTINATO_INSTANTIATE(T)                                                                         \
  template void band_fill(const Host&, const CsrView<T>&, const BandView<T>&, const BandStore<T>&);     \
  template Offset band_refill(const Host&, const CsrView<T>&, const BandView<T>&, const BandStore<T>&); \
  template Offset band_count_kept(const Host&, const CsrView<T>&, const BandView<T>&);                  \
  template void band_apply(const Host&, const BandView<T>&, const Product<T>&);                         \
  template void band_apply_dot(const Host&, const BandView<T>&, const Product<T>&, const T*, double*)
OSTINATO_INSTANTIATE(float);
OSTINATO_INSTANTIATE(double);
template void band_apply_dot(const Host&, const BandView<double>&, const Product<double, float>&, const float*,
                             double*);

}  // namespace ostinato::formats
