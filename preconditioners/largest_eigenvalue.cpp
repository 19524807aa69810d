// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/largest_eigenvalue.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <ostinato/preconditioners/chebyshev_steps.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

namespace {

/// A symmetric matrix whose values were rounded on their way, such as A_multigrid, isn't quite symmetric. Part of the
/// eigenvalues.
constexpr double asymmetry = 1e-4;

/// |last element| of the vector that belongs to the eigenvalue x, over the vector's norm.
double last_of_vector(const Tridiagonal& t, double x) {
  double before = 0, now = 1, squares = 1;
  for (std::size_t k = 0; k + 1 < t.diagonal.size(); ++k) {
    const double next = ((x - t.diagonal[k]) * now - (k == 0 ? 0 : t.beside[k - 1] * before)) / t.beside[k];
    before = now;
    now = next;
    squares += now * now;
  }
  return std::abs(now) / std::sqrt(squares);
}

template <class Space>
double value_of(const Vector<Space, double>& slot) {
  return slot.download()[0];
}

template <class Space, class T>
double row_sum_bound(const Space& space, const CsrView<T>& a, const Vector<Space, T>& inverse) {
  using RowSum = detail::LargestRowSum<T, Atomic<Space>>;
  Vector<Space, std::int32_t> largest(space, RowSum::slots);
  space.zero(largest.data(), largest.bytes());
  for_each(space, inverse.size(), RowSum{detail::pattern_of(a), a.val.data(), inverse.data(), largest.data()});
  const std::vector<std::int32_t> bits = largest.download();
  return static_cast<double>(std::bit_cast<float>(*std::max_element(bits.begin(), bits.end())));
}

/// Nothing when A shows not to be symmetric but for rounding.
template <class Space, class T>
std::optional<Tridiagonal> lanczos(const Operator<Space, T>& op, const Vector<Space, T>& inverse, int sign, int steps) {
  const Space& space = op.space();
  const std::size_t n = inverse.size();
  Vector<Space, T> product(space, n), v(space, n, T{0}), next(space, n, T{0});
  for_each(space, n, detail::FillRandom<T>{product.data()});
  Vector<Space, double> slot(space, 1);
  const auto step = [&](double alpha, double beta) {
    sum(space, n,
        detail::LanczosStep<T>{static_cast<T>(alpha), static_cast<T>(beta), inverse.data(), product.data(), v.data(),
                               next.data()},
        slot.data());
    return std::sqrt(value_of(slot));
  };
  // The rounding of a step doesn't grow with n: a vector is as long as its rounding is by element.
  constexpr double rounding = 64 * static_cast<double>(std::numeric_limits<T>::epsilon());
  Tridiagonal t;
  double beta = step(0, 0);
  for (int k = 0; k < steps && beta > 0 && std::isfinite(beta); ++k) {
    scale<T>(space, static_cast<T>(1 / beta), next, next.span());
    std::swap(v, next);
    op.apply(static_cast<T>(sign), v, T{0}, product);
    dot<T>(space, v, product, slot.data());
    const double alpha = value_of(slot);
    dot<T>(space, next, product, slot.data());
    if (const double mirrored = value_of(slot); k > 0 && !(std::abs(mirrored - beta) <= asymmetry * std::abs(alpha)))
      return {};
    beta = step(alpha, k == 0 ? 0 : beta);
    t.diagonal.push_back(alpha);
    t.beside.push_back(beta);
    if (beta <= rounding * std::abs(alpha)) break;  // the vectors so far span all that the first one is made of
  }
  return t;
}

}  // namespace

double ritz_bound(const Tridiagonal& t) {
  if (t.diagonal.empty()) return 0;
  const double high = eigenvalue(t, t.diagonal.size() - 1);
  return high + t.beside.back() * last_of_vector(t, high);
}

template <class Space, class T>
LargestEigenvalue largest_eigenvalue(const Operator<Space, T>& op, const CsrView<T>& a, const Vector<Space, T>& inverse,
                                     int sign, int steps) {
  if (inverse.size() == 0) return {1, true};
  const double bound = row_sum_bound(op.space(), a, inverse);
  if (!(bound > 0)) return {1, true};  // no row has a diagonal
  const std::optional<Tridiagonal> t = lanczos(op, inverse, sign, steps);
  const double ritz = t ? ritz_bound(*t) : 0;
  return {ritz > 0 && ritz < bound ? ritz : bound, t.has_value()};
}

#define OSTINATO_INSTANTIATE(Space, T)                                                                                 \
  template LargestEigenvalue largest_eigenvalue(const Operator<Space, T>&, const CsrView<T>&, const Vector<Space, T>&, \
                                                int, int)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato
