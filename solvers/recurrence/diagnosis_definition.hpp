// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/recurrence/diagnosis.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include <ostinato/solvers/no_solution.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/shared_space.hpp>
#include <ostinato/spmv/space/to_host.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace diagnosing {

/// The first element that isn't finite.
struct Found {
  std::optional<std::size_t> row;
  bool is_nan = false;

  explicit operator bool() const { return row.has_value(); }
  std::string text() const { return (is_nan ? "NaN in " : "infinity in ") + row_text(*row); }
};

template <class Space, class T>
Found first_not_finite(const Space& space, In<T> v) {
  std::vector<T> host(v.size());
  space.download(host.data(), v.data(), v.size_bytes());
  const std::size_t begin = part_of(space, v.size()).begin;
  const auto at = std::find_if(host.begin(), host.end(), [](T value) { return !(value - value == T{0}); });
  const double here =
      at == host.end() ? HUGE_VAL : static_cast<double>(begin + static_cast<std::size_t>(at - host.begin()));
  const double first = least_of(space, here);
  if (first == HUGE_VAL) return {};
  const bool is_nan = most_of(space, here == first && *at != *at ? 1 : 0) == 1;
  return {static_cast<std::size_t>(first), is_nan};
}

/// Returns what `say` returns. A diagnosis that can't be made, for want of memory or because A throws, is none: the
/// solve is over, and its result is worth more. Where the device fails, x may be lost. Ranks that share a space leave
/// together.
template <class Space, class F>
auto if_possible(const Space& space, F&& say) -> decltype(say()) {
  if (!keeps_exceptions(space)) return say();
  try {
    return say();
  } catch (const DeviceMemoryError&) {
    return {};
  } catch (const DeviceError&) {
    throw;
  } catch (...) {
    return {};
  }
}

/// What is wrong with z = M^-1 b: that it isn't finite, or that it is so large beside b that products with it leave the
/// range. Empty otherwise.
template <class Space, class T>
std::string why_not_usable(const ScaledSystem<Space, T>& system, In<T> z) {
  const std::string scaled = system.scales_a() ? ", after A was scaled to the size of 1" : "";
  std::vector<T> host(z.size()), b(z.size());
  system.space().download(host.data(), z.data(), z.size_bytes());
  system.space().download(b.data(), system.b().data(), z.size_bytes());
  if (const Found at = first_not_finite<Space, T>(system.space(), z))
    return "M^-1 b isn't finite in " + row_text(*at.row) + scaled;
  double largest = 0, of_b = 0;
  std::size_t row = 0;
  for (std::size_t i = 0; i < host.size(); ++i) {
    const double size = magnitude(host[i]);
    if (size > largest) largest = size, row = i;
    of_b = std::max(of_b, magnitude(b[i]));
  }
  const double here = largest;
  largest = most_of(system.space(), here);
  of_b = most_of(system.space(), of_b);
  const std::size_t begin = part_of(system.space(), z.size()).begin;
  row =
      static_cast<std::size_t>(least_of(system.space(), here == largest ? static_cast<double>(begin + row) : HUGE_VAL));
  constexpr double huge = is_single<T> ? 1e12 : 1e30;
  if (!(largest > huge * of_b)) return {};
  return "M^-1 b is " + short_text(largest / of_b) + " times as large as b, in " + row_text(row) + scaled +
         ": pivots of M are tiny beside their rows; ilut pivots";
}

}  // namespace diagnosing

template <class Space, class T>
NotFinite why_not_finite(const ScaledSystem<Space, T>& system, In<T> x) {
  NotFinite found;
  found.where = diagnosing::if_possible(system.space(), [&]() -> std::string {
    found.in_input = true;
    const Space& space = system.space();
    if (const diagnosing::Found at = diagnosing::first_not_finite<Space, T>(space, system.b()))
      return "b holds " + at.text();
    if (const diagnosing::Found at = diagnosing::first_not_finite<Space, T>(space, x))
      return "the guess holds " + at.text();
    const Facts* const facts = system.a().facts();
    const std::string where = facts != nullptr && !facts->finite ? "A holds NaN or infinity" : "";
    const Vector<Space, T> ones(space, x.size(), T{1});
    Vector<Space, T> y(space, system.b().size());
    system.a().apply(ones, y);
    if (const diagnosing::Found at = diagnosing::first_not_finite<Space, T>(space, y))
      return (where.empty() ? "A * ones isn't finite" : where) + " in " + row_text(*at.row);
    if (!where.empty()) return where;
    found.in_input = false;
    if (system.m().is_identity() || !holds_for_all(space, x.size() == y.size())) return {};
    system.m().apply(system.b(), y);
    return diagnosing::why_not_usable<Space, T>(system, y);
  });
  found.in_input &= !found.where.empty();
  return found;
}

namespace diagnosing {

/// The largest absolute values of each element of some products of A with the elements of v times random numbers in
/// -1 .. 1. Hardly ever all of them are below a tenth of the size of the row: the sum of its terms' absolute values.
template <class Space, class T>
std::vector<double> sizes_of_rows(const Space& space, const OperatorRef<Space, T>& a, const std::vector<T>& v) {
  constexpr int products = 8;
  std::minstd_rand random;
  std::uniform_real_distribution<double> spread(-1, 1);
  constexpr std::size_t of_number = 2;  // calls of `random`; numbers are those of the whole vector
  const Part part = part_of(space, v.size());
  std::vector<T> x(v.size());
  std::vector<double> size(a.rows());
  Vector<Space, T> product(space, a.rows());
  for (int k = 0; k < products; ++k) {
    random.discard(of_number * part.begin);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<T>(spread(random) * static_cast<sum_t<T>>(v[j]));
    random.discard(of_number * (part.whole - part.begin - x.size()));
    a.apply(Vector<Space, T>(space, std::span<const T>(x)), product);
    const std::vector<T> found = product.download();
    for (std::size_t i = 0; i < size.size(); ++i) size[i] = std::max(size[i], magnitude(found[i]));
  }
  return size;
}

}  // namespace diagnosing

