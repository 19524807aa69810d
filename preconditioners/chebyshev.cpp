// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/chebyshev_definition.hpp>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

const OptionTable<ChebyshevOptions>& chebyshev_definition::table() {
  static const auto known =
      OptionTable<ChebyshevOptions>()
          .number("degree", &ChebyshevOptions::degree, 1, 100)
          .words("kind", &ChebyshevOptions::kind, {{"first", ChebyshevKind::first}, {"fourth", ChebyshevKind::fourth}})
          .number("ratio", &ChebyshevOptions::ratio, 2, 100000);
  return known;
}

OSTINATO_CLASS(Chebyshev);
OSTINATO_DEFINE_PRECONDITIONER(chebyshev, Chebyshev)

}  // namespace ostinato
