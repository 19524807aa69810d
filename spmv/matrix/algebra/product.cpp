// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/algebra/product.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include <ostinato/spmv/matrix/algebra/product_pattern.hpp>
#include <ostinato/spmv/matrix/algebra/product_steps.hpp>
#include <ostinato/spmv/matrix/algebra/shapes.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/scan.hpp>

namespace ostinato {

namespace {

using detail::CsrPattern;

/// The rows of A B cut into parts with about the same number of terms: one for each thread, but so few that the
/// accumulators of all parts have no more elements than there are terms.
std::vector<Index> cut_by_terms(const Host& space, const CsrPattern& a, const CsrPattern& b, Index cols) {
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

/// Finds the columns of rows of A B, one row after the other. The columns of a row are bits in words, of which there are
/// fewer to sort; and no branch depends on what a term meets, because no processor could foresee such a branch.
class RowPatterns {
 public:
  RowPatterns(const CsrPattern& a, const CsrPattern& b, Index cols)
      : a_(a), b_(b), bits_(static_cast<std::size_t>(cols) / 64 + 1, 0), words_(bits_.size() + 1) {}

  /// Appends the columns of row i, ascending, to `to`. Returns their number.
  Offset append(Index i, Array<Index>& to) {
    const std::size_t words = collect(static_cast<std::size_t>(i));
    std::sort(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(words));
    const std::size_t before = to.size();
    for (std::size_t k = 0; k < words; ++k) {
      const Index word = words_[k];
      for (std::uint64_t rest = std::exchange(bits_[static_cast<std::size_t>(word)], 0); rest != 0; rest &= rest - 1)
        to.push_back(64 * word + std::countr_zero(rest));
    }
    return static_cast<Offset>(to.size() - before);
  }

 private:
  /// Sets the bits of row `i`, and lists their words. Returns the number of words.
  std::size_t collect(std::size_t i) {
    std::size_t words = 0;
    for (Offset k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k) {
      const auto of_b = static_cast<std::size_t>(a_.col[k]);
      for (Offset q = b_.row_ptr[of_b]; q < b_.row_ptr[of_b + 1]; ++q) {
        const auto j = static_cast<std::uint32_t>(b_.col[q]);
        std::uint64_t& bits = bits_[j / 64];
        words_[words] = static_cast<Index>(j / 64);
        words += bits == 0;
        bits |= std::uint64_t{1} << (j % 64);
      }
    }
    return words;
  }

  CsrPattern a_, b_;
  Array<std::uint64_t> bits_;  ///< all 0 between rows
  Array<Index> words_;         ///< room for all words, and for one more that isn't kept
};

}  // namespace

Vector<Host, Index> detail::product_pattern(const Host& space, const CsrPattern& a, const CsrPattern& b, Index cols,
                                            std::span<Offset> row_ptr) {
  const std::vector<Index> first = cut_by_terms(space, a, b, cols);
  std::vector<Array<Index>> found(first.size() - 1);
  parallel_for(space, found.size(), [&](std::size_t part) {
    RowPatterns patterns(a, b, cols);
    for (Index i = first[part]; i < first[part + 1]; ++i)
      row_ptr[static_cast<std::size_t>(i)] = patterns.append(i, found[part]);
  });
  exclusive_scan(space, row_ptr);
  Vector<Host, Index> col(space, static_cast<std::size_t>(row_ptr.back()));
  parallel_for(space, found.size(), [&](std::size_t part) {
    std::copy(found[part].begin(), found[part].end(), col.data() + row_ptr[static_cast<std::size_t>(first[part])]);
  });
  return col;
}

namespace {

template <class T>
struct Factor {
  CsrPattern pattern;
  const T* val;

