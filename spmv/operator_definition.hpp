// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/operator.hpp>

#include <ostinato/spmv/algebra/accurate_residual.hpp>
#include <ostinato/spmv/analysis/pattern_hash.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/selection/candidates.hpp>
#include <ostinato/spmv/selection/select_format.hpp>
#include <ostinato/spmv/shapes.hpp>
#include <ostinato/spmv/space/together.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

template <class Space, class T>
Operator<Space, T>::Operator(const Space& space, const CsrView<T>& a, FormatOptions options)
    : Operator(Own{}, Analysis<Space, T>(space, a), std::move(options)) {}

template <class Space, class T>
Operator<Space, T>::Operator(const Space& space, const Csr<T>& a, FormatOptions options)
    : Operator(Own{}, Analysis<Space, T>(space, SpaceCsr<Space, T>(space, a).kept(space)), std::move(options)) {}

template <class Space, class T>
Operator<Space, T>::Operator(const Space& space, Csr<T>&& a, FormatOptions options)
    : Operator(Own{}, Analysis<Space, T>(space, std::move(a)), std::move(options)) {}

template <class Space, class T>
Operator<Space, T>::Operator(const Space& space, const CsrView<T>& a, OnSpace, FormatOptions options)
    : Operator(Own{}, Analysis<Space, T>(space, SpaceCsr<Space, T>(space, a, on_space)), std::move(options)) {}

template <class Space, class T>
Operator<Space, T>::Operator(Own, const Analysis<Space, T>& analysis, FormatOptions options)
    : Operator(analysis, std::move(options)) {
  keeps_matrix_ = true;
  own_ = analysis.matrix();
}

template <class Space, class T>
Operator<Space, T>::Operator(const Analysis<Space, T>& analysis, FormatOptions options)
    : Operator(analysis, std::move(options), format_list<Space, T>()) {}

template <class Space, class T>
Operator<Space, T>::Operator(const Analysis<Space, T>& analysis, FormatOptions options,
                             const FormatList<Space, T>& list)
    : LinearMap<Space, T>(analysis.space(), static_cast<std::size_t>(analysis.structure().rows),
                          static_cast<std::size_t>(analysis.structure().cols)),
      options_(std::move(options)) {
  mark(analysis);
  select(analysis, list);
  create(analysis, list);
}

template <class Space, class T>
Operator<Space, T>::Operator(FromChoice, const Analysis<Space, T>& analysis, Choice choice, FormatOptions options)
    : LinearMap<Space, T>(analysis.space(), static_cast<std::size_t>(analysis.structure().rows),
                          static_cast<std::size_t>(analysis.structure().cols)),
      options_(std::move(options)),
      choice_(std::move(choice)) {
  mark(analysis);
  create(analysis, format_list<Space, T>());
}

template <class Space, class T>
Operator<Space, T>::Operator(Operator&&) noexcept = default;

template <class Space, class T>
Operator<Space, T>& Operator<Space, T>::operator=(Operator&&) noexcept = default;

template <class Space, class T>
Operator<Space, T>::~Operator() = default;

/// Enqueued where LaterMark is: a GPU looks at the pattern while the host chooses the format and prepares the
/// conversion, and that time counts where the host waits next.
template <class Space, class T>
void Operator<Space, T>::mark(const Analysis<Space, T>& analysis) {
  const Stopwatch watch;
  if (!makes_parts(space_))
    pattern_ = LaterMark<Space>(space_, analysis.matrix().view(), analysis.structure().longest_row);
  analyse_seconds_ = watch.seconds();
}

template <class Space, class T>
void Operator<Space, T>::select(const Analysis<Space, T>& analysis, const FormatList<Space, T>& list) {
  const Stopwatch watch;
  const double analysed_before = analysis.seconds();
  Selection<Space, T> selection = select_format(analysis, options_, list);
  choice_ = std::move(selection.choice);
  format_ = std::move(selection.built);
  tune_seconds_ = selection.tune_seconds;
  convert_seconds_ = format_ == nullptr ? watch.seconds() - tune_seconds_ - (analysis.seconds() - analysed_before)
                     : selection.build_seconds > 0 ? selection.build_seconds
                                                   : choice_.candidates.front().measured_setup_seconds;
}

