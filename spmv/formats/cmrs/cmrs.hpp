// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/cost/host_cost.hpp>
#include <ostinato/spmv/cost/traffic.hpp>
#include <ostinato/spmv/formats/cmrs/cmrs_kernels.hpp>
#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/formats/contract/parameters.hpp>

namespace ostinato::formats {

/// The tunable parameters of CMRS.
struct CmrsParameters {
  int height = 4;   ///< rows of a strip: 1, 2, 4, 6, 8, 12 or 16; always 16 in version 2
  int version = 1;  ///< in version 2 a group of 32 slots holds at most 8 entries of one row
  int block = 128;  ///< threads of a CUDA thread block: 64, 128 or 256; unused on Host
  int align = 0;    ///< 1: strips start at multiples of 32 slots, as they always do in version 2

  bool operator==(const CmrsParameters&) const = default;

  std::string text() const {
    return parameter_text({{"height", height}, {"version", version}, {"block", block}, {"align", align}});
  }

  static CmrsParameters parse(std::string_view text) {
    ParameterReader reader("cmrs", text);
    CmrsParameters p;
    p.version = reader.take("version", p.version, {1, 2});
    p.height = p.version == 2 ? reader.take("height", CmrsShape::max_height, {16})
                              : reader.take("height", p.height, {1, 2, 4, 6, 8, 12, 16});
    p.block = reader.take("block", p.block, {64, 128, 256});
    p.align = reader.take("align", p.align, {0, 1});
    reader.done();
    return p;
  }
};

/// y := alpha A x + beta y, with A in compressed multi-row storage (CMRS): strips of a few rows each.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Layout    One slot for each entry, strip by strip. A slot stores the value and a word 16 col + (row in the strip);
///           with 2^28 columns or more (packed_columns) the word is the column, and the row takes a byte of its own.
///           The start of each strip takes 8 bytes. In version 1 a strip is sorted by column, then by row. In version 2
///           a strip has 16 rows and consists of groups of 32 slots. A group holds at most 8 entries of one row, next
///           to each other; the columns of a row ascend from group to group. Padding slots are skipped, so that x(j)
///           reaches only rows with an entry in column j.
/// Traffic   (sizeof(T) + 4) slots + 8 rows / height bytes for A and sizeof(T) (rows + cols) bytes for x and y, if x is
///           read once. There are as many slots as entries unless strips are aligned; in version 2 at least 4 slots for
///           each entry of a strip's longest row.
/// Exec      Host: a strip's sums stay on the stack; threads take blocks of strips with about the same number of slots.
///           Cuda: a warp takes a strip. Each lane adds its products to cells in shared memory: to cells of its own in
///           version 1, to one of 8 cells per row in version 2. Then several lanes add up the cells of each row. The
///           order of additions is fixed by the matrix. The conversion runs in parallel over runs of entries.
/// Requires  x and y don't overlap. beta = 0 overwrites y, so y may hold NaN.
/// Throws    ArgumentError for parameters that the format doesn't allow.
/// Limits    One warp (Cuda) or one thread (Host) takes a strip, however long, so a very long row delays the product;
///           cost() takes this into account.
/// Source    Koza, Matyka, Szkoda & Miroslaw, Compressed Multirow Storage Format for Sparse Matrices on Graphics
///           Processing Units, SIAM J. Sci. Comput. 36 (2014).
template <class Space, class T, Index packed_columns = Index{1} << 28>
class Cmrs {
 public:
  using space_type = Space;
  using value_type = T;
  using Parameters = CmrsParameters;
  static constexpr std::string_view name = "cmrs";
  static constexpr std::string_view description = "strips of some rows, sorted by column; a warp takes a strip";

  /// The chosen strips have at least 64 entries on a GPU, two rounds of a warp, and 8 rows on Host: shorter strips take
  /// twice the time there (EPYC, 2026-11).
  static Parameters choose(const PlanInput& in) {
    const Structure& s = in.structure;
    const Machine& m = in.machine;
    constexpr double least = 64;
    if (!m.device) return {.height = 8};
    Parameters p{.height = CmrsShape::max_height};
    for (const int height : {12, 8, 6, 4, 2, 1}) {
      if (height * s.mean_row >= least) p.height = height;
    }
    return p;
  }

  static std::vector<Parameters> variants(const PlanInput& in) {
    const Parameters first = choose(in);
    if (!in.machine.device) return {first, {.height = 16}, {.height = 4}, {.height = 16, .version = 2}};
    std::vector<Parameters> all = {first, {.height = 16, .version = 2}, {.height = 16, .version = 2, .block = 256}};
    const auto add = [&](Parameters p) {
      if (std::find(all.begin(), all.end(), p) == all.end()) all.push_back(p);
    };
    add({.height = first.height, .block = 64});
    add({.height = first.height, .block = 256});
    add({.height = first.height, .align = 1});
    for (const int height : {1, 2, 4, 6, 8, 12, 16}) {
      if (height != first.height && height >= first.height / 2 && height <= 2 * first.height) add({.height = height});
    }
    return all;
  }

