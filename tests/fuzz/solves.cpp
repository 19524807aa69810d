// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// Solves random systems (random_system.hpp) and judges how each solve ended.
//
//   ostinato_fuzz_solves [--space host|cuda] [--trials N] [--seconds S] [--seed N] [--first N] [--threads N]
//                        [--kinds any|hard]
//
// Of --kinds hard are systems that a dense solver solves (hard_system.hpp), for solve() as it chooses everything.
// Prints the seed. The exit code is 1 after a false end state. Trial N of a seed depends on nothing else, so that
// --seed SEED --first N --trials 1 repeats the trial alone. Several threads take the trials in turn.

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/solvers/list.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/list.hpp>

#include "fuzz/hard_system.hpp"
#include "fuzz/random_system.hpp"

namespace ostinato::test {
namespace {

/// One solve, with the API used in different orders.
template <class T, class Space>
void solve_one(const Space& space, Trial& trial, Random& random) {
  Draw<T> draw(random);
  Csr<T> a = draw.matrix();
  const std::vector<T> b = draw.vector(a.rows);
  const std::vector<T> guess = draw.one_in(3) ? draw.vector(a.rows) : std::vector<T>(b.size());
  const SolveOptions options = draw.options();
  const std::string solver = draw.one_of(square_solvers()), precond = draw.one_of(choices_of(preconditioner_infos())),
                    format = draw.one_in(2) ? "auto" : draw.one_of(choices_of(format_list<Space, T>()));
  const bool keep = draw.one_in(2), update = draw.one_in(4), move = draw.one_in(4);
  trial.what = (is_single<T> ? "float " : "double ") + solver + " " + precond + " " + format + " n " +
               std::to_string(a.rows) + " rtol " + number(options.rtol) + (keep ? " analysis kept" : "");

  auto analysis = std::make_unique<Analysis<Space, T>>(space, a);
  Operator<Space, T> op(*analysis, {.format = format});
  const AnyPreconditioner<Space, T> m(*analysis, precond);
  if (!keep) analysis.reset();
  if (update) op.update_values(a.view());
  if (move) op = Operator<Space, T>(std::move(op));
  const Vector<Space, T> b_here(space, std::span<const T>(b));
  Vector<Space, T> x(space, std::span<const T>(guess));
  if (draw.one_in(3)) {
    Vector<Space, T> y(space, x.size());
    op.apply(T{1}, x, T{0}, y);
  }
  const SolveResult result =
      ostinato::solve(space, op, std::span<const T>(b_here), std::span<T>(x), m, solver, options);
  trial.what += " -> " + result.message();
  judge(trial, result, a, x.download(), b, guess, options);
  if (solver == "auto" && keep && !update) judge_against_guess(trial, result, a, x.download(), b, guess);
}

/// One solve in which solve() chooses everything.
template <class T, class Space>
void solve_hard(const Space& space, Trial& trial, Random& random) {
  const HardSystem<T> s = DrawHard<T>(random).system();
  const double rtol = is_single<T> ? 1e-4 : 1e-8;
  trial.what = (is_single<T> ? "float " : "double ") + s.kind;
  if (const char* path = std::getenv("OSTINATO_FUZZ_WRITE")) {
    write_matrix_market(std::string(path) + ".mtx", s.a.view(), "");
    write_vector<T>(std::string(path) + "_b.mtx", std::span<const T>(s.b), "");
  }
  const Operator<Space, T> op(space, s.a);
  const Vector<Space, T> b(space, std::span<const T>(s.b));
  Vector<Space, T> x(space, static_cast<std::size_t>(s.a.cols), T{0});
  const SolveResult result = ostinato::solve(space, op, std::span<const T>(b), std::span<T>(x), {.rtol = rtol});
  trial.what += " -> " + result.message();
  judge_hard(trial, s, result, x.download(), rtol);
  if (std::getenv("OSTINATO_FUZZ_SHOW") != nullptr && trial.end.find("unsolved") == 0)
    std::printf("unsolved: %s\n", trial.what.c_str());
}

}  // namespace
}  // namespace ostinato::test

int main(int argc, char** argv) {
  using namespace ostinato;
  const bool hard = test::parse(argc, argv).kinds == "hard";
  return test::fuzz(argc, argv, [hard](const auto& space) {
    return [&space, hard]<class T>(T, test::Trial& trial, test::Random& random) {
      try {
        if (hard || test::below(random, 4) == 0) return test::solve_hard<T>(space, trial, random);
        test::solve_one<T>(space, trial, random);
      } catch (const ArgumentError&) {
        trial.end = "refused";  // a format or a preconditioner that doesn't suit the matrix
      }
    };
  });
}
