// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/solvers/methods/gcrodr.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/solvers/methods/gmres.hpp>
#include <ostinato/solvers/methods/gmres_steps.hpp>
#include <ostinato/solvers/recurrence/require_room.hpp>
#include <ostinato/solvers/recurrence/restarts.hpp>
#include <ostinato/solvers/recurrence/slow_directions.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/dense/hessenberg.hpp>
#include <ostinato/spmv/space/multi_vector_definition.hpp>

namespace ostinato {

/// The kept u and c, both by columns.
template <class Space, class T>
struct RecycledSpace::Kept : RecycledSpace::Contents {
  Kept(const Space& on, int count, In<T> us, In<T> cs) : space(on), u(on, us.size()), c(on, cs.size()) {
    copy<T>(space, us, u.span());
    copy<T>(space, cs, c.span());
    vectors = count;
    bytes = u.bytes() + c.bytes();
  }

  bool fits(const Space& other, std::size_t rows) const {
    return other.is_same_place(space) && u.size() == rows * static_cast<std::size_t>(vectors);
  }

  Space space;
  Vector<Space, T> u, c;
};

namespace gcrodr_loop {

inline constexpr int singular_a = 1,
                     singular_product = 2;  // ConvergenceState::cause, without and with a preconditioner

/// How many directions a cycle searches, and how many of them it may keep.
struct Widths {
  int search, keep;
  double vectors() const { return search + 2.0 * keep + 2; }
  double coefficients() const { return (search + 1.0) * (search + 2.0); }
};

template <class Space>
Widths widths(const Space& space, std::size_t rows, std::size_t value_bytes, const SolveOptions& o, std::size_t limit) {
  constexpr int usual = 50, share = 5;
  const bool is_given = o.restart != automatic_restart;
  if (is_given && o.recycle >= o.restart && o.recycle != automatic_recycle) {
    throw ArgumentError("gcrodr: recycle is " + std::to_string(o.recycle) + "; it has to be less than restart, " +
                        std::to_string(o.restart));
  }
  constexpr int most = std::numeric_limits<int>::max() / share;
  double search = is_given ? o.restart : o.recycle == automatic_recycle ? usual : share * std::min(o.recycle, most);
  double keep = o.recycle == automatic_recycle ? std::max(1.0, std::floor(search / share)) : o.recycle;
  search = std::min(search, keep + std::max(1, o.max_iterations));  // more steps than that aren't taken
  search = std::clamp(search, 1.0, std::max(1.0, static_cast<double>(rows)));
  const double vector = static_cast<double>(value_bytes) * static_cast<double>(std::max<std::size_t>(rows, 1)),
               fit = std::floor(least_of(space, basis_memory(limit)) / vector);
  if (!is_given && search + 2 * keep + 2 > fit) {
    keep = std::min(keep, std::floor(fit / (share + 4)));
    search = std::clamp(fit - 2 * keep - 2, 1.0, search);
  }
  return {static_cast<int>(search), static_cast<int>(std::min(keep, search - 1))};
}

/// Whether M^-1 V is kept, as GMRES does under an M in float (gmres.hpp), within the bytes that the basis may take.
template <class T, class Space, class M>
bool is_worth_more(const Space& space, const M& m, const Widths& widths, double vector, std::size_t limit) {
  if (is_single<T> || !m.works_in_float() || widths.search == 1) return false;
  const double bytes = (widths.vectors() + widths.search) * vector;
  return bytes <= basis_memory(limit) && is_free(space, bytes);
}

/// The cycles of one solve. In the memory of the space: the orthonormal basis [C V], where V gets one column more than
/// a cycle has steps, and U with A M^-1 U = C.
template <class Space, class T>
class Cycles {
 public:
  /// `keep_z`: M^-1 V is kept.
  Cycles(const Space& on, const OperatorRef<Space, T>& matrix, const PreconditionerRef<Space, T>& preconditioner,
         Widths given, bool keep_z, Workspace<Space>& workspace)
      : space_(on),
        a_(matrix),
        m_(preconditioner),
        n_(matrix.rows()),
        widths_(given),
        z_columns_(keep_z ? width(given.search) : 1),
        basis_(workspace.template allocate<T>((width(given.search) + 1) * n_)),
        u_(workspace.template allocate<T>(width(given.keep) * n_)),
        spare_(workspace.template allocate<T>(width(std::max(given.keep, 1)) * n_)),
        z_(m_.is_identity() ? Out<T>{} : workspace.template allocate<T>(z_columns_ * n_)),
        h_(workspace.template allocate<T>((width(given.search) + 1) * stride())),
        again_(workspace.template allocate<T>(stride())),
        small_(workspace.template allocate<T>(width(given.search + 1) * width(std::max(given.keep, 1)))),
        slot_(workspace.emplace(0.0)) {
    space_.zero(h_.data(), h_.size_bytes());  // whole columns are downloaded, with the elements below their last
  }

