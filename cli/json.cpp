// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <fmt/format.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include <ostinato/spmv/matrix/io/text.hpp>
#include <ostinato/spmv/version.hpp>

#include "bench_paper.hpp"
#include "report.hpp"

namespace ostinato::cli {

namespace {

using Json = nlohmann::ordered_json;

Json version_json() { return fmt::format("{}.{}.{}", version.major, version.minor, version.patch); }

Json to_json(const Structure& s) {
  return {{"diagonals", s.diagonals},
          {"longest_row", s.longest_row},
          {"empty_rows", s.empty_rows},
          {"mean_row", s.mean_row},
          {"row_deviation", s.row_deviation},
          {"pattern_symmetric", s.pattern_symmetric},
          {"symmetric", s.symmetric},
          {"missing_diagonal", s.missing_diagonal},
          {"positive_diagonal", s.positive_diagonal},
          {"negative_diagonal", s.negative_diagonal},
          {"constant_diagonal", s.constant_diagonal},
          {"finite", s.finite}};
}

/// The ranking. A format that can't hold the matrix has null for bytes and seconds.
Json to_json(const std::vector<Candidate>& candidates) {
  Json list = Json::array();
  for (const Candidate& c : candidates) {
    const auto known = [&c](double value) { return c.cost.applies() ? Json(value) : Json(nullptr); };
    Json item = {{"format", c.name},
                 {"parameters", c.parameters},
                 {"bytes", c.cost.applies() ? Json(c.cost.bytes) : Json(nullptr)},
                 {"predicted_seconds", known(c.cost.seconds)},
                 {"verdict", c.verdict},
                 {"moved_bytes", known(c.cost.moved)},
                 {"padding", known(c.cost.padding)},
                 {"setup_seconds", known(c.setup_seconds())}};
    if (c.is_measured()) item["measured_seconds"] = c.measured_seconds;
    list.push_back(std::move(item));
  }
  return list;
}

Json to_json(const Amortisation& a) {
  return {{"setup_seconds", a.setup_seconds},
          {"csr_seconds", a.csr_seconds},
          {"csr_setup_seconds", a.csr_setup_seconds},
          {"csr_is", a.csr_is + (a.measured ? ", measured" : ", predicted")},
          {"product_seconds", a.product_seconds},
          {"setup_products", a.setup_products()},
          {"break_even_products", a.break_even_products()}};
}

/// The options given for the format, and the state of the kernels generated for the matrix.
Json format_details(const FormatInput& in, const std::string& generated) {
  return {{"jit", in.jit}, {"compress", in.compress}, {"generated", generated}};
}

Json to_json(const Times& t) {
  return {{"read", t.read},   {"upload", t.upload},   {"analyse", t.analyse}, {"renumber", t.renumber},
          {"tune", t.tune},   {"prepare", t.prepare}, {"convert", t.convert}, {"precondition", t.precondition},
          {"solve", t.solve}, {"total", t.total}};
}

Json to_json(const std::optional<MemoryPrediction>& memory) {
  return memory ? Json{{"bytes", memory->bytes}, {"is", to_string(memory->certainty)}} : Json(nullptr);
}

/// One that can't be made has the reason for it.
Json to_json(const std::vector<PreconditionerMemory>& preconditioners) {
  Json list = Json::array();
  for (const PreconditionerMemory& p : preconditioners) {
    Json item = {{"name", p.name}, {"predicted", to_json(p.memory)}};
    if (!p.why_not.empty()) item["why_not"] = p.why_not;
    list.push_back(std::move(item));
  }
  return list;
}

Json to_json(const Bytes& b) {
  return {{"matrix", b.matrix},
          {"workspace", b.workspace},
          {"preconditioner", b.preconditioner},
          {"preconditioner_predicted", to_json(b.predicted)},
          {"vectors", b.vectors}};
}

Json to_json(const std::vector<PreconditionerLevel>& levels) {
  Json list = Json::array();
  for (const PreconditionerLevel& level : levels) {
    list.push_back({{"rows", level.rows},
                    {"nonzeros", level.nonzeros},
                    {"bytes", level.bytes},
                    {"grid", level.grid},
                    {"format", level.storage}});
  }
  return list;
}

/// Where another method or preconditioner went on.
Json changes_json(const std::vector<Stage>& stages) {
  Json list = Json::array();
  int iteration = 0;
  for (std::size_t k = 1; k < stages.size(); ++k) {
    const Stage &from = stages[k - 1], &to = stages[k];
    iteration += from.iterations;
    list.push_back({{"iteration", iteration}, {"from", from.text_beside(to)}, {"to", to.text_beside(from)}});
  }
  return list;
}

Json to_json(const std::vector<Stage>& stages) {
  Json list = Json::array();
  for (const Stage& s : stages) {
    list.push_back({{"solver", s.method},
                    {"preconditioner", s.preconditioner},
                    {"iterations", s.iterations},
                    {"seconds", s.seconds},
                    {"setup_seconds", s.setup_seconds},
                    {"relative_residual_before", s.before},
                    {"relative_residual", s.after},
                    {"rate", s.rate()},
                    {"preconditioner_bytes", s.preconditioner_bytes}});
  }
  return list;
}

Json to_json(const Condition& c) {
  if (!c.is_known()) return nullptr;
  return {{"value", c.value}, {"of", to_string(c.of)}};
}

Json to_json(const Renumbering& r) {
  if (r.order.empty()) return nullptr;
  return {{"reason", r.reason}, {"order", r.way}, {"places_before", r.places_before}, {"places", r.places}};
}

Json to_json(const SystemPreparation& p) {
  return {{"diagonal_rows", p.diagonal_rows},
          {"zero_rows", p.zero_rows},
          {"symmetrised", p.symmetrised},
          {"asymmetry", p.symmetrised && p.asymmetry == 0 ? Json(nullptr) : Json(p.asymmetry)},
          {"scaled_by", p.scaled_by},
          {"constants", p.has_constants},
          {"equal_rows", p.equal_rows}};
}

/// How the solve ended, and with what it was done.
Json outcome_json(const SolveReport& r) {
  const std::optional<double> products = precondition_products(r);
  return {{"status", to_string(r.result.status)},
          {"message", r.result.message()},
          {"reason", r.result.reason},
          {"cause", to_string(r.result.cause)},
          {"solver", r.result.solver},
          {"preconditioner", r.preconditioner.name},
          {"hierarchy", to_json(r.hierarchy)},
          {"operator_complexity", r.hierarchy.empty() ? Json(nullptr) : Json(operator_complexity(r.hierarchy))},
          {"grid_complexity", r.hierarchy.empty() ? Json(nullptr) : Json(grid_complexity(r.hierarchy))},
          {"precondition_products", products ? Json(*products) : Json(nullptr)},
          {"format", r.choice.format},
          {"parameters", r.choice.parameters}};
}

/// Predicted for the whole on each device.
Json to_json(const DeviceSeconds& s) { return {{"cpu", s.cpu}, {"gpu", s.gpu}}; }

/// What was solved, and where.
Json system_json(const SolveReport& r) {
  return {{"device", r.device.description},   {"device_seconds", to_json(r.device.predicted)},
          {"precision", r.device.precision},  {"matrix", r.matrix},
          {"right_hand_side", r.rhs},         {"solution", r.output.empty() ? Json(nullptr) : Json(r.output)},
          {"rows", r.structure.rows},         {"cols", r.structure.cols},
          {"nonzeros", r.structure.nonzeros}, {"structure", to_json(r.structure)}};
}

/// How close x was to come, and how close it came.
Json accuracy_json(const SolveReport& r) {
  return {{"rtol", r.options.rtol},
          {"atol", r.options.atol},
          {"iterations", r.result.iterations},
          {"relative_residual", r.result.relative_residual},
          {"residual", r.result.residual},
          {"backward_error", r.result.backward_error},
          {"gradient", r.result.gradient},
          {"row_error", r.result.row_error},
          {"unsolved_rows", std::isnan(r.result.row_error) ? Json(nullptr) : Json(r.result.unsolved_rows)},
          {"condition", to_json(r.result.condition)},
          {"forward_error", r.result.forward_error()},
          {"singular", r.result.is_singular},
          {"set_up_stopped", r.result.set_up_stopped},
          {"null_pivots", r.result.null_pivots},
          {"at_precision_limit", r.result.at_precision_limit},
          {"error", r.error ? Json(*r.error) : Json(nullptr)}};
}

/// What the solve took, why it was done so, and what happened on the way.
Json course_json(const SolveReport& r) {
  return {{"renumbering", to_json(r.renumbering)},
          {"preparation", to_json(r.preparation)},
          {"times", to_json(r.times)},
          {"bytes", to_json(r.bytes)},
          {"reasons",
           {{"solver", r.solver.reason}, {"preconditioner", r.preconditioner.reason}, {"format", r.choice.reason}}},
          {"selection", to_json(r.choice.candidates)},
          {"format_details", format_details(r.formats, r.generated)},
          {"amortisation", r.amortisation ? to_json(*r.amortisation) : Json(nullptr)},
          {"notes", r.result.notes},
          {"changes", changes_json(r.result.stages)},
          {"stages", to_json(r.result.stages)},
          {"history", r.result.history}};
}

Json to_json(const std::vector<RankReport>& ranks, std::uint64_t reductions) {
  Json all = Json::array();
  for (const RankReport& r : ranks)
    all.push_back({{"rows", r.halo.rows},
                   {"entries", r.halo.entries},
                   {"boundary_rows", r.halo.boundary_rows},
                   {"ghosts", r.halo.ghosts},
                   {"neighbours", r.halo.neighbours},
                   {"halo_bytes", r.halo.bytes},
                   {"halo_from", r.halo.from_gpus ? "gpus" : "hosts"},
                   {"halos", r.halo.exchanges},
                   {"halo_seconds", r.halo.seconds},
                   {"reductions", reductions},
                   {"reduction_seconds", r.reduction_seconds},
                   {"solve_seconds", r.solve_seconds}});
  return all;
}

/// Takes out what isn't found out on ranks.
void leave_out_of_ranks(Json& report) {
  for (const char* const key :
       {"device_seconds", "hierarchy", "operator_complexity", "grid_complexity", "precondition_products", "parameters",
        "renumbering", "selection", "format_details", "amortisation"})
    report.erase(key);
  for (const char* const key : {"diagonals", "row_deviation", "pattern_symmetric", "constant_diagonal"})
    report["structure"].erase(key);
  for (const char* const key : {"upload", "analyse", "tune"}) report["times"].erase(key);
  for (const char* const key : {"preconditioner_predicted", "vectors"}) report["bytes"].erase(key);
  for (const char* const key : {"diagonal_rows", "zero_rows", "symmetrised", "asymmetry", "equal_rows"})
    report["preparation"].erase(key);
}

Json to_json(const SolveReport& r) {
  Json report = outcome_json(r);
  for (const Json& part : {system_json(r), accuracy_json(r), course_json(r)}) report.update(part);
  if (r.is_of_ranks) {
    leave_out_of_ranks(report);
    report["ranks"] = to_json(r.ranks, r.reductions);
  }
  report["version"] = version_json();
  return report;
}

Json to_json(const SearchResult& v) {
  return {{"n_diag", v.n_diag},
          {"n_offset", v.n_offset},
          {"p_offset", v.p_offset},
          {"n_elem", v.n_elem},
          {"n_zero", v.n_zero},
          {"p_zero", v.p_zero},
          {"label_lz", v.label_lz},
          {"label_s", v.label_s},
          {"delta", v.delta},
          {"alpha", v.alpha},
          {"type", diagonal_type_text(v.type)},
          {"format", v.format},
          {"reason", v.reason}};
}

/// The condition found, as a lower bound; null where the matrix is singular within rounding, or it wasn't looked for.
Json condition_json(const std::optional<SpectrumEnds>& ends, Index rows) {
  if (!ends || ends->steps == 0) return nullptr;
  return {{"at_least", condition(*ends, rows)},
          {"settled", ends->settled},
          {"smallest", ends->smallest},
          {"largest", ends->largest},
          {"steps", ends->steps}};
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const Examination& e, Index rows) {
  Json findings = Json::array();
  for (const Finding& f : e.findings)
    findings.push_back({{"subject", f.subject}, {"weight", to_string(f.weight)}, {"text", f.text}});
  return {{"findings", findings},
          {"structural_rank", or_null(e.structural_rank)},
          {"definiteness", to_string(e.definiteness)},
          {"condition", condition_json(e.spectrum, rows)},
          {"scaled_condition", condition_json(e.scaled_spectrum, rows)},
          {"dominant_rows", e.entries.dominant_rows},
          {"bandwidth", e.entries.bandwidth},
          {"rcm_bandwidth", or_null(e.rcm_bandwidth)},
          {"expected", e.expected},
          {"expected_iterations", or_null(e.expected_iterations)},
          {"most_iterations", or_null(e.most_iterations)},
          {"stronger", e.stronger},
          {"left_out", e.left_out}};
}

Json to_json(const std::vector<RankForecast>& forecasts) {
  Json all = Json::array();
  for (const RankForecast& f : forecasts)
    all.push_back({{"ranks", f.share.ranks},
                   {"work", f.share.work},
                   {"ghosts", f.share.ghosts},
                   {"neighbours", f.share.neighbours},
                   {"halo_seconds", f.halo},
                   {"reduction_seconds", f.reductions},
                   {"seconds", f.seconds()}});
  return all;
}

Json to_json(const Inspection& i) {
  Json structure = to_json(i.structure);
  structure["offsets"] = i.structure.offsets;
  Json report = {
      {"matrix", i.matrix},
      {"device", i.device.description},
      {"device_seconds", to_json(i.device.predicted)},
      {"precision", i.device.precision},
      {"rows", i.structure.rows},
      {"cols", i.structure.cols},
      {"nonzeros", i.structure.nonzeros},
      {"structure", structure},
      {"solver", i.examination.solver.name},
      {"preconditioner", i.examination.preconditioner.name},
      {"preparation", to_json(i.preparation)},
      {"examination", to_json(i.examination, i.structure.rows)},
      {"grid",
       i.grid ? Json{{"x", i.grid.extents.x}, {"y", i.grid.extents.y}, {"z", i.grid.extents.z}, {"text", i.grid.text()}}
              : Json(nullptr)},
      {"format", i.choice.format},
      {"parameters", i.choice.parameters},
      {"reasons",
       {{"solver", i.examination.solver.reason},
        {"preconditioner", i.examination.preconditioner.reason},
        {"format", i.choice.reason}}},
      {"selection", to_json(i.choice.candidates)},
      {"preconditioners", to_json(i.preconditioners)},
      {"format_details", format_details(i.formats, i.generated)},
      {"amortisation", to_json(i.amortisation)}};
  if (!i.ranks.empty()) report["ranks"] = to_json(i.ranks);
  if (is_searched(i.structure)) report["search_engine"] = to_json(search(*i.structure.census));
  report["version"] = version_json();
  return report;
}

Json to_json(const Candidate& c, const TuneReport& r) {
  Json item = {{"format", c.name}, {"parameters", c.parameters}};
  if (!c.is_measured()) {
    item["why_not"] = c.cost.reason_not;
    return item;
  }
  item["bytes"] = c.cost.bytes;
  item["predicted_seconds"] = c.cost.seconds;
  item["measured_seconds"] = c.measured_seconds;
  item["setup_seconds"] = c.measured_setup_seconds;
  item["setup_products"] = c.measured_setup_seconds / r.csr_seconds();
  item["total_seconds"] = c.total_seconds;
  item["ratio_to_csr"] = c.measured_seconds / r.csr_seconds();
  return item;
}

Json to_json(const TuneReport& r) {
  const Trials& t = r.choice.trials;
  Json trials = Json::array();
  for (const Candidate& c : r.trials) trials.push_back(to_json(c, r));
  return {{"matrix", r.matrix},
          {"device", r.device.description},
          {"precision", r.device.precision},
          {"rows", r.structure.rows},
          {"cols", r.structure.cols},
          {"nonzeros", r.structure.nonzeros},
          {"products", r.products},
          {"format", r.choice.format},
          {"parameters", r.choice.parameters},
          {"reason", r.choice.reason},
          {"budget", t.budget},
          {"seconds", t.seconds},
          {"measured_before", t.before},
          {"pruned", t.pruned},
          {"left_out", t.left_out},
          {"file", t.file},
          {"jit", r.formats.jit},
          {"compress", r.formats.compress},
          {"trials", trials},
          {"version", version_json()}};
}

Json to_json(const BenchReport& r) {
  Json rows = Json::array();
  for (const BenchRow& row : r.rows) {
    if (!row.why_not.empty()) {
      rows.push_back({{"format", row.name}, {"why_not", row.why_not}});
      continue;
    }
    rows.push_back({{"format", row.name},
                    {"parameters", row.parameters},
                    {"bytes", row.bytes},
                    {"moved_bytes", row.moved},
                    {"build_seconds", row.build_seconds},
                    {"seconds", row.seconds},
                    {"ratio_to_csr", r.csr() != nullptr ? Json(row.seconds / r.csr()->seconds) : Json(nullptr)},
                    {"ratio_to_floor", row.seconds * r.bandwidth / row.moved},
                    {"error_in_eps", row.error},
                    {"generated", row.generated}});
  }
  return {{"matrix", r.matrix},       {"device", r.device.description}, {"precision", r.device.precision},
          {"rows", r.structure.rows}, {"cols", r.structure.cols},       {"nonzeros", r.structure.nonzeros},
          {"bandwidth", r.bandwidth}, {"jit", r.formats.jit},           {"compress", r.formats.compress},
          {"formats", rows},          {"version", version_json()}};
}

Json to_json(const PaperLine& line, const Paper& paper) {
  const auto given = [](double value) { return value > 0 ? Json(value) : Json(nullptr); };
  Json ratios = Json::object();
  for (std::size_t k = 0; k < line.ratios.size(); ++k) {
    const PaperRatio& r = line.ratios[k];
    ratios[std::string(paper.baselines[k].name)] = {
        {"paper", given(r.paper)}, {"here", given(r.here)}, {"format", r.format}};
  }
  return {{"matrix", line.name},
          {"rows", line.rows},
          {"cols", line.cols},
          {"nonzeros", line.nonzeros},
          {"from", line.is_file ? "file" : "stand-in"},
          {"format", line.format.name},
          {"parameters", line.format.parameters},
          {"seconds", given(line.format.seconds)},
          {"gflops", {{"paper", given(line.paper_gflops)}, {"here", given(line.gflops())}}},
          {"ratios", ratios}};
}

Json to_json(const PaperReport& r) {
  Json lines = Json::array(), missing = Json::object();
  for (const PaperLine& line : r.lines) lines.push_back(to_json(line, *r.paper));
  for (const auto& [format, why] : r.missing) {
    missing[format] = {{"matrices", why.matrices}, {"first", why.first}, {"reason", why.reason}};
  }
  return {{"paper", r.paper->name},
          {"source", r.paper->source},
          {"paper_device", r.paper->device},
          {"device", r.device.description},
          {"precision", r.device.precision},
          {"scale", r.scale},
          {"matrices", lines},
          {"missing", missing},
          {"ignored", r.ignored},
          {"version", version_json()}};
}

const char* text_of(LeftOut why) {
  switch (why) {
    case LeftOut::unsuitable:
      return "unsuitable";
    case LeftOut::no_memory:
      return "no_memory";
    case LeftOut::too_slow:
      return "too_slow";
    case LeftOut::out_of_budget:
      return "out_of_budget";
  }
  return "";
}

Json to_json(const SolverPair& pair) { return {{"solver", pair.solver}, {"preconditioner", pair.preconditioner}}; }

Json to_json(const ComparisonRow& row) {
  return {{"solver", row.pair.solver},
          {"preconditioner", row.pair.preconditioner},
          {"ended_with", to_json(row.ended_with)},
          {"status", to_string(row.status)},
          {"reason", row.reason},
          {"iterations", row.iterations},
          {"setup_seconds", row.setup_seconds},
          {"solve_seconds", row.solve_seconds},
          {"total_seconds", row.seconds()},
          {"bytes", row.bytes},
          {"relative_residual", row.relative_residual}};
}

Json to_json(const CompareReport& r) {
  const Comparison& c = r.comparison;
  Json runs = Json::array(), left_out = Json::array();
  for (const ComparisonRow& row : c.rows) runs.push_back(to_json(row));
  for (const LeftOutPair& pair : c.left_out) {
    left_out.push_back({{"solver", pair.pair.solver},
                        {"preconditioner", pair.pair.preconditioner},
                        {"why", text_of(pair.why)},
                        {"reason", pair.reason},
                        {"seconds", pair.seconds}});
  }
  return {{"matrix", r.matrix},
          {"rhs", r.rhs},
          {"device", r.device.description},
          {"precision", r.device.precision},
          {"rows", r.structure.rows},
          {"cols", r.structure.cols},
          {"nonzeros", r.structure.nonzeros},
          {"preparation", to_json(c.preparation)},
          {"format", c.format},
          {"budget", r.budget},
          {"rtol", r.rtol},
          {"seconds", c.seconds},
          {"common_seconds", c.common_seconds},
          {"interrupted", c.interrupted},
          {"best", c.best() != nullptr ? to_json(c.best()->pair) : Json(nullptr)},
          {"command", r.command},
          {"cpp", r.cpp},
          {"runs", runs},
          {"left_out", left_out},
          {"version", version_json()}};
}

void write(const std::string& path, const Json& report) {
  if (path.empty()) return;
  std::string text = "{";
  for (const auto& [key, value] : report.items()) {
    text += text.size() > 1 ? ",\n  " : "\n  ";
    text += Json(key).dump() + ": " + value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  text += "\n}\n";
  io::Output file(path);
  file.write(text);
  file.close();
}

}  // namespace

void write_json(const std::string& path, const SolveReport& report) { write(path, to_json(report)); }
void write_json(const std::string& path, const Inspection& report) { write(path, to_json(report)); }
void write_json(const std::string& path, const TuneReport& report) { write(path, to_json(report)); }
void write_json(const std::string& path, const BenchReport& report) { write(path, to_json(report)); }
void write_json(const std::string& path, const PaperReport& report) { write(path, to_json(report)); }
void write_json(const std::string& path, const CompareReport& report) { write(path, to_json(report)); }

}  // namespace ostinato::cli
