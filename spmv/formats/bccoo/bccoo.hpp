// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/formats/bccoo/bccoo_parameters.hpp>
#include <ostinato/spmv/formats/bccoo/bccoo_store.hpp>
#include <ostinato/spmv/formats/format.hpp>
#include <ostinato/spmv/analysis/profile.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y, with A in blocked compressed coordinate form: no row indices, but a bit for each block
/// that says whether its row of blocks goes on.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Layout    Blocks of height x width by rows; a thread takes `tile` of them, a workgroup as many tiles as it has
///           threads, and what its threads read at one time stands side by side. See BccooView.
///           Values take 1 byte and a table when no more than 256 are different, 4 when all are exact in float.
/// Traffic   bytes() for A and sizeof(T) (rows + cols) for x and y, if x is read once.
/// Exec      One kernel. Threads add their tiles up block by block and join what lies in several; of a row in several
///           workgroups the one that is done last adds the parts up in their order: nobody waits for another, and the
///           order of additions depends on the layout alone. (The paper lets each workgroup wait for the one before.)
///           With hot columns a workgroup fills a multiprocessor and holds their x in shared memory.
/// Requires  x and y do not overlap. beta == 0 overwrites y, so y may hold NaN. The structure is that of these values,
///           too.
/// Limits    Slots of a block without an entry count as 0 times x: an infinite or NaN x(j) reaches rows of the block
///           that a format without blocks leaves finite. Fewer than 2^31 rows of blocks, of all slices together.
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

  static std::vector<Parameters> variants(const PlanInput& in) {
    std::vector<Parameters> all;
    for (const BccooParameters& p : bccoo_variants(in, sizeof(T), Sliced)) all.emplace_back(p);
    return all;
  }

  static Cost cost(const PlanInput& in, const Parameters& p) { return bccoo_cost(in, p, sizeof(T)); }

  BccooFormat(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in, const Parameters& p)
      : store_(space, a.view(), checked(p).shape(in.compress), bccoo_values(in, p, sizeof(T)), different(in)) {
    space.wait();  // products may read from then on what doesn't change any more
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    store_.apply({alpha, x.data(), beta, y.data(), y.data()});
  }

  /// Values may be of another kind than those before, so the format is built anew.
  bool update_values(const SpaceCsr<Space, T>&) { return false; }

  std::size_t bytes() const { return store_.bytes(); }
  BccooView<T> view() const { return store_.view(); }

 private:
  static BccooParameters checked(const Parameters& p) {
    if (Space::on_device && p.threads < 32) throw ArgumentError("bccoo: threads=1 is for the host");
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