  int steps() const { return widths_.search - kept_; }  ///< of this cycle at most
  int kept() const { return kept_; }
  bool is_stuck() const { return is_stuck_; }  ///< the kept directions contradict the space that is searched
  int products() const { return products_; }   ///< with kept vectors, besides those of the steps
  In<T> u() const { return u_.first(width(kept_) * n_); }
  In<T> c() const { return basis_.first(width(kept_) * n_); }

  /// Takes the pairs of an earlier solve, as far as there is room, and looks whether they still hold.
  void take(In<T> us, In<T> cs, int count) {
    kept_ = std::min(count, widths_.keep);
    copy<T>(space_, us.first(width(kept_) * n_), u_.first(width(kept_) * n_));
    copy<T>(space_, cs.first(width(kept_) * n_), basis_.first(width(kept_) * n_));
    if (kept_ > 0 && !still_hold()) renew();
  }

  /// Begins a cycle from r, of this norm: v(0) is what r has besides the kept images, normalised. Returns its norm.
  double begin(In<T> r, double norm) {
    constexpr double idle = 1 - 1e-5;
    if (norm > idle * before_) kept_ = 0;
    // The residual isn't what the cycle before has seen: A U = C is spoilt by rounding, or A changes.
    if (kept_ > 0 && norm > 2 * seen_) renew();
    before_ = norm;
    top_.clear();
    of_kept_.assign(width(kept_), 0);
    is_stuck_ = false;
    const Out<T> v = column(kept_);
    scale<T>(space_, static_cast<T>(1 / norm), r, v);
    seen_ = norm;
    if (kept_ == 0) return norm;
    orthogonalise(kept_, v, h_.data());
    const std::vector<T> h = download(h_.data(), width(kept_) + 1);
    for (std::size_t i = 0; i < of_kept_.size(); ++i) of_kept_[i] = norm * h[i];
    return seen_ = norm * h.back();
  }

  /// Computes column j: w = A M^-1 v(j), orthogonalised against [C V] and normalised, becomes v(j + 1).
  void step(int j) const {
    apply(column(kept_ + j), z(j), column(kept_ + j + 1));
    orthogonalise(kept_ + j + 1, column(kept_ + j + 1), coefficients(j));
  }

  /// Copies columns least_squares.columns() .. end - 1 to the host and adds them to the least squares problem, until
  /// the recurrence stops. Waits for the copy.
  void absorb(int end, Hessenberg& least_squares, ConvergenceState& state) {
    constexpr double rounding = 4 * std::numeric_limits<T>::epsilon();
    const int first = least_squares.columns();
    const std::vector<T> host = download(coefficients(first), width(end - first) * stride());
    for (int j = first; j < end && state.running() && !is_stuck_; ++j) {
      const T* from = host.data() + width(j - first) * stride();
      top_.emplace_back(from, from + kept_);
      const std::vector<double> h(from + kept_, from + kept_ + j + 2);
      size_ = std::max(size_, std::hypot(length(top_.back()), length(h)));
      const double norm = least_squares.absorb(h, rounding);
      // Besides C, A M^-1 may be singular where it isn't as a whole: without the pairs, the space may hold the
      // solution.
      is_stuck_ = kept_ > 0 && least_squares.pivot() <= half_the_digits * size_;
      if (!is_stuck_ && std::isfinite(norm)) seen_ = norm;
      state.record(is_stuck_ ? seen_ * seen_ : norm * norm);
      const bool singular = least_squares.singular();
      if (state.state != ConvergenceState::not_a_number && !singular && !is_stuck_) continue;
      if (singular && !is_stuck_) state.break_down(m_.is_identity() ? singular_a : singular_product, 0);
      least_squares.drop();
      top_.pop_back();
    }
  }

