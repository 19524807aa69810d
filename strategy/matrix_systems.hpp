// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <any>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <ostinato/preconditioners/identity.hpp>
#include <ostinato/preconditioners/list.hpp>
#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/row_numbers.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/transposable_operator.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/deadline.hpp>
#include <ostinato/strategy/given_matrix.hpp>
#include <ostinato/strategy/least_squares_preconditioner.hpp>
#include <ostinato/strategy/numbered_matrix.hpp>
#include <ostinato/strategy/prepared_matrix.hpp>
#include <ostinato/strategy/runs.hpp>
#include <ostinato/strategy/solve_by_name.hpp>
#include <ostinato/strategy/step.hpp>
#include <ostinato/strategy/system_set_up.hpp>
#include <ostinato/strategy/system_solve.hpp>

namespace ostinato::detail {

/// Whether what was asked for by name refers to rows by their numbers.
template <class Space, class T>
bool names_rows(const LinearSolverOptions& options) {
  const auto* const multigrid = std::any_cast<MultigridOptions>(&options.preconditioner.options);
  if (multigrid != nullptr && (multigrid->coordinates.dimensions > 0 || !multigrid->near_null.empty())) return true;
  const std::string text = usual_name(NameOf::preconditioner, options.preconditioner.name).name;
  const auto* const entry = find_preconditioner<Space, T>(text.substr(0, text.find(':')));
  if (entry == nullptr) return false;
  return rows_named_by(text) != RowsNamed::none || entry->rows_named(options.preconditioner.options) != RowsNamed::none;
}

/// What is to be done about the numbers of a system.
template <class Space, class T>
NumberingRequest numbering_of(SystemSetUp<Space, T>& system) {
  const LinearSolverOptions& options = system.options;
  NumberingRequest request{options.renumber, options.format.expected_products};
  const bool stays = options.format.format != "auto" || names_rows<Space, T>(options);
  if (stays && options.renumber == Renumber::automatic) request.renumber = Renumber::off;
  request.on_begin = [&system] { system.report(SetUpStage::renumber); };
  return request;
}

/// A system with a stored matrix, numbered.
template <class Space, class T>
class MatrixSystem : public SystemSetUp<Space, T> {
 public:
  using System = SystemSetUp<Space, T>;
  using System::options;
  using System::set_up;

  MatrixSystem(Analysis<Space, T> given, LinearSolverOptions asked, double upload_seconds)
      : System(std::move(asked)), numbered_(std::move(given), numbering_of<Space, T>(*this)), given_(numbered_) {
    set_up.renumbering = numbered_.what();
    set_up.seconds.upload = upload_seconds;
    set_up.seconds.renumber = numbered_.changes() ? numbered_.seconds() : 0;
    this->report(SetUpStage::analyse);
  }

  const LinearMap<Space, T>& matrix() const override { return given_; }

  SolveResult solve(In<T> b, Out<T> x, const SolveOptions& limits) override {
    SolveOptions left = limits;
    if (set_up.unfinished) left.max_iterations = 0;
    SolveResult result = numbered_.changes() ? solve_renumbered(b, x, left) : solve_numbered(b, x, left);
    if (set_up.unfinished && !result) say_unfinished(result);
    return result;
  }

 protected:
  virtual SolveResult solve_numbered(In<T> b, Out<T> x, const SolveOptions& limits) = 0;

  const Space& space() const { return numbered_.analysis().space(); }
  const NumberedMatrix<Space, T>& numbered() const { return numbered_; }
  void take(Analysis<Space, T> analysis) { numbered_.take(std::move(analysis)); }

  void take_operator(const Operator<Space, T>& a) {
    set_up.seconds.analyse = a.analyse_seconds();
    set_up.seconds.tune = a.tune_seconds();
    set_up.seconds.convert = a.convert_seconds();
    set_up.structure = numbered_.analysis().structure();
    set_up.choice = a.choice();
  }

  /// Calls make(), which gives a preconditioner or throws. Nothing where the time was over before. Errors name rows by
  /// the caller's numbers.
  template <class Make>
  auto within_limits(Make make) -> std::optional<decltype(make())> {
    this->report(SetUpStage::precondition);
    const Stopwatch watch;
    std::optional<decltype(make())> made;
    try {
      made.emplace(make());
    } catch (const Stopped&) {
    } catch (const MemoryLimitError&) {
      throw;
    } catch (const ArgumentError& e) {
      throw ArgumentError(in_callers_numbers(e.what()));
    }
    space().wait();
    set_up.seconds.precondition = watch.seconds();
    set_up.unfinished.reset();
    if (!made) {
      set_up.unfinished = options.solve.stop.is_made() ? Status::interrupted : Status::time_limit;
      set_up.preconditioner = {options.preconditioner.name, "wasn't ready when the set-up was stopped"};
      set_up.preconditioner_remarks.clear();
      set_up.levels.clear();
      set_up.preconditioner_bytes = 0;
      set_up.predicted.reset();
    }
    return made;
  }

