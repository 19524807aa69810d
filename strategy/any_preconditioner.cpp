// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/any_preconditioner.hpp>

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>

#include <ostinato/preconditioners/contract/application.hpp>
#include <ostinato/preconditioners/contract/require_rows.hpp>
#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>
#include <ostinato/preconditioners/ilu/lu_order.hpp>
#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/preconditioners/list.hpp>
#include <ostinato/preconditioners/multigrid/multigrid.hpp>
#include <ostinato/preconditioners/positive_rows.hpp>
#include <ostinato/preconditioners/synonyms.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>
#include <ostinato/strategy/beginning_with_multigrid.hpp>
#include <ostinato/strategy/leaving_jacobi.hpp>
#include <ostinato/strategy/rungs.hpp>

namespace ostinato {

const std::vector<PreconditionerInfo>& preconditioner_infos() {
  static const std::vector<PreconditionerInfo> infos = [] {
    std::vector<PreconditionerInfo> all = {{"none", "no preconditioner"}};
    for (const auto& entry : preconditioner_list<Host, double>()) {
      std::string description(entry.description);
      if (const std::string options = entry.known_options(); !options.empty())
        description += "; " + std::string(entry.name) + ":" + options;
      all.push_back({entry.name, std::move(description)});
    }
    return all;
  }();
  return infos;
}

namespace {

constexpr const char* asked_for = "asked for";
constexpr const char* chosen_before = "chosen for earlier values: ";

/// The entry of a preconditioner; null for "auto" and "none".
template <class Space, class T>
const PreconditionerEntry<Space, T>* entry_of(std::string_view name) {
  if (name == "auto" || name == "none") return nullptr;
  if (const auto* entry = find_preconditioner<Space, T>(name)) return entry;
  std::vector<std::string> known;
  for (const PreconditionerInfo& info : preconditioner_infos()) known.emplace_back(info.name);
  known.insert(known.begin(), "auto");
  throw ArgumentError(unknown_name("preconditioner", name, known));
}

/// A cycle leaves 0.14 to 0.17 of a random error for diffusion on grids and meshes, which takes some 25 iterations, and
/// 0.25 to 0.34 for elasticity and stiffness matrices, which takes hundreds (EPYC, 2026-11).
constexpr double poor_rate_of_plain = 0.2;

PreconditionerChoice choose_simple(const Structure& s) {
  if (const std::string reason = Jacobi<Host, double>::why_not(s); !reason.empty()) return {"none", reason};
  if (s.constant_diagonal) return {"none", "the diagonal is constant, so that Jacobi would change nothing"};
  return {"jacobi", "cheap, and every row has a diagonal entry"};
}
PreconditionerChoice choose_simple(const Structure& s, const std::string& why_not_another) {
  PreconditionerChoice simple = choose_simple(s);
  simple.reason += "; " + why_not_another;
  return simple;
}

/// Of a message "what is wrong; what to do".
std::string what_is_wrong(const ArgumentError& e) {
  const std::string what = e.what();
  return what.substr(0, what.find(';'));
}

/// What multigrid costs on a grid, and what it saves. Costs are in iterations with Jacobi or nothing: the solver's and
/// the set-up's times grow together with the matrix.
struct Prospect {
  double plain;       ///< predicted iterations with Jacobi or nothing
  double iterations;  ///< with multigrid
  double iteration;   ///< what one of these is worth
  double setup;       ///< what the set-up is worth

