// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/spectrum.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <ostinato/spmv/dense/tridiagonal.hpp>

namespace ostinato {

namespace {

using Numbers = std::vector<double>;

/// R A C, and its transpose, as products with A.
class ScaledMatrix {
 public:
  ScaledMatrix(const CsrView<double>& a, std::span<const double> row_scale, std::span<const double> col_scale)
      : a_(a), row_scale_(row_scale), col_scale_(col_scale) {}

  /// y = R A C x - beta y
  void apply(const Numbers& x, double beta, Numbers& y) {
    scaled_.resize(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) scaled_[j] = col_scale_.empty() ? x[j] : col_scale_[j] * x[j];
    for (std::size_t i = 0; i < y.size(); ++i) {
      double total = 0;
      for (std::size_t k = begin(i); k < begin(i + 1); ++k)
        total += a_.val[k] * scaled_[static_cast<std::size_t>(a_.col[k])];
      y[i] = (row_scale_.empty() ? total : row_scale_[i] * total) - beta * y[i];
    }
  }

  /// y = (R A C)^T x - beta y
  void apply_transposed(const Numbers& x, double beta, Numbers& y) {
    scaled_.assign(y.size(), 0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double factor = row_scale_.empty() ? x[i] : row_scale_[i] * x[i];
      for (std::size_t k = begin(i); k < begin(i + 1); ++k)
        scaled_[static_cast<std::size_t>(a_.col[k])] += a_.val[k] * factor;
    }
    for (std::size_t j = 0; j < y.size(); ++j)
      y[j] = (col_scale_.empty() ? scaled_[j] : col_scale_[j] * scaled_[j]) - beta * y[j];
  }

 private:
  std::size_t begin(std::size_t row) const { return static_cast<std::size_t>(a_.row_ptr[row]); }

  const CsrView<double>& a_;
  std::span<const double> row_scale_, col_scale_;
  Numbers scaled_;
};

double dot(const Numbers& x, const Numbers& y) {
  double total = 0;
  for (std::size_t i = 0; i < x.size(); ++i) total += x[i] * y[i];
  return total;
}

/// y -= a x
void subtract(double a, const Numbers& x, Numbers& y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] -= a * x[i];
}

/// Divides x by its norm, which is returned. A norm of 0 leaves x as it is.
double normalise(Numbers& x) {
  const double norm = std::sqrt(dot(x, x));
  if (norm == 0) return 0;
  for (double& value : x) value /= norm;
  return norm;
}

/// A fixed vector of length 1 without an order that a matrix might share: xorshift64.
Numbers random_vector(std::size_t n) {
  Numbers x(n);
  std::uint64_t state = 0x9e3779b97f4a7c15;
  for (double& value : x) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    value = static_cast<double>(state >> 11) * 0x1p-52 - 1;
  }
  normalise(x);
  return x;
}

/// Up to so many elements, vectors are kept and made orthogonal to those before.
constexpr std::size_t most_kept = 500;

/// The vectors so far of a Krylov method for a small matrix; of a large one, none.
class Basis {
 public:
  void add(const Numbers& v) {
    if (v.size() <= most_kept) vectors_.push_back(v);
  }

  /// Makes x orthogonal to all vectors.
  void project_out(Numbers& x) const {
    for (const Numbers& v : vectors_) subtract(dot(v, x), v, x);
  }

 private:
  std::vector<Numbers> vectors_;
};

/// The Lanczos method for S A S from a vector of length 1.
class Lanczos {
 public:
  Lanczos(const CsrView<double>& a, std::span<const double> scale, Numbers first)
      : matrix_(a, scale, scale), v_(std::move(first)), next_(v_.size(), 0.0) {}

  /// `orthogonal`: also to the vectors of the steps before, where the matrix is small.
  void step(bool orthogonal) {
    if (orthogonal) basis_.add(v_);
    matrix_.apply(v_, beta_, next_);  // next_ holds the vector before v_
    alpha_ = dot(v_, next_);
    subtract(alpha_, v_, next_);
    basis_.project_out(next_);
    beta_ = normalise(next_);
    std::swap(v_, next_);
  }

