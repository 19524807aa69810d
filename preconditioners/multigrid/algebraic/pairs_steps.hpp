// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of pairs.hpp, on both spaces.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

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

  /// An entry of a row with what the weight takes from the row of its column, and the partner of that.
  struct Entry {
    Index j, partner;
    T val, inverse;
  };
  OSTINATO_FUNCTION Entry load(Offset k, const Index* partner) const {
    const Index j = a.col[k];
    return {j, partner[j], val[k], inverse[j]};
  }

  /// The same with the largest weight of that row.
  struct Coupling : Entry {
    float strongest;
  };
  OSTINATO_FUNCTION Coupling load_coupling(Offset k, const Index* partner) const {
    const Entry e = load(k, partner);
    return {e, strongest[e.j]};
  }

  /// The weight of row i and the column of an entry: the same bits for the mirror entry, as both rows have to agree.
  OSTINATO_FUNCTION float weight(Index i, const Entry& e) const {
    const T own = inverse[i], both = size_of(own) + size_of(e.inverse);
    return static_cast<float>((own < 0 ? e.val : -e.val) * both);
  }

  /// The order of pairs: by the three leading bits of the weight and its exponent, and among equals by a hash of both
  /// numbers. 0 for those whose weight isn't large enough for both rows.
  OSTINATO_FUNCTION std::uint64_t key(Index i, const Coupling& e) const {
    const float w = weight(i, e);
    const bool is_strong = static_cast<int>(e.j != i) & static_cast<int>(e.strongest >= 0) & static_cast<int>(w > 0) &
                           static_cast<int>(w >= threshold * strongest[i]) &
                           static_cast<int>(w >= threshold * e.strongest);
    const auto p = static_cast<std::uint64_t>(i), q = static_cast<std::uint64_t>(e.j);
    std::uint32_t bits = 0;
    memcpy(&bits, &w, sizeof bits);
    const std::uint64_t order =
        static_cast<std::uint64_t>(bits >> 21) << 53 | mixed(p < q ? p << 32 | q : q << 32 | p) >> 11 | 1;
    return is_strong ? order : 0;
  }

  /// Source    Steele, Lea & Flood, OOPSLA 2014 (SplitMix).
  OSTINATO_FUNCTION static std::uint64_t mixed(std::uint64_t v) {
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
    v = (v ^ v >> 27) * 0x94d049bb133111ebu;
    return v ^ v >> 31;
  }
};

/// Finds the size of row i, that of its diagonal entry unless it is known, and whether the row is dominant. A row
/// counts as dominant where rounding decides, in whatever order its entries are added.
template <class T>
struct BeginPairs {
  static constexpr T rounding = 64 * std::numeric_limits<T>::epsilon();

  detail::CsrPattern a;
  const T* val;
  T dominant;     ///< times the sum of the other entries; 0: no row is left out
  const T* size;  ///< null: unknown
  T* inverse;
  Index *partner, *choice;
  int* joined;

  struct Value {
    T own, others;
  };
  struct Entry {
    Index j;
    T val;
  };

  OSTINATO_FUNCTION Value initial(std::size_t i) const { return {dominant > 0 ? T{0} : diagonal(i), 0}; }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, const Value&) const {
    return dominant > 0 ? EntryRange{a.row_ptr[i], a.row_ptr[i + 1]} : EntryRange{0, 0};
  }
  OSTINATO_FUNCTION Entry load(std::size_t, Offset k) const { return {a.col[k], val[k]}; }
  OSTINATO_FUNCTION void take(std::size_t i, const Entry& e, Value& v) const {
    (e.j == static_cast<Index>(i) ? v.own : v.others) += e.j == static_cast<Index>(i) ? e.val : size_of(e.val);
  }
  OSTINATO_FUNCTION void merge(Value& v, const Value& other) const {
    v.own += other.own;
    v.others += other.others;
  }
  OSTINATO_FUNCTION void finish(std::size_t i, const Value& v) const {
    const T own = v.own, inverse_size = 1 / (size == nullptr ? size_of(own) : size[i]);
    inverse[i] = own < 0 ? -inverse_size : inverse_size;
    choice[i] = Partner::none;
    joined[i] = 0;
    partner[i] =
        dominant > 0 && size_of(own) * (1 + rounding) >= dominant * v.others ? Partner::left_out : Partner::none;
  }

 private:
  OSTINATO_FUNCTION static T size_of(T v) { return PairWeights<T>::size_of(v); }
  OSTINATO_FUNCTION T diagonal(std::size_t i) const {
    const Offset at = a.first_from(static_cast<Index>(i), static_cast<Offset>(i));
    return at < a.row_ptr[i + 1] && a.col[at] == static_cast<Index>(i) ? val[at] + T{0} : T{0};  // no -0
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
  OSTINATO_FUNCTION typename PairWeights<T>::Entry load(std::size_t, Offset k) const {
    return weights.load(k, partner);
  }
  OSTINATO_FUNCTION void take(std::size_t i, const typename PairWeights<T>::Entry& e, float& most) const {
    if (e.j == static_cast<Index>(i) || e.partner == Partner::left_out) return;
    merge(most, weights.weight(static_cast<Index>(i), e));
  }
  OSTINATO_FUNCTION void merge(float& most, float other) const {
    if (other > most) most = other;
  }
  OSTINATO_FUNCTION void finish(std::size_t i, float most) const { weights.strongest[i] = most; }
};

