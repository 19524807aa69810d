// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/csr.hpp>

#include <atomic>
#include <complex>
#include <functional>
#include <limits>
#include <string>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/matrix/assemble.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {
namespace {

constexpr Index no_row = std::numeric_limits<Index>::max();

/// The first row for which bad(row) holds, or no_row. All rows have so many entries.
template <class F>
Index first_row(Index rows, Offset entries, F bad) {
  const Host host;
  const std::vector<detail::RowRun> runs = detail::cut_rows(rows);
  std::vector<Index> found(runs.size(), no_row);
  detail::for_parts(host, runs.size(), rows + entries, [&](std::size_t k) {
    for (Index r = runs[k].first; r < runs[k].last; ++r) {
      if (bad(r)) {
        found[k] = r;
        return;
      }
    }
  });
  return *std::min_element(found.begin(), found.end());
}

std::string shape(Index rows, Index cols) { return std::to_string(rows) + " x " + std::to_string(cols); }

constexpr const char* ask_base = "; are the arrays 1-based? csr_from() takes a base";

[[noreturn]] void refuse(const std::string& reason) { throw ArgumentError("not a CSR matrix: " + reason); }

struct Pattern {
  Index rows, cols;
  std::span<const Offset> row_ptr;
  std::span<const Index> col;
};

/// The columns of a row of a CsrView or Pattern.
template <class A>
std::span<const Index> columns(const A& a, Index row) {
  const auto r = static_cast<std::size_t>(row);
  return a.col.subspan(static_cast<std::size_t>(a.row_ptr[r]),
                       static_cast<std::size_t>(a.row_ptr[r + 1] - a.row_ptr[r]));
}

void refuse_row(const Pattern& a, Index row) {
  const auto r = static_cast<std::size_t>(row);
  const std::string which = row_text(r);
  if (a.row_ptr[r + 1] < a.row_ptr[r]) refuse(which + " ends before it begins");
  if (a.row_ptr[r + 1] > static_cast<Offset>(a.col.size())) {
    refuse(which + " ends at entry " + std::to_string(a.row_ptr[r + 1]) + ", but there are " +
           std::to_string(a.col.size()));
  }
  for (const Index c : columns(a, row)) {
    if (c < 0 || c >= a.cols) {
      refuse(which + " has an entry in column " + std::to_string(c) + ", but there are " + std::to_string(a.cols) +
             " columns" + (c == a.cols ? ask_base : ""));
    }
  }
}

template <class T>
bool inside(const Triplet<T>& t, Index rows, Index cols) {
  return t.row >= 0 && t.row < rows && t.col >= 0 && t.col < cols;
}

template <class T>
[[noreturn]] void refuse_triplet(Index rows, Index cols, std::span<const Triplet<T>> triplets) {
  const auto bad =
      std::find_if(triplets.begin(), triplets.end(), [&](const Triplet<T>& t) { return !inside(t, rows, cols); });
  const bool one_based = bad->row == rows || bad->col == cols;
  throw ArgumentError("from_triplets: triplet " + std::to_string(bad - triplets.begin()) + " at (" +
                      std::to_string(bad->row) + ", " + std::to_string(bad->col) + ") lies outside " +
                      shape(rows, cols) + (one_based ? "; are the indices 1-based? csr_from_coo() takes a base" : ""));
}

/// The position of each triplet in the matrix made of them.
template <class T>
std::vector<Offset> positions(const Host& host, const Csr<T>& a, std::span<const Triplet<T>> triplets) {
  std::vector<Offset> at(triplets.size());
  constexpr std::size_t block = std::size_t{1} << 14;
  parallel_for(host, (triplets.size() + block - 1) / block, [&](std::size_t b) {
    for (std::size_t k = b * block; k < std::min(triplets.size(), (b + 1) * block); ++k) {
      const auto row = static_cast<std::size_t>(triplets[k].row);
      const Index* const col = a.col.data();
      at[k] = std::lower_bound(col + a.row_ptr[row], col + a.row_ptr[row + 1], triplets[k].col) - col;
    }
  });
  return at;
}

}  // namespace

template <class T>
Csr<T> from_triplets(Index rows, Index cols, std::span<const Triplet<T>> triplets, std::vector<Offset>* where) {
  if (rows < 0 || cols < 0) throw ArgumentError("from_triplets: the shape " + shape(rows, cols) + " is negative");
  const Host host;
  constexpr std::size_t block = std::size_t{1} << 16;
  const std::size_t blocks = std::max<std::size_t>(1, triplets.size() / block);
  const auto piece = [&](std::size_t k) {
    const std::size_t from = triplets.size() * k / blocks;
    return triplets.subspan(from, triplets.size() * (k + 1) / blocks - from);
  };
  detail::Assembly<T> assembly(host, rows, cols, blocks);
  std::atomic<bool> outside = false;
  parallel_for(host, blocks, [&](std::size_t k) {
    auto count = assembly.count(k);
    for (const Triplet<T>& t : piece(k)) {
      if (inside(t, rows, cols)) {
        count.add(t.row);
      } else {
        outside.store(true, std::memory_order_relaxed);
      }
    }
  });
  if (outside) refuse_triplet(rows, cols, triplets);
  assembly.allocate();
  parallel_for(host, blocks, [&](std::size_t k) {
    auto put = assembly.put(k);
    for (const Triplet<T>& t : piece(k)) put.add(t.row, t.col, t.val);
  });
  Csr<T> a = assembly.finish();
  if (where != nullptr) *where = positions(host, a, triplets);
  return a;
}

