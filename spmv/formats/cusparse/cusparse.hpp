// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/formats/contract/parameters.hpp>
#include <ostinato/spmv/formats/cusparse/cusparse_product.hpp>
#include <ostinato/spmv/formats/cusparse/vendor.hpp>

namespace ostinato::formats {

namespace detail {

/// Speed of a cuSPARSE product (H200, CUDA 13.0, cuSPARSE 12.6, 2026-11; the table of products in docs/performance.md).
struct CusparseSpeed {
  double latency;         ///< seconds of a product with almost no entries
  double short_rows;      ///< share of the copy bandwidth with under 16 entries a row
  double long_rows;       ///< share of the copy bandwidth with longer rows
  double scattered;       ///< share of the copy bandwidth with scattered columns
  double per_longest;     ///< seconds for each entry of the longest row, which one thread takes
  double setup_products;  ///< conversion and preprocessing in passes over the stored bytes; estimated
};

constexpr CusparseSpeed speed_of(CusparseKind kind) {
  switch (kind) {
    case CusparseKind::csr_alg1:
      return {6.7e-6, 0.63, 0.72, 0.38, 0, 2};
    case CusparseKind::csr_alg2:
      return {9.5e-6, 0.55, 0.60, 0.36, 0, 2};
    case CusparseKind::sell:
      return {2.6e-6, 0.83, 0.97, 0.41, 6.5e-8, 4};
    default:
      return {2.6e-6, 0.27, 0.27, 0.27, 0, 10};
  }
}

}  // namespace detail

/// y := alpha A x + beta y by NVIDIA's cuSPARSE: what the four cuSPARSE formats have in common. cuSPARSE is opened when
/// the first of them is built, or is the cheapest and `auto` asks whether it can be.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Exec      Cuda only. apply() is enqueued and allocates nothing. Two threads must not use one matrix at the same
///           time. NVIDIA promises the same bits on every run for ALG2 of CSR; results of ALG1 may differ slightly from
///           run to run.
/// Requires  x and y don't overlap. beta = 0 overwrites y, so y may hold NaN. At most 2^31 - 1 stored values: NVIDIA
///           doesn't document whether 64-bit offsets go with 32-bit columns.
template <class Space, class T, CusparseKind Kind>
class Cusparse {
 public:
  using space_type = Space;
  using value_type = T;

  Cusparse(const Space& space, const SpaceCsr<Space, T>& a, int block = 0) : product_(space, a.view(), Kind, block) {
    if (reads_csr) matrix_ = a;
  }

  static std::string why_absent() { return why_no_cusparse(); }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    product_.apply(alpha, x.data(), beta, y.data());
  }

  void update_values(const SpaceCsr<Space, T>& a) {
    product_.update_values(a.view());
    if (reads_csr) matrix_ = a;
  }

  std::size_t bytes() const {
    const std::size_t entries = matrix_ ? matrix_->view().col.size() : 0;
    return product_.bytes() + entries * (sizeof(T) + sizeof(Index));
  }

  const CusparseProduct<Space, T>& product() const { return product_; }

 protected:
  static constexpr bool reads_csr = Kind == CusparseKind::csr_alg1 || Kind == CusparseKind::csr_alg2;

  /// The cost of a matrix with this many stored values, column indices and row or slice starts.
  static Cost price(const PlanInput& in, double slots, double columns, double starts) {
    const Structure& s = in.structure;
    const Machine& m = in.machine;
    constexpr detail::CusparseSpeed speed = detail::speed_of(Kind);
    Cost c;
    const double bytes = slots * sizeof(T) + columns * sizeof(Index) + starts * sizeof(std::int32_t);
    c.bytes = static_cast<std::size_t>(bytes);
    c.moved = bytes + sizeof(T) * (static_cast<double>(s.rows) + s.cols);
    c.padding = s.nonzeros > 0 ? std::max(slots / static_cast<double>(s.nonzeros) - 1, 0.0) : 0;
    const double share = s.diagonals > s.rows / 4 ? speed.scattered
                         : s.mean_row < 16        ? speed.short_rows
                                                  : speed.long_rows;
    c.seconds = speed.latency + c.moved / (m.bandwidth * share) + speed.per_longest * s.longest_row;
    c.setup_seconds = speed.latency + speed.setup_products * c.moved / m.bandwidth;
    if (std::max(slots, starts) > std::numeric_limits<std::int32_t>::max())
      c.reason_not = "cuSPARSE stores at most 2^31 - 1 values";
    return c;
  }

 private:
  CusparseProduct<Space, T> product_;
  std::optional<SpaceCsr<Space, T>> matrix_;  ///< the matrix whose columns and values the CSR kinds read
};

/// CSR with 32-bit row pointers: algorithm 1, cuSPARSE's default, or algorithm 2, which cuts the work into parts with
/// equally many entries.
///
/// Traffic   (sizeof(T) + 4) nonzeros + 4 rows bytes for A and sizeof(T) (rows + cols) bytes for x and y, if x is read
///           once.
template <class Space, class T, CusparseKind Kind>
class CusparseCsr : public Cusparse<Space, T, Kind> {
  using Base = Cusparse<Space, T, Kind>;
  static constexpr bool first = Kind == CusparseKind::csr_alg1;