template <class Space, class T>
void Operator<Space, T>::create(const Analysis<Space, T>& analysis, const FormatList<Space, T>& list) {
  analysis_ = analysis.weak();
  const FormatEntry<Space, T>* entry = list.find(choice_.format);
  if (entry == nullptr) throw ArgumentError("the choice names format " + choice_.format + ", which isn't in the list");
  entry_ = std::make_shared<const FormatEntry<Space, T>>(*entry);
  if (format_ == nullptr) {
    const Stopwatch watch;
    const double analysed_before = analysis.seconds();
    build(analysis);
    convert_seconds_ += watch.seconds() - (analysis.seconds() - analysed_before);
  }
  structure_ = analysis.structure();  // of which the conversion may have asked for more
  given_sorted_ = !analysis.matrix().is_sorted_copy();
  analyse_seconds_ += analysis.seconds();
  for (Candidate& c : choice_.candidates) c.plan = nullptr;  // a plan may take as much memory as the matrix
  for (Candidate& c : choice_.trials.candidates) c.plan = nullptr;
  options_.tune_again = false;
  if (!makes_parts(space_)) space_.trim();
  generate();
}

/// Builds the chosen format, from the plan of the choice where that has one. An operator drops it, and so plans again
/// for a new matrix.
template <class Space, class T>
void Operator<Space, T>::build(const Analysis<Space, T>& analysis) {
  const Machine machine = machine_of(space_);
  const PlanInput in{analysis.structure(), machine, may_compress(options_, analysis.structure().nonzeros, sizeof(T))};
  const Candidate& c = choice_.candidates.front();
  const Proposal proposal =
      c.plan != nullptr ? Proposal{c.parameters, {}, c.plan} : propose(analysis, *entry_, in, c.parameters);
  if (!proposal.cost.applies())
    throw ArgumentError("format " + choice_.format + " can't hold this matrix: " + proposal.cost.reason_not);
  format_ = entry_->build(space_, analysis.matrix(), in, proposal);
  settle(space_);
}

template <class Space, class T>
void Operator<Space, T>::generate() {
  if (worth_compiling(options_, choice_.candidates.front().cost.seconds)) format_->generate(options_.jit == Jit::on);
}

template <class Space, class T>
auto Operator<Space, T>::built() const -> BuiltFormat<Space, T>& {
  if (format_ == nullptr) throw ArgumentError("the operator was moved from");
  return *format_;
}

template <class Space, class T>
std::size_t Operator<Space, T>::bytes() const {
  return built().bytes();
}

template <class Space, class T>
void Operator<Space, T>::apply(T alpha, Block<const T> x, T beta, Block<T> y) const {
  require_shapes(x, y);
  look_.at(space_, x.data, y.data);
  if (rows() > 0) built().apply(alpha, x, beta, y);
}

template <class Space, class T>
void Operator<Space, T>::apply_dot(Block<const T> x, Block<T> y, Block<const T> w, Slot<T> slots) const {
  require_shapes(x, y);
  require_shapes(x, w);
  look_.at(space_, x.data, y.data);
  built().apply_dot(x, y, w, slots);
}

template <class Space, class T>
const LinearMap<Space, float>* Operator<Space, T>::lower() const {
  return built().lower();
}

template <class Space, class T>
void Operator<Space, T>::residual(Block<const T> x, Block<const T> b, Block<T> r, Slot<T> slots) const {
  require_shapes(x, b);
  require_shapes(x, r);
  if (rows() == 0) return LinearMap<Space, T>::residual(x, b, r, slots);
  look_.at(space_, x.data, r.data);
  built().residual(x, b, r, slots);
}

