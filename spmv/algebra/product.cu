// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <ostinato/spmv/algebra/product_pattern.hpp>
#include <ostinato/spmv/algebra/product_rows.hpp>
#include <ostinato/spmv/algebra/product_steps.hpp>
#include <ostinato/spmv/space/cuda/cluster.cuh>
#include <ostinato/spmv/space/cuda/lane_group.cuh>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/scan.hpp>
#include <ostinato/spmv/space/together.hpp>
#include <ostinato/spmv/space/vector.hpp>

// Rows go to tables in shared memory: short rows to a few lanes of a warp each, rows that overflow such a table to a
// thread block with a larger table, and rows that overflow that one to a thread block with a bit for each column.

namespace ostinato::detail {

namespace {

using cuda::block_threads;
using cuda::BlockGroup;
using cuda::blocks_for;
using cuda::LaneGroup;

constexpr int slots_of_lane = 16, most_of_lane = 12;  // of a table for a few lanes
constexpr int slots_of_block = 4096, most_of_block = 3072;
constexpr int sums_of_lane = 16;
constexpr Offset filling = Offset{1} << 18;  ///< lanes that the GPU is full with

/// More lanes for each of some rows, up to 32, where these don't fill the GPU.
int with_idle_lanes(int lanes, Index rows) {
  while (lanes < 32 && Offset{lanes} * rows < filling) lanes *= 2;
  return lanes;
}

constexpr int long_row = 16;  ///< lanes for a row of B, from which on a table pays

/// The lanes for each of so many rows of C that columns are searched for in: four rows of B at a time for a row of A of
/// some twenty entries (H200, 2026-11: 26 us instead of 59 for 49 entries, 110 instead of 145 for 14), one for a row of
/// seven, and room for twice as many elements as rows of B have on average.
int lanes_for_searches(Offset row_of_a, Offset row_of_b, Index rows) {
  constexpr Offset for_a_row = 7;
  const int width = cuda::lanes_for(2 * row_of_b, 4), together = cuda::lanes_for(row_of_a / for_a_row, 1);
  return with_idle_lanes(std::min(32, width * std::min(together, 4)), rows);
}

/// The warps that share each of some rows of A: several where one a row doesn't fill the GPU, and rows are long.
int parts_of_rows(Offset row_of_a, Index rows) {
  constexpr int most_parts = block_threads / 32;
  constexpr Offset least = 8;  // entries of a part
  int parts = 1;
  while (parts < most_parts && 32 * Offset{parts} * rows < filling && 2 * parts * least <= row_of_a) parts *= 2;
  return parts;
}

/// The rows of a product that a kernel finds the patterns of.
struct Task {
  CsrPattern a, b;
  int width;        ///< lanes that share a row of B
  Offset* row_ptr;  ///< while rows are counted, their lengths; row pointers afterwards
  Index* col;       ///< null while rows are counted
  Index* longer;    ///< rows that overflow
  int* longer_count;
  const Index* rows;  ///< the rows of the task, `count` of them; null for 0 .. count - 1
  Index count;

  __device__ std::size_t row(Index at) const { return static_cast<std::size_t>(rows == nullptr ? at : rows[at]); }

  /// Whether a row belongs to a kernel whose tables take `most` columns.
  __device__ bool takes(std::size_t i, int most) const { return col == nullptr || row_ptr[i + 1] - row_ptr[i] <= most; }

