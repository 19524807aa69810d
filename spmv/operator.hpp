// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <ostinato/spmv/registry.hpp>
#include <ostinato/spmv/select.hpp>
#include <ostinato/spmv/timing.hpp>

namespace ostinato {

/// A matrix behind one contract, in the format chosen for it: analysed, converted and from then on only applied.
///
/// Shapes    apply: x has cols() elements, y has rows(), in the memory of the space.
/// Exec      The constructor waits until the matrix is ready. apply and apply_dot are enqueued; no device memory is taken.
/// Requires  On Host the csr format refers to the arrays of a matrix given as lvalue or view: keep them alive, or move
///           the matrix in. Rows that are unsorted or hold duplicates are put in order first, on a copy.
/// Throws    ArgumentError for a malformed matrix, an unknown format, or a forced format that can't hold the matrix;
///           DimensionError from apply, naming both shapes, before anything is enqueued; DeviceError.
template <class Space, class T, class List>
class BasicOperator;

template <class Space, class T, class... F>
class BasicOperator<Space, T, FormatList<F...>> {
 public:
  using space_type = Space;
  using value_type = T;
  using is_replayable = void;

  BasicOperator(const Space& space, const CsrView<T>& a, FormatOptions options = {}) : space_(space) {
    check(a);
    if (is_canonical(a)) {
      build(Resident<Space, T>(space, a), options);
    } else {
      build(Resident<Space, T>(space, canonical(a)), options);
    }
  }

  /// A matrix whose arrays are in the memory of the space already, as on the device for Cuda. They must be canonical, which
  /// isn't checked, and with the csr format they stay in use: keep them alive.
  BasicOperator(const Space& space, const CsrView<T>& a, OnSpace, FormatOptions options = {}) : space_(space) {
    build(Resident<Space, T>(space, a, on_space), options);
  }

  BasicOperator(const Space& space, const Csr<T>& a, FormatOptions options = {})
      : BasicOperator(space, a.view(), std::move(options)) {}

  BasicOperator(const Space& space, Csr<T>&& a, FormatOptions options = {}) : space_(space) {
    check(a.view());
    build(Resident<Space, T>(space, is_canonical(a.view()) ? std::move(a) : canonical(a.view())), options);
  }

  Index rows() const { return structure_.rows; }
  Index cols() const { return structure_.cols; }
  const Space& space() const { return space_; }
  const Structure& structure() const { return structure_; }
  const Choice& choice() const { return choice_; }
  const std::string& format() const { return choice_.format; }
  std::size_t bytes() const {
    return std::visit([](const auto& f) { return f.bytes(); }, *format_);
  }
  double analyse_seconds() const { return analyse_seconds_; }
  double convert_seconds() const { return convert_seconds_; }

  /// y = alpha A x + beta y; beta = 0 overwrites y, even NaN.
  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const {
    require_shapes(x.size(), y.size());
    if (rows() == 0) return;
    std::visit([&](const auto& f) { f.apply(alpha, x, beta, y); }, *format_);
  }

  /// y = A x and *slot = w . y, in one pass where the format can. The slot is in the memory of the space.
  void apply_dot(std::span<const T> x, std::span<T> y, std::span<const T> w, double* slot) const {
    require_shapes(x.size(), y.size());
    require_shapes(x.size(), w.size());
    std::visit(
        [&](const auto& f) {
          if constexpr (requires { f.apply_dot(x, y, w, slot); }) {
            f.apply_dot(x, y, w, slot);
          } else {
            f.apply(T{1}, x, T{0}, y);
            sum(space_, y.size(), Dot<T>{w.data(), y.data()}, slot);
          }
        },
        *format_);
  }