  /// x += M^-1 [U V] y
  void correct(const Hessenberg& least_squares, Out<T> x) const {
    const std::vector<double> y = least_squares.solve();
    if (y.empty() && kept_ == 0) return;
    std::vector<double> on_kept = of_kept_;
    for (std::size_t j = 0; j < y.size(); ++j) {
      for (std::size_t i = 0; i < on_kept.size(); ++i) on_kept[i] -= top_[j][i] * y[j];
    }
    if (m_.is_identity()) {
      add(on_kept, u_.data(), x);
      add(y, column(kept_).data(), x);
      return;
    }
    const bool has_z = z_columns_ > 1;
    if (has_z) add(y, z_.data(), x);
    if (has_z && kept_ == 0) return;
    const Out<T> sum = spare_.first(n_);
    space_.zero(sum.data(), sum.size_bytes());
    add(on_kept, u_.data(), sum);
    if (!has_z) add(y, column(kept_).data(), sum);
    m_.apply(sum, z(0));
    add({1}, z_.data(), x);
  }

  /// Keeps the slowest directions of the cycle, or those from before where there is no better choice.
  void keep(const Hessenberg& least_squares) {
    if (is_stuck_) kept_ = 0;
    const int columns = least_squares.columns();
    if (is_stuck_ || widths_.keep == 0 || columns == 0) return;
    // A M^-1 u = c holds to epsilon |A M^-1| |u|; a third of the digits are enough.
    const double longest = std::pow(double{std::numeric_limits<T>::epsilon()}, -2.0 / 3) / size_;
    const std::vector<double> gram = products_with_u(columns);
    const SlowDirections slow = slow_directions({kept_, least_squares, top_, gram}, widths_.keep, longest);
    if (slow.in_search.empty()) return;
    const Out<T> next = spare_.first(slow.in_search.size() * n_);
    combine(slow.in_search, u_.data(), column(kept_).data(), next);
    std::swap(u_, spare_);
    const Out<T> images = spare_.first(next.size());
    combine(slow.in_images, basis_.data(), column(kept_).data(), images);
    copy<T>(space_, images, basis_.first(images.size()));
    kept_ = static_cast<int>(slow.in_search.size());
  }

 private:
  static std::size_t width(int columns) { return static_cast<std::size_t>(columns); }
  static double length(const std::vector<double>& h) {
    double size = 0;
    for (const double value : h) size = std::hypot(size, value);
    return size;
  }
  std::size_t stride() const { return width(widths_.search) + 2; }  ///< of the columns of coefficients
  Out<T> column(int j) const { return basis_.subspan(width(j) * n_, n_); }
  Out<T> u(int i) const { return u_.subspan(width(i) * n_, n_); }
  T* coefficients(int j) const { return h_.data() + width(j) * stride(); }

  std::vector<T> download(const T* from, std::size_t count) const {
    std::vector<T> host(count);
    space_.download(host.data(), from, count * sizeof(T));
    return host;
  }

  /// Where M^-1 v(j) is; empty without M.
  Out<T> z(int j) const { return z_.empty() ? z_ : z_.subspan(z_columns_ > 1 ? width(j) * n_ : 0, n_); }

  /// z = M^-1 v;  w = A z
  void apply(In<T> v, Out<T> z, Out<T> w) const {
    if (m_.is_identity()) return a_.apply(v, w);
    m_.apply(v, z);
    a_.apply(z, w);
  }

  /// w is orthogonalised twice against the first `columns` of the basis, with the coefficients h, and normalised.
  void orthogonalise(int columns, Out<T> w, T* h) const {
    ostinato::orthogonalise<T>(space_, columns, basis_.data(), w, h, again_.data(), slot_);
  }

  /// x += V y
  void add(const std::vector<double>& y, const T* v, Out<T> x) const {
    if (y.empty()) return;
    const std::vector<T> rounded(y.begin(), y.end());
    space_.upload(again_.data(), rounded.data(), rounded.size() * sizeof(T));
    ostinato::combine<T>(space_, static_cast<int>(y.size()), v, again_.data(), x);
  }

  /// W = [first V] Y, where `first` has as many columns as are kept.
  void combine(const std::vector<std::vector<double>>& y, const T* first, const T* v, Out<T> w) const {
    const std::size_t height = y.front().size();
    std::vector<T> rounded;
    for (const std::vector<double>& one : y) rounded.insert(rounded.end(), one.begin(), one.end());
    space_.upload(small_.data(), rounded.data(), rounded.size() * sizeof(T));
    space_.zero(w.data(), w.size_bytes());
    const int results = static_cast<int>(y.size()), rest = static_cast<int>(height) - kept_;
    if (kept_ > 0) ostinato::combine<T>(space_, kept_, first, results, small_.data(), height, w);
    ostinato::combine<T>(space_, rest, v, results, small_.data() + kept_, height, w);
  }

  /// U^T [U V], row after row.
  std::vector<double> products_with_u(int columns) const {
    if (kept_ == 0) return {};
    const std::size_t height = width(kept_ + columns);
    for (int i = 0; i < kept_; ++i) {
      T* row = small_.data() + width(i) * height;
      project<T>(space_, kept_, u_.data(), u(i), row);
      project<T>(space_, columns, column(kept_).data(), u(i), row + kept_);
    }
    const std::vector<T> host = download(small_.data(), width(kept_) * height);
    return {host.begin(), host.end()};
  }

  /// Whether A M^-1 maps the sum of the u to the sum of the c, up to a third of the digits.
  bool still_hold() {
    const std::vector<double> ones(width(kept_), 1.0), minus(width(kept_), -1.0);
    const Out<T> sum = spare_.first(n_), image = column(kept_);
    space_.zero(sum.data(), sum.size_bytes());
    add(ones, u_.data(), sum);
    apply(sum, z(0), image);
    ++products_;
    add(minus, basis_.data(), image);
    dot<T>(space_, image, image, slot_);
    return std::sqrt(read_scalar(space_, slot_) / kept_) <= enough;
  }

  /// C = A M^-1 U, orthonormal, with a U of the same columns combined. Columns that depend on others are dropped.
  void renew() {
    const int count = std::exchange(kept_, 0);
    for (int i = 0; i < count; ++i) {
      const Out<T> to = u(kept_), image = column(kept_);
      if (kept_ < i) copy<T>(space_, u(i), to);
      apply(to, z(0), image);
      ++products_;
      dot<T>(space_, image, image, slot_);
      normalise<T>(space_, slot_, image, h_.data());
      const double before = static_cast<double>(read_scalar(space_, h_.data()));
      if (!std::isfinite(before) || !std::isfinite(static_cast<T>(1 / before))) continue;
      scale<T>(space_, static_cast<T>(1 / before), to, to);
      double left = 1;
      if (kept_ > 0) {
        orthogonalise(kept_, image, h_.data());
        subtract<T>(space_, kept_, u_.data(), h_.data(), to);
        left = static_cast<double>(read_scalar(space_, h_.data() + kept_));
        if (!(left > enough)) continue;
        scale<T>(space_, static_cast<T>(1 / left), to, to);
      }
      ++kept_;
    }
  }

  static inline const double half_the_digits = std::sqrt(double{std::numeric_limits<T>::epsilon()});
  static inline const double enough = std::cbrt(double{std::numeric_limits<T>::epsilon()});

