// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/gmres.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include <ostinato/solvers/gmres_steps.hpp>
#include <ostinato/solvers/hessenberg.hpp>
#include <ostinato/solvers/restarts.hpp>
#include <ostinato/spmv/space/multi_vector.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

namespace {

/// The Krylov basis of one GMRES solve and the coefficients of its orthogonalisation, in the memory of the space.
template <class Space, class T>
struct Arnoldi {
  Space space;
  const OperatorRef<Space, T>& a;
  const PreconditionerRef<Space, T>& m;
  std::size_t n;
  int size;       ///< largest number of columns
  bool flexible;  ///< keeps z = M^-1 v of each column (FGMRES)
  Out<T> v;       ///< basis: n x (size + 1), by columns
  Out<T> z;       ///< n elements, or n x size when flexible
  Out<T> h;       ///< Hessenberg columns with a stride of size + 2
  Out<T> again;   ///< coefficients of the second orthogonalisation
  double* ww;

  Arnoldi(const Space& on, const OperatorRef<Space, T>& matrix, const PreconditionerRef<Space, T>& preconditioner,
          int columns, bool keep_z, Workspace<Space>& workspace)
      : space(on),
        a(matrix),
        m(preconditioner),
        n(matrix.rows()),
        size(columns),
        flexible(keep_z && !m.is_identity()),
        v(workspace.template allocate<T>(n * (width(columns) + 1))),
        z(workspace.template allocate<T>(flexible          ? n * width(columns)
                                         : m.is_identity() ? 0
                                                           : n)),
        h(workspace.template allocate<T>((width(columns) + 2) * width(columns))),
        again(workspace.template allocate<T>(width(columns) + 1)),
        ww(workspace.emplace(0.0)) {
    space.zero(h.data(), h.size_bytes());  // absorb() downloads whole columns, with the elements below their last
  }

  static std::size_t width(int columns) { return static_cast<std::size_t>(columns); }
  Out<T> basis(int j) const { return v.subspan(width(j) * n, n); }
  Out<T> preconditioned(int j) const { return flexible ? z.subspan(width(j) * n, n) : z; }
  T* column(int j) const { return h.data() + width(j) * (width(size) + 2); }

  /// Computes column j: w = A M^-1 v(j), orthogonalised twice against v(0) .. v(j) and normalised, becomes v(j + 1).
  void step(int j) const {
    const Out<T> w = basis(j + 1);
    if (m.is_identity()) {
      a.apply(basis(j), w);  // w = A v(j)
    } else {
      m.apply(basis(j), preconditioned(j));  // z = M^-1 v(j)
      a.apply(preconditioned(j), w);         // w = A z
    }
    project<T>(space, j + 1, v.data(), w, column(j));      // h = V^T w
    subtract<T>(space, j + 1, v.data(), column(j), w);     // w -= V h
    project<T>(space, j + 1, v.data(), w, again.data());   // again = V^T w
    subtract<T>(space, j + 1, v.data(), again.data(), w);  // w -= V again
    accumulate<T>(space, j + 1, again.data(), column(j));  // h += again
    dot<T>(space, w, w, ww);
    normalise<T>(space, ww, w, column(j) + j + 1);  // h(j + 1) = |w|;  v(j + 1) = w / |w|
  }

  /// Copies Hessenberg columns least_squares.columns() .. end - 1 to the host and adds them to the least squares
  /// problem, until the recurrence stops. Waits for the copy.
  void absorb(int end, Hessenberg& least_squares, ConvergenceState& state) const {
    const int first = least_squares.columns();
    const std::size_t stride = width(size) + 2;
    std::vector<T> host(width(end - first) * stride);
    space.download(host.data(), column(first), host.size() * sizeof(T));
    for (int j = first; j < end && state.running(); ++j) {
      const T* from = host.data() + width(j - first) * stride;
      const double norm =
          least_squares.absorb(std::vector<double>(from, from + j + 2), 4 * std::numeric_limits<T>::epsilon());
      state.record(norm * norm);
      if (state.state == ConvergenceState::not_a_number || least_squares.singular()) {
        if (least_squares.singular()) state.break_down(1, 0);
        least_squares.drop();
      }
    }
  }

  /// x += M^-1 V y
  void correct(const Hessenberg& least_squares, Out<T> x) const {
    const std::vector<double> y = least_squares.solve();
    if (y.empty()) return;
    const std::vector<T> rounded(y.begin(), y.end());
    space.upload(again.data(), rounded.data(), rounded.size() * sizeof(T));
    const int columns = least_squares.columns();
    if (m.is_identity()) {
      combine<T>(space, columns, v.data(), again.data(), x);
    } else if (flexible) {
      combine<T>(space, columns, z.data(), again.data(), x);
    } else {
      const Out<T> t = basis(size);  // free for use: the sum below ends before v(size)
      space.zero(t.data(), t.size_bytes());
      combine<T>(space, columns, v.data(), again.data(), t);
      m.apply(t, z);
      const T one = T{1};
      space.upload(again.data(), &one, sizeof one);
      combine<T>(space, 1, z.data(), again.data(), x);
    }
  }
};

}  // namespace

template <class Space, class T>
SolveResult Gmres::run(const Space& space, const OperatorRef<Space, T>& given, In<T> b, Out<T> x,
                       const PreconditionerRef<Space, T>& preconditioner, const SolveOptions& options) {
  Workspace<Space> workspace(space);
  const ScaledSystem<Space, T> system(name, space, given, b, x, preconditioner, workspace);
  const OperatorRef<Space, T>& a = system.a();
  const PreconditionerRef<Space, T>& m = system.m();
  const int size =
      static_cast<int>(std::clamp<std::size_t>(a.rows(), 1, static_cast<std::size_t>(std::max(options.restart, 1))));
  const Arnoldi<Space, T> krylov(space, a, m, size, options.flexible, workspace);

  const auto recurrence = [&](Out<T> r, double*, double norm, Monitor<Space>& monitor) {
    monitor.start(norm);
    ConvergenceState state = monitor.host_state();
    Hessenberg least_squares(norm);
    scale<T>(space, static_cast<T>(1 / norm), r, krylov.basis(0));  // v(0) = r / |r|
    int j = 0;
    while (monitor.reason() == StopReason::none) {
      krylov.step(j++);
      const bool full = j == size || monitor.iterations() + j - least_squares.columns() >= options.max_iterations;
      if (!full && j % monitor.every() != 0) continue;
      krylov.absorb(j, least_squares, state);
      monitor.update(state);
      if (full && monitor.reason() == StopReason::none) monitor.stop(StopReason::restart);
    }
    krylov.correct(least_squares, x);  // x += M^-1 V y
  };
  return solve_with_restarts<Gmres>(system, x, options, workspace, recurrence);
}

std::string Gmres::breakdown_text(int, double, const std::string& when) {
  return "the Krylov space is complete " + when + " and holds no solution: A is singular or nearly so";
}

#define OSTINATO_INSTANTIATE(Space, T)                                                       \
  template SolveResult Gmres::run(const Space&, const OperatorRef<Space, T>&, In<T>, Out<T>, \
                                  const PreconditionerRef<Space, T>&, const SolveOptions&)
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato
