// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/contract/application.hpp>
#include <ostinato/preconditioners/contract/level.hpp>
#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/preconditioners/contract/rows_named.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/step.hpp>

namespace ostinato {

struct PreconditionerInfo {
  std::string_view name;
  std::string description;  ///< with the options that it takes
};

/// Names and descriptions of all preconditioners, "none" first, for help texts.
const std::vector<PreconditionerInfo>& preconditioner_infos();

/// A preconditioner that is asked for.
struct PreconditionerRequest {
  std::string name = "auto";  ///< "auto", "none", a name from the list of preconditioners, or a synonym
  /// A value of the options struct of the preconditioner, as MultigridOptions or IlutKind::Options; empty: those that
  /// are the default.
  std::any options = {};
  std::string note = {};  ///< says what a synonym stands for (synonyms.hpp)
};

/// What a text "NAME" or "NAME:KEY=VALUE,KEY=VALUE" asks for, as "multigrid:sweeps=2,smoother=chebyshev". NAME may be a
/// synonym, too.
/// Throws    ArgumentError for a text that AnyPreconditioner doesn't take, whatever the matrix: an unknown name,
///           listing the known names, or options that the preconditioner doesn't have, listing those that it has.
PreconditionerRequest parse_preconditioner(std::string_view text);

/// Throws    As parse_preconditioner().
void check_preconditioner(std::string_view text);

/// What a preconditioner that is asked for by this text refers to by the numbers of the rows: those of order=natural,
/// block=N and unknowns=N do.
/// Throws    As check_preconditioner().
RowsNamed rows_named_by(std::string_view text);

/// What a preconditioner with the options that are the default would keep.
struct PreconditionerMemory {
  std::string_view name;
  std::string why_not;                     ///< the reason against it; empty where it may be made
  std::optional<MemoryPrediction> memory;  ///< nothing where that isn't known before the preconditioner is made
};

/// Of all preconditioners of the list, without making one.
///
/// Exec      Some passes over the pattern. Waits on Cuda.
/// Throws    DeviceError; std::bad_alloc.
template <class Space, class T>
std::vector<PreconditionerMemory> predict_memory(const Analysis<Space, T>& analysis);

/// The preconditioner that "auto" takes, and the reason.
struct PreconditionerChoice {
  std::string name;
  std::string reason;
};

namespace detail {

/// The choice that a request by name is. A synonym, or a text with options, becomes what parse() makes of it.
PreconditionerChoice choice_by_name(PreconditionerRequest& asked, PreconditionerRequest (*parse)(std::string_view));

}  // namespace detail

/// Chooses multigrid for a matrix of at least 4,096 rows on a grid where a model predicts that its set-up and its few
/// iterations take less time than many iterations without; not where most rows are dominated by their diagonal, nor
/// where A is symmetric and all rows are among the entries of their own unknown, of several a point (Grid).
/// On a CPU chooses multigrid by plain aggregation, too, for a large diffusion on no grid (begins_with_plain_on_cpu()).
/// On Cuda chooses fsai for small symmetric matrices (begins_with_fsai_on_gpu()), most rows of which aren't dominated
/// by their diagonal; of 4,096 rows and more only where these are on no grid. Otherwise chooses Jacobi, unless the
/// diagonal is constant (Jacobi would change nothing) or incomplete (Jacobi can't be built). Looks for the grid
/// (Analysis::grid()).
template <class Space, class T>
PreconditionerChoice choose_preconditioner(const Analysis<Space, T>& analysis);

/// The same for a matrix on a grid, whose values multigrid takes.
template <class Space>
PreconditionerChoice choose_preconditioner(const Structure& s, const Grid& grid);

/// What "auto" goes on with, in this order, where its choice doesn't get there (AnyPreconditioner::stronger()).
template <class Space, class T>
std::vector<std::string_view> stronger_preconditioners(const Structure& s);

/// A preconditioner chosen by name at run time.
///
/// Requires  One thread at a time applies an object: multigrid, which "auto" may take, works in vectors of its own, and
///           a second thread gets an ArgumentError.
///           An object that was moved from throws ArgumentError, unless it was "none", until another one is assigned
///           to it.
template <class Space, class T>
class AnyPreconditioner : public PreconditionerStep<Space, T> {
 public:
  /// "auto" shares the analysis, for stronger(): on Host the arrays that the analysis refers to must outlive the
  /// object.
  ///
  /// Builds the preconditioner that is asked for: {"multigrid", MultigridOptions{.sweeps = 2}}. "auto" takes a simpler
  /// one, and says why, when the preconditioner that it would take can't be built for the matrix. With the coordinates
  /// of the points, {"auto", MultigridOptions{.coordinates = ...}}, it takes aggregation. `mem_limit`: bytes
  /// that the preconditioner may keep, with all that fallback() and stronger() refer to; 0: what is free in the memory
  /// of the space.
  /// Throws    ArgumentError for an unknown name, or the options of another preconditioner; exceptions of the
  ///           constructor of a preconditioner asked for by name; MemoryLimitError when that takes more than the limit
  ///           or than is free, before the memory is taken. Stopped once `stop` is made: factors, fsai and algebraic
  ///           multigrid take long.
  AnyPreconditioner(const Analysis<Space, T>& analysis, PreconditionerRequest asked, const StopRequest& stop = {},
                    std::size_t mem_limit = 0);
  explicit AnyPreconditioner(const Analysis<Space, T>& analysis)
      : AnyPreconditioner(analysis, PreconditionerRequest()) {}
  /// By a text, as parse_preconditioner() takes it.
  template <std::convertible_to<std::string_view> Text>
  AnyPreconditioner(const Analysis<Space, T>& analysis, const Text& name, const StopRequest& stop = {},
                    std::size_t mem_limit = 0)
      : AnyPreconditioner(analysis, parse_preconditioner(name), stop, mem_limit) {}
  /// For "auto", the arrays are lent to the object: they must outlive it, as those of an analysis must.
  AnyPreconditioner(const Space& space, const CsrView<T>& a, std::string_view name = "auto");
  /// For "auto", the object keeps a copy of the matrix.
  AnyPreconditioner(const Space& space, const Csr<T>& a, std::string_view name = "auto");
  AnyPreconditioner(AnyPreconditioner&&) noexcept = default;
  AnyPreconditioner& operator=(AnyPreconditioner&&) noexcept = default;

