// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <complex>
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

template <class R>
using Values = std::vector<std::complex<R>>;

template <class R>
struct Complex : Diagonal {
  using value_type = std::complex<R>;
  void apply(value_type, std::span<const value_type>, value_type, std::span<value_type>) const {}
};

struct NoShape {
  using value_type = double;
  void apply(double, std::span<const double>, double, std::span<double>) const {}
};

/// As Eigen::SparseMatrix and Eigen::VectorXd, and Kokkos::View.
struct EigenMatrix {
  long rows() const;
  long cols() const;
  const int* outerIndexPtr() const;
  const double* valuePtr() const;
};

struct EigenVector {
  double* data();
  const double* data() const;
  long size() const;
};

struct View {
  using value_type = double;
  double* data() const;
  std::size_t size() const;
};

struct PlainM {};

struct NotConstM {
  void apply(std::span<const double>, std::span<double>) {}
};

void wrong(const ostinato::Host& space, const ostinato::Csr<double>& matrix, const Vector& b, Vector& x) {
  std::vector<float> single(3);
  const View view;
  Values<float> v(3);
  Values<double> z(3);
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
  // A is an Eigen::SparseMatrix: make an operator of it, ostinato::Operator A(space, csr_from(matrix))
  (void)ostinato::cg(space, EigenMatrix{}, b, x);
  // A is a function: make_operator<double>(space, n, f) makes an operator of it
  (void)ostinato::minres(space, f, b, x, M);
  // A has no value_type: its class needs 'using value_type = double;', or float
  (void)ostinato::bicgstab(space, NoValueType{}, b, x);
  // the value_type of A is neither float nor double
  (void)ostinato::cg(space, Whole{}, b, x);
  // A holds complex values, which only ostinato::cg, bicgstab and gmres take
  (void)ostinato::minres(space, Complex<double>{}, Values<double>(3), z);
  // A holds complex values, which only ostinato::cg, bicgstab and gmres take
  (void)ostinato::solve(space, Complex<float>{}, Values<float>(3), v);
  // A is a function: make_operator<double>(space, n, f) makes an operator of it
  (void)ostinato::LinearSolver(space, [](std::span<const double>, std::span<double>) {});
  // b is a pointer: pass std::span(b, n), which knows the length
  (void)ostinato::solve(matrix, x.data(), {.rtol = 1e-6});
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
  // b holds values of another type than A: A, b and x hold float, or all hold double
  (void)ostinato::cg(space, A, single, x, M);
  // x holds values of another type than A: A, b and x hold float, or all hold double
  (void)ostinato::solve(space, A, b, single, "cg", {.rtol = 1e-6});
  // x is const, but a solver writes the solution to x
  (void)ostinato::cg(space, A, b, b, {.rtol = 1e-6});
  // x is a temporary object, which ends with the solution: give x a name
  (void)ostinato::solve(space, A, b, Vector(3), M);
  // b is a vector of another library: pass ostinato::span_of(b)
  (void)ostinato::cg(space, A, EigenVector{}, x);
  // x is a vector of another library: pass ostinato::span_of(x)
  (void)ostinato::solve(space, A, b, view, M, "cg");
  // b is a pointer: pass std::span(b, n), which knows the length
  (void)ostinato::gmres(space, A, b.data(), x, M, {.restart = 30});
  // b is no vector: pass a std::vector, std::span or ostinato::Vector
  (void)ostinato::solve(space, A, 1.0, x);
  // an option is of another method: restart is of gmres and gcrodr, recycle and recycled of gcrodr, flexible of gmres, shadow of idr, mixed of cg; effort, prepare and symmetric are of solve()
  (void)ostinato::cg(space, A, b, x, M, {.rtol = 1e-6, .restart = 30});
  // what follows M has to be SolveOptions, as in {.rtol = 1e-10}
  (void)ostinato::cg(space, A, b, x, M, 1e-10);
  // the matrix is no ostinato::Csr or CsrView: csr_from(matrix) makes one of an Eigen::SparseMatrix, csr_from() and csr_view() of arrays
  const ostinato::Operator B(space, EigenMatrix{});
  // the matrix is no ostinato::Csr or CsrView: csr_from(matrix) makes one of an Eigen::SparseMatrix, csr_from() and csr_view() of arrays
  const ostinato::Jacobi N(space, b);
  // make_operator: f isn't called as f(std::span<const T> x, std::span<T> y) const; a lambda that is mutable isn't const
  (void)ostinato::make_operator<double>(space, 3, [] {});
  // csr_view: row pointers are std::int64_t and columns std::int32_t; csr_from() copies others
  ostinato::csr_view(3, 3, std::vector<int>(4), std::vector<int>(3), b);
  // csr_from: values are float or double; copy others into one of these
  ostinato::csr_from(3, 3, std::vector<int>(4), std::vector<int>(3), std::vector<int>(3));
  // span_of: the class has no data() and size(), as std::vector and Kokkos::View have them
  ostinato::span_of(space);
}
