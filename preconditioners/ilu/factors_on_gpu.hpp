// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/ilu/library_factors.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>

namespace ostinato {

/// Complete factors that cuDSS makes and keeps on a GPU. It is opened when it is first asked for.
///
/// Memory    As its analysis foretells. Where that isn't free on the GPU, part of the factors stays in host memory.
/// Exec      The constructor waits. solve() is enqueued, and may not be captured.
template <class T>
class FactorsOnGpu {
 public:
  static std::string library();  ///< "cuDSS 1.0.0"; empty where there is none

  /// What cuDSS takes at least, most of it on the host. A fit to 99 real matrices on an H200, 2026-11.
  static double predicted_seconds(Index rows) { return 9e-3 + 6e-6 * rows; }

  /// Orders the rows, announces the factors to `memory`, makes them. Nothing where cuDSS isn't there or fails, and
  /// where the factors have more than `most_entries` entries.
  /// Requires  A square matrix in the memory of the space, with canonical rows and finite values; symmetric unless
  ///           `general`.
  /// Throws    MemoryLimitError where the factors take more than there may be, before they are made; Stopped once
  ///           `stop` is made.
  static std::optional<FactorsOnGpu> make(const Cuda& space, const CsrView<T>& a, LibraryFactorOptions::Kind kind,
                                          Offset most_entries, const MemoryBudget& memory, const StopRequest& stop);

  /// Factors a matrix with the same pattern and other values, in the order that was found. False where that fails, or
  /// is_right() says so of the new factors: those of the old values are there again, unless the device fails.
  bool update_values(std::span<const T> values, const std::function<bool()>& is_right);

  void solve(std::span<const T> r, std::span<T> z) const;             ///< z = A^-1 r
  void solve_transposed(std::span<const T> r, std::span<T> z) const;  ///< z = A^-T r

  /// z = M^-1 r
  void apply(std::span<const T> r, std::span<T> z) const { solve(r, z); }

  const Cuda& space() const;
  std::size_t rows() const;
  std::size_t bytes() const;      ///< on the GPU and the host
  Offset nonzeros() const;        ///< of L and U
  Index raised_pivots() const;    ///< those that were too small
  Index negative_pivots() const;  ///< of L D L^T

 private:
  struct Kept;
  explicit FactorsOnGpu(std::shared_ptr<Kept> kept) : kept_(std::move(kept)) {}
  std::shared_ptr<Kept> kept_;
};

}  // namespace ostinato
