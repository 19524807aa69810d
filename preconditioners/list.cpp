// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/list.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

/// The one list of preconditioners. A new preconditioner needs a line here and NAME_entry in its own .cpp file.
// clang-format off
#define OSTINATO_PRECONDITIONERS(DO) \
  DO(jacobi)                         \
  DO(block_jacobi)                   \
  DO(spai0)                          \
  DO(ssor)                           \
  DO(chebyshev)                      \
  DO(fsai)                           \
  DO(multigrid)                      \
  DO(ilu0)                           \
  DO(iluk)                           \
  DO(ilut)                           \
  DO(lu)                             \
  DO(ic0)                            \
  DO(ict)                            \
  DO(cholesky)
// clang-format on

#define OSTINATO_DECLARE(preconditioner)                                                        \
  template <class Space, class T>                                                               \
  extern const PreconditionerEntry<Space, T> preconditioner##_entry;                            \
  extern template const PreconditionerEntry<Host, float> preconditioner##_entry<Host, float>;   \
  extern template const PreconditionerEntry<Host, double> preconditioner##_entry<Host, double>; \
  extern template const PreconditionerEntry<Cuda, float> preconditioner##_entry<Cuda, float>;   \
  extern template const PreconditionerEntry<Cuda, double> preconditioner##_entry<Cuda, double>;
OSTINATO_PRECONDITIONERS(OSTINATO_DECLARE)
#undef OSTINATO_DECLARE

template <class Space, class T>
const std::vector<PreconditionerEntry<Space, T>>& preconditioner_list() {
#define OSTINATO_ENTRY(preconditioner) preconditioner##_entry<Space, T>,
  static const std::vector<PreconditionerEntry<Space, T>> list = {OSTINATO_PRECONDITIONERS(OSTINATO_ENTRY)};
#undef OSTINATO_ENTRY
  return list;
}

template const std::vector<PreconditionerEntry<Host, float>>& preconditioner_list<Host, float>();
template const std::vector<PreconditionerEntry<Host, double>>& preconditioner_list<Host, double>();
template const std::vector<PreconditionerEntry<Cuda, float>>& preconditioner_list<Cuda, float>();
template const std::vector<PreconditionerEntry<Cuda, double>>& preconditioner_list<Cuda, double>();

}  // namespace ostinato
