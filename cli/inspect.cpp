// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/formats/cusparse/vendor.hpp>
#include <ostinato/spmv/analysis/search_engine.hpp>

#include "amortisation.hpp"
#include "exit_code.hpp"
#include "format_options.hpp"
#include "help.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

struct InspectInput {
  std::string matrix, json;
  DeviceOptions device;
  FormatInput formats;
  int restart = SolveOptions{}.restart;
};

/// All that is told of a matrix.
struct Inspection {
  std::string matrix;
  DeviceInfo device;
  MatrixMarketInfo file;
  Structure structure;
  Choice choice;
  FormatInput formats;
  std::string generated;
  Amortisation amortisation;
  SolverChoice solver;
  PreconditionerChoice preconditioner;
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

std::string type_text(DiagonalType type) {
  return type == DiagonalType::one ? "I" : type == DiagonalType::two ? "II" : "III";
}

/// The search engine is for matrices with diagonals to count.
bool is_searched(const Structure& s) { return s.census != nullptr && !s.census->diagonals.empty(); }

/// What DIA-Adaptive's search engine would choose, beside the cost model's choice.
void add_search_engine(Facts& facts, const Inspection& i) {
  const auto yes = [](bool label) { return label ? "yes" : "no"; };
  const SearchVerdict v = search(*i.structure.census);
  facts.row("search engine", fmt::format("{}, type {}: {}", v.format, type_text(v.type), v.reason));
  facts.more(fmt::format("delta {}, p_offset {}/{}, p_zero {:.4f}, alpha {:.4f}", count_text(v.delta), v.n_offset,
                         v.n_diag, v.p_zero, v.alpha));
  facts.more(
      fmt::format("long zero section (label_lz): {}, scatter point (label_s): {}", yes(v.label_lz), yes(v.label_s)));
  if (v.format != i.choice.format)
    facts.more("the cost model chose " + i.choice.format + ": it compares times, the search engine padding alone");
}

void print_facts(std::FILE* to, const Inspection& i) {
  Facts facts;
  add_device(facts, i.device);
  facts.row("matrix", i.matrix == "-" ? "standard input" : i.matrix);
  facts.more(fmt::format("{} {} {}, {} stored", i.file.format, i.file.field, i.file.symmetry,
                         count_text(i.file.stored_entries)));
  facts.row("size", size_text(i.structure));
  facts.row("rows", row_text(i.structure));
  facts.row("diagonals", count_text(i.structure.diagonals) + offsets_text(i.structure));
  if (i.structure.rows == i.structure.cols) facts.row("main diagonal", main_diagonal_text(i.structure));
  facts.row("symmetry", symmetry_text(i.structure));
  facts.row("values", i.structure.finite ? "all finite" : "NaN or infinity among them");
  facts.gap();
  facts.row("solver", i.solver.name + ": " + i.solver.reason);
  facts.row("preconditioner", i.preconditioner.name + ": " + i.preconditioner.reason);
  facts.row("format", i.choice.candidates.front().full_name() + ": " + i.choice.reason);
  if (!i.generated.empty()) facts.row("kernels", i.generated);
  add_amortisation(facts, i.amortisation);
  if (is_searched(i.structure)) add_search_engine(facts, i);
  facts.print(to);
}

bool was_measured(const Choice& choice) {
  for (const Candidate& c : choice.candidates) {
    if (c.is_measured()) return true;
  }
  return false;
}

void print_formats(std::FILE* to, const Inspection& i) {
  const bool measured = was_measured(i.choice);
  Grid grid({"format", "stored", "B/entry", "padding", measured ? "measured" : "predicted", "set-up", "verdict"});
  const double entries = static_cast<double>(std::max<Offset>(1, i.structure.nonzeros));
  for (const Candidate& c : i.choice.candidates) {
    if (!c.cost.applies()) {
      grid.row({c.name, "-", "-", "-", "-", "-", c.verdict});
      continue;
    }
    const double seconds = measured ? c.measured_seconds : c.cost.seconds;
    const std::string parameters = c.parameters.empty() ? "" : "; " + c.parameters;
    grid.row({c.name, bytes_text(static_cast<double>(c.cost.bytes)),
              fmt::format("{:.1f}", static_cast<double>(c.cost.bytes) / entries),
              fmt::format("{:.0f} %", 100 * c.cost.padding), seconds > 0 ? seconds_text(seconds) : "-",
              seconds_text(c.setup_seconds()), c.verdict + parameters});
  }
  grid.print(to);
}

Json to_json(const SearchVerdict& v) {
  return {{"n_diag", v.n_diag}, {"n_offset", v.n_offset}, {"p_offset", v.p_offset},    {"n_elem", v.n_elem},
          {"n_zero", v.n_zero}, {"p_zero", v.p_zero},     {"label_lz", v.label_lz},    {"label_s", v.label_s},
          {"delta", v.delta},   {"alpha", v.alpha},       {"type", type_text(v.type)}, {"format", v.format},
          {"reason", v.reason}};
}

Json to_json(const Inspection& i) {
  Json structure = cli::to_json(i.structure);
  structure["offsets"] = i.structure.offsets;
  Json report = {
      {"matrix", i.matrix},
      {"device", i.device.description},
      {"precision", i.device.precision},
      {"rows", i.structure.rows},
      {"cols", i.structure.cols},
      {"nonzeros", i.structure.nonzeros},
      {"structure", structure},
      {"solver", i.solver.name},
      {"preconditioner", i.preconditioner.name},
      {"format", i.choice.format},
      {"parameters", i.choice.parameters},
      {"reasons",
       {{"solver", i.solver.reason}, {"preconditioner", i.preconditioner.reason}, {"format", i.choice.reason}}},
      {"selection", cli::to_json(i.choice.candidates)},
      {"format_details", format_details(i.formats, i.generated)},
      {"amortisation", cli::to_json(i.amortisation)}};
  if (is_searched(i.structure)) report["search_engine"] = to_json(search(*i.structure.census));
  report["version"] = version_json();
  return report;
}

void choose_methods(Inspection& i, const InspectInput& in, std::size_t value_bytes) {
  if (i.structure.rows != i.structure.cols) {
    i.solver = {"none", "the matrix isn't square"};
    i.preconditioner = {"none", i.solver.reason};
    return;
  }
  i.solver = choose_solver(i.structure, value_bytes, in.restart);
  i.preconditioner = choose_preconditioner(i.structure);
}

template <class Space, class T>
double product_seconds(const Space& space, const Operator<Space, T>& op) {
  const Vector<Space, T> x(space, static_cast<std::size_t>(op.cols()), T{1});
  Vector<Space, T> y(space, static_cast<std::size_t>(op.rows()));
  return median_seconds(space, 9, [&] { op.apply(T{1}, x, T{0}, y); });
}

template <class T>
double vendor_seconds(const Cuda& space, const CsrView<T>& a) {
  return vendor_csr_seconds(space, a);
}
template <class T>
double vendor_seconds(const Host&, const CsrView<T>&) {
  return 0;
}

/// Against the vendor's CSR, which needs no set-up, or our own where there is none.
template <class Space, class T>
Amortisation measured(const Space& space, const CsrView<T>& a, const Operator<Space, T>& op, FormatOptions options) {
  Amortisation result;
  result.setup_seconds = op.analyse_seconds() + op.convert_seconds();
  result.product_seconds = product_seconds(space, op);
  result.csr_seconds = vendor_seconds(space, a);
  result.csr_is = "cuSPARSE ALG1, measured";
  if (result.csr_seconds > 0) return result;
  result.csr_is = "csr, measured";
  result.csr_seconds = result.product_seconds;
  result.csr_setup_seconds = result.setup_seconds;
  if (op.format() == "csr") return result;
  options.format = "csr";
  options.jit = Jit::off;
  const Operator<Space, T> csr(space, a, on_space, options);
  result.csr_seconds = product_seconds(space, csr);
  result.csr_setup_seconds = csr.analyse_seconds() + csr.convert_seconds();
  return result;
}

/// Structure and ranking. The chosen format is then built a second time, so that its set-up is timed without what a
/// process does once: loading kernels, waking threads.
template <class Space, class T>
void look_at(const Space& space, const Csr<T>& a, const InspectInput& in, Inspection& i) {
  const Resident<Space, T> resident(space, a.view());
  FormatOptions options = format_options(in.formats);
  const Jit jit = std::exchange(options.jit, Jit::off);
  {
    const Operator<Space, T> op(space, resident.view(), on_space, options);
    i.structure = op.structure();
    i.choice = op.choice();
  }
  options.format = i.choice.candidates.front().full_name();
  options.jit = jit;
  const Operator<Space, T> op(space, resident.view(), on_space, options);
  i.amortisation = measured(space, resident.view(), op, options);
  i.formats = in.formats;
  i.generated = op.generated();
}

template <class Space, class T>
int inspect_on(const Space& space, const InspectInput& in, const DeviceInfo& device) {
  Inspection i;
  i.matrix = in.matrix;
  i.device = device;
  LiveLine live(true);
  live.phase("reading " + in.matrix);
  const Csr<T> a = read_matrix_market<T>(in.matrix, &i.file);
  live.phase("analysing");
  look_at(space, a, in, i);
  choose_methods(i, in, sizeof(T));
  live.clear();
  if (!in.json.empty()) write_json(in.json, to_json(i));
  std::FILE* const to = in.json == "-" ? stderr : stdout;
  print_facts(to, i);
  fmt::print(to, "\n");
  print_formats(to, i);
  return exit_converged;
}

}  // namespace

Command inspect_command(CLI::App& program) {
  const auto in = std::make_shared<InspectInput>();
  CLI::App* const app = program.add_subcommand("inspect", "say what a matrix is, and what each format would cost");
  app->group("Commands");
  app->add_option("matrix", in->matrix, "Matrix Market file, .mtx or .mtx.gz; - is the standard input")->required();
  app->add_option("--json", in->json, "write the report; - is the standard output")->type_name("FILE");
  add_tune_option(*app, in->formats, "model, measure", "model (predict) or measure (time the best few)");
  add_kernel_options(*app, in->formats);
  app->add_option("--restart", in->restart, "vectors that gmres would keep")
      ->type_name("N")
      ->check(whole(1))
      ->capture_default_str();
  add_device_options(*app, in->device);
  app->footer(listing("Formats", format_infos));
  return {app, [in] {
            require_writable(in->json);
            return with_device(in->device, [&](const auto& space, auto type, const DeviceInfo& info) {
              return inspect_on<std::remove_cvref_t<decltype(space)>, typename decltype(type)::type>(space, *in, info);
            });
          }};
}

}  // namespace ostinato::cli
