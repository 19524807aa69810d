// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "inspection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/cusparse/vendor.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/prepared_matrix.hpp>

#include "files.hpp"
#include "legend.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

std::string row_text(const Structure& s) {
  return fmt::format("{:.3g} entries each, deviation {:.3g}, longest {}, {} empty", s.mean_row, s.row_deviation,
                     count_text(s.longest_row), count_text(s.empty_rows));
}

std::string offsets_text(const Structure& s) {
  constexpr std::size_t shown = 12;
  if (s.offsets.empty()) return {};
  std::string text;
  const std::size_t n = s.offsets.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (n > shown && k == shown / 2) text += " ...";
    if (n <= shown || k < shown / 2 || k >= n - shown / 2) text += fmt::format(" {}", s.offsets[k]);
  }
  return ":" + text;
}

/// Adds the format that DIA-Adaptive's search engine would choose, for comparison with the cost model's choice.
void add_search_engine(Facts& facts, const Inspection& i) {
  const auto yes = [](bool label) { return label ? "yes" : "no"; };
  const SearchResult v = search(*i.structure.census);
  facts.row("search engine", fmt::format("{}, type {}: {}", v.format, diagonal_type_text(v.type), v.reason));
  facts.more(fmt::format("delta {}, p_offset {}/{}, p_zero {:.4f}, alpha {:.4f}", count_text(v.delta), v.n_offset,
                         v.n_diag, v.p_zero, v.alpha));
  facts.more(
      fmt::format("long zero section (label_lz): {}, scatter point (label_s): {}", yes(v.label_lz), yes(v.label_s)));
  if (v.format != i.choice.format)
    facts.more("the cost model chose " + i.choice.format + ": it compares times, the search engine padding alone");
}

/// What was found out about the matrix, a row a finding.
void add_findings(Facts& facts, const Inspection& i) {
  const Examination& e = i.examination;
  std::string last;
  for (const Finding& f : e.findings) {
    const bool serious = f.weight == Weight::caution || f.weight == Weight::trouble;
    facts.row(f.subject == last ? "" : f.subject, (serious ? std::string(to_string(f.weight)) + ": " : "") + f.text);
    last = f.subject;
  }
  if (e.left_out.empty()) return;
  std::string parts;
  for (const std::string& part : e.left_out) parts += (parts.empty() ? "" : "; ") + part;
  facts.row("left out", parts + ": would take too long; " + i.to_see_all + " does it");
}

/// The method and the preconditioner that auto takes, and what they are expected to do.
void add_advice(Facts& facts, const Examination& e) {
  facts.row("solver", e.solver.name + ": " + e.solver.reason);
  facts.row("preconditioner", e.preconditioner.name + ": " + e.preconditioner.reason);
  if (!e.expected.empty()) facts.row("expected", e.expected);
  if (e.stronger.empty()) return;
  std::string names;
  for (const std::string_view name : e.stronger) names += (names.empty() ? "" : ", then ") + std::string(name);
  facts.row("if too slow", "auto goes on with " + names);
}

/// What an iteration takes on some numbers of ranks, and from how many rows on ranks pay.
void add_ranks(Facts& facts, const Inspection& i) {
  if (i.ranks.empty()) return;
  std::string times;
  const RankForecast* best = &i.ranks.front();
  for (const RankForecast& f : i.ranks) {
    times += fmt::format("{}{}: {}", times.empty() ? "" : ", ", f.share.ranks, seconds_text(f.seconds()));
    constexpr double gain = 1.3;  // that twice the ranks have to bring
    if (f.seconds() * gain < best->seconds()) best = &f;
  }
  const RankNetwork network;
  facts.row("ranks", "an iteration of cg with jacobi, predicted for ranks with a machine each, like this one");
  facts.more(times);
  facts.more(fmt::format("with {} a message and {:.3g} GB/s between them; most ghosts of a rank of {}: {}",
                         seconds_text(network.latency), network.bandwidth / 1e9, i.ranks.back().share.ranks,
                         count_text(i.ranks.back().share.ghosts)));
  const double rows = std::max(1.0, static_cast<double>(i.structure.rows));
  facts.more(fmt::format(
      "two ranks pay from ~{} such rows on; here {}",
      count_text(static_cast<std::int64_t>(rows_that_pay(i.ranks.front().seconds() / rows))),
      best->share.ranks == 1 ? std::string("one is enough") : fmt::format("{} ranks do", best->share.ranks)));
}

