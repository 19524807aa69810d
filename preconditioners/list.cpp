// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/list.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

/// The one list of preconditioners. A new preconditioner needs a line here and NAME_entry in its own .cpp file.
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

#define OSTINATO_EXTERN_ENTRY(entry, Space, T) \
  extern template const PreconditionerEntry<Space, T> entry##_entry<Space, T>
#define OSTINATO_DECLARE(preconditioner)                             \
  template <class Space, class T>                                    \
  extern const PreconditionerEntry<Space, T> preconditioner##_entry; \
  OSTINATO_DECLARED_ALL_OF(OSTINATO_EXTERN_ENTRY, preconditioner);
OSTINATO_PRECONDITIONERS(OSTINATO_DECLARE)
#undef OSTINATO_DECLARE

namespace {

template <class Space, class T>
const std::vector<PreconditionerEntry<Space, T>>& all_preconditioners() {
#define OSTINATO_ENTRY(preconditioner) preconditioner##_entry<Space, T>,
  static const std::vector<PreconditionerEntry<Space, T>> list = {OSTINATO_PRECONDITIONERS(OSTINATO_ENTRY)};
#undef OSTINATO_ENTRY
  return list;
}

}  // namespace

#define OSTINATO_INSTANTIATE(Space, T)                                      \
  template <>                                                               \
  const std::vector<PreconditionerEntry<Space, T>>& preconditioner_list() { \
    return all_preconditioners<Space, T>();                                 \
  }                                                                         \
  static_assert(true)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
