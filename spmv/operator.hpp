// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <ostinato/spmv/selection/candidates.hpp>
#include <ostinato/spmv/cuda/each.hpp>
#include <ostinato/spmv/analysis/pattern_hash.hpp>
#include <ostinato/spmv/formats/list.hpp>
#include <ostinato/spmv/space/timing.hpp>
#include <ostinato/spmv/selection/tuner.hpp>

namespace ostinato {

/// A matrix behind one contract, in the format chosen for it: analysed, converted and from then on only applied.
///
/// Shapes    apply: x has cols() elements, y has rows(), in the memory of the space.
/// Exec      The constructor waits until the matrix is ready. apply and apply_dot are enqueued; no device memory is
///           taken. With Tune::measure and everything it times formats first (spmv/selection/tuner.hpp), and keeps the times on
///           disk.
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

  /// A matrix whose arrays are in the memory of the space already, as on the device for Cuda. They must be canonical,
  /// which isn't checked, and with the csr format they stay in use: keep them alive.
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
  const std::string& parameters() const { return choice_.parameters; }  ///< of the format; empty when it has none
  std::size_t bytes() const {
    return std::visit([](const auto& f) { return f.bytes(); }, *format_);
  }
  double analyse_seconds() const { return analyse_seconds_; }
  double tune_seconds() const { return tune_seconds_; }  ///< to measure, or to find what was measured before
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

  /// r = b - A x and *slot = r . r, in one pass. The slot is in the memory of the space. False, and nothing is done,
  /// when the format has no such pass.
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

  /// New values on the same pattern: no new choice, and no analysis unless the format kept something that no longer
  /// holds (symmetry, a constant), in which case it is built anew.
  /// Requires  The pattern of the matrix that the operator was built from, canonical. Throws ArgumentError when rows,
  ///           columns or entries differ in number. After any other exception the operator is of no use.
  void update_values(const CsrView<T>& a) { update_values(Resident<Space, T>(space_, checked(a))); }

  /// The same for arrays that are in the memory of the space already: nothing is uploaded, and nothing allocated that
  /// grows with the matrix, while the values fit. With the csr format they stay in use: keep them alive.
  void update_values(const CsrView<T>& a, OnSpace) { update_values(Resident<Space, T>(space_, checked(a), on_space)); }

  /// Changes when apply() begins to use kernels that were compiled meanwhile, which leaves the bits of the results as
  /// they are, and with every update_values(): a recording of apply() is then out of date. Not to be called while the
  /// stream is recorded.
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
  using List = FormatList<F...>;

  void build(Resident<Space, T> a, const FormatOptions& options) {
    space_.wait();
    Stopwatch watch;
    options_ = options;
    look_at(a.view());
    analyse_seconds_ = watch.lap();
    std::vector<Candidate> candidates =
        candidates_of(List{}, structure_, machine_of(space_), parse_format(options.format));
    if (is_auto()) leave_to_name(candidates);
    choice_ = choose(candidates, options);
    if (is_tuned()) tune(a, candidates);
    if (!format_) create(std::move(a));
    space_.wait();
    convert_seconds_ += watch.lap() - tune_seconds_;
    generate();
  }

  /// The format is for the library to choose.
  bool is_auto() const { return parse_format(options_.format).name == "auto"; }

  /// The same, and not by measuring.
  bool is_free() const { return is_auto() && (options_.tune == Tune::off || options_.tune == Tune::model); }

  void look_at(const CsrView<T>& a) {
    structure_ = analyse(space_, a, is_free() ? Look::quickly : Look::closely);
    const auto bytes = static_cast<std::size_t>(structure_.nonzeros) * sizeof(T);
    structure_.compress =
        options_.compress == Compress::on || (options_.compress == Compress::automatic && bytes >= worth_compressing);
    if (structure_.compress || structure_.census == nullptr) return;
    structure_.census = std::make_shared<const DiagonalCensus>(without_savings(*structure_.census));
  }

  /// Bytes of values from which on fewer are faster (EPYC, 2026-11: 5-point 127^2 takes 8 us with all values and 23
  /// without, 255^2 37 and 19; H200: 64^2 3.2 and 3.9).
  static constexpr std::size_t worth_compressing = std::size_t{2} << 20;

  void generate() {
    if (!worth_compiling(options_, choice_.candidates.front().cost.seconds)) return;
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
            f = build_format<Held>(space_, std::move(a), structure_, choice_.parameters);
          } else if constexpr (requires { f.update_values(std::move(a)); }) {
            f.update_values(std::move(a));
          } else {
            f = build_format<Held>(space_, std::move(a), structure_, choice_.parameters);
          }
        },
        *format_);
    space_.wait();
    if (anew) generate();
  }

  void create(Resident<Space, T> a) {
    with_format(List{}, choice_.format, [&]<class G>(std::type_identity<G>) {
      format_.emplace(build_format<G>(space_, std::move(a), structure_, choice_.parameters));
    });
  }

  /// Builds the chosen format unless that takes the arrays over. False when it can't be built.
  bool try_create(const Resident<Space, T>& a) {
    try {
      with_format(List{}, choice_.format, [&]<class G>(std::type_identity<G>) {
        if constexpr (shares_arrays<G>) format_.emplace(build_format<G>(space_, a, structure_, choice_.parameters));
      });
      return true;
    } catch (const Error&) {
      space_.wait();  // throws when the device is of no more use
    } catch (const std::bad_alloc&) {
    }
    return false;
  }

  bool is_tuned() const {
    const bool measures = options_.tune == Tune::measure || options_.tune == Tune::everything;
    return measures && is_auto() && structure_.nonzeros > 0;
  }

  /// Lets the clock decide: that of an earlier run if its choice can still be built, or today's. Leaves the chosen
  /// format built unless it takes the arrays over.
  void tune(const Resident<Space, T>& a, const std::vector<Candidate>& candidates) {
    const Stopwatch watch;
    const std::string key =
        trials_key(space_.description(), sizeof(T), pattern_hash(space_, a.view()), candidates, options_);
    if (Trials kept = known_trials(key); !kept.candidates.empty()) {
      Choice predicted = std::exchange(choice_, choose(candidates, std::move(kept), options_));
      tune_seconds_ = watch.seconds();
      if (try_create(a)) return;
      choice_ = std::move(predicted);
    }
    Tuner<Space, T, List> tuner(space_, a, structure_, options_);
    Trials trials = tuner.run(choice_.candidates);
    keep_trials(key, trials);
    choice_ = choose(candidates, std::move(trials), options_);
    format_ = tuner.take(choice_.candidates.front());
    tune_seconds_ = watch.seconds();
    if (format_) convert_seconds_ = choice_.candidates.front().measured_setup_seconds;
  }

  Trials known_trials(const std::string& key) const {
    if (options_.tune_again) return {};
    Trials kept = kept_trials(List{}, key, structure_, machine_of(space_));
    return kept.everything || options_.tune == Tune::measure ? kept : Trials{};
  }

  void require_shapes(std::size_t x, std::size_t y) const {
    if (x == static_cast<std::size_t>(cols()) && y == static_cast<std::size_t>(rows())) return;
    throw DimensionError("apply: the matrix is " + std::to_string(rows()) + " x " + std::to_string(cols()) +
                         ", but x has " + std::to_string(x) + " and y " + std::to_string(y) + " elements");
  }

  Space space_;
  Structure structure_;
  Choice choice_;
  std::optional<std::variant<F...>> format_;
  double analyse_seconds_ = 0;
  double tune_seconds_ = 0;
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