  double cost() const { return setup + iterations * iteration; }
  bool pays() const { return plain > cost(); }
};

/// Iterations to 1e-8 grow with the points along the longest side, for an elliptic stencil whose rows aren't dominant:
/// 1.8 a point (poisson2d) to 3.4 (variable3d), 4 to 8 for unsymmetric ones. Strong axes aren't told from weak ones.
/// Costs     Measured on two cores of an AMD EPYC, 2026-11, on 16^2 .. 512^2 and 8^3 .. 64^3: an iteration is worth
///           5 to 10 in 2-D and 8 to 14 in 3-D, a set-up 60 to 120 by class and 180 to 400 by point. Iterations of
///           GMRES take longer, so that the same costs are fewer of them. On an H200, from the figures of
///           docs/performance.md: 3 an iteration, 12 to 50 the set-up.
template <class Space>
Prospect prospect_of(const Structure& s, const Grid& grid) {
  constexpr bool on_gpu = Space::has_streams;
  const Extents& e = grid.extents;
  const double points = std::max({e.x, e.y, e.z}), slope = s.constant_diagonal ? 2.5 : 3.5;
  if (!s.symmetric)
    return {.plain = 5 * points, .iterations = 20, .iteration = on_gpu ? 3 : 2, .setup = on_gpu ? 50 : 40};
  const bool by_class = s.constant_diagonal && grid.periodic_axes().empty();
  const double setup = by_class ? 80 : 300;
  return {.plain = slope * points, .iterations = 10, .iteration = on_gpu ? 3 : 10, .setup = on_gpu ? 50 : setup};
}

int rung_of(std::string_view name, RungRole role) {
  const auto at = std::find_if(auto_rungs.begin(), auto_rungs.end(),
                               [=](const Rung& r) { return r.name == name && r.role == role; });
  return static_cast<int>(at - auto_rungs.begin());
}

const Rung& rung_at(int number) { return auto_rungs[static_cast<std::size_t>(number)]; }

/// What an iteration of a simple method takes on a CPU.
double iteration_seconds(const Structure& s) {
  return 2e-6 + 0.3e-9 * static_cast<double>(s.nonzeros) + 1.5e-9 * s.rows;
}

std::string rounded(double iterations) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", std::round(iterations / 10) * 10);
  return text;
}

}  // namespace

PreconditionerChoice detail::choice_by_name(PreconditionerRequest& asked,
                                            PreconditionerRequest (*parse)(std::string_view)) {
  const bool is_text = asked.name.find(':') != std::string::npos;
  if (is_text || !usual_name(NameOf::preconditioner, asked.name).note.empty()) {
    PreconditionerRequest usual = parse(asked.name);
    if (asked.options.has_value()) usual.options = std::move(asked.options);
    asked = std::move(usual);
  }
  return {lower(asked.name), (asked.note.empty() ? "" : asked.note + "; ") + asked_for};
}

PreconditionerRequest parse_preconditioner(std::string_view text) {
  if (text.find(':') + 1 == text.size())
    throw ArgumentError(std::string(text) + " names no option; leave the colon out");
  const UsualName usual = usual_name(NameOf::preconditioner, text);
  const std::size_t colon = std::min(usual.name.find(':'), usual.name.size());
  const std::string name = usual.name.substr(0, colon),
                    options = usual.name.substr(std::min(colon + 1, usual.name.size()));
  if (const auto* const entry = entry_of<Host, double>(name)) return {name, entry->parse(options), usual.note};
  if (!options.empty()) throw ArgumentError(name + " takes no options");
  return {name, {}, usual.note};
}

void check_preconditioner(std::string_view text) { parse_preconditioner(text); }

RowsNamed rows_named_by(std::string_view text) {
  const PreconditionerRequest asked = parse_preconditioner(text);
  const auto* const entry = entry_of<Host, double>(asked.name);
  return entry != nullptr ? entry->rows_named(asked.options) : RowsNamed::none;
}

template <class Space, class T>
std::vector<PreconditionerMemory> predict_memory(const Analysis<Space, T>& analysis) {
  std::vector<PreconditionerMemory> all;
  for (const PreconditionerEntry<Space, T>& entry : preconditioner_list<Space, T>()) {
    std::string why_not = entry.why_not(analysis.structure());
    const auto memory = why_not.empty() ? entry.predict(analysis) : std::nullopt;
    all.push_back({entry.name, std::move(why_not), memory});
  }
  return all;
}

namespace {

/// Whether fsai is there, and saves its time, before Jacobi could tell how long it would take.
template <class Space, class T>
bool begins_with_fsai(const Analysis<Space, T>& analysis) {
  return Space::has_streams && begins_with_fsai_on_gpu(analysis.structure()) &&
         !is_mostly_dominant(analysis.space(), analysis.matrix().view());
}

}  // namespace