 public:
  static constexpr std::string_view name = first ? "cusparse-alg1" : "cusparse-alg2";
  static constexpr std::string_view description = first
                                                      ? "cuSPARSE's compressed sparse rows, algorithm 1, preprocessed"
                                                      : "cuSPARSE's compressed sparse rows, algorithm 2, preprocessed";

  static Cost cost(const PlanInput& in) {
    const auto entries = static_cast<double>(in.structure.nonzeros);
    Cost c = Base::price(in, entries, entries, in.structure.rows + 1.0);
    c.reproducible = !first;  // bits of algorithm 1 vary with long rows (H200, CUDA 13.0)
    return c;
  }

  CusparseCsr(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput&) : Base(space, a) {}
};

template <class Space, class T>
using CusparseAlg1 = CusparseCsr<Space, T, CusparseKind::csr_alg1>;
template <class Space, class T>
using CusparseAlg2 = CusparseCsr<Space, T, CusparseKind::csr_alg2>;

/// Sliced ELL: slices of 32 rows, each padded to its longest row and stored column by column.
///
/// Traffic   (sizeof(T) + 4) slots + rows / 8 bytes for A and sizeof(T) (rows + cols) bytes for x and y, if x is read
///           once.
/// Limits    Refuses a matrix with more than 8 slots for an entry.
template <class Space, class T>
class CusparseSell : public Cusparse<Space, T, CusparseKind::sell> {
  using Base = Cusparse<Space, T, CusparseKind::sell>;

 public:
  static constexpr std::string_view name = "cusparse-sell";
  static constexpr std::string_view description = "cuSPARSE's sliced ELL, slices of 32 rows; for rows of even length";

  static Cost cost(const PlanInput& in) {
    const auto slots = static_cast<double>(in.structure.profile->sliced_slots);
    Cost c = Base::price(in, slots, slots, std::ceil(in.structure.rows / 32.0) + 1);
    if (c.applies()) c.reason_not = why_not_sliced(in.structure);
    return c;
  }

  CusparseSell(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput&) : Base(space, a) {}
};

/// Dense blocks of block x block entries, stored row by row.
///
/// Traffic   (sizeof(T) block² + 4) blocks + 4 rows / block bytes for A and sizeof(T) (rows + cols) bytes for x and y,
///           if x is read once.
/// Limits    A NaN or infinity in x reaches every row of the blocks that hold its column.
template <class Space, class T>
class CusparseBsr : public Cusparse<Space, T, CusparseKind::bsr> {
  using Base = Cusparse<Space, T, CusparseKind::bsr>;

 public:
  static constexpr std::string_view name = "cusparse-bsr";
  static constexpr std::string_view description = "cuSPARSE's dense square blocks; for several unknowns a node";
  static constexpr double least_fill = 0.4;

  struct Parameters {
    int block = 3;

    std::string text() const { return parameter_text({{"block", block}}); }
    static Parameters parse(std::string_view text) {
      ParameterReader reader(name, text);
      const Parameters p{reader.take("block", Parameters{}.block, {2, 3, 4, 5, 6, 8})};
      reader.done();
      return p;
    }
  };

  static Parameters choose(const PlanInput& in) { return ranked(in).front(); }

  static std::vector<Parameters> variants(const PlanInput& in) {
    std::vector<Parameters> all = ranked(in);
    std::erase_if(all, [&](const Parameters& p) { return !cost(in, p).applies(); });
    return all;
  }

  static Cost cost(const PlanInput& in, const Parameters& p) {
    const Structure& s = in.structure;
    const int area = p.block * p.block;
    const double fill = s.nonzeros > 0 ? std::max(s.profile->square_fill[p.block], 1.0 / area) : 1;
    const double blocks = std::round(static_cast<double>(s.nonzeros) / (fill * area)), slots = blocks * area;
    Cost c = Base::price(in, slots, blocks, s.rows / p.block + 1.0);
    const std::string size = std::to_string(p.block);
    if (!c.applies()) return c;
    if (!divides(s, p)) {
      c.reason_not = "rows and columns aren't multiples of " + size;
    } else if (fill < least_fill) {
      c.reason_not =
          "blocks of " + size + " x " + size + " would be " + std::to_string(static_cast<int>(100 * fill)) + " % full";
    }
    return c;
  }

  CusparseBsr(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput&, const Parameters& p)
      : Base(space, a, p.block) {}

 private:
  static bool divides(const Structure& s, const Parameters& p) {
    return s.rows % p.block == 0 && s.cols % p.block == 0;
  }

  /// All block sizes: first the sizes that can hold the matrix, ordered by predicted time; last the sizes that don't
  /// divide the rows and columns.
  static std::vector<Parameters> ranked(const PlanInput& in) {
    std::vector<Parameters> all = {{2}, {3}, {4}, {5}, {6}, {8}};
    const auto key = [&](const Parameters& p) {
      const Cost c = cost(in, p);
      return std::tuple(!c.applies(), !divides(in.structure, p), c.seconds);
    };
    std::stable_sort(all.begin(), all.end(), [&](const Parameters& a, const Parameters& b) { return key(a) < key(b); });
    return all;
  }
};

}  // namespace ostinato::formats
