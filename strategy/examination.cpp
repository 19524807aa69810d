// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/examination.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/definite_sign.hpp>
#include <ostinato/preconditioners/ilu/lu_order.hpp>
#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/preconditioners/triangular/factored.hpp>
#include <ostinato/preconditioners/triangular/preparation.hpp>
#include <ostinato/solvers/recurrence/definiteness.hpp>
#include <ostinato/solvers/recurrence/diagnosis.hpp>
#include <ostinato/spmv/algebra/scale.hpp>
#include <ostinato/spmv/analysis/equal_rows.hpp>
#include <ostinato/spmv/base/count_text.hpp>
#include <ostinato/spmv/ordering/matching.hpp>
#include <ostinato/spmv/ordering/rcm.hpp>
#include <ostinato/spmv/selection/choice.hpp>
#include <ostinato/spmv/selection/numbering.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/least_squares_preconditioner.hpp>

namespace ostinato {

namespace {

/// "1 row", "3 columns"
std::string counted(std::size_t n, const std::string& noun) {
  return count_text(static_cast<std::int64_t>(n)) + " " + noun + (n == 1 ? "" : "s");
}
std::string counted(Index n, const std::string& noun) { return counted(static_cast<std::size_t>(n), noun); }

std::string number_of(Index at) { return std::to_string(at + 1); }

/// "row 3 is", "5 rows, the first of them row 3, are"
std::string named(const Occurrence& o, const std::string& noun, const std::string& one, const std::string& many) {
  if (o.count == 1) return noun + " " + number_of(o.first) + " " + one;
  return counted(o.count, noun) + ", the first of them " + noun + " " + number_of(o.first) + ", " + many;
}

std::string per_cent(Index part, Index whole) {
  const double share = 100.0 * part / std::max<Index>(1, whole);
  return (part < whole && share > 99.9 ? "over 99.9"
          : part > 0 && share < 0.1    ? "under 0.1"
                                       : short_text(share)) +
         " %";
}

/// Two digits of a number of iterations.
int rounded_up(double iterations) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(1.0, iterations))) - 1));
  return static_cast<int>(unit * std::ceil(iterations / unit));
}

/// The bound of CG, (sqrt(k) - 1) / (sqrt(k) + 1) an iteration in the norm of A, where k is the condition that M
/// leaves.
std::optional<int> most_cg_iterations(double condition, double rtol) {
  if (!std::isfinite(condition)) return std::nullopt;
  const double iterations = 0.5 * std::sqrt(condition) * std::log(2 / rtol);
  if (iterations > 1e9) return std::nullopt;
  return rounded_up(iterations);
}

/// Examines a matrix in host memory.
class Examiner {
 public:
  /// `preconditioner`: of CG, where "auto" takes that; empty otherwise.
  Examiner(const CsrView<double>& a, const Structure& s, const ExaminationOptions& options, std::string preconditioner)
      : a_(a), s_(s), square_(a.rows == a.cols), options_(options), preconditioner_(std::move(preconditioner)) {}

  Examination run() {
    if (!s_.finite) {
      say("values", Weight::trouble, "some values are NaN or infinite; no other part was examined");
      return std::move(e_);
    }
    if (!pays("the entries", static_cast<double>(s_.nonzeros), 5e7)) return std::move(e_);
    e_.entries = look_at_entries(a_);
    say_empty();
    say_dense();
    if (square_) {
      match();
      say_diagonal();
    }
    say_scaling();
    if (square_) say_dominance();
    say_null_space();
    if (square_) say_equal_rows();
    if (square_ && s_.symmetric) say_definiteness();
    if (square_) try_factors();
    find_spectrum();
    if (square_ && may_be_definite()) try_cg();
    if (square_) order();
    return std::move(e_);
  }

 private:
  void say(std::string subject, Weight weight, std::string text) {
    e_.findings.push_back({std::move(subject), weight, std::move(text)});
  }

  /// Whether a part is to be done; says otherwise that it was left out.
  bool pays(const std::string& what, double work, double most) {
    if (options_.thorough || work <= most) return true;
    if (std::find(e_.left_out.begin(), e_.left_out.end(), what) == e_.left_out.end()) e_.left_out.push_back(what);
    return false;
  }

