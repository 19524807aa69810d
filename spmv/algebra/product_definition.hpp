// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/algebra/product.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <ostinato/spmv/algebra/product_loops.hpp>
#include <ostinato/spmv/algebra/product_pattern.hpp>
#include <ostinato/spmv/algebra/product_steps.hpp>
#include <ostinato/spmv/algebra/shapes.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/scan.hpp>

namespace ostinato {

namespace product_definition {

using detail::CsrPattern;

/// The rows of A B cut into parts with about the same number of terms: one for each thread, but so few that the
/// accumulators of all parts have no more elements than there are terms.
inline std::vector<Index> cut_by_terms(const Host& space, const CsrPattern& a, const CsrPattern& b, Index cols) {
  Vector<Host, Offset> terms(space, static_cast<std::size_t>(a.rows) + 1);
  for_each(space, static_cast<std::size_t>(a.rows), detail::CountTerms{a, b, terms.data()});
  exclusive_scan(space, terms);
  const Offset all = terms.data()[a.rows];
  const Offset parts = std::clamp<Offset>(all / std::max<Index>(cols, 1), 1, std::max(1, space.threads()));
  std::vector<Index> first(static_cast<std::size_t>(parts) + 1, a.rows);
  for (Offset p = 0; p < parts; ++p) {
    first[static_cast<std::size_t>(p)] =
        detail::bisect(Index{0}, a.rows, [&, from = all / parts * p](Index i) { return terms.data()[i] >= from; });
  }
  return first;
}

template <class T>
struct Factor {
  CsrPattern pattern;
  const T* val;

  explicit Factor(const CsrView<T>& a) : pattern(detail::pattern_of(a)), val(a.val.data()) {}
};

/// Asks for the rows of B that soon follow entry k of A: on unstructured meshes they are anywhere in memory. Updates of
/// multigrid take some 10 % less time so (AMD EPYC, mesh3d:40, 2 threads).
template <class T>
void fetch_ahead(const Factor<T>& a, const Factor<T>& b, Offset k, Offset last) {
  const Index next = a.pattern.col[std::min(k + 6, last)], later = a.pattern.col[std::min(k + 12, last)];
  const Offset from = b.pattern.row_ptr[next];
  __builtin_prefetch(b.pattern.col + from);
  __builtin_prefetch(b.val + from);
  __builtin_prefetch(b.pattern.row_ptr + later);
}

/// Throws    Stopped once `stop` is made.
inline void end_on(const StopRequest& stop) {
  if (stop.is_made()) throw Stopped("a product of matrices was stopped");
}

/// Adds up row i of A B in `sums`, which has an element for each column, all of them 0 before. Calls meet(j) for the
/// column of each term. Returns the number of terms.
template <class T, class F>
Offset add_row(const Factor<T>& a, const Factor<T>& b, std::size_t i, T* sums, F meet) {
  const Offset last = a.pattern.row_ptr[a.pattern.rows] - 1;
  Offset terms = 0;
  for (Offset k = a.pattern.row_ptr[i]; k < a.pattern.row_ptr[i + 1]; ++k) {
    fetch_ahead(a, b, k, last);
    const T factor = a.val[k];
    const auto of_b = static_cast<std::size_t>(a.pattern.col[k]);
    terms += b.pattern.length(of_b);
    for (Offset q = b.pattern.row_ptr[of_b]; q < b.pattern.row_ptr[of_b + 1]; ++q) {
      const Index j = b.pattern.col[q];
      sums[j] += factor * b.val[q];
      meet(static_cast<std::uint32_t>(j));
    }
  }
  return terms;
}

/// Columns and values of rows, one row after the other.
template <class T>
struct FoundRows {
  Array<Index> col;
  Array<T> val;
};

/// The set of the columns of a row. Columns are bits in words, of which there are fewer to sort; and no branch depends
/// on what a term meets, because no processor could foresee such a branch.
class ColumnSet {
 public:
  explicit ColumnSet(Index cols) : bits_(static_cast<std::size_t>(cols) / 64 + 1, 0), words_(bits_.size() + 1) {}

