// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/gcrodr_definition.hpp>

#include <ostinato/solvers/instantiate.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

std::size_t Gcrodr::basis_bytes(std::size_t rows, std::size_t value_bytes, const SolveOptions& options) {
  if (options.restart == automatic_restart) return 0;
  const int vectors = krylov_vectors(rows, value_bytes, options.restart);
  const int kept = std::min(options.recycle == automatic_recycle ? vectors / 5 : options.recycle, vectors);
  return value_bytes * rows * (static_cast<std::size_t>(vectors) + 2 * static_cast<std::size_t>(kept) + 2);
}

std::string Gcrodr::variant(const SolveOptions& options) {
  return options.restart == automatic_restart ? std::string() : "(" + std::to_string(options.restart) + ")";
}

std::string Gcrodr::breakdown_text(int cause, double number, const std::string& when) {
  return Gmres::breakdown_text(cause, number, when);
}

OSTINATO_INSTANTIATE_METHOD(Gcrodr);

}  // namespace ostinato