template <class Space, class T>
PreconditionerChoice choose_preconditioner(const Analysis<Space, T>& analysis) {
  constexpr Index fewest_rows = 4096;
  const Structure& s = analysis.structure();
  const bool may_be_definite = s.symmetric && (s.positive_diagonal || s.negative_diagonal);
  if constexpr (Space::has_host_memory) {
    // Smaller systems are solved before factors are there.
    constexpr Index fewest_for_factors = 250;
    if (s.finite && s.rows == s.cols && s.rows >= fewest_for_factors && !may_be_definite && suits_direct<Space>(s) &&
        is_mostly_outweighed(analysis.matrix().view()))
      return {std::string(LuKind::name),
              "most rows have entries larger than that on the diagonal, and factors take little time"};
  }
  // To look for a grid takes longer than to see that it is of no use.
  if (s.rows >= fewest_rows && Multigrid<Space, T>::why_not(s).empty() &&
      !is_mostly_dominant(analysis.space(), analysis.matrix().view()) && analysis.grid()) {
    PreconditionerChoice choice = choose_preconditioner<Space>(s, analysis.grid());
    const Prospect prospect = prospect_of<Space>(s, analysis.grid());
    if (!Space::has_streams && choice.name == Multigrid<Space, T>::name && suits_direct<Space>(s) &&
        typical_lu_seconds(s) < prospect.cost() * iteration_seconds(s))
      return {std::string(LuKind::name), "on a narrow grid, where factors take less time than multigrid"};
    return choice;
  }
  if constexpr (Space::has_host_memory) {
    if (Multigrid<Space, T>::why_not(s).empty() && begins_with_plain_on_cpu(analysis.matrix().view(), s))
      return {std::string(Multigrid<Space, T>::name),
              "the rows are those of a diffusion on a deep graph, on which CG with jacobi takes many iterations"};
  }
  if (begins_with_fsai(analysis))
    return {"fsai",
            "small and symmetric, and most rows aren't dominated by their diagonal, so that CG is likely to take "
            "more iterations and time with jacobi"};
  return choose_simple(s);
}

template <class Space>
PreconditionerChoice choose_preconditioner(const Structure& s, const Grid& grid) {
  if (!grid || grid.dominant > 0.5) return choose_simple(s);
  // Where this holds for all rows, each unknown by itself has a condition number of at most 1.7 / 0.3 with Jacobi. So
  // multigrid, which takes one unknown after the other, would save at most 1.4 of 2.4 iterations, and one of its own
  // takes three times as long or more.
  if (s.symmetric && grid.dominant_alone == 1) {
    return choose_simple(s,
                         "each unknown of a point by itself is easy, so that multigrid, which takes one after the "
                         "other, would save little");
  }
  const Prospect prospect = prospect_of<Space>(s, grid);
  const std::string plain = "some " + rounded(prospect.plain);
  if (prospect.pays()) {
    return {"multigrid", "on a grid, " + grid.text() + ": about " + rounded(prospect.iterations) +
                             " iterations instead of " + plain};
  }
  return choose_simple(s, plain + " iterations are predicted, too few for multigrid");
}

template <class Space, class T>
AnyPreconditioner<Space, T>::AnyPreconditioner(const Analysis<Space, T>& analysis, PreconditionerRequest asked,
                                               const StopRequest& stop, std::size_t mem_limit)
    : PreconditionerStep<Space, T>(analysis.space()),
      choice_(detail::choice_by_name(asked, parse_preconditioner)),
      options_(std::move(asked.options)),
      rows_(static_cast<std::size_t>(analysis.structure().rows)),
      mem_limit_(mem_limit) {
  const bool is_auto = choice_.name == "auto", has_points = is_auto && take_points(analysis.structure().rows);
  if (options_.has_value() && entry_of<Space, T>(choice_.name) == nullptr)
    throw ArgumentError(choice_.name + " takes no options" + (is_auto ? " but the coordinates of the points" : ""));
  if (!is_auto) {
    built_ = build(analysis, stop);
  } else if (!has_points) {
    choose(analysis, stop);
  } else if (const Refusal refused = try_to_build(analysis, stop, true)) {
    options_.reset();
    choose(analysis, stop);
    choice_.reason += "; the coordinates of the points aren't used: " + refused.text;
  }
  is_none_ = built_ == nullptr;
  if (!is_auto) return;
  is_stiff_ = is_stiff_ || looks_stiff(analysis);
  analysis_ = analysis;
}