  std::string name() const override { return choice_.name; }
  const std::string& reason() const { return choice_.reason; }
  std::size_t bytes() const override;  ///< with those of the fallback
  /// What bytes() was predicted to be, before the preconditioner and its fallback were made; nothing for "none".
  std::optional<MemoryPrediction> prediction() const;

  /// Takes a matrix with new values on the same grid or pattern. The preconditioner stays the one that was chosen, with
  /// its options, and is built anew, so that both are in memory for a while, unless it keeps a part of itself
  /// (Multigrid::update_values()), which it doesn't with a limit of memory; reason() then says that it was chosen for
  /// earlier values. Returns true. Where "auto" has begun with fsai, which refuses the new values although they are
  /// finite, Jacobi or "none" takes the place of fsai. After an exception the object is as before.
  /// Exec      One thread at a time, and none may apply the object meanwhile.
  /// Throws    DimensionError for another number of rows; exceptions of the preconditioner's constructor; Stopped once
  ///           `stop` is made, which one that takes new values in place asks at the beginning alone. Each
  ///           preconditioner looks at what it uses: Jacobi takes any values whose diagonal can be divided by, "none"
  ///           takes all, multigrid refuses a diagonal that isn't positive and values that aren't finite.
  bool update_values(const Analysis<Space, T>& analysis) override { return update_values(analysis, {}); }
  bool update_values(const Analysis<Space, T>& analysis, const StopRequest& stop);

  /// What "auto" would have taken instead of a preconditioner that may turn out slow; null when there is nothing else.
  /// solve() goes on with it where that is faster.
  const AnyPreconditioner* fallback() const override { return fallback_.get(); }

  /// A preconditioner that takes more time and memory than what "auto" has chosen: incomplete factors, after these
  /// complete ones, for which options.thorough lifts the limit of memory. Null when the object wasn't made by "auto",
  /// or when the preconditioner can't be made, or not within options.seconds; `refused` then says so.
  /// Null, too, where plain aggregation was tried, is poor, and what comes next doesn't pay for certain: then
  /// stronger_seconds() is larger than before, and a later call may make that.
  /// Exec      Made by the first call, which waits.
  /// Throws    Stopped once options.stop is made. The object is then as before.
  const AnyPreconditioner* stronger(const StrongerOptions& options, std::vector<Refusal>& refused) const override;
  const AnyPreconditioner* made_stronger() const override { return stronger_.get(); }
  double stronger_seconds() const override;
  bool is_weak() const override { return choice_.name == "ilu0"; }
  /// What stronger() makes from now on serves so many solves, which share its time.
  void expect(int solves) {
    solves_ = solves;
    if (stronger_ != nullptr) stronger_->expect(solves);
  }

