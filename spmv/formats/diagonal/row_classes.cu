// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <ostinato/spmv/analysis/diagonals_steps.hpp>
#include <ostinato/spmv/base/bisect.hpp>
#include <ostinato/spmv/formats/diagonal/row_classes.hpp>
#include <ostinato/spmv/formats/row_value.cuh>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/together.hpp>

namespace ostinato::formats {

namespace {

constexpr int tile = 32;
constexpr unsigned all_lanes = 0xffffffffu;
constexpr int class_shift = 56;
/// Most patterns; a grid whose lines aren't multiples of 32 rows has some hundred.
constexpr int max_patterns = 4096;
constexpr int pattern_slots = 2 * max_patterns;
/// The class of rows past the end of the matrix.
constexpr int no_class = 256;
/// Numbers of diagonals with a kernel of their own, which loads all of x at once. Fewer diagonals take the next larger
/// kernel, which loads the last diagonal's x again. The kernel for 27, the neighbours in three dimensions, only takes
/// 27. All other numbers take the kernel with a loop, whose number is 0.
using Unrolled = std::integer_sequence<int, 3, 5, 7, 9, 12, 27, 0>;

__device__ int place_of(const Index* offsets, int count, Index offset) {
  return ostinato::detail::bisect(0, count, [=](int i) { return offsets[i] >= offset; });
}

/// Reads the table's row of each class.
template <class T>
struct ReadClass {
  ostinato::detail::Rows<T> a;
  const Index* class_rows;
  const Index* offsets;
  int diagonals;
  T* values;
  std::uint64_t* present;

  __device__ void operator()(std::size_t c) const {
    const Index row = class_rows[c];
    for (int d = 0; d < diagonals; ++d) values[c * diagonals + d] = 0;
    std::uint64_t bits = 0;
    for (Offset k = a.begin(row); k < a.end(row); ++k) {
      const int d = place_of(offsets, diagonals, a.offset(k, row));
      if (d == diagonals || offsets[d] != a.offset(k, row)) {
        bits = ~std::uint64_t{0};  // a pattern that no class has
        break;
      }
      values[c * diagonals + d] = a.val[k];
      bits |= std::uint64_t{1} << d;
    }
    present[c] = bits;
  }
};

/// Thread blocks of class_kernel on a multiprocessor.
constexpr int class_blocks = 6;

/// Stores the number of each row's class; *lost is set when a row has no class. A warp tries the class that most of its
/// rows had last, before the classes whose hash is that of the row.
template <class T>
__global__ void __launch_bounds__(cuda::block_threads, class_blocks)
    class_kernel(ostinato::detail::Rows<T> a, Index rows, const Index* class_rows, int classes, std::uint8_t* class_of,
                 int* lost) {
  __shared__ std::uint64_t hashes[DiagonalCensus::max_classes];
  for (int c = static_cast<int>(threadIdx.x); c < classes; c += cuda::block_threads) hashes[c] = a.hash(class_rows[c]);
  __syncthreads();
  const Offset stride = static_cast<Offset>(gridDim.x) * cuda::block_threads;
  const int lane = static_cast<int>(threadIdx.x) % tile;
  int usual = 0;
  for (Offset base = static_cast<Offset>(blockIdx.x) * cuda::block_threads + threadIdx.x - lane; base < rows;
       base += stride) {
    const Offset row = base + lane;
    const bool is_other = row < rows && !a.same(row, class_rows[usual]);
    int c = usual;
    if (is_other) {
      const std::uint64_t hash = a.hash(row);
      for (c = 0; c < classes && !(hashes[c] == hash && a.same(row, class_rows[c]));) ++c;
      if (c == classes) *lost = 1;
    }
    if (row < rows) class_of[row] = static_cast<std::uint8_t>(c);
    const unsigned others = __ballot_sync(all_lanes, is_other);
    const int next = __shfl_sync(all_lanes, c, others != 0 ? __ffs(static_cast<int>(others)) - 1 : 0);
    if (__popc(others) > tile / 2 && next < classes) usual = next;
  }
}

/// The classes of the rows of each tile of 32 rows.
struct Tiles {
  const std::uint8_t* class_of;
  Index rows;