std::string objection(const Inspection& i);

Facts facts_of(const Inspection& i) {
  Facts facts;
  add_device(facts, i.device);
  facts.row("matrix", i.matrix == "-" ? "standard input" : i.matrix);
  facts.more(fmt::format("{} {} {}, {} stored", i.file.format, i.file.field, i.file.symmetry,
                         count_text(i.file.stored_entries)));
  facts.row("size", size_text(i.structure));
  facts.row("rows", row_text(i.structure));
  facts.row("diagonals", count_text(i.structure.diagonals) + offsets_text(i.structure));
  if (i.structure.rows == i.structure.cols) facts.row("main diagonal", main_diagonal_text(i.structure));
  facts.row("grid", i.grid ? i.grid.text() : "none: " + i.grid.why_not);
  facts.row("symmetry", i.preparation.asymmetry > 0 ? fmt::format("symmetric up to {:.1g}", i.preparation.asymmetry)
                                                    : symmetry_text(i.structure));
  facts.row("values", i.structure.finite ? "all finite" : "NaN or infinity among them");
  facts.gap();
  add_findings(facts, i);
  facts.gap();
  add_preparation(facts, i.preparation, "solve prepares");
  add_advice(facts, i.examination);
  facts.row("format", i.choice.candidates.front().full_name() + ": " + i.choice.reason);
  if (!i.generated.empty()) facts.row("kernels", i.generated);
  facts.row("whole solve", fmt::format("~{} on the CPU, ~{} on a GPU that is opened for it",
                                       seconds_text(i.device.predicted.cpu), seconds_text(i.device.predicted.gpu)));
  add_amortisation(facts, i.amortisation);
  add_ranks(facts, i);
  if (const std::string text = objection(i); !text.empty()) facts.row("measured now", text);
  constexpr double busy = 0.2;
  if (i.scatter > busy) facts.row("note", fmt::format("times vary by {:.0f} %; the machine is busy", 100 * i.scatter));
  if (is_searched(i.structure)) add_search_engine(facts, i);
  return facts;
}

/// "7.35 us" for a product that was timed, "~9.1 us" for one that wasn't.
std::string product_text(const Candidate& c, const Inspection& i) {
  if (const double seconds = measured_seconds(c, i); seconds > 0) return seconds_text(seconds);
  return was_measured(i.choice) ? "-" : "~" + seconds_text(c.cost.seconds);
}

/// Whether the table has a row for a format.
bool is_shown(const Candidate& c, bool all) { return all || !c.cost.elsewhere; }

Grid formats_of(const Inspection& i, bool all) {
  Grid grid({"format", "stored", "B/entry", "padding", "product", "convert", "verdict"});
  const double entries = static_cast<double>(std::max<Offset>(1, i.structure.nonzeros));
  for (const Candidate& c : i.choice.candidates) {
    if (!is_shown(c, all)) continue;
    if (!c.cost.applies()) {
      grid.row({c.name, "-", "-", "-", "-", "-", c.verdict});
      continue;
    }
    const std::string parameters = c.parameters.empty() ? "" : "; " + c.parameters;
    grid.row({c.name, bytes_text(static_cast<double>(c.cost.bytes)),
              fmt::format("{:.1f}", static_cast<double>(c.cost.bytes) / entries),
              fmt::format("{:.0f} %", 100 * c.cost.padding), product_text(c, i), seconds_text(c.setup_seconds()),
              c.verdict + parameters});
  }
  return grid;
}

/// What the preconditioners would keep that can be made for the matrix.
Grid preconditioners_of(const Inspection& i) {
  Grid grid({"preconditioner", "would keep"});
  for (const PreconditionerMemory& p : i.preconditioners) {
    if (p.why_not.empty()) grid.row({std::string(p.name), p.memory ? in_words(*p.memory) : "found while it is made"});
  }
  return grid;
}