template <class Space, class T>
AnyPreconditioner<Space, T>::AnyPreconditioner(const Space& space, const CsrView<T>& a, std::string_view name)
    : AnyPreconditioner(Analysis<Space, T>(space, a), name) {}

template <class Space, class T>
AnyPreconditioner<Space, T>::AnyPreconditioner(const Space& space, const Csr<T>& a, std::string_view name)
    : AnyPreconditioner(Analysis<Space, T>(space, SpaceCsr<Space, T>(space, a).kept(space)), name) {}

/// Chooses aggregation where the options of "auto" hold the coordinates of the points. False where they don't.
/// Throws    ArgumentError where the points aren't those of so many rows.
template <class Space, class T>
bool AnyPreconditioner<Space, T>::take_points(Index rows) {
  auto* const multigrid = std::any_cast<MultigridOptions>(&options_);
  if (multigrid == nullptr || multigrid->coordinates.dimensions == 0) return false;
  const std::size_t points =
      multigrid->coordinates.values.size() / static_cast<std::size_t>(multigrid->coordinates.dimensions);
  if (points == 0 || static_cast<std::size_t>(rows) % points != 0)
    throw ArgumentError("auto: there are coordinates of " + std::to_string(points) + " points, but A has " +
                        std::to_string(rows) + " rows");
  multigrid->kind = MultigridKind::aggregation;
  choice_ = {std::string(Multigrid<Space, T>::name),
             "the coordinates of the points are given, from which aggregation takes the motions of a rigid body"};
  rung_ = 0;
  return true;
}

/// Makes the chosen preconditioner, with its options, within the limit of memory; null for "none".
template <class Space, class T>
auto AnyPreconditioner<Space, T>::build(const Analysis<Space, T>& analysis, const StopRequest& stop)
    -> std::unique_ptr<Base> {
  const auto* entry = entry_of<Space, T>(choice_.name);
  if (entry == nullptr) return prediction_.reset(), nullptr;
  const MemoryBudget memory(analysis.space(), choice_.name, mem_limit_, taken_);
  auto built = entry->build(analysis, options_, stop, memory);
  memory.confirm(built->bytes());
  prediction_ = memory.prediction();
  return built;
}

/// Takes new values in place where the preconditioner can, and otherwise builds it anew.
template <class Space, class T>
void AnyPreconditioner<Space, T>::update_or_build(const Analysis<Space, T>& analysis, bool in_place,
                                                  const StopRequest& stop) {
  if (in_place && built_->update_values(analysis)) return;
  auto built = build(analysis, stop);
  if (fallback_ != nullptr) fallback_->update_values(analysis, stop);
  built_ = std::move(built);
}

/// Takes Jacobi or none instead of the preconditioner, which refuses new values. After an exception the object is as
/// before.
template <class Space, class T>
void AnyPreconditioner<Space, T>::give_way(const Analysis<Space, T>& analysis, const std::string& why,
                                           const StopRequest& stop) {
  PreconditionerChoice other = choose_simple(analysis.structure(), why);
  std::any options;
  std::swap(choice_, other);
  std::swap(options_, options);
  try {
    built_ = build(analysis, stop);
  } catch (...) {
    std::swap(choice_, other);
    std::swap(options_, options);
    throw;
  }
  rung_ = 0;
  has_new_values_ = false;
  is_none_ = built_ == nullptr;
}

