// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// Row classes on Host.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <ostinato/spmv/analysis/diagonals_steps.hpp>
#include <ostinato/spmv/formats/diagonal/row_classes.hpp>
#include <ostinato/spmv/formats/row_blocks_host.hpp>

namespace ostinato::formats {

namespace {

using namespace detail;

/// Finds the class of a row by a hash table.
template <class T>
class ClassFinder {
 public:
  ClassFinder(const ostinato::detail::Rows<T>& rows, std::span<const Index> class_rows)
      : rows_(rows), class_rows_(class_rows) {
    for (std::size_t c = 0; c < class_rows.size(); ++c) {
      std::size_t at = rows.hash(class_rows[c]) % slots_.size();
      while (slots_[at] != 0) at = (at + 1) % slots_.size();
      slots_[at] = static_cast<std::uint16_t>(c + 1);
    }
  }

  /// The class of a row, which must be one of the classes. The row's predecessor is of class `last`, which is tried
  /// first.
  std::uint16_t operator()(Offset row, std::uint16_t last) const {
    if (rows_.same(row, class_rows_[last])) return last;
    std::size_t at = rows_.hash(row) % slots_.size();
    while (!rows_.same(row, class_rows_[slots_[at] - 1u])) at = (at + 1) % slots_.size();
    return static_cast<std::uint16_t>(slots_[at] - 1);
  }

  /// The runs of equal neighbouring rows in rows begin .. end - 1.
  ClassRuns runs(Index begin, Index end) const {
    ClassRuns runs;
    std::uint16_t row_class = 0;
    for (Index i = begin; i < end; ++i) {
      row_class = (*this)(i, row_class);
      if (runs.empty() || runs.back().row_class != row_class)
        runs.push_back({static_cast<std::uint16_t>(i - begin), 0, row_class});
      runs.back().end = static_cast<std::uint16_t>(i - begin + 1);
    }
    return runs;
  }

 private:
  ostinato::detail::Rows<T> rows_;
  std::span<const Index> class_rows_;
  std::array<std::uint16_t, 4 * DiagonalCensus::max_classes> slots_{};  ///< class + 1, or 0
};

/// Extends long runs over the odd rows between them. In the odd rows the diagonals of such a run lie inside the matrix,
/// too, since they do so on both sides.
ClassRuns joined(const ClassRuns& runs) {
  ClassRuns out;
  std::size_t cover = 0;
  for (const ClassRun& run : runs) {
    const bool covered = !out.empty() && out[cover].row_class == run.row_class &&
                         out[cover].rows() >= ClassRun::shortest_cover &&
                         run.begin - out[cover].end <= ClassRun::most_odd_rows;
    if (covered) {
      out[cover].end = run.end;
    } else {
      if (run.rows() >= ClassRun::shortest_cover) cover = out.size();
      out.push_back(run);
    }
  }
  return out;
}

/// A value that is the same in all rows, as an argument of multiply_add().
template <class T>
struct Constant {
  T value;
  T operator[](Index) const { return value; }
};

/// Adds up the products of rows begin .. end - 1 with K terms. With Fresh the old values of sum are ignored.
template <std::size_t K, bool Fresh, class T, class V>
void class_span(const ClassTerm<T>* term, Index begin, Index end, const V* x, T* sum) {
  std::array<Constant<T>, K> value;
  std::array<const V*, K> shifted;
  for (std::size_t k = 0; k < K; ++k) {
    value[k].value = term[k].value;
    shifted[k] = x + (static_cast<Offset>(begin) + term[k].offset);
  }
  multiply_add<Fresh>(value, shifted, end - begin, sum);
}

template <class T, class V>
using ClassSpan = void (*)(const ClassTerm<T>*, Index, Index, const V*, T*);

/// The class_span functions, by number of terms.
template <bool Fresh, class T, class V, std::size_t... K>
constexpr std::array<ClassSpan<T, V>, sizeof...(K)> class_spans(std::index_sequence<K...>) {
  return {&class_span<K + 1, Fresh, T, V>...};
}

/// sum = rows begin .. end - 1 of A x.
template <class T>
struct AddClasses {
  static constexpr std::size_t most_fused = 8;
  static constexpr Index few_rows = 4;

  const ClassRuns* blocks;
  const std::size_t* first_term;  ///< first term of each class, and the end
  const ClassTerm<T>* terms;

  template <class V>
  void operator()(Index begin, Index, const V* x, T* sum) const {
    for (const ClassRun& run : blocks[begin / block_rows]) {
      const std::span<const ClassTerm<T>> row(terms + first_term[run.row_class], terms + first_term[run.row_class + 1]);
      if (run.rows() <= few_rows) {
        for (Index i = run.begin; i < run.end; ++i) sum[i] = add_row(row, begin + i, x);
      } else {
        add_run(row, begin + run.begin, begin + run.end, x, sum + run.begin);
      }
    }
  }

 private:
  template <class V>
  static T add_row(std::span<const ClassTerm<T>> row, Offset i, const V* x) {
    T t = 0;
    for (const ClassTerm<T>& term : row) t += term.value * static_cast<T>(x[i + term.offset]);
    return t;
  }