  void say_empty() {
    const EntryFacts& f = e_.entries;
    if (f.empty_rows.count > 0)
      say("empty rows", Weight::trouble,
          named(f.empty_rows, "row", "has", "have") + " no entry other than 0" +
              (square_ ? ", so that the matrix is singular" : ": no x changes these elements of b"));
    if (f.empty_cols.count > 0)
      say("empty columns", Weight::trouble,
          named(f.empty_cols, "column", "has", "have") + " no entry other than 0: nothing depends on " +
              (f.empty_cols.count == 1 ? "that unknown" : "these unknowns"));
  }

  void say_dense() {
    const EntryFacts& f = e_.entries;
    if (f.dense_rows.count > 0)
      say("dense rows", Weight::caution,
          named(f.dense_rows, "row", "is", "are") + " long: up to " + count_text(f.longest_row) +
              " entries, which fill in the factors of lu and ilut");
    if (f.dense_cols.count > 0 && !s_.pattern_symmetric)
      say("dense columns", Weight::caution,
          named(f.dense_cols, "column", "is", "are") + " long: up to " + count_text(f.longest_col) + " entries");
  }

  void match() {
    constexpr double most_entries = 2e6;
    const auto entries = static_cast<double>(s_.nonzeros);
    if (s_.missing_diagonal == 0 && entries > most_entries && !options_.thorough)
      return say_full_rank();  // the diagonal is a matching; another one would serve the scaling alone
    if (!pays("the structural rank", entries, most_entries)) return;
    matching_ = max_product_matching(a_);
    e_.unmatched_rows = matching_->unmatched;
    if (e_.unmatched_rows.empty()) return say_full_rank();
    const auto unmatched = static_cast<Index>(e_.unmatched_rows.size());
    e_.structural_rank = a_.rows - unmatched;
    say("structural rank", Weight::trouble,
        count_text(*e_.structural_rank) + " of " + count_text(a_.rows) +
            ": the matrix is singular whatever its values; " +
            named({unmatched, e_.unmatched_rows.front()}, "row", "finds", "find") + " no entry for the diagonal");
  }

  void say_full_rank() {
    e_.structural_rank = a_.rows;
    say("structural rank", Weight::good, "full: every row can have an entry of its own on the diagonal");
  }

  void say_diagonal() {
    const EntryFacts& f = e_.entries;
    if (f.missing_diagonal.count > 0)
      say("diagonal", Weight::caution,
          named(f.missing_diagonal, "row", "has", "have") +
              " no diagonal entry; jacobi needs one, lu and ilut move one there");
    if (f.zero_diagonal.count > 0)
      say("diagonal", Weight::caution,
          named(f.zero_diagonal, "row", "has", "have") + " a stored 0 on the diagonal; jacobi can't divide by it");
  }

  void say_scaling() {
    const EntryFacts& f = e_.entries;
    if (f.largest_entry.at < 0) return;
    const double rows = f.largest_row.value / f.smallest_row.value, cols = f.largest_col.value / f.smallest_col.value;
    const double entries = f.largest_entry.value / f.smallest_entry.value;
    if (entries == 1) return say("scaling", Weight::good, "all entries have the same size");
    const bool uneven = std::max(rows, cols) > uneven_scaling;
    const bool equal_rows = short_text(rows) == "1";
    const std::string of_rows = equal_rows ? "are of one size"
                                           : "differ by a factor of " + short_text(rows) + " (" +
                                                 short_text(f.smallest_row.value) + " in row " +
                                                 number_of(f.smallest_row.at) + ", " + short_text(f.largest_row.value) +
                                                 " in row " + number_of(f.largest_row.at) + ")";
    say("scaling", uneven ? Weight::caution : Weight::fact,
        "the largest entries of rows " + of_rows + ", those of columns " +
            (equal_rows ? "differ by a factor of " : "by ") + short_text(cols) + ", all entries by " +
            short_text(entries) +
            (!uneven   ? ""
             : square_ ? "; jacobi, ilut and lu even that out"
                       : "; lsmr scales the columns"));
  }

