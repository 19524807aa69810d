// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <cmath>
#include <optional>

#include <ostinato/bench/formats/list.hpp>
#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/selection/tuner.hpp>

#include "bench_paper.hpp"
#include "bench_timing.hpp"
#include "commands.hpp"
#include "exit_code.hpp"
#include "files.hpp"
#include "generated.hpp"
#include "html/roofline.hpp"
#include "json.hpp"
#include "legend.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

struct BenchInput {
  std::string matrix, json, html;
  FormatInput formats{.format = "all"};
  DeviceOptions device;
  PaperInput paper;
  int repetitions = 9;
  bool all = false;
};

/// Returns the formats to time: csr first, then the others by predicted time. With --tune measure: all by measured
/// time, each with its fastest variant.
template <class Space, class T>
std::vector<Candidate> candidates_for(const Analysis<Space, T>& a, FormatOptions options) {
  if (options.tune == Tune::measure) {
    options.format = "auto";
    options.tune = Tune::everything;
  } else {
    options.format = "csr";
    options.jit = Jit::off;
  }
  return Operator<Space, T>(a, options, bench_formats<Space, T>()).choice().candidates;
}

template <class Space, class T>
std::vector<BenchRow> timed_formats(const Analysis<Space, T>& analysis, const Csr<T>& a, const BenchInput& in,
                                    LiveLine& live) {
  const std::vector<T> x = trial_vector<T>(static_cast<std::size_t>(a.cols));
  const Reference reference = reference_product<T>(a, x);
  const FormatRequest asked = parse_format(in.formats.format);
  FormatOptions options = format_options(in.formats);
  std::vector<BenchRow> rows;
  for (const Candidate& c : candidates_for(analysis, options)) {
    if (asked.name != "all" && asked.name != c.name) continue;
    live.phase("timing " + c.name);
    if (c.cost.applies() || !asked.parameters.empty()) {
      options.format = asked.parameters.empty() ? c.full_name() : in.formats.format;
      rows.push_back(timed<Space, T>(analysis, options, bench_formats<Space, T>(), x, reference, in.repetitions));
    } else {
      rows.push_back({.name = c.name, .why_not = c.cost.reason_not, .elsewhere = c.cost.elsewhere});
    }
  }
  return rows;
}

std::string ratio_text(double ratio) { return std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : "-"; }

std::string error_text(const BenchRow& row) {
  return fmt::format("{:.1f} eps{}", row.error, row.right ? "" : ": WRONG");
}

Grid rows_of(const BenchReport& r, bool all) {
  Grid grid({"format", "stored", "build", "product", "rate", "x csr", "x floor", "error"});
  for (const BenchRow& row : r.rows) {
    if (row.elsewhere && !all) continue;
    if (!row.why_not.empty()) {
      grid.row({row.name, "-", "-", "-", "-", "-", "-", row.why_not});
      continue;
    }
    grid.row({row.name, bytes_text(static_cast<double>(row.bytes)), seconds_text(row.build_seconds),
              seconds_text(row.seconds),
              has_rate(static_cast<double>(row.bytes), r.structure.nonzeros, r.device.precision)
                  ? rate_text(static_cast<double>(row.bytes) / row.seconds)
                  : "-",
              r.csr() != nullptr ? ratio_text(row.seconds / r.csr()->seconds) : "-",
              ratio_text(row.seconds * r.bandwidth / row.moved), error_text(row)});
  }
  return grid;
}

Facts facts_of(const BenchReport& r) {
  Facts facts;
  add_device(facts, r.device);
  add_matrix(facts, r.matrix, r.structure);
  facts.row("bandwidth", rate_text(r.bandwidth) + ", measured now on long arrays");
  return facts;
}

Facts legend_of(const BenchReport& r) {
  Facts legend;
  legend.gap();
  for (const BenchRow& row : r.rows) {
    if (!row.parameters.empty()) legend.row("parameters", row.name + ": " + row.parameters);
  }
  ParameterLegend parameters;
  for (const BenchRow& row : r.rows) parameters.saw(row.name, row.parameters);
  parameters.add_to(legend);
  for (const BenchRow& row : r.rows) {
    if (!row.generated.empty()) legend.row("kernels", row.name + ": " + row.generated);
  }
  legend.row("rate", "stored bytes of the matrix over the time of a product; - where compressed");
  legend.row("x csr", "time over that of csr");
  legend.row(
      "x floor",
      "time over what the bytes of a product (matrix, x, y) take at the measured bandwidth; below 1 when they stay "
      "in a cache");
  legend.row("error",
             "largest of a row against long double, in eps sum |a||x|; rounding explains 10, or half the "
             "entries of a longer row");
  return legend;
}