  void insert(std::uint32_t j) {
    std::uint64_t& bits = bits_[j / 64];
    words_[count_] = static_cast<Index>(j / 64);
    count_ += bits == 0;
    bits |= std::uint64_t{1} << (j % 64);
  }

  /// Moves the columns, ascending, and their sums to the end of `to`. Returns their number.
  template <class T>
  Offset take(T* sums, FoundRows<T>& to) {
    std::sort(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(count_));
    const std::size_t before = to.col.size();
    for (std::size_t k = 0; k < count_; ++k) {
      const Index word = words_[k];
      for (std::uint64_t rest = std::exchange(bits_[static_cast<std::size_t>(word)], 0); rest != 0; rest &= rest - 1) {
        const Index j = 64 * word + std::countr_zero(rest);
        to.col.push_back(j);
        to.val.push_back(std::exchange(sums[j], T{0}));
      }
    }
    count_ = 0;
    return static_cast<Offset>(to.col.size() - before);
  }

 private:
  Array<std::uint64_t> bits_;  ///< all 0 between rows
  Array<Index> words_;         ///< those that aren't 0; room for one more that isn't kept
  std::size_t count_ = 0;
};

template <class T>
struct Accumulators {
  std::vector<Index> first;  ///< row of each part
  std::vector<std::vector<T>> sums;

  Accumulators(const Host& space, const CsrView<T>& a, const CsrView<T>& b)
      : first(cut_by_terms(space, detail::pattern_of(a), detail::pattern_of(b), b.cols)), sums(first.size() - 1) {
    parallel_for(space, sums.size(), [&](std::size_t part) { sums[part].assign(static_cast<std::size_t>(b.cols), 0); });
  }

  std::size_t bytes() const {
    std::size_t total = 0;
    for (const std::vector<T>& part : sums) total += part.size() * sizeof(T);
    return total;
  }

  /// Makes the matrix: pattern and values in one pass over the terms.
  void make(const Host& space, const CsrView<T>& a, const CsrView<T>& b, CsrStorage<Host, T>& c,
            const StopRequest& stop, const ProductTerms*) {
    const std::vector<FoundRows<T>> found = found_rows(space, a, b, c.row_ptr.data(), stop);
    exclusive_scan(space, c.row_ptr);
    const auto entries = static_cast<std::size_t>(c.row_ptr.data()[a.rows]);
    c.col = Vector<Host, Index>(space, entries);
    c.val = Vector<Host, T>(space, entries);
    parallel_for(space, found.size(), [&, this](std::size_t part) {
      const Offset to = c.row_ptr.data()[first[part]];
      std::copy(found[part].col.begin(), found[part].col.end(), c.col.data() + to);
      std::copy(found[part].val.begin(), found[part].val.end(), c.val.data() + to);
    });
  }

  /// The rows of each part. `count` takes their lengths. With a stop request the parts are made in rounds, between
  /// which this thread looks at it.
  std::vector<FoundRows<T>> found_rows(const Host& space, const CsrView<T>& a, const CsrView<T>& b, Offset* count,
                                       const StopRequest& stop) {
    const Factor<T> left(a), right(b);
    const Offset most = stop ? Offset{1} << 21 : std::numeric_limits<Offset>::max();  // terms of a part in a round
    std::vector<FoundRows<T>> found(sums.size());
    std::vector<std::optional<ColumnSet>> columns(sums.size());
    std::vector<Index> next(first.begin(), first.end() - 1);
    do {
      end_on(stop);
      parallel_for(space, found.size(), [&, this](std::size_t part) {
        if (!columns[part]) columns[part].emplace(b.cols);
        ColumnSet& met = *columns[part];
        Offset terms = 0;
        auto i = static_cast<std::size_t>(next[part]);
        for (; i < static_cast<std::size_t>(first[part + 1]) && terms < most; ++i) {
          terms += add_row(left, right, i, sums[part].data(), [&](std::uint32_t j) { met.insert(j); });
          count[i] = met.take(sums[part].data(), found[part]);
        }
        next[part] = static_cast<Index>(i);
      });
    } while (!std::equal(next.begin(), next.end(), first.begin() + 1));
    end_on(stop);
    return found;
  }

  void multiply(const Host& space, const CsrView<T>& a, const CsrView<T>& b, CsrStorage<Host, T>& product) {
    const Factor<T> left(a), right(b);
    const CsrPattern c = detail::pattern_of(product.view());
    T* const val = product.val.data();
    parallel_for(space, sums.size(), [&, this](std::size_t part) {
      T* const of_part = sums[part].data();
      for (auto i = static_cast<std::size_t>(first[part]); i < static_cast<std::size_t>(first[part + 1]); ++i) {
        add_row(left, right, i, of_part, [](std::uint32_t) {});
        for (Offset p = c.row_ptr[i]; p < c.row_ptr[i + 1]; ++p) val[p] = std::exchange(of_part[c.col[p]], T{0});
      }
    });
  }
};

template <class Space, class T>
ProductTerms terms_of(const Space& space, const CsrView<T>& a, const CsrView<T>& b) {
  Vector<Space, double> sums(space, detail::TermSums::count);
  sum(space, static_cast<std::size_t>(a.rows), detail::SumTerms{detail::pattern_of(a), detail::pattern_of(b)},
      sums.data());
  return detail::terms_of_sums(sums.download());
}

template <class T>
ProductTerms terms_of(const Cuda& space, const CsrView<T>& a, const CsrView<T>& b) {
  return detail::product_terms(space, detail::pattern_of(a), a.nonzeros(), detail::pattern_of(b));
}

/// A GPU needs nothing beside the matrices.
template <class T>
struct NoWork {
  NoWork(const Cuda&, const CsrView<T>&, const CsrView<T>&) {}

  std::size_t bytes() const { return 0; }

  void make(const Cuda& space, const CsrView<T>& a, const CsrView<T>& b, CsrStorage<Cuda, T>& c,
            const StopRequest& stop, const ProductTerms* terms) {
    end_on(stop);
    find_pattern(space, a, b, c, terms);
    end_on(stop);
    c.val = Vector<Cuda, T>(space, c.col.size());
    multiply(space, a, b, c);
  }

  static void find_pattern(const Cuda& space, const CsrView<T>& a, const CsrView<T>& b, CsrStorage<Cuda, T>& c,
                           const ProductTerms* terms) {
    c.col = detail::product_pattern(space, detail::pattern_of(a), a.nonzeros(), detail::pattern_of(b), b.cols,
                                    terms != nullptr ? *terms : terms_of(space, a, b), c.row_ptr.span());
  }

