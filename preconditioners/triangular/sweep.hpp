// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/function.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/memory.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// A substitution with a triangular matrix, row by row:
///   out(target(i)) = scale(i) in(source(i)) - sum over k of val(k) out(col(k)),  for the entries k of row i
///
/// Rows may only refer to elements of `out` that earlier rows have written. Permutations and scalings before and after
/// the substitution are part of source, target, scale and val.
struct Substitution {
  Array<Offset> row_ptr = Array<Offset>(1, 0);
  Array<Index> col;
  Array<double> val;
  std::vector<Index> source, target;
  std::vector<double> scale;

  std::size_t rows() const { return target.size(); }
};

/// The rows of a sweep in groups, for a GPU: a group has rows of one level that are about equally long. A lane of a GPU
/// takes up to 4 entries at once, so that the lanes of a row follow from its length: 1, 2, 4, .. 32.
struct SweepGroups {
  static constexpr Index most_levels = Index{1} << 28;
  Index levels = 1;

  OSTINATO_FUNCTION bool by_length() const { return levels < most_levels; }
  /// The group of a row, for rows of more levels 32 lanes each.
  OSTINATO_FUNCTION Index group(Index level, Offset entries) const {
    if (!by_length()) return level;
    Index log = 0;
    while (log < 5 && entries > Offset{4} << log) ++log;
    return level * 8 + log;
  }
  /// The logarithm of the lanes of a row.
  OSTINATO_FUNCTION Index log_lanes(Index group) const { return by_length() ? group % 8 : 5; }
  OSTINATO_FUNCTION Index count() const { return by_length() ? levels * 8 : levels; }
};

/// The groups of two sweeps, those of the second after those of the first.
struct JoinedGroups {
  SweepGroups of[2];

  OSTINATO_FUNCTION unsigned first(int sweep) const { return sweep == 0 ? 0 : static_cast<unsigned>(of[0].count()); }
  OSTINATO_FUNCTION Index log_lanes(unsigned group) const {
    const int sweep = group >= first(1) ? 1 : 0;
    return of[sweep].log_lanes(static_cast<Index>(group - first(sweep)));
  }
  unsigned count() const { return first(1) + static_cast<unsigned>(of[1].count()); }
};

/// Rows of a group that a warp of a GPU takes at once, up to the first row of the next tile.
struct SweepTile {
  Index first;
  Index log_lanes;
};

/// The arrays of a Substitution in the memory of a space, for code that makes them there.
template <class Space, class T>
struct SweepArrays {
  SweepGroups groups;
  Vector<Space, Offset> row_ptr;
  Vector<Space, Index> col;
  Vector<Space, T> val;
  Vector<Space, Index> source, target;
  Vector<Space, T> scale;
};

/// A substitution in the memory of a space. On Cuda the rows are in the order of their groups: a row waits for rows of
/// earlier levels only.
///
/// Traffic   (4 + sizeof(T)) bytes an entry, 16 + 3 sizeof(T) a row, and a gather of sizeof(T) an entry. On Cuda
///           2 sizeof(T) a row more.
template <class Space, class T>
class Sweep {
 public:
  /// Throws    ArgumentError when a value leaves the range of T; DeviceError; std::bad_alloc.
  Sweep(const Space& space, Substitution s);

  /// Two sweeps, whose arrays were made in the memory of the space. `group`: of each row in JoinedGroups, ascending.
  /// Exec      On Cuda waits.
  static std::pair<Sweep, Sweep> both(const Space& space, SweepArrays<Space, T> first, SweepArrays<Space, T> second,
                                      const Vector<Space, unsigned>& group);

  /// Exec      On Host on the calling thread, where levels are short, otherwise level by level in parallel. On Cuda
  ///           enqueued, capturable; one kernel, whose rows wait for each other. The sums have a fixed order. One
  ///           stream at a time runs an object.
  /// Requires  `in`, `out` and `copy` don't overlap. Every element of `out` is the target of a row. `copy` gets the
  ///           elements of `out`, too, unless it is empty. In and Copy are T, or one of them is double and T float.
  template <class In = T, class Copy = T>
  void run(std::span<const In> in, std::span<T> out, std::span<Copy> copy = {}) const;

  const Space& space() const { return space_; }
  const SweepArrays<Space, T>& arrays() const { return arrays_; }

