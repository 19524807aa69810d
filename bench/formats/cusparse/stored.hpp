// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <ostinato/bench/formats/cusparse/stored_product.hpp>
#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/formats/contract/parameters.hpp>
#include <ostinato/spmv/formats/cusparse/cusparse_cost.hpp>
#include <ostinato/spmv/formats/cusparse/vendor.hpp>

namespace ostinato::formats {

/// y := alpha A x + beta y by NVIDIA's cuSPARSE: what its storage formats beside CSR have in common.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Exec      Cuda only. apply() is enqueued and allocates nothing. Two threads must not use one matrix at the same
///           time.
/// Requires  x and y don't overlap. beta = 0 overwrites y, so y may hold NaN. At most 2^31 - 1 stored values.
template <class Space, class T, CusparseStorage Storage>
class CusparseStored {
 public:
  using space_type = Space;
  using value_type = T;

  CusparseStored(const Space& space, const SpaceCsr<Space, T>& a, int block = 0)
      : product_(space, a.view(), Storage, block) {}

  static std::string why_absent() { return why_no_cusparse(); }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    product_.apply(alpha, x.data(), beta, y.data());
  }

  void update_values(const SpaceCsr<Space, T>& a) { product_.update_values(a.view()); }

  std::size_t bytes() const { return product_.arrays().bytes(); }

  const CusparseStoredProduct<Space, T>& product() const { return product_; }

 private:
  CusparseStoredProduct<Space, T> product_;
};

/// Sliced ELL: slices of 32 rows, each padded to its longest row and stored column by column.
///
/// Traffic   (sizeof(T) + 4) slots + rows / 8 bytes for A and sizeof(T) (rows + cols) bytes for x and y, if x is read
///           once.
/// Limits    Refuses a matrix with more than 8 slots for an entry.
template <class Space, class T>
class CusparseSell : public CusparseStored<Space, T, CusparseStorage::sell> {
  using Base = CusparseStored<Space, T, CusparseStorage::sell>;

 public:
  static constexpr std::string_view name = "cusparse-sell";
  static constexpr std::string_view description = "cuSPARSE's sliced ELL, slices of 32 rows; for rows of even length";

  static Cost cost(const PlanInput& in) {
    const auto slots = static_cast<double>(in.structure.profile->sliced_slots);
    constexpr CusparseSpeed speed{2.6e-6, 0.83, 0.97, 0.41, 6.5e-8, 4};
    Cost c = cusparse_cost<T>(in, speed, slots, slots, std::ceil(in.structure.rows / 32.0) + 1);
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
class CusparseBsr : public CusparseStored<Space, T, CusparseStorage::bsr> {
  using Base = CusparseStored<Space, T, CusparseStorage::bsr>;

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
    constexpr CusparseSpeed speed{2.6e-6, 0.27, 0.27, 0.27, 0, 10};
    Cost c = cusparse_cost<T>(in, speed, slots, blocks, s.rows / p.block + 1.0);
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