  double alpha() const { return alpha_; }       ///< of the tridiagonal matrix: on the diagonal
  double beta() const { return beta_; }         ///< and beside it
  const Numbers& vector() const { return v_; }  ///< of the step to come

 private:
  Basis basis_;
  ScaledMatrix matrix_;
  Numbers v_, next_;
  double alpha_ = 0, beta_ = 0;
};

bool is_near(double now, double before, double share) { return std::abs(now - before) <= share * std::abs(now); }

/// Eigenvalues `first` and the last of the leading part of t.
SpectrumEnds ends_of(Tridiagonal t, std::size_t size, std::size_t first) {
  t.diagonal.resize(size);
  t.beside.resize(size);
  return {eigenvalue(t, first), eigenvalue(t, size - 1), 0, false};
}

bool are_near(const SpectrumEnds& now, const SpectrumEnds& before, double share) {
  return is_near(now.smallest, before.smallest, share) && is_near(now.largest, before.largest, share);
}

constexpr double settled_share = 0.05;

/// Whether more steps would change nothing: asked after 64, 128, 256, ... steps. `parts` are the elements of t a step.
bool has_converged(const Tridiagonal& t, std::size_t parts) {
  constexpr double share = 1e-6;
  const std::size_t size = t.diagonal.size(), steps = size / parts;
  if (steps < 64 || (steps & (steps - 1)) != 0) return false;
  const std::size_t half = size / 2;
  return are_near(ends_of(t, size, parts == 1 ? 0 : steps), ends_of(t, half, parts == 1 ? 0 : steps / 2), share);
}

/// An eigenvector of t for its smallest eigenvalue, by inverse iteration from just below it, where all pivots of t are
/// positive.
Numbers lowest_vector(const Tridiagonal& t) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const std::size_t n = t.diagonal.size();
  double size = 0;
  for (std::size_t k = 0; k < n; ++k) size = std::max({size, std::abs(t.diagonal[k]), std::abs(t.beside[k])});
  const double shift = eigenvalue(t, 0) - 8 * eps * size;
  Numbers pivot(n), x = random_vector(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double before = k == 0 ? 0 : t.beside[k - 1] / pivot[k - 1] * t.beside[k - 1];
    pivot[k] = std::max(t.diagonal[k] - shift - before, eps * size);
  }
  for (int pass = 0; pass < 3; ++pass) {
    for (std::size_t k = 1; k < n; ++k) x[k] -= t.beside[k - 1] / pivot[k - 1] * x[k - 1];
    for (std::size_t k = n; k-- > 0;) {
      if (k + 1 < n) x[k] -= t.beside[k] * x[k + 1];
      x[k] /= pivot[k];
    }
    normalise(x);
  }
  return x;
}

/// Below this, the rest of a vector is rounding alone: the vectors so far span all that the first one is made of.
double nothing(std::size_t n, double size) {
  return std::numeric_limits<double>::epsilon() * std::sqrt(static_cast<double>(n)) * size;
}

/// Steps with vectors that are kept: as many as there are elements span all of them. Without, a vector loses what it
/// knew of those before, so that further steps may still find more.
std::size_t useful_steps(std::size_t elements, int most_steps) {
  const auto most = static_cast<std::size_t>(std::max(0, most_steps));
  return elements <= most_kept ? std::min(elements, most) : most;
}

struct LanczosRun {
  Tridiagonal t;
  bool ended = false;  ///< more steps would change nothing
};

/// Some steps of the Lanczos method; none where numbers overflow.
LanczosRun run_lanczos(const CsrView<double>& a, std::span<const double> scale, int most_steps) {
  const auto n = static_cast<std::size_t>(a.rows);
  const std::size_t most = useful_steps(n, most_steps);
  Lanczos lanczos(a, scale, random_vector(n));
  LanczosRun run;
  double size = 0;
  while (!run.ended && run.t.diagonal.size() < most) {
    lanczos.step(true);
    size = std::max({size, std::abs(lanczos.alpha()), lanczos.beta()});
    if (!std::isfinite(size)) return {};
    run.t.diagonal.push_back(lanczos.alpha());
    run.t.beside.push_back(lanczos.beta());
    run.ended = lanczos.beta() <= nothing(n, size) || has_converged(run.t, 1);
  }
  run.ended |= run.t.diagonal.size() == n && n <= most_kept;
  return run;
}

}  // namespace

