// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/ostinato.hpp>
#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>

#include <cstdio>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

// What README.md, docs and CHANGELOG.md promise to users, of what an installed library has. promises.cmake compiles
// this file against the installed headers alone.

namespace {

using Numbers = std::vector<double>;

/// docs/how-to/watch-and-stop.md: Iteration::lanczos.
double condition_by_lanczos(const ostinato::Host& space, const ostinato::Operator<ostinato::Host, double>& A,
                            const Numbers& b, Numbers& x) {
  double condition = 0;
  ostinato::SolveOptions options;
  options.callback = [&condition](const ostinato::Iteration& i) {
    if (i.lanczos != nullptr && !i.lanczos->diagonal.empty())
      condition = eigenvalue(*i.lanczos, i.lanczos->diagonal.size() - 1) / eigenvalue(*i.lanczos, 0);
    return true;
  };
  ostinato::cg(space, A, b, x, options);
  return condition;
}

/// docs/tutorials/matrix-free.md and the description of make_operator().
void functions(const ostinato::Host& space, const Numbers& b, Numbers& x) {
  const auto copy = [](std::span<const double> from, std::span<double> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i];
  };
  const auto A = ostinato::make_operator<double>(space, b.size(), copy, {.positive_definite = true});
  const auto M = ostinato::make_preconditioner(copy);
  const auto wide = ostinato::make_operator<double>(space, b.size(), copy, {.cols = 7, .transposed = copy});
  (void)ostinato::solve(space, A, b, x, M, {.rtol = 1e-10});
  (void)ostinato::lsmr(space, wide, b, x);
}

/// Matrices: files, generators, parts, products, orders.
void matrices(const ostinato::Host& space) {
  ostinato::Csr<double> a = ostinato::generate<double>("poisson2d", {.n = 8});
  ostinato::write_matrix_market("a.mtx", a);
  a = ostinato::read_matrix_market<double>("a.mtx");
  const std::vector<ostinato::Triplet<double>> triplets = {{0, 0, 1.0}};
  (void)ostinato::from_triplets(1, 1, triplets);
  (void)ostinato::transpose(a.view());
  (void)ostinato::canonical(a.view());
  (void)ostinato::renumber<double>(space, a, ostinato::breadth_first_order(a.row_ptr, a.col));
  (void)ostinato::nested_dissection(ostinato::symmetric_graph(a.row_ptr, a.col));
}

/// Preconditioners by class and by name, new values, what is kept and what is predicted.
void preconditioners(const ostinato::Host& space, const ostinato::Csr<double>& a) {
  const ostinato::Analysis analysis(space, a);
  ostinato::Multigrid<ostinato::Host, double> M(
      analysis, {.kind = ostinato::MultigridKind::classical, .reuse = ostinato::MultigridReuse::interpolation});
  M.update_values(analysis, ostinato::same_pattern);
  std::printf("%g %zu %s\n", M.rate(), M.levels().size(), M.remarks().c_str());
  const ostinato::AnyPreconditioner<ostinato::Host, double> any(analysis, "ilut:drop=1e-4", {}, std::size_t{1} << 30);
  (void)any.prediction();
  const ostinato::Ilut<ostinato::Host, double> ilut(analysis);
  const ostinato::CompleteCholesky<ostinato::Host, double> cholesky(analysis);
  (void)ostinato::predict_memory(analysis);
  (void)ostinato::examine(analysis).definiteness;
}

/// Solvers with all that they can be told, and what they say.
void solves(const ostinato::Host& space, const ostinato::Csr<double>& a, const Numbers& b, Numbers& x,
            const std::stop_token& stop) {
  ostinato::Operator A(space, a, {.format = "csr", .tune = ostinato::Tune::off});
  ostinato::TransposableOperator both(space, a);
  ostinato::RecycledSpace kept;
  const ostinato::SolveResult result =
      ostinato::gcrodr(space, A, b, x, ostinato::Identity(), {.rtol = 1e-10, .recycled = &kept, .stop = stop});
  std::printf("%s %g %g %d\n", result.message().c_str(), result.backward_error, result.gradient,
              static_cast<int>(result.stages.size()));
  (void)ostinato::lsmr(space, both, b, x);
  (void)ostinato::solve(space, A, b, x, "auto", {.mem_limit = 1u << 30, .effort = ostinato::Effort::quick});
  (void)A.update_values(a);
  (void)A.update_values(a.view(), ostinato::same_pattern);
}

/// A problem on a grid.
void grids(const ostinato::Host& space, const Numbers& b, Numbers& x) {
  ostinato::StencilOperator A(space, ostinato::generate_stencil("poisson2d", {.n = 16}).value());
  ostinato::Multigrid<ostinato::Host, double> M(A);
  (void)ostinato::cg(space, A, b, x, M);
}

}  // namespace

int main() {
  const ostinato::Host space;
  const ostinato::Csr<double> a = ostinato::generate<double>("poisson2d", {.n = 16});
  const ostinato::Operator A(space, a);
  const Numbers b(static_cast<std::size_t>(a.rows), 1.0);
  Numbers x(b.size(), 0.0);
  std::printf("%g\n", condition_by_lanczos(space, A, b, x));
  functions(space, b, x);
  matrices(space);
  preconditioners(space, a);
  solves(space, a, b, x, {});
  grids(space, b, x);
}