template <class Space, class T>
bool Operator<Space, T>::accurate_residual(double outer, double inner, Block<const T> x, Block<const T> b, Block<T> r,
                                           Slot<T> slots) const {
  require_shapes(x, b);
  require_shapes(x, r);
  const std::optional<Analysis<Space, T>> analysis = own_ ? std::nullopt : analysis_.lock();
  if (!own_ && !analysis) return false;
  const CsrView<T>& a = own_ ? own_->view() : analysis->matrix().view();
  for (int k = 0; k < r.columns; ++k)
    ostinato::accurate_residual<T>(space_, a, outer, inner, x.column(k), b.column(k), r.column(k), slots + k);
  return true;
}

template <class Space, class T>
std::optional<Analysis<Space, T>> Operator<Space, T>::analysis() const {
  if (own_) return Analysis<Space, T>(space_, *own_, structure());
  return analysis_.lock();
}

template <class Space, class T>
int Operator<Space, T>::revision() const {
  return 2 * revision_.number() + built().revision();
}

template <class Space, class T>
std::string Operator<Space, T>::generated() const {
  return built().generated();
}

template <class Space, class T>
Update Operator<Space, T>::update_values(const CsrView<T>& a) {
  const bool same = keeps_pattern(a);
  return update(take(a, same), same, true);
}

template <class Space, class T>
Update Operator<Space, T>::update_values(const Csr<T>& a) {
  const bool same = keeps_pattern(a);
  return update(take(a, same), same, false);
}

template <class Space, class T>
Update Operator<Space, T>::update_values(Csr<T>&& a) {
  const bool same = keeps_pattern(a);
  SpaceCsr<Space, T> matrix = take(a.view(), same);
  require_size(matrix.view());
  matrix.keep(std::move(a));
  return update(matrix, same, false);
}

template <class Space, class T>
Update Operator<Space, T>::update_values(const CsrView<T>& a, SamePattern) {
  if (!given_sorted_) return update_values(a);
  (void)built();
  require_size(a);
  check_sizes(a);
  return update(SpaceCsr<Space, T>(space_, a, same_pattern), true, true);
}

template <class Space, class T>
Update Operator<Space, T>::update_values(const CsrView<T>& a, OnSpace) {
  const bool same = keeps_pattern(a);
  return update(SpaceCsr<Space, T>(space_, a, on_space), same, true);
}

template <class Space, class T>
Update Operator<Space, T>::update_values(const CsrView<T>& a, OnSpace, SamePattern) {
  (void)built();
  return update(SpaceCsr<Space, T>(space_, a, on_space), given_sorted_, true);
}

/// Whether arrays in host memory hold the old pattern, which was checked. False where only the space can tell.
template <class Space, class T>
bool Operator<Space, T>::keeps_pattern(const CsrView<T>& a) const {
  (void)built();  // refuses an object that was moved from
  if constexpr (!Space::has_host_memory) return false;
  return a.rows == rows() && a.cols == cols() && a.row_ptr.size() == static_cast<std::size_t>(rows()) + 1 &&
         a.nonzeros() == structure_.nonzeros && a.val.size() == a.col.size() &&
         pattern_mark(space_, a) == pattern_.text();
}

/// The matrix in the memory of the space. One on the old pattern isn't checked again.
template <class Space, class T>
template <class Given>
SpaceCsr<Space, T> Operator<Space, T>::take(const Given& a, bool same) const {
  return same ? SpaceCsr<Space, T>(space_, a, same_pattern) : SpaceCsr<Space, T>(space_, a);
}

