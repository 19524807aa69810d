// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <ostinato/preconditioners/list.hpp>
#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/linear_operator.hpp>
#include <ostinato/spmv/stencil/stencil_operator.hpp>
#include <ostinato/strategy/solve_by_name.hpp>
#include <ostinato/strategy/stencil_preconditioner.hpp>
#include <ostinato/strategy/symmetric_map.hpp>
#include <ostinato/strategy/system_set_up.hpp>

namespace ostinato::detail {

/// An operator without a stored matrix.
template <class Space, class T>
class MapSystem : public SystemSetUp<Space, T> {
 public:
  using System = SystemSetUp<Space, T>;
  using Map = LinearMap<Space, T>;
  using System::options;
  using System::set_up;

  MapSystem(std::shared_ptr<const Map> a, LinearSolverOptions asked) : System(std::move(asked)), a_(std::move(a)) {
    if (options.renumber == Renumber::on || options.format.format != "auto")
      throw ArgumentError("LinearSolver: without a matrix there are no rows to number anew, and no formats");
  }

  const Map& matrix() const override { return *a_; }

  SolveResult solve(In<T> b, Out<T> x, const SolveOptions& limits) override {
    return solve_by_name<Space, T>(a_->space(), *a_, b, x, preconditioner(), options.solver, limits);
  }

 protected:
  virtual PreconditionerRef<Space, T> preconditioner() const { return {}; }

  void finish() {
    set_up.matrix_bytes = a_->bytes();
    const Facts* const facts = a_->facts();
    set_up.solver = solver_choice<Space, T>(options, facts == nullptr ? Facts{} : *facts, preconditioner());
    this->report(SetUpStage::ready);
  }

 private:
  std::shared_ptr<const Map> a_;
};

/// An operator of a user.
template <class Space, class T>
class OperatorSystem final : public MapSystem<Space, T> {
 public:
  using Base = MapSystem<Space, T>;
  using Base::set_up;

  /// `why_without`: a note for each solve, where that needs saying.
  OperatorSystem(const std::shared_ptr<const LinearMap<Space, T>>& a, const LinearSolverOptions& asked,
                 std::string why_without = {})
      : Base(asked.solve.symmetric ? std::make_shared<const SymmetricMap<Space, T>>(a) : a, asked),
        why_without_(std::move(why_without)) {
    const std::string name = lower(asked.preconditioner.name);
    if (name != "auto" && name != "none")
      throw ArgumentError("LinearSolver: " + name + " needs the entries of a matrix, and A is an operator without");
    const Facts* const facts = this->matrix().facts();
    if (facts != nullptr) static_cast<Facts&>(set_up.structure) = *facts;
    set_up.structure.rows = static_cast<Index>(this->matrix().rows());
    set_up.structure.cols = static_cast<Index>(this->matrix().cols());
    set_up.choice.reason = "an operator without entries";
    set_up.preconditioner = {"none", name == "auto" ? "a preconditioner needs entries, and A has none" : "asked for"};
    this->finish();
  }

  SolveResult solve(In<T> b, Out<T> x, const SolveOptions& limits) override {
    SolveResult result = Base::solve(b, x, limits);
    if (!why_without_.empty()) result.notes.push_back(why_without_);
    return result;
  }

 private:
  std::string why_without_;
};

/// A stencil, with multigrid or without a preconditioner.
template <class Space, class T>
class StencilSystem final : public MapSystem<Space, T> {
 public:
  using Base = MapSystem<Space, T>;
  using Held = Adapted<LinearMap<Space, T>, const StencilOperator<Space, T>&>;
  using Base::options;
  using Base::set_up;

  StencilSystem(const std::shared_ptr<const StencilOperator<Space, T>>& a, LinearSolverOptions asked)
      : Base(std::make_shared<const Held>(a->space(), static_cast<std::size_t>(a->rows()),
                                          static_cast<std::size_t>(a->cols()), *a),
             std::move(asked)),
        stencil_(a) {
    set_up.structure = a->structure();
    set_up.choice.format = "stencil";
    set_up.choice.reason = a->grid().text() + ", no matrix";
    this->report(SetUpStage::precondition);
    const Stopwatch watch;
    make_preconditioner();
    a->space().wait();
    set_up.seconds.precondition = watch.seconds();
    this->finish();
  }

 private:
  PreconditionerRef<Space, T> preconditioner() const override {
    return m_ ? PreconditionerRef<Space, T>(*held_) : PreconditionerRef<Space, T>();
  }

  void make_preconditioner() {
    const std::string name = lower(options.preconditioner.name);
    set_up.preconditioner = {name, "asked for"};
    if (name == "none") return;
    MemoryBudget memory(stencil_->space(), Multigrid<Space, T>::name, options.solve.mem_limit);
    if (name == "auto") {
      StencilPreconditioner<Space, T> chosen = choose_preconditioner(*stencil_, memory);
      set_up.preconditioner = {chosen.multigrid ? std::string(Multigrid<Space, T>::name) : "none", chosen.reason};
      m_ = std::move(chosen.multigrid);
    } else if (name == Multigrid<Space, T>::name) {
      const std::any& given = options.preconditioner.options;
      m_.emplace(*stencil_, options_in<Multigrid<Space, T>>(given), memory);
    } else {
      throw ArgumentError("LinearSolver: " + name + " needs a matrix; of a stencil there are multigrid and none");
    }
    if (!m_) return;
    memory.confirm(m_->bytes());
    held_.emplace(stencil_->space(), *m_);
    set_up.preconditioner_remarks = m_->remarks();
    set_up.levels = m_->levels();
    set_up.preconditioner_bytes = m_->bytes();
    set_up.predicted = memory.prediction();
  }

  std::shared_ptr<const StencilOperator<Space, T>> stencil_;
  std::optional<Multigrid<Space, T>> m_;
  std::optional<AdaptedPreconditioner<Space, T, const Multigrid<Space, T>&>> held_;
};

}  // namespace ostinato::detail
