// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include <ostinato/ostinato.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/io/text.hpp>
#include <ostinato/spmv/space/memory.hpp>

#include "generated.hpp"
#include "solve_input.hpp"
#include "text.hpp"

// The files of a system: the matrix, b and the first guess.

namespace ostinato::cli {

template <class T>
struct System {
  Csr<T> a;
  Array<T> b, x;  ///< empty when not given
};
template <class T>
SystemSize size_of(const System<T>& system) {
  return size_of(system.a);
}

inline void require_square(const SolveInput& in, const MatrixMarketInfo& info) {
  if (info.rows == info.cols || in.solver == "auto" || takes_any_shape(in.solver)) return;
  throw FormatError(in.matrix, 0,
                    fmt::format("the matrix is {} x {}, and {} needs a square one; {} solves least squares problems",
                                info.rows, info.cols, in.solver, name_in_auto<RoleInAuto::least_squares>));
}

/// The least size of a vector or matrix that T holds. In single precision one that keeps all digits, since double
/// precision holds less.
template <class T>
constexpr double least_size = is_single<T> ? std::numeric_limits<float>::min()
                                           : std::numeric_limits<double>::denorm_min();

template <class Values>
double largest(const Values& values) {
  double size = 0;
  for (const auto v : values) size = std::max(size, std::abs(static_cast<double>(v)));
  return size;
}

/// Refuses values that all are smaller than that. `vanished`: how many that aren't 0 were read as 0.
template <class T>
void require_size(const std::string& path, double largest, Offset vanished) {
  if (largest >= least_size<T> || (largest == 0 && vanished == 0)) return;
  const bool single = is_single<T>;
  throw FormatError(
      path, 0,
      fmt::format("every value is below {:.3g}, too small for {} precision; {}", least_size<T>,
                  single ? "single" : "double",
                  single ? "--precision double holds smaller ones" : "multiply all values by a power of 2"));
}

template <class T>
Array<T> read_part(const std::string& path, Index size, const char* what = "rows") {
  if (path.empty()) return {};
  Offset vanished = 0;
  Array<T> v = read_vector<T>(path, &vanished);
  require_size<T>(path, largest(v), vanished);
  if (v.size() == static_cast<std::size_t>(size)) return v;
  throw FormatError(path, 0, fmt::format("holds {} values, but the matrix has {} {}", v.size(), size, what));
}

/// Refuses a system of more rows than there is memory for the vectors of a solve on the CPU: x, b, r and those of the
/// method, at least two.
template <class T>
void require_vectors(const std::string& path, Index rows, double matrix) {
  constexpr double vectors = 5;
  const double need = matrix + vectors * sizeof(T) * static_cast<double>(rows),
               memory = static_cast<double>(host_memory());
  if (need <= memory) return;
  throw FormatError(path, 0,
                    fmt::format("a solve with {} rows takes at least {} of memory, and there are {}", count_text(rows),
                                bytes_text(need), bytes_text(memory)));
}

template <class T>
double bytes_of(const Csr<T>& a) {
  return static_cast<double>(a.row_ptr.size() * sizeof(Offset) + a.val.size() * (sizeof(T) + sizeof(Index)));
}

template <class T>
System<T> read_system(const SolveInput& in, MatrixMarketInfo& info) {
  System<T> s;
  s.a = load_shown<T>(in.matrix, &info, !in.quiet);
  require_square(in, info);
  require_size<T>(in.matrix, largest(s.a.val), info.vanished);
  s.b = read_part<T>(in.rhs, s.a.rows);
  s.x = read_part<T>(in.guess, s.a.cols, s.a.rows == s.a.cols ? "rows" : "columns");
  return s;
}

}  // namespace ostinato::cli
