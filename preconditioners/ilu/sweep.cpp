// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/sweep.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

namespace {

/// Levels with fewer rows on average than this aren't worth the waking of threads.
constexpr std::size_t rows_of_long_level = 4096;

/// The rows by levels, the order within a level kept, and where levels begin.
struct Levels {
  std::vector<Index> row;
  std::vector<std::size_t> begin;
};

Levels levels_of(const Substitution& s) {
  const std::size_t n = s.rows();
  std::vector<Index> level_of_target(n, 0), level(n, 0);
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Index latest = -1;
    for (auto k = static_cast<std::size_t>(s.row_ptr[i]); k < static_cast<std::size_t>(s.row_ptr[i + 1]); ++k)
      latest = std::max(latest, level_of_target[static_cast<std::size_t>(s.col[k])]);
    level[i] = level_of_target[static_cast<std::size_t>(s.target[i])] = latest + 1;
    count = std::max(count, static_cast<std::size_t>(latest) + 2);
  }
  Levels levels;
  levels.begin.assign(count + 1, 0);
  for (const Index l : level) ++levels.begin[static_cast<std::size_t>(l) + 1];
  for (std::size_t l = 0; l < count; ++l) levels.begin[l + 1] += levels.begin[l];
  std::vector<std::size_t> next(levels.begin);
  levels.row.resize(n);
  for (std::size_t i = 0; i < n; ++i) levels.row[next[static_cast<std::size_t>(level[i])]++] = static_cast<Index>(i);
  return levels;
}

Substitution in_order(const Substitution& s, const std::vector<Index>& rows) {
  Substitution t;
  t.col.reserve(s.col.size());
  t.val.reserve(s.val.size());
  for (const Index row : rows) {
    const auto i = static_cast<std::size_t>(row);
    t.col.insert(t.col.end(), s.col.begin() + s.row_ptr[i], s.col.begin() + s.row_ptr[i + 1]);
    t.val.insert(t.val.end(), s.val.begin() + s.row_ptr[i], s.val.begin() + s.row_ptr[i + 1]);
    t.row_ptr.push_back(static_cast<Offset>(t.col.size()));
    t.source.push_back(s.source[i]);
    t.target.push_back(s.target[i]);
    t.scale.push_back(s.scale[i]);
  }
  return t;
}

template <class T>
std::vector<T> rounded(const std::vector<double>& values) {
  std::vector<T> r(values.size());
  std::transform(values.begin(), values.end(), r.begin(), [](double v) { return static_cast<T>(v); });
  if (std::all_of(r.begin(), r.end(), [](T v) { return std::isfinite(v); })) return r;
  detail::throw_out_of_range();
}

template <class T, class In, class Copy>
struct SubstituteRow {
  detail::SweepView<T> sweep;
  const In* in;
  T* out;
  Copy* copy;

  void operator()(std::size_t i) const {
    T sum = sweep.scale[i] * static_cast<T>(in[sweep.source[i]]);
    for (Offset k = sweep.row_ptr[i]; k < sweep.row_ptr[i + 1]; ++k) sum -= sweep.val[k] * out[sweep.col[k]];
    out[sweep.target[i]] = sum;
    if (copy != nullptr) copy[sweep.target[i]] = static_cast<Copy>(sum);
  }
};

template <class Row>
void run_levels(const Host& space, const std::vector<std::size_t>& levels, const Row& row) {
  constexpr std::size_t block = 512;
  const std::size_t rows = row.sweep.rows;
  if (space.threads() == 1 || levels.empty()) {
    for (std::size_t i = 0; i < rows; ++i) row(i);
    return;
  }
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    const std::size_t begin = levels[l], end = levels[l + 1];
    parallel_for(space, (end - begin + block - 1) / block, [=](std::size_t b) {
      const std::size_t last = std::min(begin + (b + 1) * block, end);
      for (std::size_t i = begin + b * block; i < last; ++i) row(i);
    });
  }
}

}  // namespace

void detail::throw_out_of_range() {
  throw ArgumentError("the triangular factors leave the range of the numbers; scale the matrix, or use --precond none");
}

template <class Space, class T>
Sweep<Space, T>::Sweep(const Space& space, Substitution s) : space_(space) {
  Levels levels = levels_of(s);
  const bool are_long = s.rows() >= rows_of_long_level * (levels.begin.size() - 1);
  // A thread that is alone goes through the memory in the order of the factors.
  if (Space::on_device || are_long) s = in_order(s, levels.row);
  for (std::size_t i = 0; i < s.rows(); ++i)
    arrays_.longest = std::max(arrays_.longest, s.row_ptr[i + 1] - s.row_ptr[i]);
  if (!Space::on_device && are_long) levels_ = std::move(levels.begin);
  arrays_.row_ptr = Vector<Space, Offset>(space, std::span<const Offset>(s.row_ptr));
  arrays_.col = Vector<Space, Index>(space, std::span<const Index>(s.col));
  arrays_.val = Vector<Space, T>(space, std::span<const T>(rounded<T>(s.val)));
  arrays_.source = Vector<Space, Index>(space, std::span<const Index>(s.source));
  arrays_.target = Vector<Space, Index>(space, std::span<const Index>(s.target));
  arrays_.scale = Vector<Space, T>(space, std::span<const T>(rounded<T>(s.scale)));
  if (Space::on_device) ticket_ = Vector<Space, unsigned>(space, 1);
}

template <class Space, class T>
Sweep<Space, T>::Sweep(const Space& space, SweepArrays<Space, T> arrays) : space_(space), arrays_(std::move(arrays)) {
  if (Space::on_device) ticket_ = Vector<Space, unsigned>(space, 1);
}

template <class Space, class T>
template <class In, class Copy>
void Sweep<Space, T>::run(std::span<const In> in, std::span<T> out, std::span<Copy> copy) const {
  const SweepArrays<Space, T>& a = arrays_;
  const detail::SweepView<T> view = {.rows = a.target.size(),
                                     .entries = a.col.size(),
                                     .longest = a.longest,
                                     .row_ptr = a.row_ptr.data(),
                                     .col = a.col.data(),
                                     .val = a.val.data(),
                                     .source = a.source.data(),
                                     .target = a.target.data(),
                                     .scale = a.scale.data()};
  if (view.rows == 0) return;
  if constexpr (Space::on_device) {
    detail::run_sweep<T>(space_, view, in.data(), out.data(), copy.data(), ticket_.data());
  } else {
    run_levels(space_, levels_, SubstituteRow<T, In, Copy>{view, in.data(), out.data(), copy.data()});
  }
}

template <class Space, class T>
void Sweep<Space, T>::take(Vector<Space, T> val, Vector<Space, T> scale) {
  arrays_.val = std::move(val);
  arrays_.scale = std::move(scale);
}

template <class Space, class T>
std::size_t Sweep<Space, T>::bytes() const {
  const SweepArrays<Space, T>& a = arrays_;
  return a.row_ptr.bytes() + a.col.bytes() + a.val.bytes() + a.source.bytes() + a.target.bytes() + a.scale.bytes();
}

template class Sweep<Host, float>;
template class Sweep<Host, double>;
template class Sweep<Cuda, float>;
template class Sweep<Cuda, double>;

#define OSTINATO_INSTANTIATE(T, In, Copy)                                                      \
  template void Sweep<Host, T>::run(std::span<const In>, std::span<T>, std::span<Copy>) const; \
  template void Sweep<Cuda, T>::run(std::span<const In>, std::span<T>, std::span<Copy>) const;
OSTINATO_FOR_EACH_SWEEP(OSTINATO_INSTANTIATE)

}  // namespace ostinato