template <class Space, class T>
void AnyPreconditioner<Space, T>::choose(const Analysis<Space, T>& analysis, const StopRequest& stop) {
  choice_ = choose_preconditioner(analysis);
  rung_ = 0;
  const auto begin_at = [&](int rung) {
    options_ = rung_at(rung).options(analysis.structure(), false);
    rung_ = rung + 1;
  };
  if (choice_.name == LuKind::name) begin_at(rung_of(LuKind::name, RungRole::direct));
  if (choice_.name == Multigrid<Space, T>::name && !analysis.grid())
    begin_at(rung_of(Multigrid<Space, T>::name, RungRole::plain));
  // The reasons against a preconditioner (why_not) don't cover all that its constructor may refuse, nor memory. Only a
  // preconditioner that was asked for by name may fail.
  const PreconditionerChoice simple = choose_simple(analysis.structure());
  for (;;) {
    const Refusal refused = try_to_build(analysis, stop);
    if (!refused) break;
    built_.reset();
    direct_refused_ = choice_.name == LuKind::name;
    is_stiff_ = is_stiff_ || is_plain();
    options_.reset();
    rung_ = 0;
    choice_ = choice_.name == simple.name ? PreconditionerChoice{"none", refused.text}
                                          : PreconditionerChoice{simple.name, simple.reason + "; " + refused.text};
  }
  if (choice_.name != Multigrid<Space, T>::name) return;  // where fsai is slow, Jacobi is slower
  auto instead = std::make_unique<AnyPreconditioner>(analysis, "none", stop, mem_limit_);
  instead->choice_ = simple;
  instead->taken_ = taken_ + built_->bytes();
  if (!instead->try_to_build(analysis, stop)) fallback_ = std::move(instead);
}

/// By what a cycle that pays shrinks an error at least.
template <class Space, class T>
double AnyPreconditioner<Space, T>::poorest_rate(const Analysis<Space, T>& analysis) const {
  return is_plain() ? poor_rate_of_plain : poor_rate(analysis.grid().unknowns);
}

/// Whether this is plain aggregation that "auto" has chosen.
template <class Space, class T>
bool AnyPreconditioner<Space, T>::is_plain() const {
  return rung_ > 0 && rung_at(rung_ - 1).is_plain();
}

/// Returns why the chosen preconditioner can't be built or, unless it may be poor, won't pay. Nothing when it
/// was built.
template <class Space, class T>
Refusal AnyPreconditioner<Space, T>::try_to_build(const Analysis<Space, T>& analysis, const StopRequest& stop,
                                                  bool may_be_poor) {
  try {
    built_ = build(analysis, stop);
    // Only hierarchies know a rate; for others no grid has to be looked for.
    const double rate = built_ == nullptr ? 0 : built_->rate();
    const bool is_poor = !may_be_poor && rate > 0 && rate > poorest_rate(analysis);
    if (is_poor) return {Refusal::Why::poor, choice_.name + ": a cycle shrinks an error too little"};
    return {};
  } catch (const MemoryLimitError& e) {
    return {Refusal::Why::memory, what_is_wrong(e)};
  } catch (const ArgumentError& e) {
    return {Refusal::Why::refused, what_is_wrong(e)};
  } catch (const std::bad_alloc&) {
    return {Refusal::Why::memory, choice_.name + ": not enough memory"};
  } catch (const DeviceMemoryError& e) {
    return {Refusal::Why::memory, choice_.name + ": " + e.what()};
  }
}

namespace {

Refusal no_time_for(const Rung& rung, double seconds) {
  char text[80];
  std::snprintf(text, sizeof text, ": no time is left to make it, some %.1g s", seconds);
  return {Refusal::Why::no_time, std::string(rung.name) + text};
}

/// That the pattern alone makes A singular, for LU. On a CPU direct factors with null pivots are of use.
template <class Space, class T>
Refusal singular_for(const Rung& rung, const Analysis<Space, T>& analysis) {
  if (rung.name != LuKind::name || (rung.is_direct() && !Space::has_streams)) return {};
  std::string why = why_no_complete_factors(analysis);
  if (why.empty()) return {};
  return {Refusal::Why::singular, std::move(why)};
}

}  // namespace

template <class Space, class T>
int AnyPreconditioner<Space, T>::rung_after(int from, const Structure& s, bool may_be_definite) const {
  if (from == no_ladder || !s.finite) return no_ladder;
  const bool is_simple = choice_.name == "jacobi" || choice_.name == "none";
  return next_rung<Space, T>(s, {.from = std::max(from, refused_),
                                 .may_be_definite = may_be_definite,
                                 .one_level = is_simple,
                                 .plain = !is_stiff_,
                                 .direct = !direct_refused_});
}

