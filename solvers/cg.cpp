// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/cg.hpp>

#include <utility>

#include <ostinato/solvers/cg_steps.hpp>
#include <ostinato/solvers/instantiate.hpp>
#include <ostinato/solvers/restarts.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

// How the methods write their loops. Scalars (pq, rz) are slots in the memory of the space: one step writes a slot, the
// next step reads the slot, and the host doesn't wait. The comment beside a step is its formula. The step that computes
// the residual norm records the norm in `state`. The state stops the recurrence by itself: later steps change nothing.
// GraphCapture may replay a block of iterations from a CUDA graph, so at the end of a block every scalar has to be in
// the slot where it was at the start. Hence blocks are multiples of Cg::period.
template <class Space, class T>
SolveResult Cg::run(const Space& space, const OperatorRef<Space, T>& given, In<T> b, Out<T> x,
                    const PreconditionerRef<Space, T>& preconditioner, const SolveOptions& options) {
  Workspace<Space> workspace(space);
  const ScaledSystem<Space, T> system(name, space, given, b, x, preconditioner, workspace);
  const OperatorRef<Space, T>& a = system.a();
  const PreconditionerRef<Space, T>& m = system.m();
  const std::size_t n = b.size();
  const Out<T> p = workspace.template allocate<T>(n), q = workspace.template allocate<T>(n);
  Out<T> z = m.is_identity() ? Out<T>{} : workspace.template allocate<T>(n);
  const double sign_a = a.structure() != nullptr && a.structure()->negative_diagonal ? -1 : 1;
  double* pq = workspace.emplace(0.0);
  double* rz = workspace.emplace(0.0);
  double* rz_new = workspace.emplace(0.0);
  double* zq = m.varies() ? workspace.emplace(0.0) : nullptr;

  const auto recurrence = [&](Out<T> r, double* rr, double norm, Monitor<Space>& monitor) {
    if (m.is_identity()) z = r;
    GraphCapture<Space> run_block(space, monitor.every(), Cg::period, a.capturable() && m.capturable());
    ConvergenceState* state = monitor.start(norm);
    m.apply_dot(space, r, z, rz);  // z = M^-1 r;  rz = r . z
    copy<T>(space, z, p);          // p = z
    const double sign_m = sign_a < 0 && read_scalar(space, rz) < 0 ? -1 : 1;
    const auto iterate = [&] {
      a.apply_dot(space, p, q, p, pq);  // q = A p;  pq = p . q
      if (m.is_identity()) {
        update_r<T>(space, rz, pq, q, r, rz_new, state, sign_a,
                    sign_m);  // alpha = rz / pq;  r -= alpha q;  rz_new = r . r
      } else {
        update_r<T>(space, rz, pq, q, r, rr, state, sign_a, sign_m);  // alpha = rz / pq;  r -= alpha q;  rr = r . r
        m.apply_dot(space, r, z, rz_new);                             // z = M^-1 r;  rz_new = r . z
        if (zq != nullptr) dot<T>(space, z, q, zq);                   // M varies:  zq = z . q
      }
      // x += alpha p;  p = z + beta p, where beta = rz_new / rz, or -zq / pq where M varies
      update_x_p<T>(space, rz, pq, rz_new, zq, z, x, p, state);
      std::swap(rz, rz_new);
    };
    while (monitor.next()) run_block(a.revision(), iterate);
    monitor.finish();
  };
  SolveResult result = solve_with_restarts<Cg>(system, x, options, workspace, recurrence);
  if (sign_a < 0) result.notes.emplace_back("the diagonal of A is negative: cg solved -A x = -b");
  return result;
}

std::string Cg::breakdown_text(int cause, double number, const std::string& when) {
  if (cause == Curvature::of_m) {
    return "r . M^-1 r = " + short_text(number) + " " + when + ": the preconditioner isn't " +
           (number < 0   ? "positive definite"
            : number > 0 ? "negative definite"
                         : "definite");
  }
  return "p . A p = " + short_text(number) + " " + when + ": A isn't " +
         (number > 0 ? "negative definite" : "positive definite");
}

OSTINATO_INSTANTIATE_METHOD(Cg)

}  // namespace ostinato