  explicit Factor(const CsrView<T>& a) : pattern(detail::pattern_of(a)), val(a.val.data()) {}
};

/// The values of row i of C = A B. `sums` has an element for each column, all of them 0 before and after.
template <class T>
void multiply_row(const Factor<T>& a, const Factor<T>& b, const CsrPattern& c, T* val, T* sums, std::size_t i) {
  for (Offset k = a.pattern.row_ptr[i]; k < a.pattern.row_ptr[i + 1]; ++k) {
    const T factor = a.val[k];
    const auto of_b = static_cast<std::size_t>(a.pattern.col[k]);
    for (Offset q = b.pattern.row_ptr[of_b]; q < b.pattern.row_ptr[of_b + 1]; ++q)
      sums[b.pattern.col[q]] += factor * b.val[q];
  }
  for (Offset p = c.row_ptr[i]; p < c.row_ptr[i + 1]; ++p) {
    val[p] = sums[c.col[p]];
    sums[c.col[p]] = 0;
  }
}

template <class T>
struct Accumulators {
  std::vector<Index> first;
  std::vector<std::vector<T>> sums;

  Accumulators(const Host& space, const CsrView<T>& a, const CsrView<T>& b)
      : first(cut_by_terms(space, detail::pattern_of(a), detail::pattern_of(b), b.cols)), sums(first.size() - 1) {
    parallel_for(space, sums.size(), [&](std::size_t part) { sums[part].assign(static_cast<std::size_t>(b.cols), 0); });
  }

  void multiply(const Host& space, const CsrView<T>& a, const CsrView<T>& b, const CsrPattern& c, T* val) {
    const Factor<T> left(a), right(b);
    parallel_for(space, sums.size(), [&, this](std::size_t part) {
      for (auto i = static_cast<std::size_t>(first[part]); i < static_cast<std::size_t>(first[part + 1]); ++i)
        multiply_row(left, right, c, val, sums[part].data(), i);
    });
  }
};

/// A GPU needs nothing beside the matrices.
template <class T>
struct NoWork {
  NoWork(const Cuda&, const CsrView<T>&, const CsrView<T>&) {}

  void multiply(const Cuda& space, const CsrView<T>& a, const CsrView<T>& b, const CsrPattern& c, T* val) {
    detail::product_values(space, detail::pattern_of(a), a.val.data(), detail::pattern_of(b), b.val.data(),
                           b.nonzeros(), c, val);
  }
};

template <class T>
void require_factors(const CsrView<T>& a, const CsrView<T>& b) {
  if (a.cols == b.rows) return;
  throw DimensionError("product of matrices: the first factor is " + detail::shape_of(a) + ", the second " +
                       detail::shape_of(b) + "; the columns of the first have to be as many as the rows of the second");
}

template <class Space, class T>
std::shared_ptr<CsrStorage<Space, T>> product_storage(const Space& space, const CsrView<T>& a, const CsrView<T>& b) {
  require_factors(a, b);
  auto c = std::make_shared<CsrStorage<Space, T>>();
  c->rows = a.rows;
  c->cols = b.cols;
  c->row_ptr = Vector<Space, Offset>(space, static_cast<std::size_t>(a.rows) + 1);
  c->col = detail::product_pattern(space, detail::pattern_of(a), detail::pattern_of(b), b.cols, c->row_ptr.span());
  c->val = Vector<Space, T>(space, c->col.size());
  return c;
}

}  // namespace

template <class Space, class T>
struct MatrixProduct<Space, T>::Work : std::conditional_t<Space::on_device, NoWork<T>, Accumulators<T>> {
  using std::conditional_t<Space::on_device, NoWork<T>, Accumulators<T>>::conditional_t;
};

template <class Space, class T>
MatrixProduct<Space, T>::MatrixProduct(const Space& space, const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& b)
    : space_(space),
      rows_(a.view().rows),
      inner_(a.view().cols),
      cols_(b.view().cols),
      a_nonzeros_(a.view().nonzeros()),
      b_nonzeros_(b.view().nonzeros()),
      arrays_(product_storage(space, a.view(), b.view())),
      result_(arrays_),
      work_(std::make_unique<Work>(space, a.view(), b.view())) {
  update(a, b);
}

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
  work_->multiply(space_, a.view(), b.view(), detail::pattern_of(arrays_->view()), arrays_->val.data());
}

template class MatrixProduct<Host, float>;
template class MatrixProduct<Host, double>;
template class MatrixProduct<Cuda, float>;
template class MatrixProduct<Cuda, double>;

}  // namespace ostinato