  static Cost cost(const PlanInput& in, const Parameters& p) {
    const Structure& s = in.structure;
    const Machine& m = in.machine;
    Cost c;
    const double entries = static_cast<double>(s.nonzeros), slots = expected_slots(s, p);
    const double slot_bytes = sizeof(T) + 4 + (s.cols < packed_columns ? 0 : 1);
    c.bytes = static_cast<std::size_t>(slots * slot_bytes + 8 * (strips_of(s, p) + 1));
    c.moved = static_cast<double>(c.bytes) + sizeof(T) * (static_cast<double>(s.rows) + s.cols);
    c.padding = entries > 0 ? slots / entries - 1 : 0;
    constexpr double strip_seconds = 2.5e-10;  // reduction of 16 rows in shared memory (H200, 2026-11)
    c.seconds = m.device
                    ? m.latency + std::max(traffic_seconds(s, m, c.moved, efficiency), longest_strip_seconds(s, m, p)) +
                          0.6e-6 + strip_seconds * static_cast<double>(strips_of(s, p)) * p.height / 16
                    : std::max(on_host(s, m, slots, c.moved), longest_strip_seconds(s, m, p));
    c.setup_seconds = 10 * m.latency + 3 * static_cast<double>(c.bytes) / m.bandwidth +
                      (m.device ? 4 * m.term_seconds : 4.8 * m.entry_seconds / m.threads) * entries * p.height;
    return c;
  }

  Cmrs(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput&, const Parameters& p)
      : space_(space),
        parameters_(Parameters::parse(p.text())),
        matrix_(cmrs_build(space, a.view(), shape_of(a.view(), p))) {
    space.wait();
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    cmrs_apply(space_, matrix_, Product<T>{alpha, x.data(), beta, y.data(), y.data()}, parameters_.block);
  }

  /// Takes new values. Waits, because a product's kernel may read the matrix before the preceding kernels end.
  void update_values(const SpaceCsr<Space, T>& a) {
    cmrs_set_values(space_, a.view(), matrix_);
    space_.wait();
  }

  std::size_t bytes() const { return matrix_.bytes(); }

  const Parameters& parameters() const { return parameters_; }
  const CmrsMatrix<Space, T>& matrix() const { return matrix_; }

  /// Converts back to CSR with ascending columns, where the matrix is. Waits for the space.
  Csr<T> to_csr() const { return cmrs_to_csr(space_, matrix_); }

 private:
  static constexpr int few_cells = 8;  ///< cells of a row in version 2

  static CmrsShape shape_of(const CsrView<T>& a, const Parameters& p) {
    return {a.rows,
            a.cols,
            p.height,
            p.version == 2 ? few_cells : CmrsShape::group,
            p.version == 2 || p.align == 1,
            a.cols < packed_columns};
  }

  static double strips_of(const Structure& s, const Parameters& p) {
    return std::ceil(static_cast<double>(s.rows) / p.height);
  }

  /// The expected number of slots. The last group of an aligned strip is half empty on average; when all strips are
  /// alike, all last groups are equally full. Empty rows may lie anywhere. In version 2 the longest of a strip's 16
  /// rows fills at most a quarter of the slots; its usual length is 1.8 standard deviations above the mean.
  static double expected_slots(const Structure& s, const Parameters& p) {
    const double entries = static_cast<double>(s.nonzeros), group = CmrsShape::group;
    if ((p.version == 1 && p.align == 0) || s.nonzeros == 0) return entries;
    const double strips = std::ceil(strips_of(s, p) * (1 - std::pow(1.0 * s.empty_rows / s.rows, p.height)));
    const double deviation = s.deviation_without_longest_row(), strip = entries / strips;
    const auto whole = [](double n, double unit) { return unit * std::ceil(n / unit); };
    double slots = deviation * std::sqrt(p.height) < 4 ? whole(strip, group) : std::max(group, strip + group / 2);
    double longest = 0;
    if (p.version == 2) {
      const double usual = std::min<double>(s.longest_row, s.mean_row + 1.8 * deviation);
      slots = std::max(slots, 4 * whole(usual, few_cells));
      longest = std::max(0.0, 4.0 * s.longest_row - slots);
    }
    return std::max(entries, slots * strips + longest);
  }

  static constexpr double efficiency = 0.75;  ///< share of the copy bandwidth that the kernel reaches on a GPU

  static double on_host(const Structure& s, const Machine& m, double slots, double moved) {
    constexpr double task = 16384;  // slots and twice the rows of a task
    return host_seconds(s, m, {.slot = 2, .row = 1.8, .uneven = 2, .gather = 1.3, .stream = 0.38},
                        {slots, double(s.rows), moved, (slots + 2.0 * s.rows) / task + 1});
  }

  /// The time of the longest strip, for which the whole product waits. On a GPU a warp has 128 slots in flight.
  static double longest_strip_seconds(const Structure& s, const Machine& m, const Parameters& p) {
    const double slots = std::max(s.longest_row * (p.version == 2 ? 4.0 : 1.0), p.height * s.mean_row);
    constexpr double in_flight = 128, host_slot_seconds = 1.5e-9;
    return m.device ? m.load_latency * (1 + slots / in_flight) : host_slot_seconds * slots;
  }

  Space space_;
  Parameters parameters_;
  CmrsMatrix<Space, T> matrix_;
};

}  // namespace ostinato::formats