  template <class V>
  static void add_run(std::span<const ClassTerm<T>> row, Index begin, Index end, const V* x, T* sum) {
    constexpr std::make_index_sequence<most_fused> fused;
    static constexpr auto fresh = class_spans<true, T, V>(fused), more = class_spans<false, T, V>(fused);
    if (row.empty()) std::fill(sum, sum + (end - begin), T{0});
    for (std::size_t k = 0, count = 0; k < row.size(); k += count) {
      count = std::min(most_fused, row.size() - k);
      (k == 0 ? fresh : more)[count - 1](row.data() + k, begin, end, x, sum);
    }
  }
};

template <class T>
ostinato::detail::Rows<T> rows_of(const CsrView<T>& a) {
  return {a.row_ptr.data(), a.col.data(), a.val.data()};
}

}  // namespace

template <class T>
RowClasses<Host, T>::RowClasses(const Host& space, const DiagonalCensus& census)
    : space_(space), rows_(census.rows), class_rows_(census.class_rows) {}

template <class T>
std::optional<RowClasses<Host, T>> RowClasses<Host, T>::make(const Host& space, const CsrView<T>& a,
                                                             const DiagonalCensus& census) {
  RowClasses made(space, census);
  if (!made.find_runs(a) || !made.take_values(a)) return std::nullopt;
  return made;
}

template <class T>
void RowClasses<Host, T>::apply(const Product<T>& p) const {
  multiply_blocks(space_, rows_, p, AddClasses<T>{blocks_.data(), first_term_.data(), terms_.data()});
}

template <class T>
template <class V>
void RowClasses<Host, T>::apply_dot(const Product<T, V>& p, const V* w, Slot<V> slot) const {
  multiply_dot_blocks(space_, rows_, p, w, slot, AddClasses<T>{blocks_.data(), first_term_.data(), terms_.data()});
}

template <class T>
bool RowClasses<Host, T>::update_values(const CsrView<T>& a) {
  return take_values(a) && rows_are_in_class(a);
}

template <class T>
std::size_t RowClasses<Host, T>::bytes() const {
  std::size_t runs = 0;
  for (const ClassRuns& block : blocks_) runs += block.size();
  return runs * sizeof(ClassRun) + blocks_.size() * sizeof(ClassRuns) + terms_.size() * sizeof(ClassTerm<T>) +
         class_rows_.size() * (sizeof(Index) + sizeof(std::size_t));
}

/// Finds the runs of each block. Returns false when there are too many runs.
template <class T>
bool RowClasses<Host, T>::find_runs(const CsrView<T>& matrix) {
  const ostinato::detail::Rows<T> a = rows_of(matrix);
  const std::size_t limit = static_cast<std::size_t>(rows_) / rows_of_a_run + 64;
  const ClassFinder<T> find(a, class_rows_);
  blocks_.resize((static_cast<std::size_t>(rows_) + host_block - 1) / host_block);
  std::atomic<std::size_t> runs = 0;
  row_blocks(space_, rows_, [&, blocks = blocks_.data()](std::size_t block, Index begin, Index end) {
    if (runs > limit) return;
    const ClassRuns found = find.runs(begin, end);
    runs += found.size();
    blocks[block] = joined(found);
  });
  first_term_ = {0};
  for (const Index row : class_rows_)
    first_term_.push_back(first_term_.back() + static_cast<std::size_t>(a.length(row)));
  terms_.resize(first_term_.back());
  return runs <= limit;
}

/// Takes the values of each class from its first row. Returns false when the length of this row has changed.
template <class T>
bool RowClasses<Host, T>::take_values(const CsrView<T>& matrix) {
  const ostinato::detail::Rows<T> a = rows_of(matrix);
  for (std::size_t c = 0; c < class_rows_.size(); ++c) {
    const Offset row = class_rows_[c], begin = a.begin(row);
    if (static_cast<std::size_t>(a.length(row)) != first_term_[c + 1] - first_term_[c]) return false;
    for (Offset k = begin; k < a.end(row); ++k)
      terms_[first_term_[c] + static_cast<std::size_t>(k - begin)] = {a.offset(k, row), a.val[k]};
  }
  return true;
}

template <class T>
bool RowClasses<Host, T>::rows_are_in_class(const CsrView<T>& matrix) const {
  std::atomic<bool> all = true;
  row_blocks(space_, rows_, [&, a = rows_of(matrix)](std::size_t block, Index begin, Index end) {
    std::array<std::uint16_t, host_block> row_class;
    for (const ClassRun& run : blocks_[block])
      std::fill(row_class.begin() + run.begin, row_class.begin() + run.end, run.row_class);
    for (Index i = begin; i < end && all; ++i) {
      if (!a.same(i, class_rows_[row_class[static_cast<std::size_t>(i - begin)]])) all = false;
    }
  });
  return all;
}

template class RowClasses<Host, float>;
template class RowClasses<Host, double>;
template void RowClasses<Host, float>::apply_dot(const Product<float>&, const float*, double*) const;
template void RowClasses<Host, double>::apply_dot(const Product<double>&, const double*, double*) const;
template void RowClasses<Host, double>::apply_dot(const Product<double, float>&, const float*, double*) const;

}  // namespace ostinato::formats
