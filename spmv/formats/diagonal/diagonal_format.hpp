// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/contract/format.hpp>
#include <ostinato/spmv/formats/contract/lower_of.hpp>
#include <ostinato/spmv/formats/diagonal/bands.hpp>
#include <ostinato/spmv/formats/diagonal/generated_product.hpp>
#include <ostinato/spmv/formats/diagonal/row_classes.hpp>
#include <ostinato/spmv/space/concept.hpp>

namespace ostinato::formats {

/// How a matrix would be stored by diagonals.
struct DiagonalPlan {
  std::shared_ptr<const BandPlan> bands;  ///< null when the analysis took no census
  bool as_classes = false;                ///< storing row classes takes fewer bytes
};

/// Plans the bands, and chooses between bands and row classes by their bytes.
DiagonalPlan plan_diagonals(const PlanInput& in, std::size_t value_bytes, BandPlanner planner);
Cost diagonal_cost(const PlanInput& in, const DiagonalPlan& plan, std::size_t value_bytes);

/// DIA: one row piece. The part of each diagonal inside the matrix is stored without gaps; slots without an entry hold
/// 0.
///
/// Source    Bell & Garland, SC'09, doi:10.1145/1654059.1654078.
struct DiaCut {
  static constexpr std::string_view name = "dia";
  static constexpr std::string_view description = "whole diagonals; for stencils and narrow bands";
  static constexpr BandPlanner planner = plan_dia;
};

/// BRCSD-I: row pieces that end where a diagonal enters or leaves the matrix.
///
/// Source    DIA-Adaptive, section 3.2.
struct BrcsdICut {
  static constexpr std::string_view name = "brcsd-i";
  static constexpr std::string_view description =
      "diagonals in row pieces, cut where one enters or leaves the matrix; for far diagonals";
  static constexpr BandPlanner planner = plan_brcsd_i;
};

/// BRCSD-II: row pieces of 256 rows, each with the diagonals that have an entry in these rows.
///
/// Source    DIA-Adaptive, section 3.3.
struct BrcsdIICut {
  static constexpr std::string_view name = "brcsd-ii";
  static constexpr std::string_view description =
      "diagonals in row pieces of 256 rows, each with those that it has; for broken ones";
  static constexpr BandPlanner planner = plan_brcsd_ii;
};

/// How the formats store a matrix. Spaces other than Host and Cuda have no row classes.
template <class Space, class T>
struct BandsOrClasses {
  using type = std::variant<RowClasses<Space, T>, Bands<Space, T>>;
};
template <class Space, class T>
struct BandsAlone {
  using type = std::variant<Bands<Space, T>>;
};

/// y := alpha A x + beta y, with A stored by diagonals within row pieces: dia, brcsd-i and brcsd-ii. The three formats
/// differ in how they cut the rows into pieces.
///
/// Shapes    A: rows x cols.  x: cols.  y: rows.
/// Layout    A matrix with few different rows is stored as RowClasses, any other matrix as Bands.
/// Traffic   bytes() for A and sizeof(T) (rows + cols) bytes for x and y, if x is read once.
/// Exec      The terms of a row are added in the order of their diagonals, so the way of storing doesn't change the
///           result.
/// Requires  x and y don't overlap. beta = 0 overwrites y, so y may hold NaN.
/// Limits    Slots without an entry are multiplied as 0 times x: an infinite or NaN x(j) reaches rows that a general
///           format leaves finite. Sparsely filled diagonals waste memory; the selector avoids them, not this class.
template <class Space, class T, class Cut>
class DiagonalFormat {
 public:
  using space_type = Space;
  using value_type = T;
  using Plan = DiagonalPlan;
  static constexpr bool mixes = std::is_same_v<T, double>;
  static constexpr std::string_view name = Cut::name;
  static constexpr std::string_view description = Cut::description;

  static Plan plan(const PlanInput& in) { return plan_diagonals(in, sizeof(T), Cut::planner); }
  static Cost cost(const PlanInput& in, const Plan& plan) { return diagonal_cost(in, plan, sizeof(T)); }

