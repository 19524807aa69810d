// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of pairs.hpp, on both spaces.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <ostinato/spmv/matrix/csr_pattern.hpp>
#include <ostinato/spmv/space/for_each.hpp>
#include <ostinato/spmv/space/for_each_row.hpp>
#include <ostinato/spmv/space/sums.hpp>

namespace ostinato::algebraic {

/// What a row has instead of the number of its partner.
struct Partner {
  static constexpr Index none = -1, left_out = -2;
  static constexpr Index nobody = -2;  ///< the choice of a row without a free row that it may choose
};

/// The weights of the pairs that rows may form.
template <class T>
struct PairWeights {
  detail::CsrPattern a;
  const T* val;
  const T* inverse;  ///< 1 / size of each row, with the sign of a_ii
  float* strongest;  ///< of each row; negative for a row that is left out

  static constexpr float threshold = 0.1f;  ///< of the largest weight of a row

  OSTINATO_FUNCTION static T size_of(T v) { return v < 0 ? -v : v; }

  /// The weight of row i and the column of entry k: the same bits for the mirror entry, as both rows have to agree.
  OSTINATO_FUNCTION float weight(Index i, Offset k) const {
    const T both = size_of(inverse[i]) + size_of(inverse[a.col[k]]);
    return static_cast<float>((inverse[i] < 0 ? val[k] : -val[k]) * both);
  }
  /// Whether a weight is large enough for row i and the column of entry k.
  OSTINATO_FUNCTION bool is_strong(float weight, Index i, Offset k) const {
    const Index j = a.col[k];
    return j != i && strongest[j] >= 0 && weight > 0 && weight >= threshold * strongest[i] &&
           weight >= threshold * strongest[j];
  }

  /// The order of pairs: by the three leading bits of the weight and its exponent, and among equals by a hash of both
  /// numbers. 0 for those that aren't strong.
  OSTINATO_FUNCTION std::uint64_t key(Index i, Offset k) const {
    const float w = weight(i, k);
    if (!is_strong(w, i, k)) return 0;
    const auto p = static_cast<std::uint64_t>(i), q = static_cast<std::uint64_t>(a.col[k]);
    std::uint32_t bits = 0;
    memcpy(&bits, &w, sizeof bits);
    return static_cast<std::uint64_t>(bits >> 21) << 53 | mixed(p < q ? p << 32 | q : q << 32 | p) >> 11 | 1;
  }

  /// Source    Steele, Lea & Flood, OOPSLA 2014 (SplitMix).
  OSTINATO_FUNCTION static std::uint64_t mixed(std::uint64_t v) {
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
    v = (v ^ v >> 27) * 0x94d049bb133111ebu;
    return v ^ v >> 31;
  }
};

/// Finds the size of row i, that of its diagonal entry unless it is known, and whether the row is dominant.
template <class T>
struct BeginPairs {
  detail::CsrPattern a;
  const T* val;
  T dominant;     ///< times the sum of the other entries; 0: no row is left out
  const T* size;  ///< null: unknown
  T* inverse;
  Index *partner, *choice;
  std::uint8_t* is_joined;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    const Offset on_diagonal = a.first_from(static_cast<Index>(i), static_cast<Offset>(i));
    const bool has_own = on_diagonal < a.row_ptr[i + 1] && a.col[on_diagonal] == static_cast<Index>(i);
    const T own = has_own ? val[on_diagonal] : T{0};
    T others = 0;
    for (Offset k = a.row_ptr[i]; dominant > 0 && k < a.row_ptr[i + 1]; ++k) {
      if (k != on_diagonal || !has_own) others += PairWeights<T>::size_of(val[k]);
    }
    const T inverse_size = 1 / (size == nullptr ? PairWeights<T>::size_of(own) : size[i]);
    inverse[i] = own < 0 ? -inverse_size : inverse_size;
    choice[i] = Partner::none;
    is_joined[i] = 0;
    partner[i] = dominant > 0 && PairWeights<T>::size_of(own) >= dominant * others ? Partner::left_out : Partner::none;
  }
};