  bool is_identity() const override;
  std::size_t rows() const override { return rows_; }  ///< of the matrix
  void apply(Block<const T> r, Block<T> z) const override;
  void apply_dot(Block<const T> r, Block<T> z, Slot<T> slots) const override;
  const PreconditionerBase<Space, float>* lower() const override { return answer(&Base::lower, nullptr); }
  const T* inverse_diagonal() const override { return answer(&Base::inverse_diagonal, nullptr); }
  bool capturable() const override { return answer(&Base::capturable, true); }
  int revision() const override { return answer(&Base::revision, 0); }
  double seconds() const override { return answer(&Base::seconds, 0); }
  double rate() const override { return answer(&Base::rate, 0); }
  bool equals_transpose() const override { return answer(&Base::equals_transpose, true); }
  bool works_in_float() const override { return answer(&Base::works_in_float, false); }
  bool varies() const override { return answer(&Base::varies, false); }
  bool symmetric() const override { return answer(&Base::symmetric, true); }
  Index null_pivots() const override { return answer(&Base::null_pivots, 0); }
  Condition condition() const override { return answer(&Base::condition, {}); }
  bool is_complete() const override { return answer(&Base::is_complete, false); }
  std::string remarks() const override { return answer(&Base::remarks, {}); }
  std::vector<PreconditionerLevel> levels() const override { return answer(&Base::levels, {}); }

 private:
  using Base = PreconditionerBase<Space, T>;
  explicit AnyPreconditioner(const Space& space) : PreconditionerStep<Space, T>(space) {}
  template <class Answer>
  Answer answer(Answer (Base::*of)() const, std::type_identity_t<Answer> without) const {
    return is_identity() ? without : (built_.get()->*of)();
  }
  Refusal try_to_build(const Analysis<Space, T>& analysis, const StopRequest& stop, bool may_be_poor = false);
  double poorest_rate(const Analysis<Space, T>& analysis) const;
  bool is_plain() const;
  bool take_points(Index rows);
  void choose(const Analysis<Space, T>& analysis, const StopRequest& stop);
  int rung_after(int from, const Structure& s, bool may_be_definite) const;  ///< no_ladder where there is none
  bool looks_stiff(const Analysis<Space, T>& analysis) const;
  Refusal climb_to(int next, const Analysis<Space, T>& analysis, const StrongerOptions& options) const;
  std::unique_ptr<Base> build(const Analysis<Space, T>& analysis, const StopRequest& stop);
  void update_or_build(const Analysis<Space, T>& analysis, bool in_place, const StopRequest& stop);
  void give_way(const Analysis<Space, T>& analysis, const std::string& why, const StopRequest& stop);

  using Base::space_;
  PreconditionerChoice choice_;
  std::any options_;  ///< of the preconditioner
  std::size_t rows_ = 0;
  std::unique_ptr<Base> built_;  ///< null for "none", and in an object that was moved from
  bool is_none_ = false;
  std::unique_ptr<AnyPreconditioner> fallback_;
  std::size_t mem_limit_ = 0, taken_ = 0;  ///< bytes; of the limit, those that others take
  std::optional<MemoryPrediction> prediction_;
  int rung_ =
      no_ladder;  ///< the place among the preconditioners that "auto" goes through; no_ladder: asked for by name
  bool has_new_values_ = false;                 ///< reason() says that it was chosen for earlier ones
  mutable int refused_ = 0;                     ///< the rungs before this one were tried for these values, and are poor
  mutable bool direct_refused_ = false;         ///< so were direct factors, which come before other rungs
  bool is_stiff_ = false;                       ///< plain aggregation isn't tried
  int solves_ = 1;                              ///< that stronger() serves
  std::optional<Analysis<Space, T>> analysis_;  ///< for stronger()
  mutable std::unique_ptr<AnyPreconditioner> stronger_;
  mutable bool stronger_thorough_ = false, stronger_definite_ = true;  ///< what stronger_ was made for
  mutable std::size_t stronger_limit_ = 0;
  OneThread one_thread_;  ///< that makes stronger_

  static constexpr int no_ladder = -1;
};

template <class Space, class T>
AnyPreconditioner(const Space&, const CsrView<T>&) -> AnyPreconditioner<Space, T>;
template <class Space, class T>
AnyPreconditioner(const Space&, const CsrView<T>&, const char*) -> AnyPreconditioner<Space, T>;
template <class Space, class T>
AnyPreconditioner(const Space&, const Csr<T>&) -> AnyPreconditioner<Space, T>;
template <class Space, class T>
AnyPreconditioner(const Space&, const Csr<T>&, const char*) -> AnyPreconditioner<Space, T>;

OSTINATO_EXTERN_CLASS(AnyPreconditioner);

}  // namespace ostinato
