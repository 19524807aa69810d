// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/no_solution.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <vector>

#include <ostinato/solvers/recurrence/diagnosis.hpp>
#include <ostinato/spmv/analysis/structure.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

std::string no_solution_text(double sum) {
  return "A * ones = 0: A is singular, constants solve A x = 0; so b would have to add up to 0, but adds up to " +
         short_text(sum);
}

template <class Space, class T>
std::string why_no_solution(const Space& space, const OperatorRef<Space, T>& a, In<T> b, double goal) {
  try {
    constexpr double unit = static_cast<double>(std::numeric_limits<T>::epsilon());
    const Facts* const s = a.facts();
    if (s == nullptr || !s->symmetric || b.empty()) return {};
    const Vector<Space, T> ones(space, b.size(), T{1});
    Vector<Space, T> y(space, b.size());
    a.apply(ones, y);
    for (const T v : y.download()) {
      if (!(std::abs(static_cast<double>(v)) <= 8 * unit * s->norm_inf)) return {};
    }
    if (!is_rounding_by_row<Space, T>(space, a, std::vector<T>(b.size(), T{1}), y)) return {};
    Vector<Space, double> slot(space, 1);
    dot<T>(space, ones, b, slot.data());
    const double sum = slot.download()[0];
    dot<T>(space, b, b, slot.data());
    const double size = std::sqrt(slot.download()[0] * static_cast<double>(b.size()));
    // The residual of every x adds up to the same, so that its norm is at least sum / sqrt(n). A share that may be the
    // rounding of b and of A proves nothing.
    const bool proven = std::isfinite(size) && std::abs(sum) > size * std::max(2 * goal, std::sqrt(unit));
    return proven ? no_solution_text(sum) : std::string();
  } catch (const std::bad_alloc&) {
    return {};
  } catch (const DeviceMemoryError&) {
    return {};
  }
}

#define OSTINATO_INSTANTIATE(Space, T) \
  template std::string why_no_solution(const Space&, const OperatorRef<Space, T>&, In<T>, double)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
