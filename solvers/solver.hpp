// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/preconditioners/identity.hpp>
#include <ostinato/solvers/equal_options.hpp>
#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/linear_operator.hpp>
#include <ostinato/spmv/space/concept.hpp>

namespace ostinato {

/// What a method does when its recurrence breaks down.
enum class OnBreakdown {
  end,           ///< ends the solve
  restart,       ///< restarts from the recomputed residual, as long as the residual falls
  restart_anew,  ///< the same, and once where the residual doesn't fall: each restart of the method goes another way
};

/// What "auto" takes a method for.
enum class RoleInAuto {
  none,
  definite,       ///< symmetric matrices that may be definite
  symmetric,      ///< other symmetric matrices
  cheap,          ///< other matrices, with a preconditioner that leaves many iterations
  general,        ///< with a better one, where there is memory for a basis
  little_memory,  ///< and where there isn't
  least_squares,  ///< matrices that aren't square
};

/// What holds for a method unless it says something else: the base of all methods.
struct MethodTraits {
  static constexpr RoleInAuto in_auto = RoleInAuto::none;
  using Options = OptionsWith<OwnOptions{}>;          ///< with those of its own
  static constexpr bool needs_symmetry = false;       ///< A and M have to be symmetric
  static constexpr bool needs_definiteness = false;   ///< and definite
  static constexpr bool needs_transpose = false;      ///< multiplies with A^T, and takes matrices of any shape
  static constexpr bool takes_varying_m = true;       ///< a preconditioner that varies
  static constexpr bool has_steady_residual = false;  ///< no iteration makes the residual larger
  static constexpr bool takes_complex = false;        ///< complex values, too
  static constexpr bool forms_large_squares = false;  ///< of the size of A M^-1, which may leave the range of numbers
  /// Bytes of a basis whose size the options give; 0 where they don't.
  static std::size_t basis_bytes(std::size_t /*rows*/, std::size_t /*value_bytes*/, const SolveOptions& /*options*/) {
    return 0;
  }
  /// The variant that the options ask for, for reports: "(50) flexible".
  static std::string variant(const SolveOptions& /*options*/) { return {}; }
};

namespace detail {

template <class T>
inline constexpr bool are_options = false;
template <OwnOptions has>
inline constexpr bool are_options<OptionsWith<has>> = true;

/// What may stand in the place of a preconditioner: neither options nor the name of a solver.
template <class M>
concept InPlaceOfM = !are_options<M> && !std::convertible_to<const M&, std::string_view>;

template <class A>
concept HasValues = Scalar<typename A::value_type>;

/// What a solver takes as A and M.
template <class A, class M>
concept AreForSolvers = HasValues<A> && LinearOperator<A> && Preconditioner<M, typename A::value_type>;

/// Fails to compile for complex values, unless the solver takes these.
template <class T, bool TakesComplex>
constexpr void require_values() {
  static_assert(TakesComplex || !is_complex<T>,
                "A holds complex values, which only ostinato::cg, bicgstab and gmres take");
}

/// Whether b and x are vectors of T that a solver reads and writes.
template <class B, class X, class T>
concept AreVectors = std::convertible_to<B, In<T>> && std::convertible_to<X, Out<T>>;

/// Fails to compile, with a sentence that says why a vector isn't one of T. `C` is its class, `Reads` that it is b.
template <class C, class T, bool Reads>
void explain_vector() {
  using V = std::remove_cvref_t<C>;
  if constexpr (std::convertible_to<C, In<T>>) {
    if constexpr (std::is_lvalue_reference_v<C>) {
      static_assert(never<C>, "x is const, but a solver writes the solution to x");
    } else {
      static_assert(never<C>, "x is a temporary object, which ends with the solution: give x a name");
    }
  } else if constexpr (std::convertible_to<C, In<float>> || std::convertible_to<C, In<double>>) {
    static_assert(never<C> || !Reads,
                  "b holds values of another type than A: A, b and x hold float, or all hold double");
    static_assert(never<C> || Reads,
                  "x holds values of another type than A: A, b and x hold float, or all hold double");
  } else if constexpr (std::is_pointer_v<std::decay_t<C>>) {
    static_assert(never<C> || !Reads, "b is a pointer: pass std::span(b, n), which knows the length");
    static_assert(never<C> || Reads, "x is a pointer: pass std::span(x, n), which knows the length");
  } else if constexpr (requires(const V& v) { v.data(), v.size(); }) {
    static_assert(never<C> || !Reads, "b is a vector of another library: pass ostinato::span_of(b)");
    static_assert(never<C> || Reads, "x is a vector of another library: pass ostinato::span_of(x)");
  } else {
    static_assert(never<C> || !Reads, "b is no vector: pass a std::vector, std::span or ostinato::Vector");
    static_assert(never<C> || Reads, "x is no vector: pass a std::vector, std::span or ostinato::Vector");
  }
}

/// Fails to compile, with a sentence on the first of A, b and x that isn't for solvers.
template <class A, class B, class X>
SolveResult explain_vectors() {
  using T = typename ValueOf<A>::type;
  if constexpr (!HasValues<A> || !LinearOperator<A>) {
    explain_operator<A>();
  } else if constexpr (!std::convertible_to<B, In<T>>) {
    explain_vector<B, T, true>();
  } else {
    explain_vector<X, T, false>();
  }
  return {};
}

/// Stands for any argument, after every better match.
struct Anything {
  template <class Object>
  Anything(const Object&) {}
};

template <class Call = void>
SolveResult explain_own_options() {
  static_assert(never<Call>,
                "an option is of another method: restart is of gmres and gcrodr, recycle and recycled of gcrodr, "
                "flexible of gmres, shadow of idr, mixed of cg; effort, prepare and symmetric are of solve()");
  return {};
}

/// Fails to compile, with a sentence that says why A or M isn't for solvers.
template <class A, class M>
SolveResult explain() {
  if constexpr (HasValues<A> && LinearOperator<A>) {
    explain_preconditioner<M, typename A::value_type>();
  } else {
    explain_operator<A>();
  }
  return {};
}

}  // namespace detail

/// A method as a function object that takes operators and preconditioners of any class.
///
/// A method is a struct derived from MethodTraits, of which it says what differs, with a name, a description,
/// products_per_iteration, on_breakdown, period, and
///   template <class Space, class T>
///   static SolveResult run(const Space&, const OperatorRef<Space, T>& a, In<T> b, Out<T> x,
///                          const PreconditionerRef<Space, T>& m, const SolveOptions&);
///   static Reason breakdown(int cause, double number, const std::string& when);   (optional)
/// breakdown() says what broke the recurrence down (ConvergenceState::cause, number) for SolveResult::reason;
/// `when` reads "at iteration 3". The method's .cpp file instantiates run() for Host and Cuda, float and double.
///
/// Exec      On Host several threads may solve at once, also with one const A and one const M that allow it (Operator
///           and Jacobi do, Multigrid doesn't), each with its own x. On Cuda a space is used by one thread at a time.
template <class Method>
struct Solver {
  using Options = typename Method::Options;

