// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include <ostinato/ostinato.hpp>

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

struct TuneInput {
  std::string matrix, json, html;
  DeviceOptions device;
  FormatInput formats{.tune_budget = 10};
};

std::vector<Candidate> fastest_first(std::vector<Candidate> trials) {
  std::stable_sort(trials.begin(), trials.end(), [](const Candidate& a, const Candidate& b) {
    if (a.is_measured() != b.is_measured()) return a.is_measured();
    return a.measured_seconds < b.measured_seconds;
  });
  return trials;
}

/// Returns the solve command that finds the stored times again: it has all options that the times depend on.
std::string solve_command_line(const TuneInput& in) {
  std::string line = "ostinato solve " + in.matrix + " --tune measure";
  const auto add = [&line](const char* name, const std::string& value, const std::string& otherwise) {
    if (value != otherwise) line += fmt::format(" {} {}", name, value);
  };
  add("--products", fmt::format("{}", in.formats.products), "0");
  add("--jit", in.formats.jit, "auto");
  add("--compress", in.formats.compress, "auto");
  add("--device", in.device.device, "auto");
  add("--precision", in.device.precision, "double");
  add("--threads", fmt::format("{}", in.device.threads), "0");
  return line;
}

std::string progress_text(const Candidate& next, const Trials& so_far) {
  const std::vector<Candidate> done = fastest_first(so_far.candidates);
  std::string text = "measuring " + next.full_name();
  if (!done.empty() && done.front().is_measured())
    text += fmt::format("; {} so far, {} in {}", done.size(), done.front().name,
                        seconds_text(done.front().measured_seconds));
  return text;
}

std::string ratio_text(double ratio) { return std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : "-"; }

std::string products_text(double products) {
  return std::isfinite(products) ? count_text(std::llround(products)) : "-";
}

Grid trials_of(const TuneReport& r) {
  Grid grid({"format", "stored", "predicted", "measured", "convert", "total", "x csr", "parameters"});
  for (const Candidate& c : r.trials) {
    if (!c.is_measured()) {
      grid.row({c.name, "-", "-", "-", "-", "-", "-", c.parameters + ": " + c.cost.reason_not});
      continue;
    }
    grid.row({c.name, bytes_text(static_cast<double>(c.cost.bytes)), seconds_text(c.cost.seconds),
              seconds_text(c.measured_seconds), products_text(c.measured_setup_seconds / r.csr_seconds()),
              seconds_text(c.total_seconds), ratio_text(c.measured_seconds / r.csr_seconds()), c.parameters});
  }
  return grid;
}

/// What the figures aren't about.
void add_scope(Facts& facts, const TuneReport& r) {
  facts.row("see also", "this is about formats; for solvers and preconditioners: ostinato compare " + r.matrix);
}

void add_verdict(Facts& facts, const TuneReport& r) {
  const Trials& t = r.choice.trials;
  ParameterLegend parameters;
  for (const Candidate& c : r.trials) parameters.saw(c.name, c.parameters);
  parameters.add_to(facts);
  facts.row("convert", "building the format, in products of csr");
  facts.row("total", fmt::format("conversion and {} products", count_text(std::llround(r.products))));
  if (t.pruned > 0) facts.row("not tried", counted(t.pruned, "variant") + " of over 3 times the bytes of another");
  if (t.left_out > 0) facts.row("not tried", fmt::format("{} for want of time; raise --tune-budget", t.left_out));
  facts.gap();
  facts.row("format", r.choice.candidates.front().full_name() + ": " + r.choice.reason);
  if (t.before) facts.more("--retune measures again");
  if (t.file.empty()) {
    facts.row("kept", "nowhere, as there is no folder for it (OSTINATO_CACHE_DIR)");
  } else {
    facts.row("kept", "in " + t.file);
    facts.row("used by", r.solve);
  }
  add_scope(facts, r);
}

Facts facts_of(const TuneReport& r) {
  Facts facts;
  add_device(facts, r.device);
  add_matrix(facts, r.matrix, r.structure);
  if (r.trials.empty()) facts.row("format", r.choice.format + ": there is nothing to measure without entries");
  return facts;
}

void print_tuning(std::FILE* to, const TuneReport& r) {
  Facts facts = facts_of(r);
  if (r.trials.empty()) add_scope(facts, r);
  facts.print(to);
  if (r.trials.empty()) return;
  put(to, "\n");
  trials_of(r).print(to);
  Facts verdict;
  verdict.gap();
  add_verdict(verdict, r);
  verdict.print(to);
}

/// The fastest trial of each format.
std::vector<html::FormatBar> bars_of(const TuneReport& r) {
  std::vector<html::FormatBar> bars;
  for (const Candidate& c : r.trials) {
    const auto is_same = [&](const html::FormatBar& b) { return b.name == c.name; };
    if (c.is_measured() && std::none_of(bars.begin(), bars.end(), is_same))
      bars.push_back({c.name, c.measured_seconds, static_cast<double>(c.cost.bytes)});
  }
  return bars;
}

html::Page page_of(const TuneReport& r) {
  html::Page page("ostinato tune " + r.matrix);
  page.facts(facts_of(r));
  add_pattern(page, r.pattern);
  if (r.trials.empty()) return page;
  page.heading("Formats");
  add_bars(page, bars_of(r));
  page.grid(trials_of(r));
  Facts verdict;
  add_verdict(verdict, r);
  page.facts(verdict);
  return page;
}

template <class T, class Space>
int tune_on(const Space& space, const Csr<T>& a, const TuneInput& in, const DeviceInfo& device) {
  LiveLine live(true);
  FormatOptions options = format_options(in.formats);
  options.tune = Tune::everything;
  options.on_trial = [&live](const Candidate& next, const Trials& so_far) { live.phase(progress_text(next, so_far)); };
  const Operator<Space, T> op(space, a, options);
  live.clear();
  TuneReport r{.matrix = in.matrix,
               .device = device,
               .formats = in.formats,
               .products = options.expected_products,
               .structure = op.structure(),
               .choice = op.choice(),
               .trials = fastest_first(op.choice().trials.candidates),
               .solve = solve_command_line(in)};
  if (!in.html.empty()) r.pattern = html::density_of(a);
  Outputs outputs;
  outputs.attempt([&] { write_json(in.json, r); });
  outputs.attempt([&] {
    if (!in.html.empty()) html::write_page(in.html, page_of(r));
  });
  outputs.attempt([&] {
    print_tuning(table_stream({in.json, in.html}), r);
    require_printed();
  });
  return outputs.finish(exit_converged);
}

}  // namespace

std::function<int()> define_tune(Command& command) {
  const auto in = std::make_shared<TuneInput>();
  command.add(matrix_argument, in->matrix);
  command.add(json_option, in->json);
  command.add(html_option, in->html);
  add_measuring_options(command, in->formats);
  add_kernel_options(command, in->formats);
  add_device_options(command, in->device);
  command.footer(
      "These times are those of a product in each format. Which solver and which\n"
      "preconditioner take the least time, ostinato compare finds out.\n");
  return [in] {
    require_reports(in->json, in->html, in->matrix);
    require_use_of_formats(in->formats, in->device.device);
    const auto read = [&]<class T>() { return load_shown<T>(in->matrix); };
    return with_device(in->device, in->matrix, read, [&]<class T>(const auto& space, const DeviceInfo& on, Csr<T> a) {
      return tune_on<T>(space, a, *in, on);
    });
  };
}

}  // namespace ostinato::cli