/// A free row chooses the free row with which it would be the first pair, and keeps to the choice as long as that row
/// is free. When a row chooses, it remembers which row it would have chosen otherwise, so that it needn't look through
/// its entries again once the choice is taken. The sum counts the rows that have a choice.
template <class T>
struct ChoosePartner {
  PairWeights<T> weights;
  const Index* partner;
  Index* choice;
  Index* spare;  ///< the next best choice when `choice` was made; nobody, or none where that isn't known

  struct Value {
    std::uint64_t key, next_key;
    Index best, next;
    std::int32_t is_made;  ///< without a look at the entries
    std::int32_t changes;
  };
  using Entry = typename PairWeights<T>::Coupling;

  OSTINATO_FUNCTION Value initial(std::size_t i) const {
    const Index before = choice[i];
    if (partner[i] != Partner::none || before == Partner::nobody) return made(Partner::nobody, 0);
    if (before < 0) return {0, 0, Partner::nobody, Partner::nobody, 0, 1};
    if (partner[before] == Partner::none) return made(before, 0);
    const Index next = spare[i];
    if (next == Partner::nobody || (next >= 0 && partner[next] == Partner::none)) return made(next, 1);
    return {0, 0, Partner::nobody, Partner::nobody, 0, 1};
  }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, const Value& v) const {
    return v.is_made ? EntryRange{0, 0} : EntryRange{weights.a.row_ptr[i], weights.a.row_ptr[i + 1]};
  }
  OSTINATO_FUNCTION Entry load(std::size_t, Offset k) const { return weights.load_coupling(k, partner); }
  OSTINATO_FUNCTION void take(std::size_t i, const Entry& e, Value& v) const {
    if (e.partner == Partner::none) insert(v, weights.key(static_cast<Index>(i), e), e.j);
  }
  OSTINATO_FUNCTION void merge(Value& v, const Value& other) const {
    insert(v, other.key, other.best);
    insert(v, other.next_key, other.next);
  }
  OSTINATO_FUNCTION Sums<1> finish(std::size_t i, const Value& v) const {
    if (v.changes) {
      choice[i] = v.best;
      spare[i] = v.next;
    }
    return {{v.best >= 0 ? 1.0 : 0.0}};
  }

 private:
  OSTINATO_FUNCTION static Value made(Index best, std::int32_t changes) {
    return {0, 0, best, Partner::none, 1, changes};
  }
  OSTINATO_FUNCTION static void insert(Value& v, std::uint64_t key, Index j) {
    const bool is_best = key > v.key || (key == v.key && key > 0 && j < v.best);
    const bool is_next = key > v.next_key || (key == v.next_key && key > 0 && j < v.next);
    const bool moves = is_best || is_next;
    const std::uint64_t next_key = is_best ? v.key : key;
    const Index next = is_best ? v.best : j;
    v.next_key = moves ? next_key : v.next_key;
    v.next = moves ? next : v.next;
    v.key = is_best ? key : v.key;
    v.best = is_best ? j : v.best;
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
/// the pair with which it would be the first, and is counted at the first row of that, or stays alone. The sums count
/// the rows that aren't left out, and those that join a pair that many have joined.
template <class Atomic, class T>
struct JoinPair {
  static constexpr int many = 30;  ///< more members take longer to sort by insertion than all members do otherwise

  PairWeights<T> weights;
  const Index* partner;
  bool stays_alone;
  Index* first;
  int* joined;

  struct Value {
    std::uint64_t key;
    Index of;  ///< the first row of the pair
    Index beside;
  };
  using Entry = typename PairWeights<T>::Coupling;

  OSTINATO_FUNCTION Value initial(std::size_t i) const {
    const auto row = static_cast<Index>(i);
    return {0, partner[i] == Partner::left_out ? -1 : partner[i] >= 0 ? smaller(row, partner[i]) : row, 0};
  }
  OSTINATO_FUNCTION EntryRange entries(std::size_t i, const Value&) const {
    const bool joins = partner[i] == Partner::none && !stays_alone;
    return joins ? EntryRange{weights.a.row_ptr[i], weights.a.row_ptr[i + 1]} : EntryRange{0, 0};
  }
  OSTINATO_FUNCTION Entry load(std::size_t, Offset k) const { return weights.load_coupling(k, partner); }
  OSTINATO_FUNCTION void take(std::size_t i, const Entry& e, Value& v) const {
    if (e.partner >= 0) merge(v, {weights.key(static_cast<Index>(i), e), smaller(e.j, e.partner), e.j});
  }
  OSTINATO_FUNCTION void merge(Value& v, const Value& other) const {
    if (other.key > v.key || (other.key == v.key && other.key > 0 && other.beside < v.beside)) v = other;
  }
  OSTINATO_FUNCTION Sums<2> finish(std::size_t i, const Value& v) const {
    first[i] = v.of;
    const int before = v.key > 0 ? Atomic::add(&joined[v.of], 1) : 0;
    return {{v.of < 0 ? 0.0 : 1.0, before < many ? 0.0 : 1.0}};
  }
  OSTINATO_FUNCTION static Index smaller(Index i, Index j) { return i < j ? i : j; }
};

/// Counts for the numbers of the pairs.
struct CountPairs {
  const Index* first;
  Offset* number;

  OSTINATO_FUNCTION void operator()(std::size_t i) const { number[i] = first[i] == static_cast<Index>(i) ? 1 : 0; }
};

/// of[i] = the number of the pair of row i, or -1. Counts the members of the pair whose first row is i.
struct NumberPairs {
  const Index *first, *partner;
  const int* joined;
  const Offset* number;  ///< of each pair, at its first row
  Index* of;
  Offset* count;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    of[i] = first[i] < 0 ? -1 : static_cast<Index>(number[first[i]]);
    if (first[i] == static_cast<Index>(i)) count[of[i]] = 1 + (partner[i] >= 0) + joined[i];
  }
};

