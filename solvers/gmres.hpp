// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include <ostinato/preconditioners/identity.hpp>
#include <ostinato/solvers/hessenberg.hpp>
#include <ostinato/solvers/restarts.hpp>

namespace ostinato {

namespace detail {

/// The Krylov space of one GMRES solve, in the memory of the space.
template <class Space, class T>
struct Arnoldi {
  Space space;
  std::size_t n;
  int size;       ///< columns that fit
  bool flexible;  ///< keeps z = M^-1 v of each column, too
  Out<T> v;       ///< basis: n x (size + 1), by columns
  Out<T> z;       ///< n, or n x size when flexible
  Out<T> h;       ///< Hessenberg columns, size + 2 apart
  Out<T> again;   ///< the second projection
  double* ww;

  Arnoldi(const Space& on, std::size_t rows, int columns, bool keep_z, bool preconditioned, Workspace<Space>& workspace)
      : space(on),
        n(rows),
        size(columns),
        flexible(keep_z && preconditioned),
        v(workspace.template take<T>(rows * (width(columns) + 1))),
        z(workspace.template take<T>(flexible         ? rows * width(columns)
                                     : preconditioned ? rows
                                                      : 0)),
        h(workspace.template take<T>((width(columns) + 2) * width(columns))),
        again(workspace.template take<T>(width(columns) + 1)),
        ww(workspace.put(0.0)) {}

  static std::size_t width(int columns) { return static_cast<std::size_t>(columns); }
  Out<T> basis(int j) const { return v.subspan(width(j) * n, n); }
  Out<T> preconditioned(int j) const { return flexible ? z.subspan(width(j) * n, n) : z; }
  T* column(int j) const { return h.data() + width(j) * (width(size) + 2); }

  /// Column j of the space: w = A M^-1 v(j), made orthogonal to v(0) .. v(j) twice over, becomes v(j + 1).
  template <class A, class M>
  void step(const A& a, const M& m, int j) const {
    const Out<T> w = basis(j + 1);
    if constexpr (is_identity<M>) {
      a.apply(T{1}, basis(j), T{0}, w);  // w = A v(j)
    } else {
      m.apply(basis(j), preconditioned(j));       // z = M^-1 v(j)
      a.apply(T{1}, preconditioned(j), T{0}, w);  // w = A z
    }
    project<T>(space, j + 1, v.data(), w, column(j));      // h = V^T w
    subtract<T>(space, j + 1, v.data(), column(j), w);     // w -= V h
    project<T>(space, j + 1, v.data(), w, again.data());   // again = V^T w
    subtract<T>(space, j + 1, v.data(), again.data(), w);  // w -= V again
    accumulate<T>(space, j + 1, again.data(), column(j));  // h += again
    dot<T>(space, w, w, ww);
    normalise<T>(space, ww, w, column(j) + j + 1);  // h(j + 1) = |w|;  v(j + 1) = w / |w|
  }

  /// Takes the columns from least_squares.columns() up to `end` from the device into the least squares problem, as long
  /// as the recurrence runs.
  void absorb(int end, Hessenberg& least_squares, Progress& progress) const {
    const int first = least_squares.columns();
    const std::size_t stride = width(size) + 2;
    std::vector<T> host(width(end - first) * stride);
    space.download(host.data(), column(first), host.size() * sizeof(T));
    for (int j = first; j < end && progress.running(); ++j) {
      const T* from = host.data() + width(j - first) * stride;
      const double norm =
          least_squares.absorb(std::vector<double>(from, from + j + 2), 4 * std::numeric_limits<T>::epsilon());
      progress.record(norm * norm);
      if (progress.state == Progress::not_a_number || least_squares.singular()) {
        if (least_squares.singular()) progress.state = Progress::broke_down;
        least_squares.drop();
      }
    }
  }

  /// x += M^-1 V y
  template <class M>
  void correct(const M& m, const Hessenberg& least_squares, Out<T> x) const {
    const std::vector<double> y = least_squares.solve();
    if (y.empty()) return;
    const std::vector<T> rounded(y.begin(), y.end());
    space.upload(again.data(), rounded.data(), rounded.size() * sizeof(T));
    const int columns = least_squares.columns();
    if constexpr (is_identity<M>) {
      combine<T>(space, columns, v.data(), again.data(), x);
    } else if (flexible) {
      combine<T>(space, columns, z.data(), again.data(), x);
    } else {
      const Out<T> t = basis(size);  // behind the columns in use
      space.zero(t.data(), t.size_bytes());
      combine<T>(space, columns, v.data(), again.data(), t);
      m.apply(t, z);
      const T one = T{1};
      space.upload(again.data(), &one, sizeof one);
      combine<T>(space, 1, z.data(), again.data(), x);
    }
  }
};

}  // namespace detail

/// Solves A x = b by restarted GMRES, preconditioned from the right, so that the residual watched is that of A x = b.
/// With options.flexible the preconditioned basis is kept (FGMRES), and M may differ from step to step.
///
/// Shapes    A: n x n, any that is regular.  b, x: n, in the memory of `space`. x comes in with the initial guess.
/// Traffic   Step j of a cycle applies A and M once and reads the basis four times: 4 (j + 1) n sizeof(T).
/// Exec      Allocates at entry: (restart + 2) n sizeof(T), as much again for FGMRES. Classical Gram-Schmidt, done
///           twice, on matrix-vector products (cuBLAS on Cuda); the least squares problem is on the host, which reads
///           the columns whenever the monitor looks.
/// Throws    DimensionError when A isn't square or the vectors don't fit; what A and M throw.
/// Source    Saad & Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856; FGMRES: Saad, SIAM J. Sci. Comput. 14 (1993) 461.
template <class Space, LinearOperator A, class M = Identity, class T = typename A::value_type>
requires Preconditioner<M, T> SolveResult gmres(const Space& space, const A& a, In<T> b, Out<std::type_identity_t<T>> x,
                                                const M& m = {}, const SolveOptions& options = {}) {
  const std::size_t n = b.size();
  const int size =
      static_cast<int>(std::clamp<std::size_t>(n, 1, static_cast<std::size_t>(std::max(options.restart, 1))));
  Workspace<Space> workspace(space);
  const detail::Arnoldi<Space, T> krylov(space, n, size, options.flexible, !is_identity<M>, workspace);

  return solve_with_restarts<T>(
      "gmres", true, space, a, b, x, options, workspace, [&](Out<T> r, double*, double norm, auto& monitor) {
        monitor.start(norm);
        Progress progress = monitor.host_progress();
        Hessenberg least_squares(norm);
        scale<T>(space, static_cast<T>(1 / norm), r, krylov.basis(0));  // v(0) = r / |r|
        int j = 0;
        while (monitor.pause() == Pause::none) {
          krylov.step(a, m, j++);
          const bool full = j == size || monitor.iterations() + j - least_squares.columns() >= options.max_iterations;
          if (!full && j % monitor.every() != 0) continue;
          krylov.absorb(j, least_squares, progress);
          monitor.observe(progress);
          if (full && monitor.pause() == Pause::none) monitor.pause(Pause::restart);
        }
        krylov.correct(m, least_squares, x);  // x += M^-1 V y
      });
}

}  // namespace ostinato