/// Finds the largest weight of row i, 0 where none is positive; no less than that of its members in the pass before.
template <class T>
struct FindStrongest {
  PairWeights<T> weights;
  const Index* partner;
  const float* before;  ///< null in the first pass

  using Value = float;

  OSTINATO_FUNCTION float initial(std::size_t i) const {
    return partner[i] == Partner::left_out ? -1.0f : before == nullptr ? 0.0f : before[i];
  }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, float most) const {
    return most < 0 ? EntryRange{0, 0} : EntryRange{weights.a.row_ptr[i], weights.a.row_ptr[i + 1]};
  }
  OSTINATO_FUNCTION void add(std::size_t i, Offset k, float& most) const {
    const Index j = weights.a.col[k];
    if (j == static_cast<Index>(i) || partner[j] == Partner::left_out) return;
    merge(most, weights.weight(static_cast<Index>(i), k));
  }
  OSTINATO_FUNCTION void merge(float& most, float other) const {
    if (other > most) most = other;
  }
  OSTINATO_FUNCTION void finish(std::size_t i, float most) const { weights.strongest[i] = most; }
};

/// A free row chooses the free row with which it would be the first pair, and keeps to the choice as long as that row
/// is free. The sum counts the rows that have a choice.
template <class T>
struct ChoosePartner {
  PairWeights<T> weights;
  const Index* partner;
  Index* choice;

  struct Value {
    std::uint64_t key;
    Index best;
    std::int32_t is_made;  ///< before this round, or never
  };

  OSTINATO_FUNCTION Value initial(std::size_t i) const {
    const Index before = choice[i];
    if (partner[i] != Partner::none || before == Partner::nobody) return {0, Partner::nobody, 1};
    if (before >= 0 && partner[before] == Partner::none) return {0, before, 1};
    return {0, Partner::nobody, 0};
  }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, const Value& v) const {
    return v.is_made ? EntryRange{0, 0} : EntryRange{weights.a.row_ptr[i], weights.a.row_ptr[i + 1]};
  }
  OSTINATO_FUNCTION void add(std::size_t i, Offset k, Value& v) const {
    const Index j = weights.a.col[k];
    if (partner[j] == Partner::none) merge(v, {weights.key(static_cast<Index>(i), k), j, 0});
  }
  OSTINATO_FUNCTION void merge(Value& v, const Value& other) const {
    const bool is_better = other.key > v.key || (other.key == v.key && other.key > 0 && other.best < v.best);
    if (is_better) v.best = other.best;
    if (is_better) v.key = other.key;
  }
  OSTINATO_FUNCTION Sums<1> finish(std::size_t i, const Value& v) const {
    if (!v.is_made) choice[i] = v.best;
    return {{v.best >= 0 ? 1.0 : 0.0}};
  }
};

/// Two rows that have chosen each other become a pair.
struct ShakeHands {
  const Index* choice;
  Index* partner;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (partner[i] != Partner::none || choice[i] < 0) return;
    if (choice[choice[i]] == static_cast<Index>(i)) partner[i] = choice[i];
  }
};

/// Finds the first row of the pair that row i belongs to; -1 for a row that is left out. A row without a partner joins
/// the pair with which it would be the first, which is marked at its first row, or stays alone. The sum counts the rows
/// that aren't left out.
template <class Atomic, class T>
struct JoinPair {
  PairWeights<T> weights;
  const Index* partner;
  bool stays_alone;
  Index* first;
  std::uint8_t* is_joined;