  void say_dominance() {
    const EntryFacts& f = e_.entries;
    std::string text;
    Weight weight = Weight::fact;
    if (f.strictly_dominant_rows == a_.rows) {
      text = "the diagonal exceeds the other entries in every row, so that the matrix isn't singular";
      weight = Weight::good;
    } else if (f.dominant_rows == a_.rows) {
      text = "the diagonal is at least the sum of the other entries in every row, and exceeds it in " +
             per_cent(f.strictly_dominant_rows, a_.rows);
      weight = Weight::good;
    } else {
      text = "the diagonal is at least the sum of the other entries in " + per_cent(f.dominant_rows, a_.rows) +
             " of the rows";
      if (f.least_dominant.at >= 0)
        text += "; least in row " + number_of(f.least_dominant.at) + ", " + short_text(f.least_dominant.value) +
                " of that sum";
    }
    say("dominance", weight, text);
    if (f.wrong_signs.count == 0 && a_.rows > 0)
      say("signs", Weight::good,
          f.dominant_rows == a_.rows ? "those of an M-matrix, which the matrix is unless it is singular"
                                     : "those of an M-matrix: a positive diagonal and no positive entry beside it");
  }

  void say_null_space() {
    const EntryFacts& f = e_.entries;
    if (f.constant_in_null_space)
      say("null space", Weight::trouble,
          std::string("the rows add up to 0, so that A * ones = 0: the solution is known but for a constant") +
              (s_.symmetric ? ", and b has to add up to 0" : ""));
    if (f.constant_in_left_null_space && !s_.symmetric)
      say("null space", Weight::trouble, "the columns add up to 0: b has to add up to 0, or no x solves the system");
  }

  void say_equal_rows() {
    if (s_.symmetric && !may_have_equal_rows(Host(), a_)) return;
    const EqualRows found = equal_rows(Host(), a_);
    if (found.count == 0 || e_.entries.empty_rows.count > 0) return;
    is_singular_ = true;
    say("equal rows", Weight::trouble,
        counted(found.count, "row") +
            (found.count == 1 ? " equals another: row " : " equal others, the first of them row ") +
            number_of(found.first) + ", which equals row " + number_of(found.as) + ": the matrix is singular");
  }

  /// Looks for pivots that are 0 but for rounding, where nothing has shown yet whether the matrix is singular.
  void try_factors() {
    const EntryFacts& f = e_.entries;
    const bool is_definite = e_.definiteness == Definiteness::positive || e_.definiteness == Definiteness::negative;
    const bool is_decided = is_singular_ || is_definite || !e_.unmatched_rows.empty() || f.constant_in_null_space ||
                            f.constant_in_left_null_space || f.strictly_dominant_rows == a_.rows;
    if (is_decided || f.empty_rows.count > 0 || f.empty_cols.count > 0) return;
    constexpr double most_seconds = 0.3;
    if (!options_.thorough && typical_lu_seconds(s_) > most_seconds) return;
    try {
      const AnyPreconditioner<Host, double> m(Analysis<Host, double>(Host(), a_), "lu:match=no,pivot=1");
      if (m.null_pivots() == 0) return;
      say("pivots", Weight::trouble,
          counted(m.null_pivots(), "pivot") + " of complete LU factors " + (m.null_pivots() == 1 ? "is" : "are") +
              " 0 but for rounding: the matrix is singular to working precision");
    } catch (const ArgumentError&) {  // too many entries, or out of range
    }
  }

  // Definiteness.

  void say_definiteness() {
    const EntryFacts& f = e_.entries;
    const bool positive = s_.positive_diagonal, negative = s_.negative_diagonal;
    if (!positive && !negative) return say_indefinite(why_diagonal_is_indefinite());
    const std::string sign = positive ? "positive" : "negative";
    if (f.strictly_dominant_rows == a_.rows)
      return say_definite(sign + " definite: symmetric, and the diagonal dominates");
    if (f.constant_in_null_space && is_dominant_for_certain(a_)) {
      e_.definiteness = Definiteness::semidefinite;
      return say("definiteness", Weight::caution,
                 sign + " semidefinite: symmetric, the diagonal dominates, and A * ones = 0 but for rounding");
    }
    const Csr<double> b = balanced(a_, definite_sign(s_));
    if (const auto rows = negative_minor(b.view()))
      return say_indefinite("indefinite: x . A x has both signs, even where x is 0 but in rows " +
                            number_of(rows->first) + " and " + number_of(rows->second));
    if (!try_cholesky(b.view(), sign)) try_lanczos(b.view(), sign);
  }