  /// Counts or writes the columns of row i.
  template <class Group>
  __device__ void run(const Group& group, const ColumnTable& table, std::size_t i) const {
    const int found = table.collect(group, width, a, b, i);
    if (col != nullptr) {
      table.write(group, col + row_ptr[i]);
    } else if (group.lane() == 0) {
      row_ptr[i] = found;
      if (found > table.most) longer[atomicAdd(longer_count, 1)] = static_cast<Index>(i);
    }
    group.sync();
  }
};

template <int Lanes>
__global__ void __launch_bounds__(block_threads) table_kernel(Task task) {
  constexpr int groups = block_threads / Lanes, slots = slots_of_lane * Lanes, most = most_of_lane * Lanes;
  __shared__ Index slot[groups * slots], list[groups * most];
  __shared__ int counters[groups * 2];
  cuda::pdl_trigger_and_wait();
  const int mine = static_cast<int>(threadIdx.x) / Lanes;
  const ColumnTable table{slot + mine * slots, slots, list + mine * most, counters + mine * 2, most};
  const Offset stride = static_cast<Offset>(gridDim.x) * groups;
  for (Offset at = static_cast<Offset>(blockIdx.x) * groups + mine; at < task.count; at += stride) {
    const std::size_t i = task.row(static_cast<Index>(at));
    if (task.takes(i, most)) task.run(LaneGroup<Lanes>{}, table, i);
  }
}

__global__ void __launch_bounds__(block_threads) block_table_kernel(Task task) {
  __shared__ Index slot[slots_of_block], list[most_of_block];
  __shared__ int counters[2];
  cuda::pdl_trigger_and_wait();
  const ColumnTable table{slot, slots_of_block, list, counters, most_of_block};
  for (Offset at = blockIdx.x; at < task.count; at += gridDim.x) {
    const std::size_t i = task.row(static_cast<Index>(at));
    if (task.takes(i, most_of_block)) task.run(BlockGroup{}, table, i);
  }
}

/// `words` has word_count words for each thread block, all 0.
__global__ void __launch_bounds__(block_threads) bits_kernel(Task task, std::uint32_t* words, Index word_count) {
  __shared__ Offset before[block_threads + 1];
  cuda::pdl_trigger_and_wait();
  const BlockGroup group;
  const ColumnBits bits{words + static_cast<std::size_t>(blockIdx.x) * word_count, word_count, before};
  for (Offset at = blockIdx.x; at < task.count; at += gridDim.x) {
    const std::size_t i = task.row(static_cast<Index>(at));
    const Offset found = bits.collect(group, task.width, task.a, task.b, i);
    if (task.col != nullptr) {
      bits.write(group, task.col + task.row_ptr[i]);
    } else if (group.lane() == 0) {
      task.row_ptr[i] = found;
    }
    bits.clear(group);
  }
}

/// For short rows of B: the columns of C are searched for.
template <class T, int Lanes>
__global__ void __launch_bounds__(block_threads) values_kernel(ProductValues<T> product) {
  constexpr int groups = block_threads / Lanes, most = sums_of_lane * Lanes;
  __shared__ T sums[groups * most];
  __shared__ ScaledRow<T> scaled[block_threads];
  cuda::pdl_trigger_and_wait();
  const int mine = static_cast<int>(threadIdx.x) / Lanes;
  const Offset stride = static_cast<Offset>(gridDim.x) * groups;
  for (Offset at = static_cast<Offset>(blockIdx.x) * groups + mine; at < product.c.rows; at += stride) {
    const auto i = static_cast<std::size_t>(at);
    T* const of_row = product.c.length(i) <= most ? sums + mine * most : product.c_val + product.c.row_ptr[i];
    product.multiply(LaneGroup<Lanes>{}, i, of_row, scaled + mine * Lanes);
  }
}

/// The bytes of shared memory that a group has for the values of a row in a table.
template <class T>
constexpr std::size_t table_bytes(std::size_t lanes, std::size_t slots) {
  return slots * (sizeof(T) + sizeof(Index)) + lanes * sizeof(ScaledRow<T>);
}

/// For long rows of B, which mostly meet the same columns of C: rows of C go to tables of so many slots, unless less
/// than a quarter of the slots would be free. `parts` groups of lanes, a power of two, share a row of A.
template <class T, int Lanes>
__global__ void __launch_bounds__(block_threads) table_values_kernel(ProductValues<T> product, int slots, int parts) {
  constexpr int groups = block_threads / Lanes;
  extern __shared__ double shared[];
  cuda::pdl_trigger_and_wait();
  const LaneGroup<Lanes> group;
  const int mine = static_cast<int>(threadIdx.x) / Lanes, rows = groups / parts, part = mine % parts;
  auto* const scaled = reinterpret_cast<ScaledRow<T>*>(shared);
  auto* const sums = reinterpret_cast<T*>(scaled + block_threads);
  auto* const columns = reinterpret_cast<Index*>(sums + groups * slots);
  const SumTable<T> table{columns + mine * slots, sums + mine * slots, slots, scaled + mine * Lanes};
  for (Offset first = static_cast<Offset>(blockIdx.x) * rows; first < product.c.rows;
       first += static_cast<Offset>(gridDim.x) * rows) {
    const auto i = static_cast<std::size_t>(first + mine / parts);
    const bool is_row = i < static_cast<std::size_t>(product.c.rows);
    const bool fits = is_row && product.c.length(i) <= slots / 4 * 3;
    if (fits) {
      product.add_part(group, i, part, parts, table);
    } else if (is_row && part == 0) {
      product.multiply(group, i, product.c_val + product.c.row_ptr[i], table.scaled);
    }
    if (parts > 1) __syncthreads();
    if (fits) product.write(group, i, part, parts, table.after(-part));
    if (parts > 1) __syncthreads();
  }
}

/// As SumTerms, with some lanes for each row.
template <int Lanes>
__global__ void __launch_bounds__(block_threads) terms_kernel(CsrPattern a, CsrPattern b, cuda::Reduction to) {
  using Group = LaneGroup<Lanes>;
  constexpr int groups = block_threads / Lanes;
  cuda::pdl_trigger_and_wait();
  Sums<1 + ProductTerms::limits> found{};
  const Offset stride = static_cast<Offset>(gridDim.x) * groups;
  for (Offset i = static_cast<Offset>(blockIdx.x) * groups + static_cast<int>(threadIdx.x) / Lanes; i < a.rows;
       i += stride) {
    Offset terms = 0;
    for (Offset k = a.row_ptr[i] + Group::lane(); k < a.row_ptr[i + 1]; k += Lanes)
      terms += b.length(static_cast<std::size_t>(a.col[k]));
    for (int d = Lanes / 2; d > 0; d /= 2) terms += __shfl_xor_sync(Group::mask(), terms, d);
    if (Group::lane() == 0) found += sums_of_terms(terms);
  }
  cuda::grid_sum(found, to, [](const auto&) {});
}

/// The two passes that find a pattern: the first counts the columns of the rows, the second writes them.
class PatternPasses {
 public:
  PatternPasses(const Cuda& space, const CsrPattern& a, Offset entries, const CsrPattern& b, Index cols,
                const ProductTerms& terms, std::span<Offset> row_ptr)
      : space_(space),
        terms_(terms),
        row_ptr_(row_ptr),
        whole_{a, b, 1, row_ptr.data(), nullptr, nullptr, nullptr, nullptr, a.rows},
        word_count_(static_cast<Index>((static_cast<Offset>(cols) + 31) / 32)) {
    choose_lanes(entries);
  }

