// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <ostinato/preconditioners/fsai/fsai.hpp>
#include <ostinato/preconditioners/ilu/ic.hpp>
#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>
#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/preconditioners/list.hpp>
#include <ostinato/preconditioners/ssor.hpp>

namespace ostinato {

/// The list on spaces other than Host and Cuda: what algebraic multigrid may smooth its levels with, and diagonals.
template <class Space, class T>
const std::vector<PreconditionerEntry<Space, T>>& preconditioner_list() {
  static const std::vector<PreconditionerEntry<Space, T>> list = {
      preconditioner_entry<Jacobi<Space, T>>(), preconditioner_entry<Ssor<Space, T>>(),
      preconditioner_entry<Fsai<Space, T>>(), preconditioner_entry<Ilu0<Space, T>>(),
      preconditioner_entry<Ic0<Space, T>>()};
  return list;
}

}  // namespace ostinato
