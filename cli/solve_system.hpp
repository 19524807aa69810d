// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include <ostinato/ostinato.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/matrix/io/text.hpp>
#include <ostinato/spmv/space/memory.hpp>

#include "generated.hpp"
#include "progress.hpp"
#include "solve_input.hpp"
#include "text.hpp"

// The files of a system: the matrix, b and the first guess.

namespace ostinato::cli {

template <class T>
struct System {
  Csr<T> a;
  Array<T> b, x;  ///< empty when not given
};

inline void require_square(const SolveInput& in, const MatrixMarketInfo& info) {
  if (info.rows == info.cols || in.solver == "auto" || in.solver == Lsmr::name) return;
  throw FormatError(in.matrix, 0,
                    fmt::format("the matrix is {} x {}, and {} needs a square one; lsmr solves least squares problems",
                                info.rows, info.cols, in.solver));
}

/// The least size of a vector or matrix that keeps its digits in T.
template <class T>
constexpr double least_size = std::numeric_limits<T>::min();

template <class Values>
double largest(const Values& values) {
  double size = 0;
  for (const auto v : values) size = std::max(size, std::abs(static_cast<double>(v)));
  return size;
}

[[noreturn]] inline void throw_too_small(const std::string& path, double size) {
  throw FormatError(path, 0,
                    fmt::format("the largest value is {:.3g}, too small for single precision; --precision "
                                "double holds it",
                                size));
}

/// Reads a vector in double precision, so that one that would vanish in T isn't taken for 0.
template <class T>
Array<T> read_rounded(const std::string& path) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return read_vector<T>(path);
  } else {
    const Array<double> read = read_vector<double>(path);
    const double size = largest(read);
    if (size > std::numeric_limits<T>::max()) {
      throw FormatError(path, 0, fmt::format("the largest value is {:.3g}, too large for single precision", size));
    }
    if (size > 0 && size < least_size<T>) throw_too_small(path, size);
    Array<T> rounded(read.size());
    std::transform(read.begin(), read.end(), rounded.begin(), [](double v) { return static_cast<T>(v); });
    return rounded;
  }
}

/// A matrix that may have vanished in T is read once more. The standard input can't be read again.
template <class T>
void require_size(const std::string& path, const Csr<T>& a) {
  if (sizeof(T) == sizeof(double) || a.val.empty() || path == "-" || largest(a.val) >= least_size<T>) return;
  const double size = largest(read_matrix_market<double>(path).val);
  if (size > 0) throw_too_small(path, size);
}

template <class T>
Array<T> read_part(const std::string& path, Index size, const char* what = "rows") {
  if (path.empty()) return {};
  Array<T> v = read_rounded<T>(path);
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
System<T> read_system(const SolveInput& in, MatrixMarketInfo& info, Progress& progress) {
  System<T> s;
  s.a = load_matrix<T>(in.matrix, &info, &progress);
  require_square(in, info);
  require_size(in.matrix, s.a);
  s.b = read_part<T>(in.rhs, s.a.rows);
  s.x = read_part<T>(in.guess, s.a.cols, s.a.rows == s.a.cols ? "rows" : "columns");
  return s;
}

}  // namespace ostinato::cli
