// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "bench_paper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <new>
#include <optional>
#include <sstream>
#include <utility>

#include <ostinato/bench/formats/list.hpp>
#include <ostinato/spmv/selection/search_engine.hpp>
#include <ostinato/spmv/selection/tuner.hpp>

#include "bench_timing.hpp"
#include "command_line.hpp"
#include "exit_code.hpp"
#include "files.hpp"
#include "generated.hpp"
#include "json.hpp"
#include "progress.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

constexpr double noise = 0.97;  ///< of a ratio of two times

constexpr std::size_t most_variants = 12;  ///< of a format's parameters that are timed, the most promising first

std::vector<std::string> by_blanks(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// The file of a matrix in the folder; empty where there is none.
std::string file_of(const PaperMatrix& m, const std::string& folder) {
  if (folder.empty()) return {};
  for (const char* ending : {".mtx", ".mtx.gz"}) {
    const std::string path = folder + "/" + std::string(m.file_name()) + ending;
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

/// A matrix, its product in long double, and the formats that were timed on it.
template <class Space, class T>
class MatrixRun {
 public:
  MatrixRun(const Paper& paper, const Space& space, const Csr<T>& a, const FormatOptions& options, int repetitions)
      : analysis_(space, a.view(), AnalysisDepth::full),
        options_(options),
        repetitions_(repetitions),
        own_(paper.formats.empty() ? std::vector{searched()} : by_blanks(paper.formats)),
        tunes_(paper.tunes),
        x_(trial_vector<T>(static_cast<std::size_t>(a.cols))),
        reference_(reference_product<T>(a, x_)) {}

  /// Ours for the paper's format.
  const std::vector<std::string>& own() const { return own_; }

  /// Times a format once, whoever asks for it.
  const BenchRow& row(const std::string& format) {
    const auto [at, is_new] = rows_.try_emplace(format);
    if (!is_new) return at->second;
    BenchRow& best = at->second = attempt(format);
    if (!tunes_ || !is_own(format)) return best;
    for (const std::string& variant : variants_of(format)) {
      const BenchRow r = attempt(variant);
      if (r.why_not.empty() && r.seconds < best.seconds) best = r;
    }
    return best;
  }

  /// The fastest of the formats, or the smallest; a row without a name when none could be timed.
  BenchRow best(const std::vector<std::string>& formats, bool by_bytes = false) {
    BenchRow best;
    for (const std::string& format : formats) {
      const BenchRow& r = row(format);
      const bool is_better = by_bytes ? r.bytes < best.bytes : r.seconds < best.seconds;
      if (r.why_not.empty() && (best.name.empty() || is_better)) best = r;
    }
    return best;
  }

  const std::map<std::string, BenchRow>& rows() const { return rows_; }

 private:
  /// The format that the search engine of DIA-Adaptive names; that of its third type where diagonals aren't counted.
  std::string searched() const {
    analysis_.complete();
    const auto census = analysis_.structure().census;
    return census != nullptr ? search(*census).format : "brcsd-ii";
  }

  bool is_own(const std::string& format) const { return std::find(own_.begin(), own_.end(), format) != own_.end(); }

  /// The format with parameters that are worth timing.
  std::vector<std::string> variants_of(const std::string& format) const {
    const Machine machine = machine_of(analysis_.space());
    const PlanInput in{analysis_.structure(), machine, options_.compress == Compress::on};
    std::vector<std::string> all;
    for (const Proposal& p : bench_formats<Space, T>().find(format)->variants(in)) {
      if (all.size() < most_variants && p.cost.applies()) all.push_back(format + ":" + p.parameters);
    }
    return all;
  }

  BenchRow attempt(const std::string& format) {
    const FormatList<Space, T>& list = bench_formats<Space, T>();
    if (list.find(parse_format(format).name) == nullptr) return {.name = format, .why_not = "there is no such format"};
    FormatOptions options = options_;
    options.format = format;
    // No paper has kernels compiled for its baselines.
    if (options.jit == Jit::automatic && !is_own(format)) options.jit = Jit::off;
    try {
      return timed<Space, T>(analysis_, options, list, x_, reference_, repetitions_);
    } catch (const Error& e) {
      const std::string why = e.what(), before = "this matrix: ";
      const std::size_t at = why.find(before);
      return {.name = format, .why_not = at == std::string::npos ? why : why.substr(at + before.size())};
    } catch (const std::bad_alloc&) {
      return {.name = format, .why_not = out_of_memory};
    }
  }

  Analysis<Space, T> analysis_;
  FormatOptions options_;
  int repetitions_;
  std::vector<std::string> own_;
  bool tunes_;
  std::vector<T> x_;
  Reference reference_;
  std::map<std::string, BenchRow> rows_;
};

template <class Space, class T>
PaperLine line_of(const Paper& paper, const PaperMatrix& m, const Csr<T>& a, MatrixRun<Space, T>& run) {
  PaperLine line{.name = std::string(m.name), .rows = a.rows, .cols = a.cols, .nonzeros = a.nonzeros()};
  line.format = run.best(run.own());
  line.paper_gflops = m.gflops();
  for (std::size_t k = 0; k < paper.baselines.size(); ++k) {
    const PaperBaseline& b = paper.baselines[k];
    const BenchRow other = run.best(by_blanks(b.formats), b.by_bytes), own = run.best(run.own(), b.by_bytes);
    PaperRatio& ratio = line.ratios.emplace_back(PaperRatio{.paper = m.ratios[k], .format = other.name});
    if (other.name.empty() || own.name.empty()) continue;
    ratio.here =
        b.by_bytes ? static_cast<double>(other.bytes) / static_cast<double>(own.bytes) : other.seconds / own.seconds;
  }
  return line;
}

/// Notes the formats that couldn't be timed. Returns whether all others compute the right product.
bool take_notes(PaperReport& report, const std::string& matrix, const std::map<std::string, BenchRow>& rows) {
  bool right = true;
  for (const auto& [format, row] : rows) {
    if (row.why_not.empty()) {
      if (!row.right) put(stderr, "ostinato: format " + format + " computes a wrong product of " + matrix + "\n");
      right = right && row.right;
      continue;
    }
    MissingFormat& missing = report.missing[format];
    if (missing.matrices++ == 0) missing = {1, matrix, row.why_not};
  }
  return right;
}

/// A figure in three digits; "-" for none.
std::string figure_text(double value) {
  if (!(value > 0)) return "-";
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

/// "2.48 1.10": the paper's figure and ours, with a star where the claim doesn't hold.
std::string pair_text(double paper, double here, bool holds = true) {
  return fmt::format("{} {:>4}{}", figure_text(paper), figure_text(here), holds ? " " : "*");
}

Grid grid_of(const PaperReport& r) {
  std::vector<std::string> headings = {"matrix", "rows", "nonzeros", "from", "GFLOP/s "};
  for (const PaperBaseline& b : r.paper->baselines) headings.push_back(std::string(b.name) + " ");
  headings.push_back("format");
  Grid grid(headings);
  for (const PaperLine& line : r.lines) {
    std::vector<std::string> cells = {line.name, count_text(line.rows), count_text(line.nonzeros),
                                      line.is_file ? "file" : "stand-in", pair_text(line.paper_gflops, line.gflops())};
    for (const PaperRatio& ratio : line.ratios) cells.push_back(pair_text(ratio.paper, ratio.here, ratio.holds()));
    cells.push_back(line.format.name.empty() ? "-" : line.format.name);
    grid.row(cells);
  }
  return grid;
}

Grid means_of(const PaperReport& r) {
  Grid grid({"over", "paper", "here", "matrices", "of all", "faster", "claims hold", "our formats"});
  const auto of = [](int some, int all) { return all > 0 ? fmt::format("{} of {}", some, all) : "-"; };
  for (std::size_t k = 0; k < r.paper->baselines.size(); ++k) {
    const PaperBaseline& b = r.paper->baselines[k];
    const PaperMean m = mean_of(r, k);
    grid.row({std::string(b.name), figure_text(m.paper), figure_text(m.here), std::to_string(m.matrices),
              figure_text(m.all), of(m.faster, m.timed), of(m.held, m.claims), std::string(b.formats)});
  }
  return grid;
}

Facts notes_of(const PaperReport& r) {
  Facts notes;
  for (const auto& [format, why] : r.missing) {
    const auto all = static_cast<int>(r.lines.size());
    const std::string where = why.matrices == all ? "not timed"
                              : why.matrices == 1 ? "not on " + why.first
                                                  : fmt::format("not on {}, such as {}", why.matrices, why.first);
    notes.row(format, where + ": " + why.reason);
  }
  for (const std::string& file : r.ignored) notes.row("file", file);
  for (const std::string_view remark : r.paper->remarks) notes.row("note", std::string(remark));
  notes.row("pairs",
            "the paper's figure, and that of this run; a ratio is the time of the baseline over that of the format");
  notes.row("*",
            "the paper's claim doesn't hold: the format is over 3 % behind the baseline, or further than in the "
            "paper; of the direction, not of the size");
  notes.row("over",
            "geometric means over as many matrices: those that the paper has figures of; all, where it tells its own "
            "mean");
  return notes;
}

void print_paper(std::FILE* to, const PaperReport& r) {
  Facts facts;
  facts.row("paper", std::string(r.paper->source));
  facts.row("measured on", fmt::format("{}, {} precision", r.paper->device, r.paper->precision));
  add_device(facts, r.device);
  if (r.scale != 1) facts.row("scale", fmt::format("{:g}: stand-ins have that share of the rows", r.scale));
  facts.print(to);
  put(to, "\n");
  grid_of(r).print(to);
  put(to, "\n");
  means_of(r).print(to);
  put(to, "\n");
  notes_of(r).print(to);
}

bool is_near(double value, double wanted, double part) { return std::abs(value - wanted) <= part * wanted; }

/// The paper's matrix from its file. Nothing where there is no file, or where that holds another matrix, which the
/// report then says.
template <class T>
std::optional<Csr<T>> read_file(const PaperMatrix& m, const std::string& file, PaperReport& report) {
  if (file.empty()) return {};
  try {
    Csr<T> a = load_matrix<T>(file);
    const auto entries = static_cast<double>(a.nonzeros()), wanted = static_cast<double>(m.nonzeros);
    if (is_near(a.rows, m.rows, 0.02) && is_near(entries, wanted, 0.1)) return a;
    report.ignored.push_back(
        fmt::format("{} has {} rows and {} entries, the paper's {} has {} and {}: a stand-in is timed", file,
                    count_text(a.rows), count_text(a.nonzeros()), m.name, count_text(m.rows), count_text(m.nonzeros)));
  } catch (const Error& e) {
    report.ignored.push_back(std::string(e.what()) + "; a stand-in is timed");
  }
  return {};
}

template <class T, class Space>
int run_paper(const Space& space, const Paper& paper, const PaperInput& in, const FormatOptions& options,
              int repetitions, const DeviceInfo& device, const std::string& json) {
  PaperReport report{.paper = &paper, .device = device, .scale = in.scale};
  bool right = true;
  LiveLine live(true);
  for (const PaperMatrix& given : paper.matrices) {
    const std::string file = file_of(given, in.matrices), name(given.name);
    live.phase((file.empty() ? "making " : "reading ") + name);
    auto read = read_file<T>(given, file, report);
    const bool is_file = read.has_value();
    const Csr<T> a = is_file ? *std::move(read) : make_stand_in<T>(scaled(given, in.scale));
    live.phase(fmt::format("timing {}, {} of {}", name, report.lines.size() + 1, paper.matrices.size()));
    MatrixRun<Space, T> run(paper, space, a, options, repetitions);
    report.lines.push_back(line_of(paper, given, a, run));
    report.lines.back().is_file = is_file;
    right = take_notes(report, name, run.rows()) && right;
  }
  live.clear();
  Outputs outputs;
  outputs.attempt([&] { write_json(json, report); });
  outputs.attempt([&] {
    print_paper(table_stream({json}), report);
    require_printed();
  });
  const ExitCode written = outputs.finish(exit_converged);
  return right ? written : exit_failed;
}

/// The largest matrix, by which `auto` takes a device.
SystemSize largest_of(const Paper& paper, double scale) {
  SystemSize size;
  for (const PaperMatrix& m : paper.matrices) {
    size.rows = std::max(size.rows, m.rows * scale);
    size.entries = std::max(size.entries, static_cast<double>(m.nonzeros) * scale);
  }
  return size;
}

const Paper& paper_of(const std::string& name) {
  return *std::find_if(papers().begin(), papers().end(), [&](const Paper& p) { return p.name == name; });
}

}  // namespace

bool PaperRatio::holds() const { return !(paper > 0 && here > 0) || here >= noise * std::min(1.0, paper); }

PaperMean mean_of(const PaperReport& report, std::size_t baseline) {
  PaperMean mean;
  double of_paper = 0, of_claims = 0, of_all = 0;
  for (const PaperLine& line : report.lines) {
    const PaperRatio& r = line.ratios[baseline];
    if (!(r.here > 0)) continue;
    ++mean.timed;
    if (r.here >= 1) ++mean.faster;
    of_all += std::log(r.here);
    if (!(r.paper > 0)) continue;
    ++mean.claims;
    if (r.holds()) ++mean.held;
    of_claims += std::log(r.here);
    of_paper += std::log(r.paper);
  }
  const double own = report.paper->baselines[baseline].mean;
  if (mean.timed == 0) return mean;
  mean.all = mean.here = std::exp(of_all / mean.timed);
  mean.matrices = mean.timed;
  if (own > 0) {
    mean.paper = own;
    ++mean.claims;
    mean.held += PaperRatio{own, mean.here, {}}.holds() ? 1 : 0;
  } else if (mean.claims > 0) {
    mean.paper = std::exp(of_paper / mean.claims);
    mean.here = std::exp(of_claims / mean.claims);
    mean.matrices = mean.claims;
  }
  return mean;
}

void add_paper_options(Command& command, PaperInput& in) {
  constexpr const char* group = "Papers";
  command.add({.names = "--paper",
               .description = "instead of a matrix, the table of a paper, its figures beside ours",
               .value = "NAME",
               .words = names_of(papers()),
               .group = group},
              in.paper);
  command.add(
      {.names = "--matrices",
       .description = "folder of the papers' matrices, named as in the SuiteSparse collection; without one, and "
                      "for those that it lacks, stand-ins of the same structure are made",
       .value = "FOLDER",
       .check = file_name(),
       .group = group},
      in.matrices);
  command.add({.names = "--scale",
               .description = "rows of a stand-in over those of the paper's matrix, 0 .. 1; about 1,000 rows at least",
               .value = "X",
               .group = group},
              in.scale, at_least(0));
}

int bench_paper(const PaperInput& in, const FormatInput& formats, DeviceOptions device, int repetitions,
                const std::string& json) {
  const Paper& paper = paper_of(in.paper);
  if (!(in.scale > 0 && in.scale <= 1)) throw UsageError("--scale: over 0, and at most 1");
  if (!in.matrices.empty() && !std::filesystem::is_directory(in.matrices))
    throw UsageError("--matrices: there is no folder " + in.matrices);
  if (device.precision == "single" && paper.precision != "single")
    throw UsageError(fmt::format("--paper {} is in double precision, as the paper", paper.name));
  device.precision = paper.precision;
  require_reports(json, {}, {});
  require_use_of_formats(formats, device.device);
  FormatOptions options = format_options(formats);
  if (formats.compress == "auto") options.compress = paper.compresses ? Compress::on : Compress::off;
  const auto size = [&]<class T>() { return largest_of(paper, in.scale); };
  return with_device(device, {}, size, [&]<class T>(const auto& space, const DeviceInfo& on, SystemSize) {
    return run_paper<T>(space, paper, in, options, repetitions, on, json);
  });
}

}  // namespace ostinato::cli
