// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/recurrence/diagnosis_definition.hpp>

#include <complex>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

std::string short_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

std::string limit_text(int iterations) {
  return "the limit of " + std::to_string(iterations) + (iterations == 1 ? " iteration" : " iterations") +
         " was reached";
}

std::string outside_text(double relative_residual) {
  return "b is outside of the range of A by " + short_text(relative_residual) +
         " of its size; x makes ||b - A x|| smallest";
}

#define OSTINATO_INSTANTIATE(Space, T)                                                                       \
  template NotFinite why_not_finite(const ScaledSystem<Space, T>&, In<T>);                                   \
  template bool is_rounding_by_row(const Space&, const OperatorRef<Space, T>&, const std::vector<T>&, In<T>, \
                                   const std::vector<double>&);                                              \
  template bool solves_least_squares(const ScaledSystem<Space, T>&, In<T>, In<T>);                           \
  template bool shows_asymmetry(const ScaledSystem<Space, T>&, In<T>);                                       \
  template Reason why_singular(const ScaledSystem<Space, T>&, double)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);
OSTINATO_FOR_COMPLEX(OSTINATO_INSTANTIATE);

}  // namespace ostinato