constexpr const char* predicted_sign =
    "~ predicted, most within a factor of 2; the other products were timed now, and\n"
    "  conversions are predicted";

/// The parameters of the formats in the table.
ParameterLegend legend_of(const Inspection& i, bool all) {
  ParameterLegend legend;
  for (const Candidate& c : i.choice.candidates) {
    if (c.cost.applies() && is_shown(c, all)) legend.saw(c.name, c.parameters);
  }
  return legend;
}

/// The median time of a product. `scatter` becomes the largest share of a median by which the middle half of the times
/// differs.
template <class Space, class T>
double product_seconds(const Space& space, const Operator<Space, T>& op, double& scatter) {
  constexpr double long_enough = 2e-3;
  constexpr std::size_t batches = 9;
  const Vector<Space, T> x(space, static_cast<std::size_t>(op.cols()), T{1});
  Vector<Space, T> y(space, static_cast<std::size_t>(op.rows()));
  const auto product = [&] { op.apply(T{1}, x, T{0}, y); };
  int calls = 1;
  while (batch_seconds(space, calls, product) < long_enough && calls < 1024) calls *= 2;
  std::vector<double> times;
  for (std::size_t k = 0; k < batches; ++k) times.push_back(batch_seconds(space, calls, product) / calls);
  std::sort(times.begin(), times.end());
  scatter = std::max(scatter, (times[3 * batches / 4] - times[batches / 4]) / times[batches / 2]);
  return times[batches / 2];
}

/// What the times measured now say against the prediction; empty where they agree with it.
std::string objection(const Inspection& i) {
  constexpr double clearly = 0.95;
  const Amortisation& a = i.amortisation;
  if (was_measured(i.choice) || !(a.csr_seconds < clearly * a.product_seconds)) return {};
  return fmt::format("{} is faster ({} against {}){}{}", a.csr_is, seconds_text(a.csr_seconds),
                     seconds_text(a.product_seconds), i.to_measure.empty() ? "" : ": ", i.to_measure);
}

template <class T>
double vendor_seconds(const Cuda& space, const CsrView<T>& a) {
  return vendor_csr_seconds(space, a);
}
template <class T>
double vendor_seconds(const Host&, const CsrView<T>&) {
  return 0;
}

/// Measures the amortisation against cuSPARSE's CSR, which needs no set-up or, on the CPU, against our csr.
template <class Space, class T>
Amortisation measured(const Analysis<Space, T>& analysis, const Operator<Space, T>& op, double expected_products,
                      double& scatter) {
  Amortisation result;
  result.format = op.format();
  result.convert_seconds = op.convert_seconds();
  result.predicted_convert_seconds = op.choice().candidates.front().cost.setup_seconds;
  result.expected_products = expected_products;
  result.setup_seconds = op.analyse_seconds() + op.convert_seconds();
  result.product_seconds = product_seconds(analysis.space(), op, scatter);
  result.csr_seconds = vendor_seconds(analysis.space(), analysis.matrix().view());
  result.csr_is = "cuSPARSE ALG1";
  result.measured = true;
  if (result.csr_seconds > 0) return result;
  result.csr_is = "csr";
  result.csr_seconds = result.product_seconds;
  result.csr_setup_seconds = result.setup_seconds;
  if (op.format() == "csr") return result;
  const Operator<Space, T> csr(analysis, {.format = "csr", .jit = Jit::off});
  result.csr_seconds = product_seconds(analysis.space(), csr, scatter);
  result.csr_setup_seconds = csr.analyse_seconds() + csr.convert_seconds();
  return result;
}