  __device__ int class_at(Offset t, int lane) const {
    const Offset row = t * tile + lane;
    return row < rows ? class_of[row] : no_class;
  }
  __device__ std::uint32_t hash(int c, int lane) const {
    std::uint64_t h =
        ostinato::detail::Rows<float>::mixed(static_cast<std::uint64_t>(c) * tile + static_cast<unsigned>(lane));
    for (int d = tile / 2; d > 0; d /= 2) h += __shfl_xor_sync(all_lanes, h, d);
    return static_cast<std::uint32_t>(h >> 20);
  }
};

/// Finds the different tiles with a hash table: a slot holds 1 + the first tile of a pattern. A warp takes a tile.
__global__ void __launch_bounds__(cuda::block_threads)
    pattern_kernel(Tiles tiles, Offset count, int* slots, int* patterns) {
  const int lane = static_cast<int>(threadIdx.x) % tile;
  const Offset warps = static_cast<Offset>(gridDim.x) * (cuda::block_threads / tile);
  for (Offset t = (static_cast<Offset>(blockIdx.x) * cuda::block_threads + threadIdx.x) / tile; t < count; t += warps) {
    const int mine = tiles.class_at(t, lane);
    const std::uint32_t hash = tiles.hash(mine, lane);
    for (std::uint32_t probe = 0;; ++probe) {
      if (__shfl_sync(all_lanes, Atomic<Cuda>::load(patterns), 0) > max_patterns) return;
      int* const slot = slots + (hash + probe) % pattern_slots;
      int held = 0;
      if (lane == 0) {
        held = Atomic<Cuda>::load(slot);
        if (held == 0) held = atomicCAS(slot, 0, static_cast<int>(t) + 1);
        if (held == 0) atomicAdd(patterns, 1);
        if (held == 0) held = static_cast<int>(t) + 1;
      }
      held = __shfl_sync(all_lanes, held, 0);
      if (!__all_sync(all_lanes, tiles.class_at(held - 1, lane) == mine)) continue;
      if (lane == 0 && t + 1 < held) atomicMin(slot, static_cast<int>(t) + 1);
      break;
    }
  }
}

/// Stores the number of each tile's pattern, found in the hash table. Tiles with class 0 only have pattern 0.
__global__ void __launch_bounds__(cuda::block_threads)
    name_kernel(Tiles tiles, Offset count, const int* slots, const std::uint16_t* name_of_slot, std::uint16_t* names) {
  const int lane = static_cast<int>(threadIdx.x) % tile;
  const Offset warps = static_cast<Offset>(gridDim.x) * (cuda::block_threads / tile);
  for (Offset t = (static_cast<Offset>(blockIdx.x) * cuda::block_threads + threadIdx.x) / tile; t < count; t += warps) {
    const int mine = tiles.class_at(t, lane);
    std::uint32_t s = tiles.hash(mine, lane) % pattern_slots;
    while (!__all_sync(all_lanes, tiles.class_at(slots[s] - 1, lane) == mine)) s = (s + 1) % pattern_slots;
    const bool inner = __all_sync(all_lanes, mine == 0);
    if (lane == 0) names[t] = inner ? 0 : name_of_slot[s];
  }
}

/// Writes the words of the patterns. first_tile[p] is a tile with pattern p, or -1 for the pattern with class 0 only.
struct WritePattern {
  Tiles tiles;
  const int* first_tile;
  const std::uint64_t* present;
  std::uint64_t* patterns;

  __device__ void operator()(std::size_t word) const {
    const int first = first_tile[word / tile];
    const int c = first < 0 ? 0 : tiles.class_at(first, static_cast<int>(word % tile));
    patterns[word] = c == no_class ? 0 : present[c] | static_cast<std::uint64_t>(c) << class_shift;
  }
};

/// Counts the rows that equal the row their tile's pattern stands for.
template <class T>
struct CountSame {
  ostinato::detail::Rows<T> a;
  const Index* class_rows;
  const std::uint16_t* tiles;
  const std::uint64_t* patterns;