/// Lists row i among the members of its pair: the first row, its partner, then those that have joined, in any order.
template <class Atomic>
struct ListMembers {
  const Index *first, *partner;
  int* joined;  ///< counts down to 0
  const Index* of;
  const Offset* begin;
  Index* members;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    if (of[i] < 0) return;
    const auto row = static_cast<Index>(i);
    const bool has_joined = row != first[i] && row != partner[first[i]];
    const Offset place = has_joined ? 1 + Atomic::add(&joined[first[i]], -1) : row != first[i];
    members[begin[of[i]] + place] = row;
  }
};

/// Sorts the members of pair i. The pair takes from them the sum of their sizes and the largest of their strongest
/// weights.
template <class T>
struct SumMembers {
  const T* inverse;
  const float* strongest;
  const Offset* begin;
  Index* members;
  T* size;
  float* most;

  OSTINATO_FUNCTION void operator()(std::size_t i) const {
    T total = 0;
    float largest = 0;
    sort(begin[i], begin[i + 1]);
    for (Offset m = begin[i]; m < begin[i + 1]; ++m) {
      const Index row = members[m];
      total += 1 / PairWeights<T>::size_of(inverse[row]);
      if (strongest[row] > largest) largest = strongest[row];
    }
    size[i] = total;
    most[i] = largest;
  }

 private:
  /// Inserts one after the other. There are few, or all are in order already; the first two always are.
  OSTINATO_FUNCTION void sort(Offset first, Offset end) const {
    for (Offset m = first + 2; m < end; ++m) {
      const Index row = members[m];
      Offset to = m;
      for (; to > first && members[to - 1] > row; --to) members[to] = members[to - 1];
      members[to] = row;
    }
  }
};

}  // namespace ostinato::algebraic
