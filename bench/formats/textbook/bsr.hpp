// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include <ostinato/bench/formats/textbook/bsr_view.hpp>
#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/cost/streamed_cost.hpp>
#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/formats/contract/parameters.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/for_each.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y, with A in dense square blocks (BSR): a baseline. Blocks without an entry aren't stored.
///
/// Shapes    A: rows x cols, which need not be multiples of the block.  x: cols.  y: rows.
/// Layout    Compressed sparse rows of blocks (see BlockRows). Values lie row by row within a block; a slot without an
///           entry holds 0.
/// Traffic   (block^2 sizeof(T) + 4) blocks bytes for A and sizeof(T) (rows + cols) bytes for x and y, if x is read
///           once.
/// Exec      One thread per row. A value of 0 isn't multiplied, so that padding never meets an infinite x.
/// Requires  x and y don't overlap. beta = 0 overwrites y, so y may hold NaN.
/// Limits    Refuses a matrix whose blocks would be less than a third full.
template <class Space, class T>
class Bsr {
 public:
  using space_type = Space;
  using value_type = T;
  static constexpr std::string_view name = "bsr";
  static constexpr std::string_view description = "small square blocks; a baseline for several unknowns a node";

  struct Parameters {
    int block = 2;  ///< rows and columns of a block: 2, 3, 4, 5, 6 or 8

    std::string text() const { return parameter_text({{"block", block}}); }
    static Parameters parse(std::string_view text) {
      ParameterReader reader(name, text);
      const Parameters p{reader.take("block", 2, {2, 3, 4, 5, 6, 8})};
      reader.done();
      return p;
    }
  };

  /// The block size that takes the fewest bytes.
  static Parameters choose(const PlanInput& in) { return variants(in).front(); }

  static std::vector<Parameters> variants(const PlanInput& in) {
    const Structure& s = in.structure;
    std::vector<Parameters> all = {{2}, {3}, {4}, {5}, {6}, {8}};
    std::stable_sort(all.begin(), all.end(),
                     [&](const Parameters& a, const Parameters& b) { return bytes(s, a) < bytes(s, b); });
    return all;
  }

  static Cost cost(const PlanInput& in, const Parameters& p) {
    const Structure& s = in.structure;
    const Machine& m = in.machine;
    Cost c =
        streamed_cost<T>(s, m,
                         {.bytes = bytes(s, p),
                          .slots = slots(s, p),
                          .efficiency = 0.6,
                          .waits = 1.0 * s.longest_row / p.block,
                          .host = {.slot = 2.2, .row = 1.3, .uneven = 5, .chain = 0.6, .gather = 1, .stream = 0.3}});
    if (p.block > 1) c.most_bytes = 2 * c.bytes;  // the fill of blocks is that of a sample
    // EPYC, 2026-11: 40 to 100 ns an entry with 2 threads.
    c.setup_seconds += static_cast<double>(s.nonzeros) * (m.device ? 256 : 4096) / m.bandwidth;
    c.reason_not = why_not(s, p);
    return c;
  }

  Bsr(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in, const Parameters& p)
      : space_(space), cols_(in.structure.cols), block_(p.block) {
    if (const std::string reason = why_not(in.structure, p); !reason.empty()) throw ArgumentError("bsr: " + reason);
    BlockRows<Space> blocks(space, a.view(), {p.block, p.block});
    val_ = Vector<Space, T>(space, static_cast<std::size_t>(blocks.blocks * p.block * p.block));
    if (val_.size() > 0) space.zero(val_.data(), val_.bytes());
    blocks.for_entries(space, a.view(), detail::FillBsr<T>{a.view().val.data(), val_.data()});
    row_ptr_ = std::move(blocks.row_ptr);
    col_ = std::move(blocks.col);
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    const Product<T> p{alpha, x.data(), beta, y.data(), y.data()};
    switch (block_) {
      case 2:
        return multiply<2>(p, y.size());
      case 3:
        return multiply<3>(p, y.size());
      case 4:
        return multiply<4>(p, y.size());
      case 5:
        return multiply<5>(p, y.size());
      case 6:
        return multiply<6>(p, y.size());
      default:
        return multiply<8>(p, y.size());
    }
  }

  std::size_t bytes() const { return row_ptr_.bytes() + col_.bytes() + val_.bytes(); }
  Offset blocks() const { return static_cast<Offset>(col_.size()); }

 private:
  /// The values that are stored. When the fill of this block size wasn't sampled, it is taken as 1 / block: neither
  /// full nor nearly empty.
  static double slots(const Structure& s, const Parameters& p) {
    const double fill = s.profile->square_fill[p.block];
    return static_cast<double>(s.nonzeros) / (fill > 0 ? fill : 1.0 / p.block);
  }

  static double bytes(const Structure& s, const Parameters& p) {
    const double block = p.block;
    return slots(s, p) * (sizeof(T) + sizeof(Index) / (block * block)) + 8 * (s.rows / block + 1);
  }

  static std::string why_not(const Structure& s, const Parameters& p) {
    if (slots(s, p) <= 3 * static_cast<double>(s.nonzeros) + 1024) return "";
    const std::string size = std::to_string(p.block);
    return "blocks of " + size + " x " + size + " would be less than a third full";
  }

  template <int S>
  void multiply(const Product<T>& p, std::size_t rows) const {
    for_each(space_, rows, detail::BsrRow<S, T, is_cuda<Space>>{{cols_, row_ptr_.data(), col_.data(), val_.data()}, p});
  }

  Space space_;
  Index cols_;
  int block_;
  Vector<Space, Offset> row_ptr_;
  Vector<Space, Index> col_;
  Vector<Space, T> val_;
};

}  // namespace ostinato::formats
