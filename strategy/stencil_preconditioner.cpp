// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/stencil_preconditioner.hpp>

#include <utility>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

template <class Space, class T>
StencilPreconditioner<Space, T> choose_preconditioner(const StencilOperator<Space, T>& a, const MemoryBudget& memory) {
  // On a periodic grid the hierarchy takes as long as for coefficients by point; else hardly any time.
  if (!a.grid().periodic_axes().empty()) {
    const PreconditionerChoice choice = choose_preconditioner<Space>(a.structure(), a.grid());
    if (choice.name != Multigrid<Space, T>::name) return {{}, choice.reason};
  }
  try {
    Multigrid<Space, T> m(a, MultigridOptions{}, memory);
    if (m.rate() > poor_rate(1)) return {{}, "multigrid: a cycle shrinks an error too little"};
    return {std::move(m), "the matrix is on a grid, " + a.grid().text()};
  } catch (const ArgumentError& e) {
    const std::string what = e.what();  // "what is wrong; what to do"
    return {{}, what.substr(0, what.find(';'))};
  }
}

#define OSTINATO_INSTANTIATE(Space, T) \
  template StencilPreconditioner<Space, T> choose_preconditioner(const StencilOperator<Space, T>&, const MemoryBudget&)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
