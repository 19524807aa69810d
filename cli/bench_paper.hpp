// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "papers/paper.hpp"
#include "report.hpp"

// `bench --paper`: the tables of a paper, its figures beside ours.

namespace ostinato::cli {

struct PaperInput {
  std::string paper;     ///< empty: none
  std::string matrices;  ///< folder of Matrix Market files; empty: stand-ins only
  double scale = 1;      ///< rows of a stand-in over those of the paper's matrix
};

/// The ratio of a paper's format over a baseline; 0 where there is none. Above 1 the paper's format is better.
struct PaperRatio {
  double paper = 0, here = 0;
  std::string format;  ///< the fastest of ours for the baseline

  /// Whether the paper's claim holds: the format isn't behind the baseline by more than 3 %, which runs differ by, or
  /// not more than in the paper.
  bool holds() const;
};

/// A matrix of a paper, timed.
struct PaperLine {
  std::string name;
  Index rows = 0, cols = 0;
  Offset nonzeros = 0;
  bool is_file = false;  ///< the matrix of the paper, not a stand-in
  BenchRow format = {};  ///< the fastest of the paper's formats; without a name when none could be timed
  double paper_gflops = 0;
  std::vector<PaperRatio> ratios = {};  ///< in the order of the baselines

  double gflops() const { return format.seconds > 0 ? 2e-9 * static_cast<double>(nonzeros) / format.seconds : 0; }
};

/// The ratios over a baseline in the mean of matrices.
struct PaperMean {
  double paper = 0, here = 0;  ///< geometric, over `matrices`: those with a figure in the paper, or all where the paper
                               ///< gives its own mean, or nothing
  int matrices = 0;
  double all = 0;             ///< here, over all matrices
  int faster = 0, timed = 0;  ///< matrices on which the format is ahead, of how many
  int held = 0, claims = 0;   ///< claims that hold, of how many: on single matrices, and of the paper's own mean
};

/// A format that couldn't be timed on some matrices.
struct MissingFormat {
  int matrices = 0;
  std::string first, reason;  ///< the first of the matrices, and why
};

struct PaperReport {
  const Paper* paper = nullptr;
  DeviceInfo device;
  double scale = 1;
  std::vector<PaperLine> lines = {};
  std::map<std::string, MissingFormat> missing = {};  ///< by the name of the format
  std::vector<std::string> ignored = {};              ///< files that aren't the paper's matrix, and why
};

PaperMean mean_of(const PaperReport& report, std::size_t baseline);

/// Adds --paper, --matrices and --scale.
void add_paper_options(Command& command, PaperInput& in);

/// Runs the table of a paper in the paper's precision. Returns the exit code.
/// Throws    UsageError for a folder that isn't there, a scale that isn't in 0 .. 1, or single precision where the
///           paper has double.
int bench_paper(const PaperInput& in, const FormatInput& formats, DeviceOptions device, int repetitions,
                const std::string& json);

}  // namespace ostinato::cli