  template <class M>
  void take_preconditioner(const M& m) {
    set_up.preconditioner = {m.name(), in_callers_numbers(m.reason())};
    set_up.preconditioner_remarks = in_callers_numbers(m.remarks());
    set_up.levels = m.levels();
    set_up.preconditioner_bytes = m.bytes();
    set_up.predicted = m.prediction();
  }

 private:
  SolveResult solve_renumbered(In<T> b, Out<T> x, const SolveOptions& limits) {
    require_system<Space, T>("LinearSolver", space(), given_, b, x, {});
    Vector<Space, T> of_b(space(), b.size()), of_x(space(), x.size());
    numbered_.enter(b, of_b);
    numbered_.enter(x, of_x);
    SolveResult result;
    try {
      result = solve_numbered(of_b, of_x, limits);
    } catch (...) {  // of a callback; x so far is kept
      numbered_.leave(of_x, x);
      throw;
    }
    numbered_.leave(of_x, x);
    result.reason = in_callers_numbers(std::move(result.reason));
    for (std::string& note : result.notes) note = in_callers_numbers(std::move(note));
    return result;
  }

  /// A sentence with the caller's numbers for the rows that it names.
  std::string in_callers_numbers(std::string text) const {
    const auto& order = numbered_.what().order;
    if (order.empty()) return text;
    return with_row_numbers(std::move(text), [&order](std::size_t row) {
      return row < order.size() ? static_cast<std::size_t>(order[row]) : row;
    });
  }

  void say_unfinished(SolveResult& result) const {
    const std::string& name = options.preconditioner.name;
    runs::take_stopped_set_up(result, *set_up.unfinished, options.solve.time_limit, set_up.seconds.precondition,
                              " while " + name + " was made");
    result.preconditioner = name;
    result.stages.clear();
    result.notes.clear();
  }

  NumberedMatrix<Space, T> numbered_;
  GivenMatrix<Space, T> given_;
};

/// A square matrix: prepared, in its format, with a preconditioner.
template <class Space, class T>
class SquareSystem final : public MatrixSystem<Space, T> {
 public:
  using Base = MatrixSystem<Space, T>;
  using Base::options;
  using Base::set_up;

  /// `lent`: an operator of the given matrix, or null.
  SquareSystem(Analysis<Space, T> given, LinearSolverOptions asked, double upload_seconds,
               const Operator<Space, T>* lent)
      : Base(std::move(given), std::move(asked), upload_seconds),
        parts_(make_parts(this->numbered().analysis(), lent)) {
    take_parts();
    m_ = make_preconditioner(parts_.prepared.analysis());
    take_end();
  }

  SolveResult solve_numbered(In<T> b, Out<T> x, const SolveOptions& limits) override {
    const Begin begin = this->begin(limits);
    SolveResult result =
        solve_prepared<Space, T>(parts_.prepared, parts_.matrix(), b, x, begin.m, begin.solver, limits);
    if (result) remember(result);
    set_up.preparation = parts_.prepared.what();
    set_up.generated = parts_.matrix().generated();
    return result;
  }

  void expect(int right_sides) override {
    if (m_) m_->expect(std::max(right_sides, options.right_sides));
  }

  void update_values(const Analysis<Space, T>& given) override {
    const Analysis<Space, T> analysis = this->numbered().with_values(given);
    Parts parts = make_parts(analysis, nullptr);
    if (!m_) {
      m_ = make_preconditioner(parts.prepared.analysis());
    } else if (!this->within_limits(
                   [&] { return m_->update_values(parts.prepared.analysis(), deadline_of(options.solve)); })) {
      m_.reset();
    }
    worked_ = {};  // m_ has dropped it
    this->take(analysis);
    parts_ = std::move(parts);
    take_parts();
    take_end();
  }

 private:
  /// What is made from a matrix.
  struct Parts {
    PreparedMatrix<Space, T> prepared;
    double prepare_seconds;
    std::optional<Operator<Space, T>> own;
    const Operator<Space, T>* lent;

    const Operator<Space, T>& matrix() const { return own ? *own : *lent; }
  };

  /// With what a solve begins.
  struct Begin {
    std::string_view solver;
    PreconditionerRef<Space, T> m;
  };
  Begin begin(const SolveOptions& limits) const {
    using Ref = PreconditionerRef<Space, T>;
    return {options.solver, may_take_worked(limits) ? worked_ : m_ ? Ref(*m_) : Ref()};
  }