/// What is found out about the matrix that a solve works with. Where rows are scaled or left out, that are findings
/// about the matrix as it is given, and the choices for the other.
template <class Space, class T>
Examination examined(const PreparedMatrix<Space, T>& prepared, const InspectInput& in) {
  const ExaminationOptions options{.thorough = in.all, .restart = in.restart, .rtol = is_single<T> ? 1e-5 : 1e-8};
  const SystemPreparation& what = prepared.what();
  const bool is_like_given = what.zero_rows == 0 && what.scaled_by == 0;
  Examination e = examine(is_like_given ? prepared.analysis() : prepared.given(), options);
  if (what.equal_rows > 0) e.stronger.clear();
  if (is_like_given) return e;
  const Structure& s = prepared.analysis().structure();
  e.solver = choose_solver(s, sizeof(T), in.restart);
  e.preconditioner = choose_preconditioner(prepared.analysis());
  e.stronger = stronger_preconditioners<Space, T>(s);
  return e;
}

}  // namespace

void print(std::FILE* to, const Inspection& i, bool all) {
  facts_of(i).print(to);
  put(to, "\n");
  formats_of(i, all).print(to);
  if (!was_measured(i.choice)) put(to, fmt::format("\n{}\n", predicted_sign));
  if (const ParameterLegend legend = legend_of(i, all); !legend.empty()) {
    Facts explained;
    explained.gap();
    legend.add_to(explained);
    explained.print(to);
  }
  if (!i.preconditioners.empty()) {
    put(to, "\n");
    preconditioners_of(i).print(to);
  }
}

html::Page page_of(const Inspection& i, bool all) {
  html::Page page("ostinato inspect " + i.matrix);
  add_pattern(page, i.pattern);
  page.facts(facts_of(i));
  page.heading("Formats");
  std::vector<html::FormatBar> bars;
  const bool measured = was_measured(i.choice);  // of all that are drawn, or of none
  for (const Candidate& c : i.choice.candidates) {
    const double seconds = measured ? measured_seconds(c, i) : c.cost.seconds;
    if (c.cost.applies() && seconds > 0) bars.push_back({c.name, seconds, static_cast<double>(c.cost.bytes), measured});
  }
  add_bars(page, bars);
  page.grid(formats_of(i, all));
  if (!was_measured(i.choice)) page.paragraph(predicted_sign);
  if (const ParameterLegend legend = legend_of(i, all); !legend.empty()) {
    Facts explained;
    legend.add_to(explained);
    page.facts(explained);
  }
  if (!i.preconditioners.empty()) {
    page.heading("Preconditioners");
    page.grid(preconditioners_of(i));
  }
  return page;
}

/// The vectors of an iteration of cg with jacobi: z, p, x; q, r; the diagonal, r, z.
template <class T>
constexpr double vector_bytes = 11.0 * sizeof(T);

template <class T>
std::vector<RankForecast> forecast_ranks(const Csr<T>& a, double product, double bandwidth) {
  const double alone = product + vector_bytes<T> * a.rows / bandwidth;
  std::vector<RankForecast> all;
  for (const int ranks : {1, 2, 4, 8})
    all.push_back(forecast(largest_share(a.row_ptr, a.col, ranks), alone, product, sizeof(T)));
  return all;
}

template <class Space, class T>
void look_at(const Space& space, const Csr<T>& a, const InspectInput& in, Inspection& i) {
  const SpaceCsr<Space, T> matrix(space, a.view());
  FormatOptions options = format_options(in.formats);
  const Jit jit = std::exchange(options.jit, Jit::off);
  {
    const Operator<Space, T> op(Analysis<Space, T>(space, matrix), options);
    i.structure = op.structure();
    i.choice = op.choice();
  }
  options.jit = jit;
  const Analysis<Space, T> analysis(space, matrix);
  const Operator<Space, T> op(analysis, i.choice, options);
  i.amortisation = measured(analysis, op, options.expected_products, i.scatter);
  if (in.ranks && a.rows == a.cols)
    i.ranks = forecast_ranks(a, i.amortisation.product_seconds, machine_of(space).bandwidth);
  i.formats = in.formats;
  i.generated = op.generated();
  i.grid = analysis.grid();
  if (i.structure.rows == i.structure.cols) i.preconditioners = predict_memory(analysis);
  const PreparedMatrix<Space, T> prepared(analysis);
  i.preparation = prepared.what();
  i.examination = examined(prepared, in);
}

#define OSTINATO_INSTANTIATE(Space, T) \
  template void look_at(const Space&, const Csr<T>&, const InspectInput&, Inspection&)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato::cli