  /// Solves A x = b with a preconditioner.
  template <IsSpace Space, class A, detail::InPlaceOfM M, class T = typename detail::ValueOf<A>::type>
  SolveResult operator()(const Space& space, const A& a, In<T> b, Out<std::type_identity_t<T>> x, const M& m,
                         const Options& options = {}) const {
    return run<Space, A, M, T>(space, a, b, x, m, among_all(options));
  }
  template <IsSpace Space, class A, detail::InPlaceOfM M, std::convertible_to<SolveOptions> All,
            class T = typename detail::ValueOf<A>::type>
  SolveResult operator()(const Space& space, const A& a, In<T> b, Out<std::type_identity_t<T>> x, const M& m,
                         const All& options) const {
    return run<Space, A, M, T>(space, a, b, x, m, options);
  }

  /// Solves A x = b without a preconditioner.
  template <IsSpace Space, class A, class T = typename detail::ValueOf<A>::type>
  SolveResult operator()(const Space& space, const A& a, In<T> b, Out<std::type_identity_t<T>> x,
                         const Options& options = {}) const {
    return run<Space, A, Identity, T>(space, a, b, x, Identity{}, among_all(options));
  }
  template <IsSpace Space, class A, std::same_as<SolveOptions> All, class T = typename detail::ValueOf<A>::type>
  SolveResult operator()(const Space& space, const A& a, In<T> b, Out<std::type_identity_t<T>> x,
                         const All& options) const {
    return run<Space, A, Identity, T>(space, a, b, x, Identity{}, options);
  }