  /// r = b - A x and *slot = r . r, in one pass. The slot is in the memory of the space. False, and nothing is done, when the
  /// format has no such pass.
  bool residual(std::span<const T> x, std::span<const T> b, std::span<T> r, double* slot) const {
    require_shapes(x.size(), b.size());
    require_shapes(x.size(), r.size());
    return std::visit(
        [&](const auto& f) {
          if constexpr (requires { f.residual(x, b, r, slot); }) {
            f.residual(x, b, r, slot);
            return true;
          } else {
            return false;
          }
        },
        *format_);
  }

  /// New values on the same pattern: no new choice, and no analysis unless the format kept something that no longer holds
  /// (symmetry, a constant), in which case it is built anew.
  /// Requires  The pattern of the matrix that the operator was built from, canonical. Throws ArgumentError when rows,
  ///           columns or entries differ in number. After any other exception the operator is of no use.
  void update_values(const CsrView<T>& a) { update_values(Resident<Space, T>(space_, checked(a))); }

  /// The same for arrays that are in the memory of the space already: nothing is uploaded, and nothing allocated that grows
  /// with the matrix, while the values fit. With the csr format they stay in use: keep them alive.
  void update_values(const CsrView<T>& a, OnSpace) { update_values(Resident<Space, T>(space_, checked(a), on_space)); }

  /// Changes when apply() begins to use kernels that were compiled meanwhile, which leaves the bits of the results as they
  /// are, and with every update_values(): a recording of apply() is then out of date. Not to be called while the stream is
  /// recorded.
  int revision() const {
    const int of_format = std::visit(
        [](const auto& f) {
          if constexpr (requires { f.revision(); }) {
            return f.revision();
          } else {
            return 0;
          }
        },
        *format_);
    return 2 * updates_ + of_format;
  }

  /// What became of compiling kernels for this matrix, in words; empty when none were asked for.
  std::string generated() const {
    return std::visit(
        [](const auto& f) {
          if constexpr (requires { f.generated(); }) {
            return f.generated();
          } else {
            return std::string();
          }
        },
        *format_);
  }

 private:
  using Variant = std::variant<F...>;

  void build(Resident<Space, T> a, const FormatOptions& options) {
    space_.wait();
    Stopwatch watch;
    options_ = options;
    look_at(a.view());
    analyse_seconds_ = watch.lap();
    std::vector<Candidate> candidates = costs(FormatList<F...>{}, structure_, machine_of(space_));
    choice_ = choose(candidates, options);
    if (options.tune == Tune::measure && options.format == "auto") measure(a, options);
    create(choice_.format, std::move(a));
    space_.wait();
    convert_seconds_ = watch.lap();
    generate();
  }

  void look_at(const CsrView<T>& a) {
    structure_ = analyse(space_, a);
    if (structure_.census == nullptr || options_.compress == Compress::on) return;
    const auto bytes = static_cast<std::size_t>(structure_.nonzeros) * sizeof(T);
    if (options_.compress == Compress::automatic && bytes >= worth_compressing) return;
    structure_.census = std::make_shared<const DiagonalCensus>(without_savings(*structure_.census));
  }

  /// Bytes of values from which on fewer are faster (EPYC, 2026-11: 5-point 127^2 takes 8 us with all values and 23 without,
  /// 255^2 37 and 19; H200: 64^2 3.2 and 3.9).
  static constexpr std::size_t worth_compressing = std::size_t{2} << 20;

  /// Seconds of products from which on compiling for the matrix is expected to pay.
  static constexpr double worth_compiling = 0.1;

  void generate() {
    const double seconds = choice_.candidates.front().cost.seconds * options_.expected_products;
    if (options_.jit == Jit::off || (options_.jit == Jit::automatic && seconds < worth_compiling)) return;
    std::visit(
        [&](auto& f) {
          if constexpr (requires { f.generate(true); }) f.generate(options_.jit == Jit::on);
        },
        *format_);
  }

  const CsrView<T>& checked(const CsrView<T>& a) const {
    if (a.rows == rows() && a.cols == cols() && a.nonzeros() == structure_.nonzeros) return a;
    throw ArgumentError("update_values: the new matrix has another shape or number of entries; build a new Operator");
  }