  DiagonalFormat(const Space& space, const SpaceCsr<Space, T>& a, const PlanInput& in, const Plan& plan)
      : space_(space),
        lower_(space, static_cast<std::size_t>(in.structure.rows), static_cast<std::size_t>(in.structure.cols), *this) {
    if (plan.bands == nullptr) throw ArgumentError(why_no_census(in.structure));
    const DiagonalCensus& census = *in.structure.census;
    if constexpr (has_classes) {
      if (plan.as_classes) {
        if (auto classes = RowClasses<Space, T>::make(space, a.view(), census)) stored_.emplace(std::move(*classes));
      }
    }
    if (!stored_) stored_.emplace(Bands<Space, T>(space, a.view(), census, plan.bands));
  }

  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    multiply({alpha, x.data(), beta, y.data(), y.data()});
  }

  void apply_dot(std::span<const T> x, std::span<T> y, std::span<const T> w, Slot<T> slot) const {
    multiply_dot(plain_product(x.data(), y.data()), w.data(), slot);
  }

  const LinearMap<Space, float>* lower() const {
    if constexpr (mixes) return &lower_;
    return nullptr;
  }

  /// A product with vectors in float, and *slot = w . y.
  void mixed(const Product<double, float>& p, const float* w, Slot<float> slot) const requires(mixes) {
    std::visit([&](const auto& stored) { stored.apply_dot(p, w, slot); }, *stored_);
  }

  /// r = b - A x and *slot = r . r in one pass.
  void residual(std::span<const T> x, std::span<const T> b, std::span<T> r, Slot<T> slot) const {
    multiply_dot({T{-1}, x.data(), T{1}, b.data(), r.data()}, r.data(), slot);
  }

  /// Takes new values on the same pattern. Returns false when the storages can't hold the values; the format then has
  /// to be built anew.
  bool update_values(const SpaceCsr<Space, T>& a) {
    return std::visit([&](auto& stored) { return stored.update_values(a.view()); }, *stored_);
  }

  /// Requests kernels generated for this matrix. With `wait`, throws DeviceError when the compilation failed.
  void generate(bool wait) requires(is_cuda<Space>) {
    std::visit([&](const auto& stored) { generated_.request(space_, stored.view()); }, *stored_);
    if (!wait) return;
    generated_.wait();
    generated_.revision(space_);  // loads the kernels
    if (generated_.failed()) throw DeviceError("generated kernels: " + generated_.text());
  }

  int revision() const requires(is_cuda<Space>) { return generated_.revision(space_); }
  std::string generated() const requires(is_cuda<Space>) { return generated_.text(); }

  std::size_t bytes() const {
    return std::visit([](const auto& stored) { return stored.bytes(); }, *stored_);
  }

 private:
  void multiply(const Product<T>& p) const {
    std::visit(
        [&](const auto& stored) {
          if constexpr (is_cuda<Space>) {
            if (generated_.product(space_, stored.view(), p)) return;
          }
          stored.apply(p);
        },
        *stored_);
  }

  void multiply_dot(const Product<T>& p, const T* w, Slot<T> slot) const {
    std::visit(
        [&](const auto& stored) {
          if constexpr (is_cuda<Space>) {
            if (generated_.product_dot(space_, stored.view(), p, w, slot)) return;
          }
          stored.apply_dot(p, w, slot);
        },
        *stored_);
  }

  static constexpr bool has_classes = is_host<Space> || is_cuda<Space>;
  using Stored = typename std::conditional_t<has_classes, BandsOrClasses<Space, T>, BandsAlone<Space, T>>::type;

  Space space_;
  struct None {
    template <class... Args>
    explicit None(const Args&...) {}
  };
  [[no_unique_address]] std::conditional_t<mixes, ostinato::detail::LowerOf<Space, DiagonalFormat>, None> lower_;
  [[no_unique_address]] std::conditional_t<is_cuda<Space>, GeneratedProduct, None> generated_;
  std::optional<Stored> stored_;
};

template <class Space, class T>
using Dia = DiagonalFormat<Space, T, DiaCut>;
template <class Space, class T>
using BrcsdI = DiagonalFormat<Space, T, BrcsdICut>;
template <class Space, class T>
using BrcsdII = DiagonalFormat<Space, T, BrcsdIICut>;

}  // namespace ostinato::formats