  void multiply(const Cuda& space, const CsrView<T>& a, const CsrView<T>& b, CsrStorage<Cuda, T>& c) {
    detail::product_values(space, detail::pattern_of(a), a.val.data(), a.nonzeros(), detail::pattern_of(b),
                           b.val.data(), b.nonzeros(), detail::pattern_of(c.view()), static_cast<Offset>(c.col.size()),
                           c.val.data());
  }
};

template <class Space, class T>
struct WorkOf {
  using type = detail::LoopProduct<Space, T>;
};
template <class T>
struct WorkOf<Host, T> {
  using type = Accumulators<T>;
};
template <class T>
struct WorkOf<Cuda, T> {
  using type = NoWork<T>;
};

template <class T>
void require_factors(const CsrView<T>& a, const CsrView<T>& b) {
  if (a.cols == b.rows) return;
  throw DimensionError("product of matrices: the first factor is " + detail::shape_of(a) + ", the second " +
                       detail::shape_of(b) + "; the columns of the first have to be as many as the rows of the second");
}

/// The product, before its entries are made.
template <class Space, class T>
std::shared_ptr<CsrStorage<Space, T>> without_entries(const Space& space, const CsrView<T>& a, const CsrView<T>& b) {
  require_factors(a, b);
  auto c = std::make_shared<CsrStorage<Space, T>>();
  c->rows = a.rows;
  c->cols = b.cols;
  c->row_ptr = Vector<Space, Offset>(space, static_cast<std::size_t>(a.rows) + 1);
  return c;
}

template <class Work, class Space, class T>
SpaceCsr<Space, T> made(const Space& space, const CsrView<T>& a, const CsrView<T>& b, Work& work,
                        const std::shared_ptr<CsrStorage<Space, T>>& c, const StopRequest& stop,
                        const ProductTerms* terms) {
  work.make(space, a, b, *c, stop, terms);
  return SpaceCsr<Space, T>(c);
}

}  // namespace product_definition

template <class Space, class T>
struct MatrixProduct<Space, T>::Work : product_definition::WorkOf<Space, T>::type {
  using Base = typename product_definition::WorkOf<Space, T>::type;
  using Base::Base;
};

template <class Space, class T>
MatrixProduct<Space, T>::MatrixProduct(const Space& space, const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& b,
                                       const StopRequest& stop)
    : MatrixProduct(space, a, b, stop, nullptr) {}

template <class Space, class T>
MatrixProduct<Space, T>::MatrixProduct(const Space& space, const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& b,
                                       const StopRequest& stop, const ProductTerms& terms)
    : MatrixProduct(space, a, b, stop, &terms) {}

template <class Space, class T>
MatrixProduct<Space, T>::MatrixProduct(const Space& space, const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& b,
                                       const StopRequest& stop, const ProductTerms* terms)
    : space_(space),
      rows_(a.view().rows),
      inner_(a.view().cols),
      cols_(b.view().cols),
      a_nonzeros_(a.view().nonzeros()),
      b_nonzeros_(b.view().nonzeros()),
      arrays_(product_definition::without_entries(space, a.view(), b.view())),
      work_(std::make_unique<Work>(space, a.view(), b.view())),
      result_(product_definition::made(space, a.view(), b.view(), *work_, arrays_, stop, terms)) {}

template <class Space, class T>
MatrixProduct<Space, T>::MatrixProduct(MatrixProduct&&) noexcept = default;

template <class Space, class T>
MatrixProduct<Space, T>& MatrixProduct<Space, T>::operator=(MatrixProduct&&) noexcept = default;

template <class Space, class T>
MatrixProduct<Space, T>::~MatrixProduct() = default;

template <class Space, class T>
void MatrixProduct<Space, T>::update(const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& b) {
  detail::require_pattern("product of matrices, first factor", a.view(), rows_, inner_, a_nonzeros_);
  detail::require_pattern("product of matrices, second factor", b.view(), inner_, cols_, b_nonzeros_);
  work_->multiply(space_, a.view(), b.view(), *arrays_);
}

template <class Space, class T>
std::size_t MatrixProduct<Space, T>::bytes() const {
  return arrays_->row_ptr.bytes() + arrays_->col.bytes() + arrays_->val.bytes() + work_->bytes();
}

template <class Space, class T>
std::shared_ptr<const CsrStorage<Space, T>> pattern_of_product(const Space& space, const SpaceCsr<Space, T>& a,
                                                               const SpaceCsr<Space, T>& b, const StopRequest& stop,
                                                               const ProductTerms& terms) {
  auto c = product_definition::without_entries(space, a.view(), b.view());
  product_definition::end_on(stop);
  if constexpr (is_host<Space>) {
    product_definition::Accumulators<T>(space, a.view(), b.view()).make(space, a.view(), b.view(), *c, stop, &terms);
  } else {
    product_definition::WorkOf<Space, T>::type::find_pattern(space, a.view(), b.view(), *c, &terms);
  }
  product_definition::end_on(stop);
  return c;
}

template <class Space, class T>
ProductTerms count_terms(const Space& space, const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& b) {
  product_definition::require_factors(a.view(), b.view());
  return product_definition::terms_of(space, a.view(), b.view());
}

}  // namespace ostinato