  __device__ Sums<1> operator()(std::size_t row) const {
    const std::uint64_t word = patterns[static_cast<std::size_t>(tiles[row / tile]) * tile + row % tile];
    return {{a.same(static_cast<Offset>(row), class_rows[word >> class_shift]) ? 1.0 : 0.0}};
  }
};

/// The kernel parameters beside the vectors. Offsets and the values of class 0 come from the constant cache.
template <int N, class T>
struct Stencil {
  Index rows, cols;
  const std::uint16_t* tiles;
  const std::uint64_t* patterns;
  const T* values;
  int diagonals;
  bool simple;
  std::uint64_t present;  ///< diagonals of class 0
  T value[N];
  Index offset[N];
};

/// Computes a row that may reach outside the matrix, term by term.
template <int N, class T, class V>
__device__ T edge_row(const Stencil<N, T>& a, std::uint64_t word, const V* x) {
  const T* values = a.values + (word >> class_shift) * static_cast<unsigned>(a.diagonals);
  T sum = 0;
  for (int d = 0; d < a.diagonals; ++d) {
    if ((word >> d & 1u) != 0) sum = fma(__ldg(values + d), static_cast<T>(x[a.offset[d]]), sum);
  }
  return sum;
}

/// Computes a row whose diagonals all lie inside x, with or without an entry in this row. So x is loaded while the
/// pattern is.
template <int D, int N, class T, class V>
__device__ T inner_row(const Stencil<N, T>& a, Offset i, const V* x) {
  V factor[D];
#pragma unroll
  for (int d = 0; d < D; ++d) factor[d] = x[a.offset[d]];
  const unsigned name = __ldg(a.tiles + static_cast<unsigned>(i) / tile);
  T sum = 0;
  if (name == 0) {
#pragma unroll
    for (int d = 0; d < D; ++d) {
      if ((a.present >> d & 1u) != 0) sum = fma(a.value[d], static_cast<T>(factor[d]), sum);
    }
    return sum;
  }
  const std::uint64_t word = __ldg(a.patterns + name * tile + static_cast<unsigned>(i) % tile);
  if (!a.simple) return edge_row(a, word, x);
#pragma unroll
  for (int d = 0; d < D; ++d) {
    if ((word >> d & 1u) != 0) sum = fma(a.value[d], static_cast<T>(factor[d]), sum);
  }
  return sum;
}

/// Computes row i of A x; x points to element i.
template <int D, int N, class T, class V>
__device__ T class_row(const Stencil<N, T>& a, Offset i, const V* x) {
  if constexpr (D > 0) {
    if (i + a.offset[0] >= 0 && i + a.offset[D - 1] < a.cols) return inner_row<D>(a, i, x);
  }
  return edge_row(
      a, __ldg(a.patterns + __ldg(a.tiles + static_cast<unsigned>(i) / tile) * tile + static_cast<unsigned>(i) % tile),
      x);
}

/// One thread per row. D is the number of diagonals, or 0 for any number.
template <int D, bool Dotted, int N, class T, class V>
__global__ void __launch_bounds__(cuda::tile_rows)
    classes_kernel(const __grid_constant__ Stencil<N, T> a, Product<T, V> p, const V* w, cuda::Reduction to) {
  cuda::pdl_trigger_and_wait();
  cuda::for_rows<Dotted>(
      a.rows, to, [&](Offset i, Sums<1>& dot) { cuda::finish_row<Dotted>(p, i, class_row<D>(a, i, p.x + i), w, dot); });
}

// Products in which V is narrower than T: what counts there are conversions and addresses, not bytes. So a thread takes
// four rows, whose elements of x move as one and are converted once where diagonals beside each other share them.

constexpr int together = 4;

template <class V>
struct alignas(together * sizeof(V)) Four {
  V v[together];
};

/// How the D diagonals of a grid's stencil lie: lines, each of one diagonal or of three beside each other.
template <int D>
struct Lines {
  static constexpr bool exist = D == 3 || D == 5 || D == 7 || D == 9 || D == 27;

  __host__ __device__ static constexpr bool all_have_three() { return D == 3 || D == 9 || D == 27; }
  __host__ __device__ static constexpr int count() { return all_have_three() ? D / 3 : D - 2; }
  __host__ __device__ static constexpr bool has_three(int line) { return all_have_three() || line == count() / 2; }
  /// The first diagonal of a line.
  __host__ __device__ static constexpr int first(int line) {
    return all_have_three() ? 3 * line : line + (line > count() / 2 ? 2 : 0);
  }
  __host__ __device__ static constexpr int middle(int line) { return first(line) + (has_three(line) ? 1 : 0); }

