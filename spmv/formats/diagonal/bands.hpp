// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/diagonal/band_kernels.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::formats {

/// A matrix stored by diagonals within row pieces, as a BandPlan lays it out. DIA, BRCSD-I and BRCSD-II are this class
/// with different plans.
///
/// Layout    See BandPlan and Storage.
/// Traffic   plan.bytes() for A and sizeof(T) (rows + cols) bytes for x and y, if x and mirrored diagonals are read
///           once.
/// Exec      Host: threads take blocks of rows and add up diagonal by diagonal in SIMD lanes. Cuda: one thread per row.
///           The terms of a row are added in the order of its offsets, on Cuda each by one fused multiply-add; the
///           terms of the remainder come last.
/// Limits    Slots without an entry are multiplied as 0 times x: an infinite or NaN x(j) reaches rows that a general
///           format leaves finite.
template <class Space, class T>
class Bands {
 public:
  Bands(const Space& space, const CsrView<T>& a, const DiagonalCensus& census, std::shared_ptr<const BandPlan> plan)
      : space_(space),
        plan_(std::move(plan)),
        piece_of_(space, std::span<const Index>(pieces_by_block())),
        pieces_(space, std::span<const RowPiece>(plan_->pieces)),
        bands_(space, std::span<const Band>(plan_->bands)),
        codes_(space, std::span<const T>(std::vector<T>(plan_->codes.begin(), plan_->codes.end()))),
        remainder_ptr_(space, std::span<const Index>(plan_->remainder_ptr)),
        data_(space, plan_->data_bytes),
        constants_(space, census.diagonals.size()),
        remainder_row_(space, static_cast<std::size_t>(plan_->remainder())),
        remainder_col_(space, static_cast<std::size_t>(plan_->remainder())),
        remainder_val_(space, static_cast<std::size_t>(plan_->remainder())) {
    std::vector<Index> first, offset;
    for (const Diagonal& d : census.diagonals) {
      first.push_back(d.first_row);
      offset.push_back(d.offset);
    }
    first_row_ = Vector<Space, Index>(space, std::span<const Index>(first));
    offset_ = Vector<Space, Index>(space, std::span<const Index>(offset));
    fill(a);
  }

  void apply(const Product<T>& p) const { band_apply(space_, view(), p); }
  template <class V>
  void apply_dot(const Product<T, V>& p, const V* w, Slot<V> slot) const {
    band_apply_dot(space_, view(), p, w, slot);
  }

  /// Takes new values on the same pattern; allocates nothing that grows with the matrix. Returns false when the
  /// storages can't hold the values; the matrix then must not be used until it is built anew.
  bool update_values(const CsrView<T>& a) {
    const Offset kept = band_refill(space_, a, view(), store());
    host_constants_ = constants_.download();
    return kept == a.nonzeros() - plan_->remainder();
  }

  std::size_t bytes() const { return plan_->bytes(); }
  const BandPlan& plan() const { return *plan_; }

  BandView<T> view() const {
    return {plan_->rows,
            plan_->cols,
            piece_of_.data(),
            pieces_.data(),
            bands_.data(),
            data_.data(),
            constants_.data(),
            codes_.data(),
            {remainder_ptr_.data(), remainder_row_.data(), remainder_col_.data(), remainder_val_.data()},
            plan_.get(),
            host_constants_.data()};
  }

 private:
  std::vector<Index> pieces_by_block() const {
    std::vector<Index> of;
    for (std::size_t p = 0; p < plan_->pieces.size(); ++p)
      of.resize((static_cast<std::size_t>(plan_->pieces[p].end) + piece_rows - 1) / piece_rows, static_cast<Index>(p));
    return of;
  }

  BandStore<T> store() {
    return {data_.data(),          constants_.data(), remainder_row_.data(), remainder_col_.data(),
            remainder_val_.data(), first_row_.data(), offset_.data()};
  }

  void fill(const CsrView<T>& a) {
    band_fill(space_, a, view(), store());
    host_constants_ = constants_.download();
  }

  Space space_;
  std::shared_ptr<const BandPlan> plan_;
  Vector<Space, Index> piece_of_;
  Vector<Space, RowPiece> pieces_;
  Vector<Space, Band> bands_;
  Vector<Space, T> codes_;
  Vector<Space, Index> remainder_ptr_;
  Vector<Space, std::byte> data_;
  Vector<Space, T> constants_;
  Vector<Space, std::uint8_t> remainder_row_;
  Vector<Space, Index> remainder_col_;
  Vector<Space, T> remainder_val_;
  Vector<Space, Index> first_row_, offset_;
  std::vector<T> host_constants_;
};

}  // namespace ostinato::formats