SpectrumEnds eigenvalue_ends(const CsrView<double>& a, std::span<const double> scale, int most_steps) {
  const LanczosRun run = run_lanczos(a, scale, most_steps);
  const std::size_t steps = run.t.diagonal.size();
  if (steps == 0) return {};
  SpectrumEnds ends = ends_of(run.t, steps, 0);
  ends.steps = static_cast<int>(steps);
  ends.settled = run.ended || (steps > 1 && are_near(ends, ends_of(run.t, steps / 2, 0), settled_share));
  return ends;
}

std::vector<double> lowest_ritz_vector(const CsrView<double>& a, std::span<const double> scale, int most_steps) {
  const Tridiagonal t = run_lanczos(a, scale, most_steps).t;
  if (t.diagonal.empty()) return {};
  Lanczos lanczos(a, scale, random_vector(static_cast<std::size_t>(a.rows)));  // takes the same steps again
  Numbers x(static_cast<std::size_t>(a.rows), 0.0);
  for (const double share : lowest_vector(t)) {
    subtract(-share, lanczos.vector(), x);
    lanczos.step(true);
  }
  return x;
}

std::optional<int> cg_iterations(const CsrView<double>& a, std::span<const double> scale, double rtol, int most_steps) {
  const auto n = static_cast<std::size_t>(a.rows);
  Numbers r(n, 0.0);
  ScaledMatrix(a, scale, {}).apply(random_vector(n), 0, r);
  if (normalise(r) == 0) return 0;
  Lanczos lanczos(a, scale, std::move(r));
  double pivot = 1, residual = 1;
  for (int k = 1; k <= most_steps; ++k) {
    const double before = lanczos.beta();
    lanczos.step(false);  // as CG, which loses orthogonality, too
    pivot = lanczos.alpha() - before * before / pivot;
    residual *= lanczos.beta() / std::abs(pivot);
    if (!std::isfinite(residual)) return {};
    if (residual <= rtol) return k;
  }
  return {};
}

SpectrumEnds singular_value_ends(const CsrView<double>& a, std::span<const double> row_scale,
                                 std::span<const double> col_scale, int most_steps) {
  if (a.rows < a.cols) {
    const Csr<double> mirrored = transpose(a, checked);
    return singular_value_ends(mirrored.view(), col_scale, row_scale, most_steps);
  }
  const auto rows = static_cast<std::size_t>(a.rows), cols = static_cast<std::size_t>(a.cols);
  if (cols == 0 || most_steps < 1) return {};
  ScaledMatrix matrix(a, row_scale, col_scale);
  Basis left, right;
  Numbers v = random_vector(cols), u(rows, 0.0);
  // The bidiagonal matrix B as [0 B; B^T 0] with rows and columns in turn, whose eigenvalues are those of B in size.
  Tridiagonal t;
  double beta = 0, size = 0;
  bool ended = false;
  const std::size_t most = useful_steps(cols, most_steps);
  while (!ended && t.diagonal.size() < 2 * most) {
    right.add(v);
    matrix.apply(v, beta, u);
    left.project_out(u);
    const double alpha = normalise(u);
    left.add(u);
    matrix.apply_transposed(u, alpha, v);
    right.project_out(v);
    beta = normalise(v);
    size = std::max({size, alpha, beta});
    if (!std::isfinite(size)) return {};
    t.diagonal.insert(t.diagonal.end(), {0, 0});
    t.beside.insert(t.beside.end(), {alpha, beta});
    ended = beta <= nothing(cols, size) || has_converged(t, 2);
  }
  const std::size_t steps = t.diagonal.size() / 2;
  SpectrumEnds ends = ends_of(t, 2 * steps, steps);
  ends.smallest = std::max(ends.smallest, 0.0);
  ends.steps = static_cast<int>(steps);
  ended |= steps == cols && cols <= most_kept;
  ends.settled = ended || (steps > 1 && are_near(ends, ends_of(t, steps / 2 * 2, steps / 2), settled_share));
  return ends;
}

}  // namespace ostinato