  /// Fills the row pointers. Returns the number of entries. Waits once, unless rows overflow their tables.
  Offset count() {
    Overflow over(space_, terms_.rows_above(most_of_lane * lanes_));
    run_tables(over.taken_by(whole_));
    exclusive_scan(space_, row_ptr_);
    Offset entries = 0;
    int overflowing = 0;
    download(space_, {copied(entries, &row_ptr_.back()), over.count_to(overflowing)});
    if (overflowing == 0) return entries;
    longer_ = {std::move(over.list), overflowing};
    return count_longer();
  }

  void fill(Index* col) {
    whole_.col = col;
    run_tables(whole_);
    run_block_tables(task_of(longer_));
    run_bits(task_of(longest_));
  }

 private:
  /// The first `count` of the rows in a list.
  struct Rows {
    Vector<Cuda, Index> list;
    Index count = 0;
  };

  /// Takes the rows that overflow the tables of a pass, `most` at most.
  struct Overflow {
    Vector<Cuda, Index> list;
    Vector<Cuda, int> count;

    Overflow(const Cuda& space, Offset most)
        : list(space, static_cast<std::size_t>(most)), count(space, most > 0 ? 1 : 0, 0) {}

    Task taken_by(Task task) {
      task.longer = list.data();
      task.longer_count = count.data();
      return task;
    }
    Copied count_to(int& to) const { return {&to, count.data(), count.bytes()}; }
  };

  /// Several lanes share a row of B of average length. A table takes twice the average number of terms of a row, and
  /// more where the rows don't fill the GPU: rows that overflow their tables would take another pass.
  void choose_lanes(Offset entries) {
    lanes_ = with_idle_lanes(cuda::lanes_for(2 * terms_.all / std::max<Index>(whole_.count, 1) / most_of_lane, 4),
                             whole_.count);
    whole_.width = std::min(lanes_, cuda::lanes_for(terms_.all / std::max<Offset>(entries, 1), 1));
  }

  /// Counts the rows that overflow the tables for a few lanes. The row pointers are those of rows whose lengths aren't
  /// known yet.
  Offset count_longer() {
    Vector<Cuda, Offset> lengths(space_, row_ptr_.size() - 1);
    for_each(space_, lengths.size(), CopyLengths{row_ptr_.data(), lengths.data()});
    whole_.row_ptr = lengths.data();
    Overflow over(space_, terms_.rows_above(most_of_block));
    run_block_tables(over.taken_by(task_of(longer_)));
    int overflowing = 0;
    if (over.list.size() > 0) download(space_, {over.count_to(overflowing)});
    longest_ = {std::move(over.list), overflowing};
    run_bits(task_of(longest_));
    whole_.row_ptr = row_ptr_.data();
    space_.copy(row_ptr_.data(), lengths.data(), lengths.bytes());
    exclusive_scan(space_, row_ptr_);
    Offset entries = 0;
    download(space_, {copied(entries, &row_ptr_.back())});
    return entries;
  }

