// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/ordering/minimum_degree.hpp>

#include <suitesparse/amd.h>
#include <suitesparse/cholmod.h>

#include <limits>
#include <memory>
#include <new>
#include <numeric>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato {

const bool has_minimum_degree = true;

namespace {

void require_int(std::size_t edges) {
  if (edges > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw ArgumentError("minimum_degree: the graph has too many edges for SuiteSparse; take another order");
}

/// CHOLMOD's settings for the order of rows, and the end of what it has allocated.
struct Cholmod {
  cholmod_common common{};

  Cholmod() {
    cholmod_start(&common);
    common.print = 0;
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_COLAMD;
    common.supernodal = CHOLMOD_SIMPLICIAL;
  }
  Cholmod(const Cholmod&) = delete;
  Cholmod& operator=(const Cholmod&) = delete;
  ~Cholmod() { cholmod_finish(&common); }

  /// The object, which CHOLMOD has made.
  template <class Object, class Free>
  auto owned(Object* object, Free free) {
    if (common.status == CHOLMOD_OUT_OF_MEMORY) throw std::bad_alloc();
    if (object == nullptr) throw ArgumentError("minimum_degree: SuiteSparse can't order the rows; take another order");
    const auto end = [this, free](Object* o) { free(&o, &common); };
    return std::unique_ptr<Object, decltype(end)>(object, end);
  }
};

}  // namespace

RowOrder minimum_degree_of_rows(std::span<const Offset> row_ptr, std::span<const Index> col) {
  require_int(col.size());
  const std::size_t n = row_ptr.size() - 1;
  RowOrder order;
  if (n == 0) return order;
  std::vector<int> begin(row_ptr.begin(), row_ptr.end()), index(col.begin(), col.end());
  cholmod_sparse columns{};  // of A^T, which are the rows of A
  columns.nrow = columns.ncol = n;
  columns.nzmax = index.size();
  columns.p = begin.data();
  columns.i = index.data();
  columns.itype = CHOLMOD_INT;
  columns.xtype = CHOLMOD_PATTERN;
  columns.dtype = CHOLMOD_DOUBLE;
  columns.sorted = columns.packed = true;
  Cholmod cholmod;
  const auto a = cholmod.owned(cholmod_transpose(&columns, 0, &cholmod.common), cholmod_free_sparse);
  const auto factor = cholmod.owned(cholmod_analyze(a.get(), &cholmod.common), cholmod_free_factor);
  const int* const row = static_cast<int*>(factor->Perm);
  order.row.assign(row, row + n);
  order.entries = 2 * cholmod.common.lnz - static_cast<double>(n);
  order.multiplications = cholmod.common.fl;
  return order;
}

std::vector<Index> minimum_degree(const Graph& g) {
  require_int(g.col.size());
  const std::vector<int> begin(g.row_ptr.begin(), g.row_ptr.end());
  std::vector<Index> order(g.nodes());
  std::iota(order.begin(), order.end(), Index{0});
  if (g.col.empty()) return order;
  const int status = amd_order(static_cast<int>(g.nodes()), begin.data(), g.col.data(), order.data(), nullptr, nullptr);
  if (status == AMD_OUT_OF_MEMORY) throw std::bad_alloc();
  if (status < AMD_OK) throw ArgumentError("minimum_degree: AMD can't order the graph; take another order");
  return order;
}

}  // namespace ostinato
