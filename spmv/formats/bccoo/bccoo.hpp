// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/formats/bccoo/bccoo_parameters.hpp>
#include <ostinato/spmv/formats/bccoo/bccoo_store.hpp>
#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/space/concept.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y, with A in blocked compressed coordinate form (BCCOO). No row indices are stored, but one
/// bit per block: 0 where the block ends its block row.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Layout    Blocks of height x width, ordered by block row. A thread takes a tile of `tile` blocks, a workgroup as
///           many tiles as it has threads. The words that the threads of a workgroup read at the same time are
///           adjacent. See BccooView. Values take 1 byte and a table when at most 256 of them are different, 4 bytes
///           when all are exact in float.
/// Traffic   bytes() for A and sizeof(T) (rows + cols) bytes for x and y, if x is read once.
/// Exec      One kernel. Each thread adds up its tile, block by block; the workgroup joins rows that lie in several
///           tiles. For a row that lies in several workgroups, the workgroup that finishes last adds the parts up in
///           their order. So no workgroup waits for another, and the order of additions depends only on the layout. (In
///           the paper each workgroup waits for its predecessor.) With hot columns a workgroup fills a multiprocessor
///           and keeps these columns' x in shared memory.
/// Requires  x and y don't overlap. beta = 0 overwrites y, so y may hold NaN. The structure describes the present
///           values, too.
/// Limits    Padding slots of a block are multiplied as 0 times x: an infinite or NaN x(j) reaches rows of the block
///           that a format without blocks leaves finite. Fewer than 2^31 block rows in all slices together.
/// Source    Yan, Li, Zhang & Zhou, PPoPP'14, doi:10.1145/2555243.2555255, sections 2 to 4.
template <class Space, class T, bool Sliced>
class BccooFormat {
 public:
  using space_type = Space;
  using value_type = T;

  static constexpr std::string_view name = Sliced ? "bccoo-plus" : "bccoo";
  static constexpr std::string_view description =
      Sliced ? "bccoo of vertical slices, so that each reads a part of x that stays in a cache"
             : "blocks in the order of rows, row ends as bits, columns as differences; equal work for every thread";

  struct Parameters : BccooParameters {
    Parameters() { slices = Sliced ? 2 : 1; }
    explicit Parameters(const BccooParameters& p) : BccooParameters(p) {}
    std::string text() const { return BccooParameters::text(name); }
    static Parameters parse(std::string_view text) { return Parameters(BccooParameters::parse(name, text)); }
    bool operator==(const Parameters&) const = default;
  };

  static Parameters choose(const PlanInput& in) { return Parameters(choose_bccoo(in, sizeof(T), Sliced)); }

  /// bccoo-plus is fastest nowhere, so that no time is spent on variants of it.
  static std::vector<Parameters> variants(const PlanInput& in) {
    std::vector<Parameters> all;
    if (Sliced) return all;
    for (const BccooParameters& p : bccoo_variants(in, sizeof(T))) all.emplace_back(p);
    return all;
  }

  static Cost cost(const PlanInput& in, const Parameters& p) { return bccoo_cost(in, p, sizeof(T)); }

  BccooFormat(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in, const Parameters& p)
      : store_(space, a.view(), checked(p).shape(in.compress), bccoo_values(in, p, sizeof(T)), different(in)) {
    space.wait();  // later products may read these arrays before the preceding kernel ends
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    store_.apply({alpha, x.data(), beta, y.data(), y.data()});
  }

  /// Always false, so that the format is built anew: the new values may need another kind of storage.
  bool update_values(const SpaceCsr<Space, T>&) { return false; }

  std::size_t bytes() const { return store_.bytes(); }
  BccooView<T> view() const { return store_.view(); }

 private:
  static BccooParameters checked(const Parameters& p) {
    if (is_cuda<Space> && p.threads < 32) throw ArgumentError("bccoo: on a GPU a workgroup needs at least 32 threads");
    return BccooParameters::parse(name, p.text());
  }

  static std::span<const Offset> different(const PlanInput& in) {
    return in.structure.profile == nullptr ? std::span<const Offset>() : in.structure.profile->different;
  }

  BccooStore<Space, T> store_;
};

template <class Space, class T>
using Bccoo = BccooFormat<Space, T, false>;
template <class Space, class T>
using BccooPlus = BccooFormat<Space, T, true>;

}  // namespace ostinato::formats