  Task task_of(const Rows& rows) const {
    Task task = whole_;
    task.rows = rows.list.data();
    task.count = rows.count;
    task.width = std::max(task.width, 4);
    return task;
  }

  void run_tables(const Task& task) {
    if (task.count == 0) return;
    cuda::with_lanes(lanes_, [&](auto lanes) {
      constexpr int count = std::max(4, static_cast<int>(lanes));
      cuda::launch(space_, table_kernel<count>, blocks_for(space_, task.count, block_threads / count), block_threads, 0,
                   task);
    });
  }

  void run_block_tables(const Task& task) {
    if (task.count == 0) return;
    cuda::launch(space_, block_table_kernel, blocks_for(space_, task.count, 1), block_threads, 0, task);
  }

  void run_bits(const Task& task) {
    if (task.count == 0) return;
    constexpr Offset most_bytes = Offset{1} << 28;
    const Offset fitting = std::max<Offset>(1, most_bytes / (static_cast<Offset>(word_count_) * 4));
    const int blocks = std::min(blocks_for(space_, task.count, 1), static_cast<int>(std::min<Offset>(fitting, 4096)));
    Vector<Cuda, std::uint32_t> words(space_, static_cast<std::size_t>(blocks) * static_cast<std::size_t>(word_count_));
    space_.zero(words.data(), words.bytes());
    cuda::launch(space_, bits_kernel, blocks, block_threads, 0, task, words.data(), word_count_);
  }

  Cuda space_;
  ProductTerms terms_;
  std::span<Offset> row_ptr_;
  Task whole_;
  Index word_count_;
  int lanes_ = 32;
  Rows longer_, longest_;
};

}  // namespace

Vector<Cuda, Index> product_pattern(const Cuda& space, const CsrPattern& a, Offset entries, const CsrPattern& b,
                                    Index cols, const ProductTerms& terms, std::span<Offset> row_ptr) {
  PatternPasses passes(space, a, entries, b, cols, terms, row_ptr);
  Vector<Cuda, Index> col(space, static_cast<std::size_t>(passes.count()));
  if (col.size() > 0) passes.fill(col.data());
  return col;
}

ProductTerms product_terms(const Cuda& space, const CsrPattern& a, Offset entries, const CsrPattern& b) {
  Vector<Cuda, double> sums(space, 1 + ProductTerms::limits);
  cuda::with_lanes(cuda::lanes_for(entries / std::max<Index>(a.rows, 1) / 2, 2), [&](auto lanes) {
    cuda::launch(space, terms_kernel<lanes>, blocks_for(space, a.rows, block_threads / lanes), block_threads, 0, a, b,
                 cuda::reduction(space, sums.data()));
  });
  return terms_of_sums(sums.download());
}

template <class T>
void product_values(const Cuda& space, const CsrPattern& a, const T* a_val, Offset a_entries, const CsrPattern& b,
                    const T* b_val, Offset b_entries, const CsrPattern& c, Offset c_entries, T* c_val) {
  if (c.rows == 0) return;
  const ProductValues<T> product{a, a_val, b, b_val, c, c_val};
  const Offset row_of_a = a_entries / a.rows, row_of_b = b_entries / std::max<Index>(b.rows, 1);
  const int width = cuda::lanes_for(row_of_b, 1);
  if (width < long_row) {
    cuda::with_lanes(lanes_for_searches(row_of_a, row_of_b, c.rows), [&](auto lanes) {
      cuda::launch(space, values_kernel<T, lanes>, blocks_for(space, c.rows, block_threads / lanes), block_threads, 0,
                   product);
    });
  } else {
    cuda::with_lanes(with_idle_lanes(width, c.rows), [&](auto lanes) {
      constexpr int count = std::max<int>(long_row, lanes), groups = block_threads / count;
      constexpr int most_slots = slots_of_lane * count;
      const int parts = count < 32 ? 1 : parts_of_rows(row_of_a, c.rows);
      // A quarter of the slots for an average row: the lanes wait for the one that meets the most other columns.
      int slots = count;
      while (slots < most_slots && slots < 4 * c_entries / c.rows) slots *= 2;
      const auto bytes = [](int of) { return groups * table_bytes<T>(count, static_cast<std::size_t>(of)); };
      cuda::allow_shared(space, table_values_kernel<T, count>, bytes(most_slots));
      cuda::launch(space, table_values_kernel<T, count>, blocks_for(space, c.rows, groups / parts), block_threads,
                   bytes(slots), product, slots, parts);
    });
  }
}

#define OSTINATO_INSTANTIATE(T)                                                                                       \
  template void product_values(const Cuda&, const CsrPattern&, const T*, Offset, const CsrPattern&, const T*, Offset, \
                               const CsrPattern&, Offset, T*)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::detail
