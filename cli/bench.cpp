// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <cmath>
#include <optional>

#include <ostinato/ostinato.hpp>

#include "bench_reference.hpp"
#include "exit_code.hpp"
#include "format_options.hpp"
#include "help.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

constexpr double largest_rounding = 10;  ///< times eps sum |a||x|

struct BenchInput {
  std::string matrix, json;
  FormatInput formats{.format = "all"};
  DeviceOptions device;
  int repetitions = 9;
};

/// One format, timed. Baselines of other libraries become rows of the same kind.
struct BenchRow {
  std::string name = {};
  std::string parameters = {};
  std::string why_not = {};  ///< why there are no figures; empty otherwise
  std::size_t bytes = 0;
  double moved = 0;  ///< bytes of a product, x read once
  double build_seconds = 0;
  double seconds = 0;
  double error = 0;            ///< times eps sum |a||x|
  std::string generated = {};  ///< what became of the kernels for this matrix

  bool right() const { return error <= largest_rounding; }
};

struct BenchReport {
  std::string matrix;
  DeviceInfo device;
  FormatInput formats;
  Structure structure;
  double bandwidth = 0;
  std::vector<BenchRow> rows;

  const BenchRow* csr() const {
    for (const BenchRow& r : rows) {
      if (r.name == "csr" && r.seconds > 0) return &r;
    }
    return nullptr;
  }
};

/// Kernels for the matrix are waited for, so that the timings are theirs; with auto it goes without where they can't
/// be had.
template <class Space, class T>
Operator<Space, T> built(const Space& space, const CsrView<T>& a, FormatOptions options) {
  if (options.jit != Jit::automatic) return Operator<Space, T>(space, a, on_space, options);
  try {
    options.jit = Jit::on;
    return Operator<Space, T>(space, a, on_space, options);
  } catch (const Error&) {
    options.jit = Jit::off;
    return Operator<Space, T>(space, a, on_space, options);
  }
}

template <class Space, class T>
BenchRow timed(const Space& space, const CsrView<T>& a, const FormatOptions& options, std::span<const T> x_host,
               const Reference& reference, int repetitions) {
  BenchRow row;
  const Operator<Space, T> op = built<Space, T>(space, a, options);
  const Vector<Space, T> x(space, x_host);
  Vector<Space, T> y(space, static_cast<std::size_t>(a.rows), std::numeric_limits<T>::quiet_NaN());
  const auto product = [&] { op.apply(T{1}, x, T{0}, y); };
  product();
  row.name = op.format();
  row.parameters = op.parameters();
  row.error = largest_error<T>(reference, y.download());
  row.bytes = op.bytes();
  row.moved = static_cast<double>(op.bytes() + x.bytes() + y.bytes());
  row.generated = op.generated();
  row.build_seconds = op.convert_seconds();
  row.seconds = median_seconds(space, repetitions, product);
  return row;
}

/// csr first, then the others by predicted time; or all by measured time, each with the fastest of its variants.
template <class Space, class T>
std::vector<Candidate> candidates_for(const Space& space, const CsrView<T>& a, FormatOptions options,
                                      Structure& structure) {
  if (options.tune == Tune::measure) {
    options.format = "auto";
    options.tune = Tune::everything;
  } else {
    options.format = "csr";
    options.jit = Jit::off;
  }
  const Operator<Space, T> op(space, a, on_space, options);
  structure = op.structure();
  return op.choice().candidates;
}

template <class Space, class T>
std::vector<BenchRow> timed_formats(const Space& space, const Csr<T>& a, const BenchInput& in, Structure& structure,
                                    LiveLine& live) {
  const Resident<Space, T> resident(space, a.view());
  const std::vector<T> x = trial_vector<T>(static_cast<std::size_t>(a.cols));
  const Reference reference = reference_product<T>(a, x);
  const FormatRequest asked = parse_format(in.formats.format);
  FormatOptions options = format_options(in.formats);
  std::vector<BenchRow> rows;
  for (const Candidate& c : candidates_for<Space, T>(space, resident.view(), options, structure)) {
    if (asked.name != "all" && asked.name != c.name) continue;
    live.phase("timing " + c.name);
    if (c.cost.applies() || !asked.parameters.empty()) {
      options.format = asked.parameters.empty() ? c.full_name() : in.formats.format;
      rows.push_back(timed<Space, T>(space, resident.view(), options, x, reference, in.repetitions));
    } else {
      rows.push_back({.name = c.name, .why_not = c.cost.reason_not});
    }
  }
  return rows;
}