  std::string why_diagonal_is_indefinite() const {
    const EntryFacts& f = e_.entries;
    if (f.positive_diagonal.count > 0 && f.negative_diagonal.count > 0)
      return "indefinite: the diagonal is positive in row " + number_of(f.positive_diagonal.first) +
             " and negative in row " + number_of(f.negative_diagonal.first);
    for (Index row = 0; row < a_.rows; ++row) {
      double diagonal = 0, beside = 0;
      for (auto k = first(row); k < first(row + 1); ++k) (a_.col[k] == row ? diagonal : beside) += std::abs(a_.val[k]);
      if (diagonal == 0 && beside > 0)
        return "indefinite: row " + number_of(row) + " has 0 on the diagonal, and other entries";
    }
    return {};
  }

  std::size_t first(Index row) const { return static_cast<std::size_t>(a_.row_ptr[static_cast<std::size_t>(row)]); }

  void say_definite(std::string text) {
    e_.definiteness = s_.positive_diagonal ? Definiteness::positive : Definiteness::negative;
    say("definiteness", Weight::good, std::move(text));
  }

  /// An empty text: not known.
  void say_indefinite(std::string text) {
    if (text.empty()) return;
    e_.definiteness = Definiteness::indefinite;
    say("definiteness", Weight::caution, std::move(text));
  }

  /// Complete factors of the matrix with a positive diagonal, where they are small enough; false otherwise.
  bool try_cholesky(const CsrView<double>& b, const std::string& sign) {
    constexpr double most_rows = 20000;
    const Offset most_entries = options_.thorough ? std::numeric_limits<Offset>::max() : Offset{3'000'000};
    if (!pays("a complete Cholesky factorisation", b.rows, most_rows)) return false;
    const auto proof =
        prove_by_cholesky(prepared(b, prepare(b, {.match = false, .order = Ordering::best})).view(), most_entries);
    switch (proof) {
      case CholeskyProof::positive:
        say_definite(sign + " definite, as a complete Cholesky factorisation shows");
        break;
      case CholeskyProof::negative:
        say_indefinite("indefinite: x . A x has both signs, as a complete Cholesky factorisation shows");
        break;
      case CholeskyProof::none:
        say("definiteness", Weight::caution,
            sign + " semidefinite or singular within rounding: a complete Cholesky factorisation can't tell more");
        break;
      case CholeskyProof::too_large:
        e_.left_out.emplace_back("a complete Cholesky factorisation, which has too many entries");
    }
    return proof != CholeskyProof::too_large;
  }