  OSTINATO_FUNCTION Sums<1> operator()(std::size_t i) const {
    const auto row = static_cast<Index>(i);
    Index of = partner[i] == Partner::left_out ? -1 : row;
    if (partner[i] >= 0) of = smaller(row, partner[i]);
    const bool joins = partner[i] == Partner::none && !stays_alone;
    std::uint64_t most = 0;
    for (Offset k = weights.a.row_ptr[i]; joins && k < weights.a.row_ptr[i + 1]; ++k) {
      const Index j = weights.a.col[k];
      const std::uint64_t key = partner[j] >= 0 ? weights.key(row, k) : 0;
      if (key > most) of = smaller(j, partner[j]);
      if (key > most) most = key;
    }
    first[i] = of;
    if (most > 0) Atomic::store(&is_joined[of], std::uint8_t{1});
    return {{of < 0 ? 0.0 : 1.0}};
  }
  OSTINATO_FUNCTION static Index smaller(Index i, Index j) { return i < j ? i : j; }
};

/// Counts for the numbers of the pairs.
struct CountPairs {
  const Index* first;
  Offset* number;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { number[i] = first[i] == static_cast<Index>(i) ? 1 : 0; }
};

/// The rows of each pair: the first one, its partner, and rows beside one of the two that have joined.
struct PairMembers {
  detail::CsrPattern a;  ///< symmetric
  const Index *first, *partner;
  const std::uint8_t* is_joined;
  const Offset* number;

  OSTINATO_FUNCTION bool is_first(std::size_t i) const { return first[i] == static_cast<Index>(i); }

  /// Calls f for each row of the pair whose first row is i, ascending.
  template <class F>
  OSTINATO_FUNCTION void visit(Index i, F f) const {
    const Index other = partner[i];
    if (is_joined[i]) return visit_all(i, other, f);
    f(i);
    if (other >= 0) f(other);
  }

 private:
  /// The same with rows that have joined.
  template <class F>
  OSTINATO_FUNCTION void visit_all(Index i, Index other, F f) const {
    Offset k = a.row_ptr[i], l = other < 0 ? 0 : a.row_ptr[other];
    const Offset k_end = a.row_ptr[i + 1], l_end = other < 0 ? 0 : a.row_ptr[other + 1];
    for (Index last = -1;;) {
      Index next = i > last ? i : a.rows;
      if (other > last && other < next) next = other;
      k = skip(k, k_end, i, last);
      if (k < k_end && a.col[k] < next) next = a.col[k];
      l = skip(l, l_end, i, last);
      if (l < l_end && a.col[l] < next) next = a.col[l];
      if (next == a.rows) return;
      f(next);
      last = next;
    }
  }

  /// The next entry from k on whose column comes after `last` and is in the pair.
  OSTINATO_FUNCTION Offset skip(Offset k, Offset end, Index i, Index last) const {
    while (k < end && (a.col[k] <= last || first[a.col[k]] != i)) ++k;
    return k;
  }
};

/// of[i] = the number of the pair. Counts the members of the pair whose first row is i.
struct NumberPairs {
  PairMembers pairs;
  Index* of;
  Offset* count;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    of[i] = pairs.first[i] < 0 ? -1 : static_cast<Index>(pairs.number[pairs.first[i]]);
    if (!pairs.is_first(i)) return;
    Offset members = 0;
    pairs.visit(static_cast<Index>(i), [&members](Index) { ++members; });
    count[of[i]] = members;
  }
};

/// Lists the members of the pair whose first row is i. A pair takes from them the sum of their sizes and the largest of
/// their strongest weights.
template <class T>
struct FillPairs {
  PairMembers pairs;
  const T* inverse;
  const float* strongest;
  const Offset* begin;
  Index* members;
  T* size;
  float* most;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (!pairs.is_first(i)) return;
    const Offset of = pairs.number[i];
    Offset to = begin[of];
    T total = 0;
    float largest = 0;
    pairs.visit(static_cast<Index>(i), [&, this](Index row) {
      members[to++] = row;
      total += 1 / PairWeights<T>::size_of(inverse[row]);
      if (strongest[row] > largest) largest = strongest[row];
    });
    size[of] = total;
    most[of] = largest;
  }
};

}  // namespace ostinato::algebraic