namespace {

void check_pattern_sizes(const Pattern& a) {
  if (a.rows < 0 || a.cols < 0) refuse("the shape " + shape(a.rows, a.cols) + " is negative");
  if (a.row_ptr.size() != static_cast<std::size_t>(a.rows) + 1) {
    refuse(std::to_string(a.rows) + " rows need " + std::to_string(Offset{a.rows} + 1) +
           " row pointers, but there are " + std::to_string(a.row_ptr.size()));
  }
}

void check_rows(const Pattern& a) {
  if (a.row_ptr[0] != 0) {
    refuse("row 0 begins at entry " + std::to_string(a.row_ptr[0]) + " instead of 0" +
           (a.row_ptr[0] == 1 ? ask_base : ""));
  }
  const auto entries = static_cast<Offset>(a.col.size());
  const Index bad = first_row(a.rows, entries, [&](Index r) {
    const Offset begin = a.row_ptr[static_cast<std::size_t>(r)];
    const Offset end = a.row_ptr[static_cast<std::size_t>(r) + 1];
    if (begin < 0 || end < begin || end > entries) return true;
    const auto row = columns(a, r);
    return std::any_of(row.begin(), row.end(), [&](Index c) { return c < 0 || c >= a.cols; });
  });
  if (bad != no_row) refuse_row(a, bad);
  const Offset held = a.row_ptr[static_cast<std::size_t>(a.rows)];
  if (held != entries) {
    refuse("the rows hold " + std::to_string(held) + " entries, but there are " + std::to_string(entries));
  }
}

}  // namespace

template <class T>
void check_sizes(const CsrView<T>& a) {
  check_pattern_sizes({a.rows, a.cols, a.row_ptr, a.col});
  if (a.col.size() != a.val.size()) {
    refuse(std::to_string(a.col.size()) + " columns stand beside " + std::to_string(a.val.size()) + " values");
  }
}

template <class T>
void check(const CsrView<T>& a) {
  check_sizes(a);
  check_rows({a.rows, a.cols, a.row_ptr, a.col});
}

void check_pattern(Index rows, Index cols, std::span<const Offset> row_ptr, std::span<const Index> col) {
  const Pattern a{rows, cols, row_ptr, col};
  check_pattern_sizes(a);
  check_rows(a);
}

template <class T>
bool is_canonical(const CsrView<T>& a) {
  return no_row == first_row(a.rows, a.nonzeros(), [&](Index r) {
           const auto row = columns(a, r);
           return std::adjacent_find(row.begin(), row.end(), std::greater_equal<Index>()) != row.end();
         });
}

template <class T>
Csr<T> canonical(const CsrView<T>& a) {
  check(a);
  return canonical(a, checked);
}

template <class T>
Csr<T> canonical(const CsrView<T>& a, Checked) {
  const Host host;
  const auto entries = static_cast<std::size_t>(a.nonzeros());
  Csr<T> out{a.rows, a.cols, Array<Offset>(static_cast<std::size_t>(a.rows) + 1), Array<Index>(entries),
             Array<T>(entries)};
  out.row_ptr[0] = 0;
  // The system allocates pages of the scratch array only where a row needs sorting.
  Array<Triplet<T>> scratch(entries);
  std::vector<detail::RowRun> runs = detail::cut_rows(a.rows);
  parallel_for(host, runs.size(), [&](std::size_t k) {
    detail::RowRun& run = runs[k];
    if (run.first == run.last) return;
    run.begin = a.row_ptr[static_cast<std::size_t>(run.first)];
    const Offset end = a.row_ptr[static_cast<std::size_t>(run.last)];
    std::copy(a.row_ptr.begin() + run.first + 1, a.row_ptr.begin() + run.last + 1, out.row_ptr.begin() + run.first + 1);
    std::copy(a.col.begin() + run.begin, a.col.begin() + end, out.col.begin() + run.begin);
    std::copy(a.val.begin() + run.begin, a.val.begin() + end, out.val.begin() + run.begin);
    detail::order_run(out, run, scratch.data());
  });
  detail::close_gaps<T>(out, runs);
  return out;
}

template <class T>
Csr<T> transpose(const CsrView<T>& a) {
  check(a);
  return transpose(a, checked);
}

template <class T>
Csr<T> transpose(const CsrView<T>& a, Checked) {
  const Host host;
  const std::vector<detail::RowRun> runs = detail::cut_rows(a.rows);
  detail::Assembly<T> assembly(host, a.cols, a.rows, runs.size());
  parallel_for(host, runs.size(), [&](std::size_t k) {
    auto count = assembly.count(k);
    for (Index r = runs[k].first; r < runs[k].last; ++r) {
      for (const Index c : columns(a, r)) count.add(c);
    }
  });
  assembly.allocate();
  parallel_for(host, runs.size(), [&](std::size_t k) {
    auto put = assembly.put(k);
    for (Index r = runs[k].first; r < runs[k].last; ++r) {
      const T* val = a.val.data() + a.row_ptr[static_cast<std::size_t>(r)];
      for (const Index c : columns(a, r)) put.add(c, r, *val++);
    }
  });
  return assembly.finish();
}

#define OSTINATO_INSTANTIATE(T)                                                                      \
  template Csr<T> from_triplets<T>(Index, Index, std::span<const Triplet<T>>, std::vector<Offset>*); \
  template void check<T>(const CsrView<T>&);                                                         \
  template void check_sizes<T>(const CsrView<T>&);                                                   \
  template bool is_canonical<T>(const CsrView<T>&);                                                  \
  template Csr<T> canonical<T>(const CsrView<T>&);                                                   \
  template Csr<T> canonical<T>(const CsrView<T>&, Checked);                                          \
  template Csr<T> transpose<T>(const CsrView<T>&);                                                   \
  template Csr<T> transpose<T>(const CsrView<T>&, Checked)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
OSTINATO_FOR_COMPLEX_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
