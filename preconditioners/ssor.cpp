// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ssor_definition.hpp>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

const OptionTable<SsorOptions>& ssor_definition::table() {
  static const auto known = OptionTable<SsorOptions>()
                                .number("omega", &SsorOptions::omega, 0.01, 1.99)
                                .words("order", &SsorOptions::coloured, {{"colour", true}, {"natural", false}})
                                .words("sweep", &SsorOptions::symmetric, {{"symmetric", true}, {"forward", false}});
  return known;
}

OSTINATO_CLASS(Ssor);

OSTINATO_DEFINE_PRECONDITIONER(ssor, Ssor)

}  // namespace ostinato