template <class Space, class T>
bool is_rounding_by_row(const Space& space, const OperatorRef<Space, T>& a, const std::vector<T>& v, In<T> y,
                        const std::vector<double>& extra) {
  constexpr double rounding = 64 * static_cast<double>(std::numeric_limits<real_t<T>>::epsilon());
  const std::vector<double> size = diagnosing::sizes_of_rows(space, a, v);
  const std::vector<T> sum = detail::to_host<T>(space, y);
  bool is_rounding = true;
  for (std::size_t i = 0; i < size.size() && is_rounding; ++i) {
    const double most = rounding * size[i] + (extra.empty() ? 0 : extra[i]);
    is_rounding = magnitude(sum[i]) <= most;
  }
  return holds_for_all(space, is_rounding);
}

template <class Space, class T>
bool solves_least_squares(const ScaledSystem<Space, T>& system, In<T> x, In<T> r) {
  constexpr double rounding = 8 * static_cast<double>(std::numeric_limits<real_t<T>>::epsilon());
  const Facts* const s = system.a().facts();
  if (s == nullptr || !s->symmetric || !s->finite) return false;
  const auto proof = [&] {
    const Space& space = system.space();
    const std::vector<double> of_x = diagnosing::sizes_of_rows(space, system.a(), detail::to_host<T>(space, x));
    const std::vector<T> b = detail::to_host<T>(space, system.b());
    std::vector<T> of_r(b.size());  // the rounding of b - A x
    for (std::size_t i = 0; i < b.size(); ++i) of_r[i] = static_cast<T>(rounding * (of_x[i] + magnitude(b[i])));
    Vector<Space, T> y(space, r.size());
    system.a().apply(r, y);
    return is_rounding_by_row<Space, T>(space, system.a(), detail::to_host<T>(space, r), y,
                                        diagnosing::sizes_of_rows(space, system.a(), of_r));
  };
  return diagnosing::if_possible(system.space(), proof);
}

template <class Space, class T>
bool shows_asymmetry(const ScaledSystem<Space, T>& system, In<T> r) {
  constexpr double clear = 1e-3, rounding = 1e3 * static_cast<double>(std::numeric_limits<real_t<T>>::epsilon());
  const Space& space = system.space();
  const auto shown = [&] {
    Vector<Space, T> first(space, r.size()), second(space, r.size());
    system.a().apply(r, first);
    system.a().apply(first, second);
    Vector<Space, sum_t<T>> slot(space, 1);
    const auto product = [&](In<T> v, In<T> w) {
      dot<T>(space, v, w, slot.data());
      return slot.download()[0];
    };
    const double rr = real_part(product(r, r)), vv = real_part(product(first, first)),
                 ww = real_part(product(second, second));
    const double difference = magnitude(product(r, second) - vv);
    const double norm = std::isnan(system.a_norm()) ? 0 : system.a_norm();
    return difference > clear * std::sqrt(rr * ww) && difference > rounding * norm * std::sqrt(rr * vv);
  };
  return diagnosing::if_possible(space, shown);
}

template <class Space, class T>
Reason why_singular(const ScaledSystem<Space, T>& system, double goal) {
  return diagnosing::if_possible(system.space(), [&]() -> Reason {
    const Space& space = system.space();
    if (!holds_for_all(space, system.a().rows() == system.a().cols())) return {};
    const Facts* const s = system.a().facts();
    if (s != nullptr && s->empty_rows > 0) {
      const char* const rows = s->empty_rows == 1 ? " row has no entries" : " rows have no entries";
      return {Cause::singular, "A is singular: " + std::to_string(s->empty_rows) + rows};
    }
    const std::size_t n = system.b().size();
    const Vector<Space, T> ones(space, n, T{1});
    Vector<Space, T> y(space, n), room(space, n);
    Vector<Space, sum_t<T>> slot(space, 1);
    system.a().apply(ones, y);
    const double root = std::sqrt(static_cast<double>(part_of(space, n).whole)),
                 size = norm_of<T>(space, y, room, slot.data());
    const double rounding =
        std::isnan(system.a_norm()) ? 0 : 4 * std::numeric_limits<real_t<T>>::epsilon() * system.a_norm();
    if (!(size <= rounding * root) || !is_rounding_by_row<Space, T>(space, system.a(), std::vector<T>(n, T{1}), y))
      return {};
    const Reason found{Cause::singular, "A * ones = 0: A is singular, constants solve A x = 0"};
    if (s == nullptr || !s->symmetric) return found;
    dot<T>(space, ones, system.b(), slot.data());
    const sum_t<T> sum = slot.download()[0];
    if (magnitude(sum) <= goal * root) return {};
    return {Cause::no_solution, no_solution_text(system.unscaled(is_complex<T> ? magnitude(sum) : real_part(sum)))};
  });
}

}  // namespace ostinato