  Space space_;
  const OperatorRef<Space, T>& a_;
  const PreconditionerRef<Space, T>& m_;
  std::size_t n_;
  Widths widths_;
  std::size_t z_columns_;
  Out<T> basis_;  ///< [C V]
  Out<T> u_, spare_;
  Out<T> z_;      ///< M^-1 v, of the latest step or of all steps of the cycle
  Out<T> h_;      ///< columns of coefficients: C^T A M^-1 v(j), then those of V
  Out<T> again_;  ///< coefficients of the second orthogonalisation
  Out<T> small_;
  Slot<T> slot_;
  int kept_ = 0;                          ///< columns of U and C
  std::vector<std::vector<double>> top_;  ///< C^T A M^-1 V, by columns
  std::vector<double> of_kept_;           ///< C^T r
  double size_ = 0;                       ///< of A M^-1, from below
  double seen_ = HUGE_VAL;                ///< the norm of the residual by the least squares problem
  double before_ = HUGE_VAL;              ///< the norm of the residual at the beginning of the cycle before
  bool is_stuck_ = false;
  int products_ = 0;
};

/// One cycle, from the residual r of x, of this norm: takes steps until the monitor, which has been started, ends the
/// recurrence or a restart is due, corrects x, and keeps directions for the cycle or the solve that follows.
template <class T, class Space>
void run_cycle(Cycles<Space, T>& cycles, In<T> r, double norm, const SolveOptions& options, Out<T> x,
               Monitor<Space>& monitor) {
  ConvergenceState state = monitor.host_state();
  const double left = cycles.begin(r, norm);
  Hessenberg least_squares(left);
  if (left <= state.goal) monitor.stop(StopReason::restart);  // the kept directions are enough
  for (int j = 0; monitor.reason() == StopReason::none;) {
    cycles.step(j++);
    const bool full =
        j == cycles.steps() || monitor.iterations() + j - least_squares.columns() >= options.max_iterations;
    if (!full && j % monitor.every() != 0) continue;
    cycles.absorb(j, least_squares, state);
    monitor.update(state);
    const bool claimed = monitor.reason() == StopReason::goal && cycles.kept() > 0;  // what GMRES alone may have to do
    if (claimed || cycles.is_stuck() || (full && monitor.reason() == StopReason::none))
      monitor.stop(StopReason::restart);
  }
  cycles.correct(least_squares, x);
  if (options.recycled != nullptr || monitor.reason() == StopReason::restart) cycles.keep(least_squares);
}

/// A note on directions that a solve took from an earlier one, and on the products with A that they cost.
inline std::string recycling_text(int directions, int products) {
  return "gcrodr recycled " + std::to_string(directions) + " directions of an earlier solve; " +
         std::to_string(products) + (products == 1 ? " product" : " products") + " besides the iterations";
}

}  // namespace gcrodr_loop

template <class Space, class T>
SolveResult Gcrodr::run(const Space& space, const OperatorRef<Space, T>& given, In<T> b, Out<T> x,
                        const PreconditionerRef<Space, T>& preconditioner, const SolveOptions& options) {
  using namespace gcrodr_loop;
  require_valid(options);
  require_fixed<Gcrodr>(preconditioner);
  Workspace<Space> workspace(space);
  const ScaledSystem<Space, T> system(name, space, given, b, x, preconditioner, workspace);
  const OperatorRef<Space, T>& a = system.a();
  const PreconditionerRef<Space, T>& m = system.m();
  const std::size_t limit = memory_left(options.mem_limit, m.bytes());
  const Widths size = widths(space, part_of(space, a.rows()).whole, sizeof(T), options, limit);
  const double vector = static_cast<double>(a.rows() * sizeof(T));
  if (options.restart != automatic_restart)
    require_room(space, size.vectors() * vector, sizeof(T) * size.coefficients(), limit,
                 "gcrodr: a basis of " + std::to_string(static_cast<int>(size.vectors())) + " vectors",
                 "restart or recycle");
  const bool keeps_z = holds_for_all(space, is_worth_more<T>(space, m, size, vector, limit));
  Cycles<Space, T> cycles(space, a, m, size, keeps_z, workspace);

  RecycledSpace* recycled = options.recycled;
  using Kept = RecycledSpace::Kept<Space, T>;
  const Kept* earlier = recycled == nullptr ? nullptr : dynamic_cast<const Kept*>(recycled->contents_.get());
  if (!holds_for_all(space, earlier != nullptr && earlier->fits(space, a.rows()))) earlier = nullptr;
  bool is_first = true;

  const auto recurrence = [&](Out<T> r, Slot<T>, double norm, Monitor<Space>& monitor) {
    monitor.start(norm);
    if (std::exchange(is_first, false) && earlier != nullptr) cycles.take(earlier->u, earlier->c, earlier->vectors);
    run_cycle<T>(cycles, r, norm, options, x, monitor);
  };
  SolveResult result = solve_with_restarts<Gcrodr>(system, x, options, workspace, recurrence);
  if (recycled == nullptr) return result;
  if (earlier != nullptr && !is_first)
    result.notes.push_back(recycling_text(std::min(earlier->vectors, size.keep), cycles.products()));
  if (earlier == nullptr && recycled->contents_ != nullptr)
    result.notes.emplace_back("gcrodr began without the recycled directions: they are of another kind of system");
  if (cycles.kept() > 0) recycled->contents_ = std::make_unique<Kept>(space, cycles.kept(), cycles.u(), cycles.c());
  return result;
}

}  // namespace ostinato
