// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/space/host.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "files.hpp"
#include "generated.hpp"
#include "progress.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

constexpr const char* family_group = "Family options";

struct GenerateInput {
  std::string family, output, coordinates;
  GenerateOptions options;
  bool list = false, quiet = false;
};

void add_family_options(Command& command, GenerateOptions& o) {
  const auto add = [&command](const char* name, auto& value, const auto& read, const char* what) {
    command.add({.names = name,
                 .description = what,
                 .value = std::is_integral_v<std::remove_cvref_t<decltype(value)>> ? "N" : "X",
                 .group = family_group},
                value, read);
  };
  const auto flag = [&command](const char* name, bool& value, const char* what) {
    command.add_flag({.names = name, .description = what, .group = family_group}, value);
  };
  add("--peclet", o.peclet, at_least(0), "cell Peclet number");
  flag("--rotating", o.rotating, "velocity that turns around the middle");
  flag("--periodic", o.periodic, "the ends of each axis are beside each other");
  flag("--renumbered", o.renumbered, "nodes in a random order, which hides the grid");
  add("--anisotropy", o.anisotropy, at_least(0), "diffusion along y where that along x is 1");
  add("--unknowns", o.unknowns, whole(1), "unknowns a node: the size of the dense blocks");
  flag("--constant", o.constant, "constant values instead of random ones");
  add("--entries-per-row", o.entries_per_row, at_least(1), "mean of all rows");
  add("--bandwidth", o.bandwidth, whole(0), "diagonals on either side of the main one");
  add("--broken", o.broken, at_least(0), "share of each diagonal that is missing, 0 .. 1");
  add("--scatter", o.scatter, at_least(0), "entries a row that stand alone, 0 .. 1");
  add("--seed", o.seed, whole<std::uint64_t>(0), "of all that is random");
}

/// family_of() rejects an unknown family, after the options are known.
std::string known_family(std::string& family) {
  family = lower(family);
  return {};
}

std::string family_list() {
  std::string text = "Families, with what they read:\n";
  for (const GeneratorInfo& info : generators()) {
    text += listing_line(info.name, kebab(info.arguments) + ": " + std::string(info.what));
  }
  return text;
}

/// Returns the command that makes this matrix, for the comment in the file.
std::string command_text(const std::vector<GivenOption>& given, const GenerateInput& in) {
  std::string text = fmt::format("ostinato generate {} {}", in.family, in.options.n);
  for (const GivenOption& option : given) {
    text += " --" + option.name;
    if (!option.value.empty()) text += " " + option.value;
  }
  return text;
}

void write(const GenerateInput& in, const std::string& comment, const CsrView<double>& a, double generate_seconds,
           LiveLine& live) {
  Stopwatch watch;
  write_matrix_market(in.output, a, comment);
  live.clear();
  if (in.quiet) return;
  const bool file = in.output != "-";
  const double bytes = file ? file_bytes(in.output) : 0;
  put(stderr, fmt::format("{}: {} x {}, {} entries, {}generated in {}, written in {}\n",
                          file ? printable(in.output) : "standard output", count_text(a.rows), count_text(a.cols),
                          count_text(a.nonzeros()), bytes > 0 ? bytes_text(bytes) + ", " : "",
                          seconds_text(generate_seconds), seconds_text(watch.seconds())));
}

int run_generate(const Command& command, const GenerateInput& in) {
  if (in.list) {
    put(stdout, family_list());
    return exit_converged;
  }
  if (in.family.empty()) throw UsageError("a family is missing; known: " + names_of(generators()));
  const std::vector<GivenOption> given = command.given(family_group);
  require_read(given, family_of(in.family));
  if (in.options.n == 0) throw UsageError("a size is missing: ostinato generate " + in.family + " N OUT.mtx");
  if (in.output.empty()) throw UsageError("an output file is missing; - is the standard output");
  require_kind(in.output, "a matrix is written as Matrix Market text", {".mtx", ".mtx.gz"});
  require_output(in.output, {});
  if (!in.coordinates.empty()) {
    require_kind(in.coordinates, "coordinates are written as .mtx or .npy", {".mtx", ".npy"});
    require_output(in.coordinates, {}, in.output);
  }
  LiveLine live(!in.quiet);
  live.phase("generating " + in.family);
  const Stopwatch watch;
  with_usage_errors([&] {
    const Csr<double> a = generate<double>(in.family, in.options);
    const double seconds = watch.seconds();
    live.phase("writing " + in.output);
    if (!in.coordinates.empty())
      write_table(in.coordinates, coordinates_of({in.family, in.options}), command_text(given, in));
    write(in, command_text(given, in), a, seconds, live);
  });
  return exit_converged;
}

}  // namespace

std::function<int()> define_generate(Command& command) {
  const auto in = std::make_shared<GenerateInput>();
  command.add(
      {.names = "family", .description = "one of those below", .words = names_of(generators()), .check = known_family},
      in->family);
  command.add({.names = "n", .description = "grid points a side, or rows"}, in->options.n, whole(1));
  command.add({.names = "output",
               .description = "Matrix Market file, .mtx or .mtx.gz; - is the standard output",
               .value = "FILE",
               .check = file_name()},
              in->output);
  command.add({.names = "--coordinates",
               .description = "of elasticity3d: where the points are, .mtx or .npy",
               .value = "FILE",
               .check = file_name()},
              in->coordinates);
  command.add_flag({.names = "--list", .description = "print the families and exit"}, in->list);
  command.add_flag({.names = "--quiet", .description = "say nothing"}, in->quiet);
  add_family_options(command, in->options);
  command.footer(family_list() +
                 "\nExample: ostinato generate poisson3d 64 p3.mtx\n"
                 "Without a file: ostinato solve poisson3d:64\n");
  return [&command, in] { return run_generate(command, *in); };
}

}  // namespace ostinato::cli