std::string ratio_text(double ratio) { return std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : "-"; }

std::string error_text(const BenchRow& row) {
  return fmt::format("{:.1f} eps{}", row.error, row.right() ? "" : ": WRONG");
}

void print_rows(std::FILE* to, const BenchReport& r) {
  Grid grid({"format", "stored", "build", "product", "rate", "x csr", "x floor", "error"});
  for (const BenchRow& row : r.rows) {
    if (!row.why_not.empty()) {
      grid.row({row.name, "-", "-", "-", "-", "-", "-", row.why_not});
      continue;
    }
    grid.row({row.name, bytes_text(static_cast<double>(row.bytes)), seconds_text(row.build_seconds),
              seconds_text(row.seconds), rate_text(static_cast<double>(row.bytes) / row.seconds),
              r.csr() != nullptr ? ratio_text(row.seconds / r.csr()->seconds) : "-",
              ratio_text(row.seconds * r.bandwidth / row.moved), error_text(row)});
  }
  grid.print(to);
}

void print_bench(std::FILE* to, const BenchReport& r) {
  Facts facts;
  add_device(facts, r.device);
  add_matrix(facts, r.matrix, r.structure);
  facts.row("bandwidth", rate_text(r.bandwidth) + ", measured now on long arrays");
  facts.print(to);
  fmt::print(to, "\n");
  print_rows(to, r);
  Facts legend;
  legend.gap();
  for (const BenchRow& row : r.rows) {
    if (!row.parameters.empty()) legend.row("parameters", row.name + ": " + row.parameters);
  }
  for (const BenchRow& row : r.rows) {
    if (!row.generated.empty()) legend.row("kernels", row.name + ": " + row.generated);
  }
  legend.row("rate", "stored bytes of the matrix over the time of a product");
  legend.row("x csr", "time over that of csr");
  legend.row(
      "x floor",
      "time over what the bytes of a product (matrix, x, y) take at the measured bandwidth; below 1 when they stay "
      "in a cache");
  legend.row("error", "largest of a row against long double, in eps sum |a||x|; rounding explains 10");
  legend.print(to);
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

template <class Space, class T>
int bench_on(const Space& space, const BenchInput& in, const DeviceInfo& device) {
  BenchReport report;
  report.matrix = in.matrix;
  report.device = device;
  report.formats = in.formats;
  LiveLine live(true);
  live.phase("reading " + in.matrix);
  const Csr<T> a = read_matrix_market<T>(in.matrix);
  live.phase("measuring the bandwidth");
  report.bandwidth = measured_bandwidth(space);
  report.rows = timed_formats(space, a, in, report.structure, live);
  live.clear();
  if (!in.json.empty()) write_json(in.json, to_json(report));
  print_bench(in.json == "-" ? stderr : stdout, report);
  for (const BenchRow& row : report.rows) {
    if (!row.right()) {
      fmt::print(stderr, "ostinato: format {} computes a wrong product; please report this matrix\n", row.name);
      return exit_failed;
    }
  }
  return exit_converged;
}

}  // namespace

Command bench_command(CLI::App& program) {
  const auto in = std::make_shared<BenchInput>();
  CLI::App* const app = program.add_subcommand("bench", "time a product in every format, and check it");
  app->group("Commands");
  app->add_option("matrix", in->matrix, "Matrix Market file, .mtx or .mtx.gz; - is the standard input")->required();
  add_format_option(*app, in->formats);
  add_tune_option(*app, in->formats, "model, measure",
                  "parameters of formats: by rule (model) or the fastest (measure)");
  add_kernel_options(*app, in->formats);
  app->add_option("--repetitions", in->repetitions, "timings, of which the median counts")
      ->type_name("N")
      ->check(whole(1))
      ->capture_default_str();
  app->add_option("--json", in->json, "write the report; - is the standard output")->type_name("FILE");
  add_device_options(*app, in->device);
  return {app, [in] {
            require_writable(in->json);
            return with_device(in->device, [&](const auto& space, auto type, const DeviceInfo& info) {
              return bench_on<std::remove_cvref_t<decltype(space)>, typename decltype(type)::type>(space, *in, info);
            });
          }};
}

}  // namespace ostinato::cli