/// Whether plain aggregation would be poor, as far as signs tell. False where it is no rung.
template <class Space, class T>
bool AnyPreconditioner<Space, T>::looks_stiff(const Analysis<Space, T>& analysis) const {
  const bool has_rung = std::any_of(auto_rungs.begin(), auto_rungs.end(), [&](const Rung& rung) {
    return rung.is_plain() && rung.suits<Space, T>(analysis.structure(), true);
  });
  return has_rung && is_mostly_positive(analysis.space(), analysis.matrix().view());
}

template <class Space, class T>
const AnyPreconditioner<Space, T>* AnyPreconditioner<Space, T>::stronger(const StrongerOptions& options,
                                                                         std::vector<Refusal>& refused) const {
  const auto within = one_thread_.enter("auto");
  const bool as_before = stronger_thorough_ == options.thorough && stronger_definite_ == options.definite &&
                         stronger_limit_ == options.mem_limit;
  if (stronger_ != nullptr && as_before) return stronger_.get();
  const std::optional<Analysis<Space, T>>& analysis = analysis_;
  if (!analysis) return nullptr;
  const auto after = [&](int from) { return rung_after(from, analysis->structure(), options.definite); };
  for (int from = rung_, next = after(from); next != no_ladder; next = after(from)) {
    const Rung& rung = rung_at(next);
    const Structure& s = analysis->structure();
    const double seconds = predicted_seconds<Space>(rung, s), entries = static_cast<double>(s.nonzeros);
    // Direct factors come before others, which are left when these are refused.
    if (!rung.is_direct()) from = next + 1;
    if (rung.is_one_level() && faster_than_jacobi_on_gpu(entries, options.left * solves_) != rung.name) continue;
    if (Refusal singular = singular_for(rung, *analysis)) {
      refused.push_back(std::move(singular));
      if (!rung.is_direct()) break;
      direct_refused_ = true;
      continue;
    }
    refused.push_back(seconds > options.seconds ? no_time_for(rung, seconds) : climb_to(next, *analysis, options));
    const Refusal::Why why = refused.back().why;
    if (why == Refusal::Why::nothing) return refused.pop_back(), stronger_.get();
    if (why == Refusal::Why::no_time) break;
    direct_refused_ |= rung.is_direct();
    // What follows takes longer to make, and the pace of CG so far tells little. So that has to pay for certain, or at
    // a second look, when CG has gone on for a while.
    constexpr double certain = 4;
    const int following = after(next + 1);
    if (rung.is_plain() && why == Refusal::Why::poor && following != no_ladder && options.left > 0 &&
        options.left * solves_ < certain * predicted_seconds<Space>(rung_at(following), s)) {
      refused_ = next + 1;
      break;
    }
  }
  return nullptr;
}

/// Makes what takes this object's place. Returns why that can't be made, or nothing.
template <class Space, class T>
Refusal AnyPreconditioner<Space, T>::climb_to(int next, const Analysis<Space, T>& analysis,
                                              const StrongerOptions& options) const {
  const Rung& rung = rung_at(next);
  std::unique_ptr<AnyPreconditioner> made(new AnyPreconditioner(space_));
  made->choice_ = {std::string(rung.name), "what was taken first doesn't get there"};
  made->options_ = rung.options(analysis.structure(), options.thorough);
  made->rows_ = rows_;
  made->mem_limit_ = mem_limit_ == 0 || options.mem_limit == 0 ? std::max(mem_limit_, options.mem_limit)
                                                               : std::min(mem_limit_, options.mem_limit);
  made->taken_ = taken_ + bytes();
  made->rung_ = next + 1;
  made->solves_ = solves_;
  made->direct_refused_ = direct_refused_;
  made->analysis_ = analysis_;
  if (Refusal refused = made->try_to_build(analysis, options.stop)) return refused;
  stronger_ = std::move(made);
  stronger_thorough_ = options.thorough;
  stronger_definite_ = options.definite;
  stronger_limit_ = options.mem_limit;
  return {};
}