template <class Space, class T>
Update Operator<Space, T>::update(const SpaceCsr<Space, T>& a, bool same, bool lent) {
  const CsrView<T>& view = a.view();
  require_size(view);
  revision_.renew();
  analysis_ = {};
  // A format that is refilled writes to the places of the old pattern.
  std::string pattern = same ? std::string() : pattern_mark(space_, view);
  if ((same || pattern == pattern_.text()) && !may_refuse_values() && refill(a, lent)) {
    given_sorted_ = !a.is_sorted_copy();
    keep_values(a, true);
    return Update::refilled;
  }
  const Analysis<Space, T> analysis(space_, a);
  try {
    build(analysis);
  } catch (const ArgumentError& e) {
    throw ArgumentError("update_values: " + std::string(e.what()) + "; build a new Operator, which may take another");
  }
  structure_ = analysis.structure();
  unseen_.reset();
  keep_values(a, false);
  if (!same) pattern_ = LaterMark<Space>(std::move(pattern));
  given_sorted_ = !a.is_sorted_copy();
  space_.trim();
  generate();
  return Update::rebuilt;
}

/// Puts values on the old pattern into the format. Returns false when the format can't store them. What can be looked
/// at later, in lent arrays or in the format, isn't looked at; nor is anything among parts of a larger object, which
/// knows what it needs.
template <class Space, class T>
bool Operator<Space, T>::refill(const SpaceCsr<Space, T>& a, bool lent) {
  const bool later = Space::has_host_memory && (lent || built().csr() != nullptr);
  Structure now = structure_;
  if (later || makes_parts(space_)) {
    now.symmetric = false;  // until somebody looks
  } else {
    analyse_values(space_, a.view(), now);
  }
  if (built().csr() != nullptr) own_.reset();  // the format copies arrays that others see
  if (!built().update_values(a)) return false;
  settle(space_);
  structure_ = std::move(now);
  unseen_.reset();
  if (!later) return true;
  unseen_ = std::make_unique<Unseen>();
  if (built().csr() == nullptr) unseen_->matrix = a;
  return true;
}

/// Takes new values into the matrix that the operator keeps, which may be that of the format.
template <class Space, class T>
void Operator<Space, T>::keep_values(const SpaceCsr<Space, T>& a, bool same) {
  if (!keeps_matrix_) return;
  if (const SpaceCsr<Space, T>* const in_format = built().csr(); in_format != nullptr) {
    own_ = *in_format;
  } else if (same && own_) {
    own_->take_values(space_, a);
  } else {
    own_ = a.kept(space_);
  }
}

/// Whether the format may hold the old values only because they are compressed. What refill() has begun then couldn't
/// be undone, once the format refuses the new values.
template <class Space, class T>
bool Operator<Space, T>::may_refuse_values() const {
  const double slots = (1 + choice_.candidates.front().cost.padding) * static_cast<double>(structure_.nonzeros);
  return formats::grows_too_far(structure_, sizeof(T), slots * (sizeof(T) + sizeof(Index)));
}

template <class Space, class T>
void Operator<Space, T>::look() const {
  std::call_once(unseen_->once, [this] {
    const SpaceCsr<Space, T>* const in_format = built().csr();
    analyse_values(space_, (in_format == nullptr ? *unseen_->matrix : *in_format).view(), structure_);
    unseen_->matrix.reset();
  });
}

template <class Space, class T>
void Operator<Space, T>::require_size(const CsrView<T>& a) const {
  if (a.rows == rows() && a.cols == cols() && a.nonzeros() == structure_.nonzeros) return;
  const auto size = [](Index rows, Index cols, Offset entries) {
    return std::to_string(rows) + " x " + std::to_string(cols) + " with " + std::to_string(entries) + " entries";
  };
  throw ArgumentError("update_values: the operator (" + format() + ") is " + size(rows(), cols(), structure_.nonzeros) +
                      ", the new matrix " + size(a.rows, a.cols, a.nonzeros()) + "; build a new Operator");
}

template <class Space, class T>
void Operator<Space, T>::require_shapes(const Block<const T>& x, const Block<const T>& y) const {
  ostinato::require_shapes("apply", static_cast<std::size_t>(rows()), static_cast<std::size_t>(cols()), x.rows, y.rows);
}

}  // namespace ostinato
