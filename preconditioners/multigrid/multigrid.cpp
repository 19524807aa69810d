// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/multigrid_definition.hpp>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

const OptionTable<MultigridOptions>& multigrid_definition::table() {
  using O = MultigridOptions;
  static const auto known =
      OptionTable<O>()
          .words("kind", &O::kind,
                 {{"automatic", MultigridKind::automatic},
                  {"structured", MultigridKind::structured},
                  {"classical", MultigridKind::classical},
                  {"aggregation", MultigridKind::aggregation},
                  {"pairwise", MultigridKind::pairwise},
                  {"plain", MultigridKind::plain}})
          .number("sweeps", &O::sweeps, 0, 8)
          .words("smoother", &O::smoother,
                 {{"jacobi", Smoother::jacobi},
                  {"chebyshev", Smoother::chebyshev},
                  {"fsai", Smoother::fsai},
                  {"ilu0", Smoother::ilu0},
                  {"ic0", Smoother::ic0}})
          .number("unknowns", &O::unknowns, 0, multigrid_definition::most_unknowns)
          .number("threshold", &O::threshold, 0, 1)
          .words("aggressive", &O::aggressive, {{"0", false}, {"1", true}})
          .words("reuse", &O::reuse,
                 {{"none", MultigridReuse::none}, {"interpolation", MultigridReuse::interpolation}});
  return known;
}

OSTINATO_CLASS(Multigrid);

OSTINATO_DEFINE_PRECONDITIONER(multigrid, Multigrid)

}  // namespace ostinato
