// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <ostinato/solvers/solver.hpp>

namespace ostinato {

/// What GCRO-DR has found out about A M^-1, for later solves with the same matrix or one that changes slowly: pass a
/// pointer to one object with each solve, as SolveOptions::recycled. The solve begins with what is there and leaves
/// what is there at its end. Nothing has to be said when A or M has changed: one product shows that, and the images of
/// the kept vectors are then computed anew. A solve for another number of rows, in another precision or on another
/// stream begins without, and a note says so.
///
/// Limits    Serves one solve at a time. Its memory, twice `recycle` vectors, is that of the space of the last solve.
class RecycledSpace {
 public:
  int vectors() const { return contents_ ? contents_->vectors : 0; }
  std::size_t bytes() const { return contents_ ? contents_->bytes : 0; }
  void clear() { contents_.reset(); }

 private:
  friend struct Gcrodr;
  struct Contents {
    virtual ~Contents() = default;
    int vectors = 0;
    std::size_t bytes = 0;
  };
  template <class Space, class T>
  struct Kept;
  std::unique_ptr<Contents> contents_;
};

/// Solves A x = b by GCRO with deflated restarting, preconditioned from the right, so that the monitored residual is
/// that of A x = b. GMRES that doesn't forget at a restart: of each cycle it keeps the `recycle` directions on which it
/// was slowest, u, and their images c = A M^-1 u, and the next cycle searches what is orthogonal to the c. With
/// options.recycled they serve later solves, too.
///
/// A cycle searches options.restart directions, of which options.recycle are kept: 50 and 10 by default; where one of
/// the two is given, the other follows in this proportion. Fewer, where the limit of memory or 2 GB demand that.
///
/// Shapes    A: n x n, nonsingular. b, x: n, in the memory of `space`. On entry x holds the initial guess.
/// Traffic   A step applies A and M once, and reads the kept images and the basis so far four times. The end of a cycle
///           reads all of them recycle + 2 times. Kept vectors whose images are out of date cost one product each.
/// Exec      Allocates (restart + 2 recycle + 2) n sizeof(T) bytes at entry, with a preconditioner n sizeof(T) more,
///           with one in float for a system in double restart n sizeof(T) where memory allows (gmres.hpp says why), and
///           2 recycle n sizeof(T) for options.recycled. Works as GMRES does (gmres.hpp); at the end of a cycle the
///           host solves small dense problems (slow_directions.hpp). A cycle that leaves the residual as it is lets the
///           kept directions go, and the next one is GMRES. So does one that meets a direction on which A M^-1 does
///           nothing but what the kept images hold.
/// Throws    ArgumentError for options that can't be, and for an M that varies, under which u has no one image (take
///           gmres); MemoryLimitError when options.mem_limit is too small for a restart that was asked for;
///           DimensionError when A isn't square or the vectors don't fit; exceptions of A and M.
/// Source    Parks, de Sturler, Mackey, Johnson & Maiti, SIAM J. Sci. Comput. 28 (2006) 1651, with other directions:
///           those to which A M^-1 does the least, instead of harmonic Ritz vectors (slow_directions.hpp says why).
struct Gcrodr : MethodTraits {
  using Options = OptionsWith<OwnOptions{.restart = true, .recycle = true, .recycled = true}>;
  static constexpr std::string_view name = "gcrodr";
  static constexpr std::string_view description = "gmres that keeps the recycle slowest directions at a restart";
  static constexpr int products_per_iteration = 1;
  static constexpr OnBreakdown on_breakdown = OnBreakdown::restart;
  static constexpr bool takes_varying_m = false, has_steady_residual = true;
  static constexpr int period = 2;
  static std::size_t basis_bytes(std::size_t rows, std::size_t value_bytes, const SolveOptions& options);
  static std::string variant(const SolveOptions& options);
  static Reason breakdown(int cause, double number, const std::string& when);

  template <class Space, class T>
  static SolveResult run(const Space& space, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
                         const PreconditionerRef<Space, T>& m, const SolveOptions& options);
};

/// gcrodr(space, A, b, x, M, options) solves A x = b; M and options may be left out.
inline constexpr Solver<Gcrodr> gcrodr;

}  // namespace ostinato