  void update_values(Resident<Space, T> a) {
    ++updates_;
    bool anew = false;
    std::visit(
        [&](auto& f) {
          using Held = std::remove_cvref_t<decltype(f)>;
          if constexpr (requires { bool(f.update_values(a)); }) {
            if (f.update_values(a)) return;
            anew = true;
            look_at(a.view());
            f = Held(space_, std::move(a), structure_);
          } else if constexpr (requires { f.update_values(std::move(a)); }) {
            f.update_values(std::move(a));
          } else {
            f = Held(space_, std::move(a), structure_);
          }
        },
        *format_);
    space_.wait();
    if (anew) generate();
  }

  void create(const std::string& name, Resident<Space, T> a) {
    ((name == F::name ? static_cast<void>(format_.emplace(std::in_place_type<F>, space_, std::move(a), structure_))
                      : void()),
     ...);
  }

  /// Times the candidates that the model puts within twice the best, and lets the clock decide.
  void measure(const Resident<Space, T>& a, const FormatOptions& options) {
    const double limit = 2 * choice_.candidates.front().cost.seconds;
    Vector<Space, T> x(space_, static_cast<std::size_t>(cols()), T{1}),
        y(space_, static_cast<std::size_t>(rows()), T{0});
    for (Candidate& c : choice_.candidates) {
      if (!c.cost.applies() || c.cost.seconds > limit) continue;
      Stopwatch watch;
      create(c.name, Resident<Space, T>(space_, a.view(), on_space));
      apply(T{1}, x, T{0}, y);
      space_.wait();
      c.cost.setup_seconds = watch.lap();
      c.measured_seconds = median_seconds(space_, 5, [&] { apply(T{1}, x, T{0}, y); });
    }
    format_.reset();
    choice_ = choose(choice_.candidates, options);
  }

  void require_shapes(std::size_t x, std::size_t y) const {
    if (x == static_cast<std::size_t>(cols()) && y == static_cast<std::size_t>(rows())) return;
    throw DimensionError("apply: the matrix is " + std::to_string(rows()) + " x " + std::to_string(cols()) +
                         ", but x has " + std::to_string(x) + " and y " + std::to_string(y) + " elements");
  }

  Space space_;
  Structure structure_;
  Choice choice_;
  std::optional<Variant> format_;
  double analyse_seconds_ = 0;
  double convert_seconds_ = 0;
  FormatOptions options_;
  int updates_ = 0;
};

template <class Space, class T>
class Operator : public BasicOperator<Space, T, Formats<Space, T>> {
  using BasicOperator<Space, T, Formats<Space, T>>::BasicOperator;
};

template <class Space, class T>
Operator(const Space&, const Csr<T>&) -> Operator<Space, T>;
template <class Space, class T>
Operator(const Space&, Csr<T>&&) -> Operator<Space, T>;
template <class Space, class T>
Operator(const Space&, const CsrView<T>&) -> Operator<Space, T>;
template <class Space, class T>
Operator(const Space&, const CsrView<T>&, OnSpace) -> Operator<Space, T>;
template <class Space, class T>
Operator(const Space&, const CsrView<T>&, OnSpace, FormatOptions) -> Operator<Space, T>;
template <class Space, class T>
Operator(const Space&, const Csr<T>&, FormatOptions) -> Operator<Space, T>;
template <class Space, class T>
Operator(const Space&, Csr<T>&&, FormatOptions) -> Operator<Space, T>;
template <class Space, class T>
Operator(const Space&, const CsrView<T>&, FormatOptions) -> Operator<Space, T>;

extern template class BasicOperator<Host, float, Formats<Host, float>>;
extern template class BasicOperator<Host, double, Formats<Host, double>>;
extern template class BasicOperator<Cuda, float, Formats<Cuda, float>>;
extern template class BasicOperator<Cuda, double, Formats<Cuda, double>>;

}  // namespace ostinato
