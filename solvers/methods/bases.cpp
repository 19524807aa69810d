// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// How many vectors methods keep, in memory and in words: what programs ask of the list of methods (list.hpp) without
// the methods themselves.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include <ostinato/solvers/methods/gcrodr.hpp>
#include <ostinato/solvers/methods/gmres.hpp>
#include <ostinato/solvers/methods/idr.hpp>
#include <ostinato/spmv/space/memory.hpp>

namespace ostinato {

namespace {

/// Of an automatic restart.
constexpr double largest_basis_bytes = 2e9, largest_share = 1.0 / 8;
constexpr int most_vectors = 1000;

}  // namespace

double basis_memory(std::size_t limit) {
  return limit == 0 ? largest_basis_bytes : std::min(largest_basis_bytes, static_cast<double>(limit));
}

int krylov_vectors(std::size_t rows, std::size_t bytes, int restart, double memory) {
  double most = std::max(restart, 1);
  if (restart == automatic_restart) {
    const double free = std::min(memory, largest_share * static_cast<double>(host_memory()));
    const double fit = free / (static_cast<double>(bytes) * static_cast<double>(std::max<std::size_t>(rows, 1)));
    most = std::clamp(std::floor(fit), 1.0, double{most_vectors});
  }
  return static_cast<int>(std::clamp(static_cast<double>(rows), 1.0, most));
}

std::size_t Gmres::basis_bytes(std::size_t rows, std::size_t value_bytes, const SolveOptions& options) {
  if (options.restart == automatic_restart) return 0;
  const std::size_t column = value_bytes * (options.flexible ? 2 : 1);
  return column * rows * static_cast<std::size_t>(krylov_vectors(rows, column, options.restart));
}

std::string Gmres::variant(const SolveOptions& options) {
  const bool is_given = options.restart != automatic_restart;
  return (is_given ? "(" + std::to_string(options.restart) + ")" : std::string()) +
         (options.flexible ? " flexible" : "");
}

std::size_t Gcrodr::basis_bytes(std::size_t rows, std::size_t value_bytes, const SolveOptions& options) {
  if (options.restart == automatic_restart) return 0;
  const int vectors = krylov_vectors(rows, value_bytes, options.restart);
  const int kept = std::min(options.recycle == automatic_recycle ? vectors / 5 : options.recycle, vectors);
  return value_bytes * rows * (static_cast<std::size_t>(vectors) + 2 * static_cast<std::size_t>(kept) + 2);
}

std::string Gcrodr::variant(const SolveOptions& options) {
  return options.restart == automatic_restart ? std::string() : "(" + std::to_string(options.restart) + ")";
}

std::string Idr::variant(const SolveOptions& options) { return "(" + std::to_string(options.shadow) + ")"; }

}  // namespace ostinato