  /// What the Lanczos method finds for the matrix with a positive diagonal.
  void try_lanczos(const CsrView<double>& b, const std::string& sign) {
    const auto count = steps("the smallest eigenvalue", 1);
    if (!count) return;
    const std::vector<double> scale = inverse_roots(b);
    const SpectrumEnds ends = eigenvalue_ends(b, scale, *count);
    const std::string after = count_text(ends.steps) + " Lanczos steps";
    if (ends.smallest < 0) {
      std::vector<double> x = lowest_ritz_vector(b, scale, *count);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] *= scale[i];
      if (is_negative_at(b, x))
        return say_indefinite("indefinite: x . A x has both signs, as " + after + " and the x that they lead to show");
    }
    if (ends.smallest > 0)
      say("definiteness", Weight::fact,
          "maybe " + sign + " definite: symmetric, and " + after + " found nothing against it");
    else if (ends.steps > 0)
      say("definiteness", Weight::caution,
          sign + " semidefinite or singular within rounding, as far as " + after + " tell");
  }

  // Condition.

  /// How many steps of a Krylov method the work allows. Fewer than 30 say nothing.
  std::optional<int> steps(const std::string& what, int products) {
    constexpr double most = 3e8;
    const double step = products * static_cast<double>(s_.nonzeros) + 6.0 * (a_.rows + a_.cols);
    if (!pays(what, 30 * step, most)) return std::nullopt;
    const double affordable = (options_.thorough ? 100 : 1) * most / std::max(1.0, step);
    return static_cast<int>(std::clamp(affordable, 30.0, options_.thorough ? 20000.0 : 2000.0));
  }

  /// The ends of the eigenvalues of the matrix, with the sign of its diagonal taken out.
  std::optional<SpectrumEnds> lanczos(bool scaled) {
    const auto count = steps(scaled ? "the condition after scaling" : "the condition", 1);
    if (!count) return std::nullopt;
    SpectrumEnds ends = eigenvalue_ends(a_, scaled ? inverse_roots(a_) : std::vector<double>(), *count);
    if (definite_sign(s_) < 0) ends = {-ends.largest, -ends.smallest, ends.steps, ends.settled};
    return ends;
  }

  static std::vector<double> inverse_roots(const CsrView<double>& a) {
    std::vector<double> scale(static_cast<std::size_t>(a.rows));
    diagonal(Host(), a, std::span<double>(scale));
    for (double& value : scale) value = 1 / std::sqrt(std::abs(value));
    return scale;
  }

  bool may_be_definite() const {
    return square_ && s_.symmetric && (s_.positive_diagonal || s_.negative_diagonal) &&
           e_.definiteness != Definiteness::indefinite;
  }

  void find_spectrum() {
    if (e_.entries.largest_entry.at < 0) return;
    if (may_be_definite()) {
      e_.spectrum = lanczos(false);
      e_.scaled_spectrum = lanczos(true);
    } else if (const auto count = steps("the condition", 2)) {
      e_.spectrum = singular_value_ends(a_, {}, {}, *count);
      if (matching_) e_.scaled_spectrum = singular_value_ends(a_, matching_->row_scale, matching_->col_scale, *count);
    }
    say_condition("condition", e_.spectrum, "");
    say_condition("condition", e_.scaled_spectrum,
                  may_be_definite() ? " after scaling by the diagonal" : " after scaling by the matching");
  }

  /// The iterations of CG for a random solution, and what the condition says. Where "auto" takes fsai, those with
  /// Jacobi.
  void try_cg() {
    const bool scaled = preconditioner_ == "jacobi" || preconditioner_ == "fsai";
    if (!scaled && preconditioner_ != "none") return;
    const std::optional<SpectrumEnds>& ends = scaled ? e_.scaled_spectrum : e_.spectrum;
    if (ends && ends->settled) e_.most_iterations = most_cg_iterations(condition(*ends, a_.rows), options_.rtol);
    const auto most = steps("the iterations of cg", 1);
    if (!most || is_singular()) return;
    // "none" is taken where the diagonal is constant. To scale by it then keeps huge and tiny values in range.
    const auto found = cg_iterations(a_, inverse_roots(a_), options_.rtol, *most);
    if (found) e_.expected_iterations = rounded_up(*found);
    e_.tried_iterations = *most;
  }

  bool is_singular() const {
    return !e_.unmatched_rows.empty() || e_.entries.empty_rows.count > 0 || e_.entries.constant_in_null_space;
  }

  void say_condition(const std::string& subject, const std::optional<SpectrumEnds>& ends, const std::string& when) {
    if (!ends || ends->steps == 0) return;
    const double number = condition(*ends, a_.rows);
    const std::string eigen = may_be_definite() ? "eigenvalues" : "singular values";
    std::string text;
    Weight weight = Weight::fact;
    if (std::isinf(number) && when.empty() && e_.scaled_spectrum &&
        std::isfinite(condition(*e_.scaled_spectrum, a_.rows))) {
      text = "too large to tell without scaling: the smallest of the " + eigen + " found is 0 within rounding";
      weight = Weight::caution;
    } else if (std::isinf(number)) {
      text = "singular, or nearly so" + when + ": the smallest of the " + eigen + " found is 0 within rounding";
      weight = Weight::trouble;
    } else {
      text = (ends->settled ? "about " : "at least ") + short_text(number) + when + ": " + eigen + " from " +
             short_text(ends->smallest) + " to " + short_text(ends->largest) + " were found in " +
             counted(static_cast<std::size_t>(ends->steps), "step") +
             (ends->settled ? ", an estimate from below" : ", and the smallest was still falling: a lower bound");
      if (number > ill_conditioned) weight = Weight::caution;
      if (number < well_conditioned) weight = Weight::good;
    }
    say(subject, weight, std::move(text));
  }

  void order() {
    if (!pays("reverse Cuthill-McKee", static_cast<double>(s_.nonzeros), 2e7)) return;
    const std::vector<Index> order = reverse_cuthill_mckee(symmetric_graph(a_.row_ptr, a_.col));
    std::vector<Index> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
    Index width = 0;
    for (Index row = 0; row < a_.rows; ++row) {
      for (auto k = first(row); k < first(row + 1); ++k)
        width = std::max(width,
                         std::abs(place[static_cast<std::size_t>(row)] - place[static_cast<std::size_t>(a_.col[k])]));
    }
    e_.rcm_bandwidth = width;
    const bool less = width < e_.entries.bandwidth;
    say("bandwidth", Weight::fact,
        count_text(e_.entries.bandwidth) + ", and " + count_text(width) + " in the order of reverse Cuthill-McKee" +
            (less ? "" : ", which gains nothing"));
  }

  static constexpr double uneven_scaling = 1e6;  ///< rounding in double takes 1e16
  static constexpr double ill_conditioned = 1e8, well_conditioned = 1e3;

  const CsrView<double>& a_;
  const Structure& s_;
  bool square_;
  ExaminationOptions options_;
  bool is_singular_ = false;
  std::string preconditioner_;
  Examination e_;
  std::optional<Matching> matching_;
};

