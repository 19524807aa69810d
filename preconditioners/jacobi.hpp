// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <ostinato/solvers/steps.hpp>
#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// M = diag(A).
///
/// Traffic   3 n sizeof(T) an application; with the dot product that CG asks for in the same pass.
/// Exec      Built on the host in parallel over rows, then copied to the space. apply is enqueued, without allocation.
/// Throws    ArgumentError naming the first row whose diagonal entry is missing, 0 or not finite.
template <class Space, class T>
class Jacobi {
 public:
  using value_type = T;
  using is_replayable = void;
  static constexpr std::string_view name = "jacobi";
  static constexpr std::string_view description = "the diagonal of A";

  Jacobi(const Space& space, const CsrView<T>& a);
  Jacobi(const Space& space, const Csr<T>& a) : Jacobi(space, a.view()) {}

  /// z = M^-1 r
  void apply(std::span<const T> r, std::span<T> z) const;
  /// z = M^-1 r;  *slot = r . z
  void apply_dot(std::span<const T> r, std::span<T> z, double* slot) const;

  std::size_t bytes() const { return inverse_.bytes(); }

 private:
  Space space_;
  Vector<Space, T> inverse_;
};

template <class Space, class T>
Jacobi(const Space&, const Csr<T>&) -> Jacobi<Space, T>;
template <class Space, class T>
Jacobi(const Space&, const CsrView<T>&) -> Jacobi<Space, T>;

}  // namespace ostinato