  /// Whether a matrix with these offsets has the lines, each aligned to four elements.
  static bool fit(const std::vector<Index>& offsets) {
    if (!exist || offsets.size() != D || offsets[D / 2] != 0) return false;
    for (int line = 0; line < count(); ++line) {
      const Index m = offsets[static_cast<std::size_t>(middle(line))];
      const auto k = static_cast<std::size_t>(first(line));
      if (m % together != 0 || (has_three(line) && (offsets[k] != m - 1 || offsets[k + 2] != m + 1))) return false;
    }
    return true;
  }
};

/// What four rows read of x along a line: four elements, and those beside them where the line has three diagonals.
template <class V>
struct LineOfX {
  V before, after;
  Four<V> own;
};

/// sum(k) += the terms of a line in row k. has(k, d): whether row k has an entry on diagonal d.
template <int D, int Line, int N, class T, class V, class Has>
__device__ void add_line(const Stencil<N, T>& a, const LineOfX<V>& x, T (&sum)[together], Has has) {
  constexpr int first = Lines<D>::first(Line), diagonals = Lines<D>::has_three(Line) ? 3 : 1,
                beside = diagonals == 3 ? 1 : 0;
  T v[together + 2];
  if constexpr (beside == 1) v[0] = static_cast<T>(x.before), v[together + 1] = static_cast<T>(x.after);
#pragma unroll
  for (int k = 0; k < together; ++k) v[k + 1] = static_cast<T>(x.own.v[k]);
#pragma unroll
  for (int d = 0; d < diagonals; ++d) {
#pragma unroll
    for (int k = 0; k < together; ++k) {
      const T more = fma(a.value[first + d], v[k + d + 1 - beside], sum[k]);
      if (has(k, first + d)) sum[k] = more;
    }
  }
}

template <int D, int N, class T, class V, class Has, int... Line>
__device__ void add_lines(const Stencil<N, T>& a, const LineOfX<V>* x, T (&sum)[together], Has has,
                          std::integer_sequence<int, Line...>) {
  (add_line<D, Line>(a, x[Line], sum, has), ...);
}

/// sum := rows i to i + 3 of A x, whose diagonals all lie inside x; x points to element i. own := these elements of x.
template <int D, int N, class T, class V>
__device__ void inner_rows(const Stencil<N, T>& a, Offset i, const V* x, T (&sum)[together], T (&own)[together]) {
  using All = std::make_integer_sequence<int, Lines<D>::count()>;
  LineOfX<V> lines[Lines<D>::count()];
#pragma unroll
  for (int line = 0; line < Lines<D>::count(); ++line) {
    const V* from = x + a.offset[Lines<D>::middle(line)];
    lines[line].own = *reinterpret_cast<const Four<V>*>(from);
    if (Lines<D>::has_three(line)) lines[line].before = from[-1], lines[line].after = from[together];
  }
#pragma unroll
  for (int k = 0; k < together; ++k) own[k] = static_cast<T>(lines[Lines<D>::count() / 2].own.v[k]);
  const unsigned name = __ldg(a.tiles + static_cast<unsigned>(i) / tile);
  const std::uint64_t* const word = a.patterns + name * tile + static_cast<unsigned>(i) % tile;
  if (name != 0 && !a.simple) {
    for (int k = 0; k < together; ++k) sum[k] = edge_row(a, __ldg(word + k), x + k);
    return;
  }
  // With lines of up to 256 points nearly each warp has a tile at a side of the grid, so all tiles go the same way.
  std::uint32_t present[together];
#pragma unroll
  for (int k = 0; k < together; ++k) present[k] = static_cast<std::uint32_t>(name == 0 ? a.present : __ldg(word + k));
  add_lines<D>(
      a, lines, sum, [&](int k, int d) { return (present[k] >> d & 1u) != 0; }, All{});
}

/// Thread blocks of the kernel below that a multiprocessor holds at once. (H200, 2026-11: with 8 instead of 5 a product
/// of 256^3 took 60 us instead of 51.)
template <int D>
constexpr int mixed_blocks = D == 27 ? 3 : 5;

/// Four rows per thread.
template <int D, int N, class T, class V>
__global__ void __launch_bounds__(cuda::tile_rows, mixed_blocks<D>)
    mixed_kernel(const __grid_constant__ Stencil<N, T> a, Product<T, V> p, const V* w, cuda::Reduction to) {
  const Offset stride = static_cast<Offset>(gridDim.x) * cuda::tile_rows * together;
  Sums<1> dot{};
  cuda::pdl_trigger_and_wait();
  for (Offset i = (static_cast<Offset>(blockIdx.x) * cuda::tile_rows + threadIdx.x) * together; i < a.rows;
       i += stride) {
    const int rows = static_cast<int>(min(static_cast<Offset>(a.rows) - i, static_cast<Offset>(together)));
    if (rows < together || i + a.offset[0] < 0 || i + together + a.offset[D - 1] > a.cols) {
      for (int k = 0; k < rows; ++k) {
        cuda::finish_row<true>(p, i + k, class_row<0>(a, i + k, p.x + i + k), w, dot);
      }
      continue;
    }
    T sum[together] = {}, own[together];
    inner_rows<D>(a, i, p.x + i, sum, own);
    Four<V> out;
#pragma unroll
    for (int k = 0; k < together; ++k) out.v[k] = cuda::row_value(p, i + k, sum[k]);
    *reinterpret_cast<Four<V>*>(p.y + i) = out;
    if (w != p.x) {
      const Four<V> other = w == p.y ? out : *reinterpret_cast<const Four<V>*>(w + i);
#pragma unroll
      for (int k = 0; k < together; ++k) own[k] = static_cast<T>(other.v[k]);
    }
#pragma unroll
    for (int k = 0; k < together; ++k)
      dot.v[0] = fma(static_cast<double>(own[k]), static_cast<double>(out.v[k]), dot.v[0]);
  }
  cuda::grid_sum(dot, to, [](const Sums<1>&) {});
}

template <class V>
bool is_aligned(const V* v) {
  return reinterpret_cast<std::uintptr_t>(v) % sizeof(Four<V>) == 0;
}

/// The kernel parameters beside the vectors, with room for N diagonals.
template <int N, class T>
Stencil<N, T> stencil_of(const ClassView<T>& a) {
  const ClassTable<T>& table = *a.table;
  Stencil<N, T> stencil{
      table.rows, table.cols,       a.tiles, a.patterns, a.values, static_cast<int>(table.offsets.size()),
      a.simple,   table.present[0], {},      {}};
  std::fill(std::copy(table.offsets.begin(), table.offsets.end(), stencil.offset), stencil.offset + N,
            table.offsets.empty() ? 0 : table.offsets.back());
  std::copy_n(table.values.begin(), table.offsets.size(), stencil.value);
  return stencil;
}

template <int D, bool Dotted, class T, class V>
void launch(const Cuda& space, const ClassView<T>& a, const Product<T, V>& p, const V* w, Slot<V> slot) {
  constexpr int room = D == 0 ? static_cast<int>(ClassTable<T>::max_diagonals) : D;
  const Stencil<room, T> stencil = stencil_of<room>(a);
  if constexpr (Dotted && !std::is_same_v<T, V> && Lines<D>::exist) {
    if (Lines<D>::fit(a.table->offsets) && is_aligned(p.x) && is_aligned(p.y) && is_aligned(w)) {
      const std::size_t groups = (static_cast<std::size_t>(stencil.rows) + together - 1) / together;
      return cuda::launch(space, mixed_kernel<D, room, T, V>, cuda::resident_blocks(space, groups, mixed_blocks<D>),
                          cuda::tile_rows, 0, stencil, p, w, cuda::reduction(space, slot));
    }
  }
  cuda::launch(space, classes_kernel<D, Dotted, room, T, V>, cuda::tile_blocks(space, stencil.rows, Dotted),
               cuda::tile_rows, 0, stencil, p, w, cuda::reduction(space, slot));
}

template <bool Dotted, class T, class V, int... D>
void launch_unrolled(std::integer_sequence<int, D...>, const Cuda& space, const ClassView<T>& a, const Product<T, V>& p,
                     const V* w, Slot<V> slot) {
  const int count = static_cast<int>(a.table->offsets.size());
  constexpr int small = 12, dense = 27;
  bool done = false;
  const auto try_one = [&]<int N>() {
    if (done || (N != 0 && count > N) || (N == dense && count > small && count < dense)) return;
    launch<N, Dotted>(space, a, p, w, slot);
    done = true;
  };
  (try_one.template operator()<D>(), ...);
}

template <bool Dotted, class T, class V>
void run(const Cuda& space, const ClassView<T>& a, const Product<T, V>& p, const V* w, Slot<V> slot) {
  launch_unrolled<Dotted>(Unrolled{}, space, a, p, w, slot);
}

/// Numbers the patterns in the order of their first tiles. Pattern 0 exists even when no tile has it.
struct Names {
  std::vector<int> first_tile{-1};
  std::vector<std::uint16_t> of_slot;