  /// Takes other values of the same rows.
  void take(Vector<Space, T> val, Vector<Space, T> scale);

  /// Cuda: where the tiles begin, and the number of rows; none on Host.
  const Vector<Space, SweepTile>& tiles() const { return tiles_; }
  /// Cuda: how the rows are shared out, for reports: "262144 rows, 190 levels, 8257 tiles, 695 warps".
  std::string way() const;
  /// Cuda: lets the GPU have tiles of so many levels at work at once, in place of as many as suit it.
  void look_ahead(double levels) { ahead_ = levels; }

  std::size_t bytes() const;
  /// Cuda: predicted time of run(): that of the levels, which wait for each other, some 0.6 us each (H200, 2026-11).
  /// 0 on Host.
  double seconds() const { return is_cuda<Space> ? 0.6e-6 * arrays_.groups.levels : 0; }
  /// The bytes() of so many rows and entries. Levels that fill their tiles are assumed.
  static constexpr std::size_t bytes_of(std::size_t rows, std::size_t entries) {
    const std::size_t arrays =
        (rows + 1) * sizeof(Offset) + rows * (2 * sizeof(Index) + sizeof(T)) + entries * (sizeof(Index) + sizeof(T));
    if (!is_cuda<Space>) return arrays;
    return arrays + 2 * rows * sizeof(T) + entries * sizeof(Index) + (rows + entries / 2) / 32 * sizeof(SweepTile);
  }

 private:
  Sweep(const Space& space, SweepArrays<Space, T> arrays) : space_(space), arrays_(std::move(arrays)) {}
  /// Makes what a GPU needs of one sweep, or of two.
  static void make_tiles(std::span<Sweep* const> sweeps, const Vector<Space, unsigned>& group);
  unsigned warps() const;

  Space space_;
  SweepArrays<Space, T> arrays_;
  std::vector<std::size_t> levels_;  ///< but for Cuda: where levels begin, and the number of rows; on Host empty where
                                     ///< levels are short

  Vector<Space, SweepTile> tiles_;
  Vector<Space, Index> place_;             ///< Cuda: the row that each entry waits for
  mutable Vector<Space, T> waiting_;       ///< Cuda: detail::SweepTiles::waiting
  mutable Vector<Space, unsigned> state_;  ///< Cuda: detail::SweepState
  double ahead_ = 0;                       ///< levels at work at once; 0: by the length of the rows
};

OSTINATO_EXTERN_CLASS(Sweep);

namespace detail {

/// Throws    ArgumentError which says that the factors leave the range of the numbers.
[[noreturn]] void throw_out_of_range();

/// The same rows in the order of their groups, which `group` gets.
Substitution in_groups(const Substitution& s, SweepGroups& groups, std::vector<unsigned>& group);

/// The arrays of a sweep, for the kernels.
template <class T>
struct SweepView {
  std::size_t rows;
  const Offset* row_ptr;
  const Index* col;
  const T* val;
  const Index *source, *target;
  const T* scale;
};

/// What the warps of a GPU count. A run leaves `drawn` and `ended` 0.
struct SweepState {
  unsigned drawn;  ///< tiles that warps have taken
  unsigned ended;  ///< warps that found no more tiles
  unsigned runs;
};

/// How a GPU runs a sweep (sweep_tiles.hpp).
template <class T>
struct SweepTiles {
  SweepView<T> rows;
  const SweepTile* tile;
  unsigned count;      ///< of tiles
  unsigned warps;      ///< that take them
  const Index* place;  ///< the row of each entry's element
  T* waiting;  ///< 2 x rows: the elements by rows, for runs of even and of odd number; those of the next run are unset
  SweepState* state;
};

/// `copy` may be null.
template <class T, class In, class Copy>
void run_sweep(const Cuda& space, const SweepTiles<T>& sweep, const In* in, T* out, Copy* copy);

/// The warps that a GPU holds at once.
unsigned most_warps(const Cuda& space);

/// The types of the elements that a sweep works with: those of the factors, of `in` and of `copy`.
#define OSTINATO_FOR_EACH_SWEEP(DO, Space) \
  DO(Space, float, float, float)           \
  DO(Space, double, double, double)        \
  DO(Space, float, double, float)          \
  DO(Space, float, float, double)

}  // namespace detail

}  // namespace ostinato
