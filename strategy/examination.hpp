// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/analysis/entries.hpp>
#include <ostinato/spmv/analysis/spectrum.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

namespace ostinato {

struct ExaminationOptions {
  bool thorough = false;            ///< nothing is left out, however long that takes
  int restart = automatic_restart;  ///< of GMRES, for the choice of the solver
  double rtol = 1e-8;               ///< for the predicted number of iterations
};

/// How much a finding matters.
enum class Weight {
  fact,     ///< neither good nor bad
  good,     ///< makes the system easier
  caution,  ///< makes the system harder
  trouble,  ///< the system may have no solution, or not one alone
};
const char* to_string(Weight weight);

/// A sentence about a matrix. Rows and columns count from 1, as in files.
struct Finding {
  std::string subject;  ///< "structural rank"
  Weight weight = Weight::fact;
  std::string text;
};

/// What was proved of a symmetric matrix, in exact arithmetic. unknown: nothing, or rounding leaves it open, as for
/// most singular matrices; the finding says which.
enum class Definiteness { unknown, positive, negative, semidefinite, indefinite };
const char* to_string(Definiteness definiteness);  ///< "positive definite"

/// What was found out about a matrix beyond its Structure, and what follows for a solve.
struct Examination {
  EntryFacts entries;
  std::optional<Index> structural_rank;  ///< of a square matrix
  std::vector<Index> unmatched_rows;     ///< from 0: rows for which no entry was left on the diagonal
  Definiteness definiteness = Definiteness::unknown;
  /// Ends of the eigenvalues of a symmetric matrix that may be definite, otherwise of the singular values.
  std::optional<SpectrumEnds> spectrum;
  /// The same after scaling: by the diagonal, as Jacobi does, where the matrix may be definite, otherwise by the
  /// matching.
  std::optional<SpectrumEnds> scaled_spectrum;
  std::optional<Index> rcm_bandwidth;  ///< in the order of reverse Cuthill-McKee; a square matrix
  SolverChoice solver;                 ///< those of "auto"
  PreconditionerChoice preconditioner;
  std::vector<std::string_view> stronger;  ///< what "auto" goes on with
  /// Of CG, where they were tried: about so many. With Jacobi also where "auto" takes fsai, which mostly takes fewer.
  std::optional<int> expected_iterations;
  std::optional<int> most_iterations;  ///< of CG, by the condition where that has settled: at most about so many
  int tried_iterations = 0;            ///< of CG, at most; 0: none were tried
  std::string expected;                ///< what the choice is expected to do
  std::vector<Finding> findings;
  std::vector<std::string> left_out;  ///< what would have taken too long
};

/// largest / smallest; infinite where the smallest is 0 or rounding. A lower bound.
double condition(const SpectrumEnds& ends, Index rows);

/// Examines a matrix: looks at the entries, finds a maximum matching and an order of small bandwidth, tries whether the
/// matrix is definite and how badly conditioned, and takes the method and the preconditioner that "auto" takes
/// (choose_solver(), choose_preconditioner()).
///
/// Exec      On the calling thread, with a copy of the matrix in host memory. Each part does up to some 10^8
///           operations, by count and not by the clock, so that the findings are the same every time; a part that needs
///           more is left out unless options.thorough. About a second in all.
/// Throws    DeviceError; std::bad_alloc.
template <class Space, class T>
Examination examine(const Analysis<Space, T>& analysis, const ExaminationOptions& options = {});

}  // namespace ostinato