  /// Whether the limits of a solve leave room for what worked, and for the weaker ones that are kept beside it.
  bool may_take_worked(const SolveOptions& limits) const {
    if (worked_.get() == nullptr || limits.effort == Effort::quick) return false;
    if (limits.mem_limit == 0) return true;
    std::size_t bytes = worked_.bytes();
    for (const AnyPreconditioner<Space, T>* m = &*m_; m != worked_.get(); m = m->made_stronger()) bytes += m->bytes();
    return bytes <= limits.mem_limit;
  }

  /// Lets the next solve begin with the preconditioner that ended this one, where a stronger one took its place.
  void remember(const SolveResult& result) {
    if (m_) worked_ = last_in_use(worked_.get() == nullptr ? *m_ : worked_, result.preconditioner);
  }

  Parts make_parts(const Analysis<Space, T>& analysis, const Operator<Space, T>* lent) const {
    const Stopwatch watch;
    PreparedMatrix<Space, T> prepared(analysis,
                                      {.enabled = options.solve.prepare, .symmetric = options.solve.symmetric});
    Parts parts{std::move(prepared), watch.seconds(), {}, lent};
    if (lent == nullptr || parts.prepared.what().changes_matrix())
      parts.own.emplace(parts.prepared.analysis(), options.format);
    return parts;
  }

  std::optional<AnyPreconditioner<Space, T>> make_preconditioner(const Analysis<Space, T>& analysis) {
    auto made = this->within_limits([&] {
      return AnyPreconditioner<Space, T>(analysis, options.preconditioner, deadline_of(options.solve),
                                         options.solve.mem_limit);
    });
    if (made) made->expect(options.right_sides);
    return made;
  }

  void take_parts() {
    this->take_operator(parts_.matrix());
    set_up.seconds.prepare = parts_.prepare_seconds;
    set_up.preparation = parts_.prepared.what();
    set_up.matrix_bytes = parts_.matrix().bytes();
    set_up.generated = parts_.matrix().generated();
  }

  void take_end() {
    if (m_) this->take_preconditioner(*m_);
    set_up.solver = solver_choice<Space, T>(options, parts_.matrix().structure(), begin(options.solve).m);
    this->report(SetUpStage::ready);
  }

  Parts parts_;
  std::optional<AnyPreconditioner<Space, T>> m_;
  PreconditionerRef<Space, T> worked_;  ///< m_ or one of those that it has made; null until a solve has converged
};

/// A least squares problem: the matrix and its transpose, with a preconditioner of A^T A or A A^T.
template <class Space, class T>
class LeastSquaresSystem final : public MatrixSystem<Space, T> {
 public:
  using Base = MatrixSystem<Space, T>;
  using Base::options;
  using Base::set_up;

  LeastSquaresSystem(Analysis<Space, T> given, LinearSolverOptions asked, double upload_seconds)
      : Base(std::move(given), std::move(asked), upload_seconds) {
    take(this->numbered().analysis());
  }

  SolveResult solve_numbered(In<T> b, Out<T> x, const SolveOptions& limits) override {
    SolveResult result = m_ ? ostinato::solve(this->space(), *a_, b, x, *m_, options.solver, limits)
                            : ostinato::solve(this->space(), *a_, b, x, Identity{}, options.solver, limits);
    set_up.generated = a_->generated();
    return result;
  }

  void update_values(const Analysis<Space, T>& given) override {
    Analysis<Space, T> analysis = this->numbered().with_values(given);
    take(analysis);
    Base::take(std::move(analysis));
  }

 private:
  void take(const Analysis<Space, T>& analysis) {
    Operator<Space, T> forward(analysis, options.format);
    this->report(SetUpStage::transpose);
    const Stopwatch watch;
    TransposableOperator<Space, T> a(std::move(forward), analysis, options.format);
    const double transpose_seconds = watch.seconds();
    auto m = this->within_limits([&] {
      return LeastSquaresPreconditioner<Space, T>(analysis, options.preconditioner, deadline_of(options.solve),
                                                  options.solve.mem_limit);
    });
    a_.emplace(std::move(a));
    m_ = std::move(m);
    this->take_operator(a_->forward());
    set_up.seconds.transpose = transpose_seconds;
    set_up.structure = a_->structure();
    set_up.matrix_bytes = a_->bytes();
    set_up.generated = a_->generated();
    if (m_) this->take_preconditioner(*m_);
    set_up.solver = solver_choice<Space, T>(options, a_->structure(), {});
    this->report(SetUpStage::ready);
  }

  std::optional<TransposableOperator<Space, T>> a_;
  std::optional<LeastSquaresPreconditioner<Space, T>> m_;
};

}  // namespace ostinato::detail
