// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <span>
#include <vector>

#include <ostinato/ostinato.hpp>

// Programs that don't compile. The compiler has to print the sentence above each wrong call, and no other error.
// wrong_programs.cmake compares.

using Vector = std::vector<double>;

struct Diagonal {
  using value_type = double;
  std::size_t rows() const { return 3; }
  std::size_t cols() const { return 3; }
};

struct NotConst : Diagonal {
  void apply(double, std::span<const double>, double, std::span<double>) {}
};

struct NoValueType {
  std::size_t rows() const { return 3; }
  std::size_t cols() const { return 3; }
  void apply(double, std::span<const double>, double, std::span<double>) const {}
};

struct Whole : Diagonal {
  using value_type = int;
  void apply(int, std::span<const int>, int, std::span<int>) const {}
};

struct NoShape {
  using value_type = double;
  void apply(double, std::span<const double>, double, std::span<double>) const {}
};

struct PlainM {};

struct NotConstM {
  void apply(std::span<const double>, std::span<double>) {}
};

void wrong(const ostinato::Host& space, const ostinato::Csr<double>& matrix, const Vector& b, Vector& x) {
  const ostinato::Operator A(space, matrix);
  const ostinato::Jacobi M(space, matrix);
  const ostinato::SolveOptions options;
  const auto f = [](std::span<const double>, std::span<double>) {};

  // the first argument of a solver is the space, an ostinato::Host or Cuda: cg(space, A, b, x, M, options)
  (void)ostinato::cg(A, b, x);
  // the first argument of a solver is the space, an ostinato::Host or Cuda: cg(space, A, b, x, M, options)
  (void)ostinato::gmres(A, b, x, M, options);
  // A is a stored matrix: make an operator of it, ostinato::Operator A(space, matrix)
  (void)ostinato::cg(space, matrix, b, x);
  // A is a function: make_operator<double>(space, n, f) makes an operator of it
  (void)ostinato::minres(space, f, b, x, M);
  // A has no value_type: its class needs 'using value_type = double;', or float
  (void)ostinato::bicgstab(space, NoValueType{}, b, x);
  // the value_type of A is neither float nor double
  (void)ostinato::cg(space, Whole{}, b, x);
  // A has no rows() const and cols() const that give the size of the matrix
  (void)ostinato::cg(space, NoShape{}, b, x);
  // apply() of A isn't const: void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const
  (void)ostinato::solve(space, NotConst{}, b, x, {.rtol = 1e-6});
  // A has no void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const, which sets y = alpha A x + beta y
  (void)ostinato::solve(space, Diagonal{}, b, x, "cg");
  // M is a function: make_preconditioner(f) makes a preconditioner of it
  (void)ostinato::cg(space, A, b, x, f);
  // apply() of M isn't const: void apply(std::span<const T> r, std::span<T> z) const
  (void)ostinato::solve(space, A, b, x, NotConstM{});
  // M has no void apply(std::span<const T> r, std::span<T> z) const for the value_type of A, which sets z = M^-1 r
  (void)ostinato::cg(space, A, b, x, PlainM{}, {.rtol = 1e-6});
  // make_operator: f isn't called as f(std::span<const T> x, std::span<T> y) const; a lambda that is mutable isn't const
  (void)ostinato::make_operator<double>(space, 3, [] {});
  // csr_view: row pointers are std::int64_t and columns std::int32_t; csr_from() copies others
  ostinato::csr_view(3, 3, std::vector<int>(4), std::vector<int>(3), b);
  // csr_from: values are float or double; copy others into one of these
  ostinato::csr_from(3, 3, std::vector<int>(4), std::vector<int>(3), std::vector<int>(3));
  // span_of: the class has no data() and size(), as std::vector and Kokkos::View have them
  ostinato::span_of(space);
}
