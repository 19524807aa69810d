// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/cusparse/vendor.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/prepared_matrix.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "files.hpp"
#include "generated.hpp"
#include "json.hpp"
#include "legend.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

struct InspectInput {
  std::string matrix, json, html;
  DeviceOptions device;
  FormatInput formats;
  int restart = automatic_restart;
  bool all = false;
};

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
void add_findings(Facts& facts, const Examination& e) {
  std::string last;
  for (const Finding& f : e.findings) {
    const bool serious = f.weight == Weight::caution || f.weight == Weight::trouble;
    facts.row(f.subject == last ? "" : f.subject, (serious ? std::string(to_string(f.weight)) + ": " : "") + f.text);
    last = f.subject;
  }
  if (e.left_out.empty()) return;
  std::string parts;
  for (const std::string& part : e.left_out) parts += (parts.empty() ? "" : "; ") + part;
  facts.row("left out", parts + ": would take too long; --all does it");
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
  add_findings(facts, i.examination);
  facts.gap();
  add_preparation(facts, i.preparation, "solve prepares");
  add_advice(facts, i.examination);
  facts.row("format", i.choice.candidates.front().full_name() + ": " + i.choice.reason);
  if (!i.generated.empty()) facts.row("kernels", i.generated);
  facts.row("whole solve", fmt::format("~{} on the CPU, ~{} on a GPU that is opened for it",
                                       seconds_text(i.device.predicted.cpu), seconds_text(i.device.predicted.gpu)));
  add_amortisation(facts, i.amortisation);
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

void print(std::FILE* to, const Inspection& i, bool all) {
  facts_of(i).print(to);
  put(to, "\n");
  formats_of(i, all).print(to);
  if (!was_measured(i.choice)) put(to, std::string("\n") + predicted_sign + "\n");
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
  require_printed();
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
  return fmt::format("{} is faster ({} against {}): ostinato tune {}, then --tune measure", a.csr_is,
                     seconds_text(a.csr_seconds), seconds_text(a.product_seconds), i.matrix == "-" ? "FILE" : i.matrix);
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

/// Fills in structure and ranking. The matrix is analysed and converted a second time, so that the measured set-up
/// doesn't include what happens once per process: loading kernels, waking threads.
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
  i.formats = in.formats;
  i.generated = op.generated();
  i.grid = analysis.grid();
  if (i.structure.rows == i.structure.cols) i.preconditioners = predict_memory(analysis);
  const PreparedMatrix<Space, T> prepared(analysis);
  i.preparation = prepared.what();
  i.examination = examined(prepared, in);
}

template <class T, class Space>
int inspect_on(const Space& space, const Csr<T>& a, const InspectInput& in, Inspection& i) {
  LiveLine live(true);
  if (!in.html.empty()) i.pattern = html::density_of(a);
  live.phase("analysing");
  look_at(space, a, in, i);
  live.clear();
  Outputs outputs;
  outputs.attempt([&] { write_json(in.json, i); });
  outputs.attempt([&] {
    if (!in.html.empty()) html::write_page(in.html, page_of(i, in.all));
  });
  outputs.attempt([&] { print(table_stream({in.json, in.html}), i, in.all); });
  return outputs.finish(exit_converged);
}

}  // namespace

std::function<int()> define_inspect(Command& command) {
  const auto in = std::make_shared<InspectInput>();
  command.add(matrix_argument, in->matrix);
  command.add(json_option, in->json);
  command.add(html_option, in->html);
  command.add_flag({.names = "--all",
                    .description = "show formats that don't run on this machine, too, and examine the matrix however "
                                   "long that takes"},
                   in->all);
  add_tune_option(command, in->formats, "model, measure", "model (predict) or measure (time the best few)");
  add_kernel_options(command, in->formats);
  command.add(
      {.names = "--restart", .description = "vectors that gmres would keep", .value = "N", .default_text = "auto"},
      in->restart, whole_or_auto(1, automatic_restart));
  add_device_options(command, in->device);
  command.footer(format_listing());
  return [in] {
    require_reports(in->json, in->html, in->matrix);
    require_use_of_formats(in->formats, in->device.device);
    Inspection i;
    i.matrix = in->matrix;
    const auto read = [&]<class T>() { return load_shown<T>(in->matrix, &i.file); };
    return with_device(in->device, in->matrix, read, [&]<class T>(const auto& space, const DeviceInfo& on, Csr<T> a) {
      i.device = on;
      return inspect_on<T>(space, a, *in, i);
    });
  };
}

}  // namespace ostinato::cli