/// What is expected of CG. On 39 real matrices (b = A * ones, goal 1e-8, 2026-11) what was tried is 1.24 times what CG
/// took, geometric mean, within a factor of 2 on 36, at most 19 times (wathen_30_30, which takes 2 iterations for this
/// b); what the condition says is 6.5 times as many, up to 1,078 (nos7).
std::string text_of_cg(const Examination& e, double rtol) {
  const auto text = [rtol](int n, bool with_goal) {
    return count_text(n) + (n == 1 ? " iteration" : " iterations") + (with_goal ? " to " + short_text(rtol) : "");
  };
  std::string most = e.most_iterations ? "at most about " + text(*e.most_iterations, false) + " by the condition" : "";
  if (e.expected_iterations)
    return "about " + text(*e.expected_iterations, true) + ", tried for a random solution" +
           (most.empty() ? "" : "; " + most);
  if (e.tried_iterations > 0)
    return "more than " + text(e.tried_iterations, true) + ", tried for a random solution" +
           (most.empty() ? "" : "; " + most);
  return most;
}

/// What the choice of "auto" is expected to do.
void predict(Examination& e, const ExaminationOptions& options) {
  const std::string name = e.preconditioner.name;
  if (!e.unmatched_rows.empty() || e.entries.empty_rows.count > 0 || e.entries.empty_cols.count > 0)
    e.expected = "no solution for a general b: the matrix is singular by its pattern";
  else if (e.solver.name == name_in_auto<RoleInAuto::definite> && e.definiteness == Definiteness::indefinite)
    e.expected = e.solver.name + " is likely to break down, since the matrix isn't definite; auto goes on with " +
                 std::string(name_in_auto<RoleInAuto::symmetric>) + " then";
  else
    e.expected = text_of_cg(e, options.rtol);
  if (name == "fsai" && !e.expected.empty()) e.expected += "; all this with jacobi, fsai mostly takes fewer";
  if (e.expected.empty())
    e.expected = name == "multigrid" ? "few iterations, whatever the size of the grid"
                                     : "iterations can't be told from these findings";
}

}  // namespace

template <class Space, class T>
Examination examine(const Analysis<Space, T>& analysis, const ExaminationOptions& options) {
  const Structure& s = analysis.structure();
  const Csr<double> a = host_copy(analysis.space(), analysis.matrix());
  const CsrView<double> view = a.view();
  const SolverChoice solver = choose_solver(s, sizeof(T), options.restart);
  const PreconditionerChoice preconditioner =
      s.rows == s.cols ? choose_preconditioner(analysis) : PreconditionerChoice{};
  Examination e = Examiner(view, s, options,
                           solver.name == name_in_auto<RoleInAuto::definite> ? preconditioner.name : std::string())
                      .run();
  e.solver = solver;
  if (s.rows != s.cols) {
    const LeastSquaresPreconditioner<Space, T> m(analysis);
    e.preconditioner = {m.name(), m.reason()};
    return e;
  }
  if (choose_numbering(s, machine_of(analysis.space()), sizeof(T), FormatOptions{}.expected_products).renumber)
    e.findings.push_back({"numbering", Weight::caution,
                          "neighbours are far from each other, so that products wait for x; solve gives the rows new "
                          "numbers"});
  e.preconditioner = preconditioner;
  e.stronger = stronger_preconditioners<Space, T>(s);
  predict(e, options);
  return e;
}

#define OSTINATO_INSTANTIATE(Space, T) \
  template Examination examine(const Analysis<Space, T>&, const ExaminationOptions&)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
