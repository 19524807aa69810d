// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <functional>
#include <string_view>
#include <vector>

#include "cli/program.hpp"

// Checks that the program prints the sample output in the documents. A fenced block marked "console" begins with
// "$ ostinato ..." and goes on with the output; a line "..." stands for any number of lines. Times, rates, figures that
// follow from them, and the description of the device differ between runs or machines, so both texts are masked.

namespace ostinato::cli_tests {
namespace {

using CliDocuments = Cli;
using Lines = std::vector<std::string>;

struct Sample {
  std::string arguments;
  Lines output;

  bool has(const std::string& word) const { return arguments.find(word) != std::string::npos; }
};

const std::string root = std::string(OSTINATO_EXAMPLES_DIR) + "/..";

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<Sample> samples_in(const std::string& document) {
  std::vector<Sample> samples;
  bool inside = false;
  const std::string prompt = "$ ostinato ";
  for (const std::string& line : lines_of(contents(root + "/" + document))) {
    if (line.starts_with("```")) {
      inside = line == "```console";
    } else if (inside && line.starts_with(prompt)) {
      samples.push_back({line.substr(prompt.size()), {}});
    } else if (inside && !samples.empty()) {
      samples.back().output.push_back(line);
    }
  }
  return samples;
}

/// Returns the length of the figure with a unit of time, a rate, "%" or "products" that begins at `at`; 0 if there is
/// none. (std::regex gives false warnings in builds with sanitizers.)
std::size_t figure_at(std::string_view line, std::size_t at) {
  const auto is_word = [&](std::size_t k) {
    return k < line.size() && std::isalnum(static_cast<unsigned char>(line[k])) != 0;
  };
  const auto is_digit = [&](std::size_t k) { return k < line.size() && line[k] >= '0' && line[k] <= '9'; };
  if (!is_digit(at) || (at > 0 && (is_word(at - 1) || line[at - 1] == '.'))) return 0;
  std::size_t end = at;
  while (is_digit(end) || (end < line.size() && (line[end] == '.' || line[end] == ','))) ++end;
  if (end < line.size() && line[end] == ' ') ++end;
  for (const std::string_view unit : {"ns", "us", "ms", "s", "kB/s", "MB/s", "GB/s", "%", "products"}) {
    if (line.substr(end, unit.size()) == unit && !is_word(end + unit.size())) return end + unit.size() - at;
  }
  return 0;
}

/// Returns the line with "#" for each figure that depends on the machine, and with one blank between words.
std::string masked(std::string_view line) {
  std::string out;
  for (std::size_t k = 0; k < line.size();) {
    if (const std::size_t length = figure_at(line, k); length > 0) {
      out += '#';
      k += length;
    } else {
      if (line[k] != ' ' || out.empty() || out.back() != ' ') out += line[k];
      ++k;
    }
  }
  return out;
}

/// Whether a line follows from measured times: what a conversion earns back, and how much dearer other formats are.
bool is_of_times(const std::string& line) {
  return line.find(" earn") != std::string::npos || line.find("ahead of ") != std::string::npos ||
         line.find(" dear") != std::string::npos || line.find(" more, which inspect lists") != std::string::npos;
}

/// Masks all lines, and leaves out the paragraph on the device and those that follow from times.
Lines masked(const Lines& lines) {
  Lines out;
  bool device = false;
  for (const std::string& line : lines) {
    device = line.starts_with("device ") || (device && line.starts_with(" "));
    if (!device && !is_of_times(line)) out.push_back(masked(line));
  }
  return out;
}

/// Whether `printed` from line k on matches `sample` from line i on. `furthest` becomes the number of the last sample
/// line that was compared: after a failure, the line that doesn't match.
bool fits(const Lines& sample, std::size_t i, const Lines& printed, std::size_t k, std::size_t& furthest) {
  furthest = std::max(furthest, i);
  if (i == sample.size()) return k == printed.size();
  if (sample[i] == "...") {
    for (std::size_t next = k; next <= printed.size(); ++next) {
      if (fits(sample, i + 1, printed, next, furthest)) return true;
    }
    return false;
  }
  return k < printed.size() && sample[i] == printed[k] && fits(sample, i + 1, printed, k + 1, furthest);
}

/// The exit code that the text around the sample gives.
int documented_code(const Sample& sample) {
  if (sample.has("--maxiter 50")) return 1;
  if (sample.has("banded")) return 3;
  if (sample.has("--mem-limit 10M")) return 5;
  return sample.has("--solver sor") ? 2 : 0;
}

void expect_samples(const std::string& document, std::size_t at_least,
                    const std::function<Outcome(const std::string&)>& run) {
  const std::vector<Sample> samples = samples_in(document);
  EXPECT_GE(samples.size(), at_least) << document;
  for (const Sample& sample : samples) {
    const Lines shown = masked(sample.output);
    Outcome outcome;
    std::size_t furthest = 0;
    bool is_shown = false;
    // What auto goes on with depends on measured times, so that other work on the machine may change the output.
    for (int attempt = 0; attempt < 3 && !is_shown; ++attempt) {
      outcome = run(sample.arguments);
      furthest = 0;
      is_shown = fits(shown, 0, masked(lines_of(outcome.out + outcome.err)), 0, furthest);
    }
    EXPECT_EQ(outcome.code, documented_code(sample)) << sample.arguments;
    EXPECT_TRUE(is_shown) << document << ": $ ostinato " << sample.arguments << "\nfirst line that isn't printed: "
                          << (furthest < shown.size() ? shown[furthest] : "(the end)") << "\nthe program prints:\n"
                          << outcome.out << outcome.err;
  }
}

TEST_F(CliDocuments, ShowWhatTheProgramPrints) {
  if (__BIGGEST_ALIGNMENT__ < 32)
    GTEST_SKIP() << "the documents show predictions of a build for vectors of 32 bytes or more (-march=native)";
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a program that runs ten times slower goes other ways than the one of the documents";
#endif
  const auto in_root = [&](const std::string& arguments) {
    return run(arguments, "cd '" + root + "' && OMP_NUM_THREADS=2 CUDA_VISIBLE_DEVICES=");
  };
  expect_samples("README.md", 2, in_root);
  for (const char* document : {"start/first-solve.md", "tutorials/mesh.md", "tutorials/elasticity.md",
                               "how-to/inspect-a-matrix.md", "how-to/limit-memory.md", "how-to/troubleshoot.md"})
    expect_samples(std::string("docs/") + document, 1, in_root);
  expect_samples("docs/tutorials/hard-system.md", 2, in_root);
  expect_samples("docs/tutorials/poisson.md", 3, in_root);
  expect_samples("docs/explanation/multigrid-limits.md", 1, in_root);
}

/// The drawing with an id, from its first element to its last; empty where there is none.
std::string drawing_in(const std::string& text, const std::string& id) {
  const std::size_t at = text.find("id=\"" + id + "\"");
  if (at == std::string::npos) return {};
  const std::size_t begin = text.rfind("<svg", at);
  return text.substr(begin, text.find("</svg>", at) - begin);
}

// The residuals are drawn to a hundredth of a point, and rounding may differ by machine. So the pattern is compared,
// and how the solve went.
TEST_F(CliDocuments, ThePictureOfTheReadmeIsThatOfItsCommand) {
  const std::string readme = contents(root + "/README.md"), command = "solve variable2d:256 --html page.html";
  ASSERT_NE(readme.find("ostinato " + command), std::string::npos);

  const Outcome r = run(command + " --device cpu --json report.json");

  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(report()["preconditioner"], "multigrid");
  EXPECT_NE(readme.find("takes " + report()["iterations"].dump() + " iterations"), std::string::npos) << r.out;
  const std::string spy = drawing_in(contents(path("page.html")), "spy");
  EXPECT_FALSE(spy.empty());
  EXPECT_EQ(spy, drawing_in(contents(root + "/docs/pictures/solve.svg"), "spy"));
}

}  // namespace
}  // namespace ostinato::cli_tests