  explicit Names(const std::vector<int>& slots) : of_slot(slots.size(), 0) {
    std::vector<std::size_t> used;
    for (std::size_t s = 0; s < slots.size(); ++s) {
      if (slots[s] != 0) used.push_back(s);
    }
    std::sort(used.begin(), used.end(), [&](std::size_t p, std::size_t q) { return slots[p] < slots[q]; });
    for (const std::size_t s : used) {
      of_slot[s] = static_cast<std::uint16_t>(first_tile.size());
      first_tile.push_back(slots[s] - 1);
    }
  }
};

template <class T>
ostinato::detail::Rows<T> rows_of(const CsrView<T>& a) {
  return {a.row_ptr.data(), a.col.data(), a.val.data()};
}

/// True when every class is class 0, perhaps without some entries.
template <class T>
bool is_simple(const ClassTable<T>& table) {
  const std::size_t diagonals = table.offsets.size();
  for (std::size_t c = 1; c < table.classes(); ++c) {
    for (std::size_t d = 0; d < diagonals; ++d) {
      const bool there = (table.present[c] >> d & 1u) != 0;
      if (there &&
          ostinato::detail::bits_of(table.values[c * diagonals + d]) != ostinato::detail::bits_of(table.values[d]))
        return false;
    }
  }
  return true;
}

}  // namespace

template <class T>
RowClasses<Cuda, T>::RowClasses(const Cuda& space, const DiagonalCensus& census) : space_(space) {
  table_.rows = census.rows;
  table_.cols = census.cols;
  for (const Diagonal& d : census.diagonals) table_.offsets.push_back(d.offset);
  table_.present.resize(census.class_rows.size());
  table_.values.resize(census.class_rows.size() * table_.offsets.size());
}

template <class T>
std::optional<RowClasses<Cuda, T>> RowClasses<Cuda, T>::make(const Cuda& space, const CsrView<T>& a,
                                                             const DiagonalCensus& census) {
  if (census.class_rows.empty() || census.diagonals.size() > ClassTable<T>::max_diagonals) return std::nullopt;
  if (census.known_layout) {
    if (auto made = make_from(space, *census.known_layout, census)) {
      census.found_layout.set(census.known_layout);
      return made;
    }
  }
  RowClasses classes(space, census);
  const auto tiles = std::make_shared<ClassTiles>(
      ClassTiles{space, Vector<Cuda, Index>(space, std::span<const Index>(census.class_rows)),
                 Vector<Cuda, Index>(space, std::span<const Index>(classes.table_.offsets))});
  classes.start_table(a, *tiles);
  if (!classes.find_patterns(a, *tiles)) return std::nullopt;
  classes.tiles_ = tiles;
  const std::vector<T>& values = classes.table_.values;
  census.found_layout.set(std::make_shared<ClassLayout>(
      ClassLayout{tiles, classes.table_.present, std::vector<double>(values.begin(), values.end())}));
  return classes;
}

/// Takes the classes that are known. Nothing where they are on another stream, whose kernels this one doesn't wait for.
template <class T>
std::optional<RowClasses<Cuda, T>> RowClasses<Cuda, T>::make_from(const Cuda& space, const ClassLayout& layout,
                                                                  const DiagonalCensus& census) {
  if (!space.is_same_place(layout.tiles->space)) return std::nullopt;
  RowClasses made(space, census);
  made.table_.present = layout.present;
  made.table_.values.assign(layout.values.begin(), layout.values.end());
  made.simple_ = is_simple(made.table_);
  made.tiles_ = layout.tiles;
  made.values_ = Vector<Cuda, T>(space, std::span<const T>(made.table_.values));
  return made;
}

/// Starts to read the rows of the table. copies_of_table() are to follow.
template <class T>
void RowClasses<Cuda, T>::start_table(const CsrView<T>& a, const ClassTiles& tiles) {
  if (values_.size() == 0) values_ = Vector<Cuda, T>(space_, table_.values.size());
  if (present_.size() == 0) present_ = Vector<Cuda, std::uint64_t>(space_, table_.present.size());
  for_each(space_, table_.classes(),
           ReadClass<T>{rows_of(a), tiles.class_rows.data(), tiles.offsets.data(),
                        static_cast<int>(table_.offsets.size()), values_.data(), present_.data()});
}

template <class T>
std::vector<Copied> RowClasses<Cuda, T>::copies_of_table() {
  return {{table_.values.data(), values_.data(), values_.bytes()},
          {table_.present.data(), present_.data(), present_.bytes()}};
}

template <class T>
bool RowClasses<Cuda, T>::find_patterns(const CsrView<T>& a, ClassTiles& made) {
  const std::size_t rows = static_cast<std::size_t>(a.rows), count = (rows + tile - 1) / tile;
  Vector<Cuda, std::uint8_t> class_of(space_, rows);
  Vector<Cuda, int> found(space_, pattern_slots + 2);  // slots, slots in use, whether a row has no class
  space_.zero(found.data(), found.bytes());
  int* const used = found.data() + pattern_slots;
  const auto launch = [&](auto kernel, int of_multiprocessor, const auto&... args) {
    const int blocks = cuda::resident_blocks(space_, rows, of_multiprocessor);
    cuda::launch_in_order(space_, kernel, static_cast<unsigned>(blocks), cuda::block_threads, args...);
  };
  launch(class_kernel<T>, class_blocks, rows_of(a), a.rows, made.class_rows.data(),
         static_cast<int>(made.class_rows.size()), class_of.data(), used + 1);
  const Tiles tiles{class_of.data(), a.rows};
  launch(pattern_kernel, cuda::blocks_per_multiprocessor, tiles, static_cast<Offset>(count), found.data(), used);
  std::vector<int> slots(found.size());
  std::vector<Copied> copies = copies_of_table();
  copies.push_back({slots.data(), found.data(), found.bytes()});
  download(space_, copies);
  simple_ = is_simple(table_);
  if (slots[pattern_slots] > max_patterns || slots[pattern_slots + 1] != 0) return false;
  slots.resize(pattern_slots);
  const Names names(slots);
  const Vector<Cuda, int> first_tile(space_, std::span<const int>(names.first_tile));
  const Vector<Cuda, std::uint16_t> of_slot(space_, std::span<const std::uint16_t>(names.of_slot));
  made.tiles = Vector<Cuda, std::uint16_t>(space_, count);
  made.patterns = Vector<Cuda, std::uint64_t>(space_, names.first_tile.size() * tile);
  launch(name_kernel, cuda::blocks_per_multiprocessor, tiles, static_cast<Offset>(count), found.data(), of_slot.data(),
         made.tiles.data());
  for_each(space_, made.patterns.size(), WritePattern{tiles, first_tile.data(), present_.data(), made.patterns.data()});
  space_.wait();  // later products may read these arrays before the preceding kernel ends (overlap.cuh)
  return true;
}

template <class T>
bool RowClasses<Cuda, T>::update_values(const CsrView<T>& a) {
  const std::vector<std::uint64_t> before = table_.present;
  const bool was_simple = simple_;
  start_table(a, *tiles_);
  download(space_, copies_of_table());
  simple_ = is_simple(table_);
  if (table_.present != before || (was_simple && !simple_)) return false;  // generated kernels may rely on simple_
  Vector<Cuda, double> same(space_, 1);
  sum(space_, static_cast<std::size_t>(table_.rows),
      CountSame<T>{rows_of(a), tiles_->class_rows.data(), tiles_->tiles.data(), tiles_->patterns.data()}, same.data());
  return same.download()[0] == table_.rows;
}

template <class T>
void RowClasses<Cuda, T>::apply(const Product<T>& p) const {
  if (table_.rows > 0) run<false>(space_, view(), p, static_cast<const T*>(nullptr), nullptr);
}

template <class T>
template <class V>
void RowClasses<Cuda, T>::apply_dot(const Product<T, V>& p, const V* w, Slot<V> slot) const {
  run<true>(space_, view(), p, w, slot);
}

template class RowClasses<Cuda, float>;
template class RowClasses<Cuda, double>;
template void RowClasses<Cuda, float>::apply_dot(const Product<float>&, const float*, double*) const;
template void RowClasses<Cuda, double>::apply_dot(const Product<double>&, const double*, double*) const;
template void RowClasses<Cuda, double>::apply_dot(const Product<double, float>&, const float*, double*) const;

}  // namespace ostinato::formats