void print_bench(std::FILE* to, const BenchReport& r, bool all) {
  facts_of(r).print(to);
  put(to, "\n");
  rows_of(r, all).print(to);
  legend_of(r).print(to);
}

html::Page page_of(const BenchReport& r, bool all) {
  html::Page page("ostinato bench " + r.matrix);
  page.facts(facts_of(r));
  add_pattern(page, r.pattern);
  page.heading("Formats");
  std::vector<html::FormatBar> bars;
  std::vector<html::RoofPoint> points;
  for (const BenchRow& row : r.rows) {
    if (!row.why_not.empty() || !(row.seconds > 0)) continue;
    bars.push_back({row.name, row.seconds, static_cast<double>(row.bytes)});
    points.push_back({row.name, row.moved, row.seconds});
  }
  add_bars(page, bars);
  if (!points.empty() && r.structure.nonzeros > 0) {
    page.picture(
        draw_roofline(points, 2.0 * static_cast<double>(r.structure.nonzeros), r.bandwidth),
        "Two operations an entry, over the bytes of matrix, x and y. Above the byte floor the bytes come from a "
        "cache.");
  }
  page.grid(rows_of(r, all));
  page.facts(legend_of(r));
  return page;
}

template <class T, class Space>
int bench_on(const Space& space, const Csr<T>& a, const BenchInput& in, const DeviceInfo& device) {
  BenchReport report;
  report.matrix = in.matrix;
  report.device = device;
  report.formats = in.formats;
  LiveLine live(true);
  if (!in.html.empty()) report.pattern = html::density_of(a);
  live.phase("measuring the bandwidth");
  report.bandwidth = measured_bandwidth(space);
  const Analysis<Space, T> analysis(space, a.view(), AnalysisDepth::full);
  report.structure = analysis.structure();
  report.rows = timed_formats(analysis, a, in, live);
  live.clear();
  // A format that was asked for is shown in any case.
  const bool all = in.all || in.formats.format != "all";
  Outputs outputs;
  outputs.attempt([&] { write_json(in.json, report); });
  outputs.attempt([&] {
    if (!in.html.empty()) html::write_page(in.html, page_of(report, all));
  });
  outputs.attempt([&] {
    print_bench(table_stream({in.json, in.html}), report, all);
    require_printed();
  });
  const ExitCode written = outputs.finish(exit_converged);
  for (const BenchRow& row : report.rows) {
    if (!row.right) {
      put(stderr, "ostinato: format " + row.name + " computes a wrong product; please report this matrix\n");
      return exit_failed;
    }
  }
  return written;
}

/// Whether a paper is asked for.
/// Throws    UsageError where neither a matrix nor a paper is, or options that don't go together.
bool is_of_paper(const BenchInput& in) {
  const PaperInput& p = in.paper;
  if (p.paper.empty() && (!p.matrices.empty() || p.scale != 1))
    throw UsageError("--matrices and --scale go with --paper");
  if (p.paper.empty() && in.matrix.empty()) throw UsageError("matrix is required; see ostinato bench --help");
  if (!p.paper.empty() && !in.matrix.empty())
    throw UsageError("--paper takes no matrix; --matrices names a folder of them");
  if (!p.paper.empty() && (in.formats.format != "all" || in.formats.tune != "model" || !in.html.empty() || in.all))
    throw UsageError("--paper has formats of its own and no page; leave --format, --tune, --html and --all out");
  return !p.paper.empty();
}

}  // namespace

std::function<int()> define_bench(Command& command) {
  const auto in = std::make_shared<BenchInput>();
  Option matrix = matrix_argument;
  matrix.required = false;  // --paper needs none
  command.add(matrix, in->matrix);
  add_bench_format_option(command, in->formats);
  add_tune_option(command, in->formats, "model, measure",
                  "parameters of formats: by rule (model) or the fastest (measure)");
  add_kernel_options(command, in->formats);
  command.add({.names = "--repetitions", .description = "timings, of which the median counts", .value = "N"},
              in->repetitions, whole(1));
  command.add(json_option, in->json);
  command.add(html_option, in->html);
  command.add_flag(all_option, in->all);
  add_device_options(command, in->device);
  add_paper_options(command, in->paper);
  command.footer(bench_format_listing());
  return [in] {
    if (is_of_paper(*in)) return bench_paper(in->paper, in->formats, in->device, in->repetitions, in->json);
    require_reports(in->json, in->html, in->matrix);
    require_use_of_formats(in->formats, in->device.device);
    const auto read = [&]<class T>() { return load_shown<T>(in->matrix); };
    return with_device(in->device, in->matrix, read, [&]<class T>(const auto& space, const DeviceInfo& on, Csr<T> a) {
      return bench_on<T>(space, a, *in, on);
    });
  };
}

}  // namespace ostinato::cli
