// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/contract/rows_named.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/revision.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

struct BlockJacobiOptions {
  int block =
      0;  ///< rows of a block, at most 32; 0: as many unknowns as belong together, and more that fit beside them
};

/// M is the diagonal blocks of A, up to 32 x 32. Rows with the same pattern, such as the unknowns of a node, stay in
/// one block (supervariables); neighbouring supervariables share a block where they fit. M is symmetric when A is, and
/// positive definite when A is, or -A: a symmetric matrix with a negative diagonal counts with its sign turned.
///
/// Layout    Inverses of blocks, column by column: some 32 sizeof(T) bytes a row, and 4 for the number of the block.
/// Traffic   The same and 2 sizeof(T) a row.
/// Exec      The constructor compares the patterns of neighbouring rows and inverts the blocks in the memory of the
///           space, a block a thread; the calling thread finds the blocks. apply is enqueued, allocates nothing, and
///           may be captured.
/// Throws    ArgumentError when the matrix isn't square, and naming the rows of the first block that is singular or
///           holds NaN or infinity.
/// Limits    A block that is singular but for rounding isn't noticed: M^-1 has large elements then.
/// Source    Anzt, Dongarra, Flegar & Quintana-Orti, Parallel Comput. 81 (2019) 131.
template <class Space, class T>
class BlockJacobi {
 public:
  using space_type = Space;
  using value_type = T;
  using is_capturable = void;
  static constexpr std::string_view name = "block-jacobi";
  static constexpr std::string_view description = "diagonal blocks of up to 32 rows";
  using Options = BlockJacobiOptions;

  static std::string why_not(const Structure& s);
  static std::string known_options();  ///< for help: "KEY=VALUES, KEY=VALUES"
  /// Throws    ArgumentError for a text with other options.
  static BlockJacobiOptions parse_options(std::string_view text);
  static RowsNamed rows_named(const BlockJacobiOptions& options) {
    return options.block > 1 ? RowsNamed::order : RowsNamed::none;
  }

  explicit BlockJacobi(const Analysis<Space, T>& analysis, BlockJacobiOptions options = {});
  BlockJacobi(const Space& space, const Csr<T>& a, BlockJacobiOptions options = {})
      : BlockJacobi(Analysis<Space, T>(space, a), options) {}

  /// Of some rows and columns of a larger matrix, whose facts are `whole`, with blocks that begin at `begin`: ascending
  /// numbers from 0 to the number of rows.
  BlockJacobi(const Analysis<Space, T>& analysis, std::vector<Index> begin, const Facts& whole);

  /// Takes a matrix with new values, with the same options. After an exception the object is as before.
  /// Throws    DimensionError for another number of rows; as the constructor.
  void update_values(const Analysis<Space, T>& analysis);

  std::size_t rows() const { return block_of_.size(); }
  const Space& space() const { return space_; }
  /// Changes with update_values(), and when another one is assigned.
  int revision() const { return revision_.number(); }
  /// z = M^-1 r
  void apply(std::span<const T> r, std::span<T> z) const;

  /// Exec      Compares the patterns of neighbouring rows, as the constructor.
  static MemoryPrediction predict(const Analysis<Space, T>& analysis, const BlockJacobiOptions& options);
  std::size_t bytes() const { return begin_.bytes() + at_.bytes() + block_of_.bytes() + elements_.bytes(); }
  std::size_t blocks() const { return at_.size() - 1; }
  std::string remarks() const;  ///< for reports: "1204 blocks"

 private:
  void lay_out(const std::vector<Index>& begin);
  void invert(const Analysis<Space, T>& analysis, const Facts& whole);

  Space space_;
  BlockJacobiOptions options_;
  Vector<Space, Index> begin_;     ///< first row of each block, and the number of rows
  Vector<Space, Offset> at_;       ///< where the elements of each block begin
  Vector<Space, Index> block_of_;  ///< of each row
  Vector<Space, T> elements_;
  Revision revision_;
};

template <class Space, class T>
BlockJacobi(const Space&, const Csr<T>&) -> BlockJacobi<Space, T>;

/// Where the blocks begin of some rows of a matrix, as BlockJacobi finds them; no block goes beyond a multiple of
/// `together` rows. Ends with the number of rows. `row_ptr`, `col`: the pattern of the rows, with all of their columns.
std::vector<Index> block_begins(const Host& host, std::span<const Offset> row_ptr, std::span<const Index> col,
                                const BlockJacobiOptions& options, Index together);

OSTINATO_EXTERN_CLASS(BlockJacobi);

}  // namespace ostinato