template <class Space, class T>
double AnyPreconditioner<Space, T>::stronger_seconds() const {
  const int next = analysis_ ? rung_after(rung_, analysis_->structure(), true) : no_ladder;
  if (next == no_ladder) return 0;
  return predicted_seconds<Space>(rung_at(next), analysis_->structure()) / solves_;
}

template <class Space, class T>
bool AnyPreconditioner<Space, T>::is_identity() const {
  if (built_ == nullptr && !is_none_) throw ArgumentError("the preconditioner was moved from");
  return built_ == nullptr;
}

template <class Space, class T>
bool AnyPreconditioner<Space, T>::update_values(const Analysis<Space, T>& analysis, const StopRequest& stop) {
  (void)is_identity();  // refuses an object that was moved from
  require_rows(choice_.name, analysis.structure(), rows_);
  if (stop.is_made()) throw Stopped(choice_.name + " was stopped before it took new values");
  const bool stiff = rung_ == 0 && looks_stiff(analysis);
  bool direct_refused = false;
  std::string reason = choice_.reason;
  const bool is_chosen = rung_ != no_ladder;
  if (is_chosen && !has_new_values_) reason.insert(0, chosen_before);
  // What another preconditioner may refuse after this one is made beside this one, so that the object stays as it was.
  // One that takes new values in place knows no limit of memory.
  const bool in_place = fallback_ == nullptr && built_ != nullptr && mem_limit_ == 0;
  try {
    update_or_build(analysis, in_place, stop);
    choice_.reason = std::move(reason);
    has_new_values_ = is_chosen;
  } catch (const MemoryLimitError&) {
    throw;
  } catch (const ArgumentError& e) {
    const bool may_give_way =
        rung_ != no_ladder && (choice_.name == "fsai" || choice_.name == LuKind::name || is_plain());
    if (!may_give_way || !analysis.structure().finite) throw;
    direct_refused = choice_.name == LuKind::name;
    give_way(analysis, what_is_wrong(e), stop);
  }
  space_ = built_ != nullptr ? built_->space() : analysis.space();
  if (rung_ != no_ladder) analysis_ = analysis;
  stronger_.reset();
  refused_ = 0;
  direct_refused_ = direct_refused;
  is_stiff_ = stiff;
  return true;
}

template <class Space, class T>
std::size_t AnyPreconditioner<Space, T>::bytes() const {
  return (is_identity() ? 0 : built_->bytes()) + (fallback_ == nullptr ? 0 : fallback_->bytes());
}

template <class Space, class T>
std::optional<MemoryPrediction> AnyPreconditioner<Space, T>::prediction() const {
  std::optional<MemoryPrediction> all = prediction_;
  if (all && fallback_ != nullptr && fallback_->prediction_) all->bytes += fallback_->prediction_->bytes;
  return all;
}

template <class Space, class T>
void AnyPreconditioner<Space, T>::apply(Block<const T> r, Block<T> z) const {
  if (!is_identity()) return built_->apply(r, z);
  require_lengths("none", rows_, r.rows, z.rows);
  for (int k = 0; k < z.columns; ++k) copy<T>(space_, r.column(k), z.column(k));
}

template <class Space, class T>
void AnyPreconditioner<Space, T>::apply_dot(Block<const T> r, Block<T> z, Slot<T> slots) const {
  is_identity() ? Base::apply_dot(r, z, slots) : built_->apply_dot(r, z, slots);
}

#define OSTINATO_INSTANTIATE_SPACES(Space) \
  template PreconditionerChoice choose_preconditioner<Space>(const Structure&, const Grid&)
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE_SPACES);
#undef OSTINATO_INSTANTIATE_SPACES

#define OSTINATO_INSTANTIATE(Space, T)                                                  \
  template std::vector<PreconditionerMemory> predict_memory(const Analysis<Space, T>&); \
  template PreconditionerChoice choose_preconditioner(const Analysis<Space, T>&);       \
  template class AnyPreconditioner<Space, T>
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