  // Calls with options of another method come here.
  template <IsSpace Space, OwnOptions other>
  SolveResult operator()(const Space&, detail::Anything, detail::Anything, detail::Anything,
                         const OptionsWith<other>&) const {
    return detail::explain_own_options<Space>();
  }
  template <IsSpace Space, class Call = void>
  SolveResult operator()(const Space&, detail::Anything, detail::Anything, detail::Anything,
                         const SolveOptions&) const {
    return detail::explain_own_options<Call>();
  }
  template <IsSpace Space, class Call = void>
  SolveResult operator()(const Space&, detail::Anything, detail::Anything, detail::Anything, detail::Anything,
                         const SolveOptions&) const {
    return detail::explain_own_options<Call>();
  }

  // Calls with other vectors come here.
  template <IsSpace Space, class A, class B, class X, class T = typename detail::ValueOf<A>::type>
  requires(!detail::AreVectors<B, X, T>) SolveResult operator()(const Space&, const A&, B&&, X&&,
                                                                const SolveOptions& = {}) const {
    return detail::explain_vectors<A, B, X>();
  }
  template <IsSpace Space, class A, class B, class X, detail::InPlaceOfM M, class T = typename detail::ValueOf<A>::type>
  requires(!detail::AreVectors<B, X, T>) SolveResult operator()(const Space&, const A&, B&&, X&&, const M&,
                                                                const SolveOptions& = {}) const {
    return detail::explain_vectors<A, B, X>();
  }

  // Calls with options of another kind come here.
  template <IsSpace Space, class A, class B, class X, detail::InPlaceOfM M, class Given,
            class T = typename detail::ValueOf<A>::type>
  requires(detail::AreVectors<B, X, T> && !std::convertible_to<const Given&, const SolveOptions&> &&
           !std::convertible_to<const Given&, const Options&>) SolveResult
  operator()(const Space&, const A&, B&&, X&&, const M&, const Given&) const {
    static_assert(detail::never<Given>, "what follows M has to be SolveOptions, as in {.rtol = 1e-10}");
    return {};
  }

  // Calls without the space come here.
  template <class A, class B, class X>
  requires(!IsSpace<A>) SolveResult operator()(const A&, const B&, const X&, const SolveOptions& = {}) const {
    return explain_space<A>();
  }
  template <class A, class B, class X, detail::InPlaceOfM M>
  requires(!IsSpace<A>) SolveResult operator()(const A&, const B&, const X&, const M&, const SolveOptions& = {}) const {
    return explain_space<A>();
  }

 private:
  template <class Space, class A, class M, class T>
  static SolveResult run(const Space& space, const A& a, In<T> b, Out<T> x, const M& m, const SolveOptions& options) {
    if constexpr (detail::AreForSolvers<A, M>) {
      detail::require_values<T, Method::takes_complex>();
      const auto solve = [&] {
        return Method::template run<Space, T>(space, detail::as_map<Space, T>(space, a), b, x,
                                              detail::as_preconditioner<Space, T>(space, m), options);
      };
      if constexpr (requires { space.team(); }) {
        detail::require_equal_options(space.team(), Method::name, sizeof(T), is_identity<M>, options);
        return space.team().together(solve);
      } else {
        return solve();
      }
    } else {
      return detail::explain<A, M>();
    }
  }

  template <class A>
  static SolveResult explain_space() {
    if constexpr (requires { A::has_host_memory; }) {
      static_assert(detail::never<A>,
                    "the space lacks a member that ostinato/spmv/space/concept.hpp lists under Memory");
    } else {
      static_assert(detail::never<A>,
                    "the first argument of a solver is the space, an ostinato::Host or Cuda: "
                    "cg(space, A, b, x, M, options)");
    }
    return {};
  }
};

}  // namespace ostinato
