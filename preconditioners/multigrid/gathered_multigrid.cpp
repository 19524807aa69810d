// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/gathered_multigrid.hpp>

#include <utility>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

template <class Local, class T>
GatheredMultigrid<Local, T>::GatheredMultigrid(const DistributedOperator<Local, T>& a, const CsrView<T>& mine,
                                               const MultigridOptions& options, const StopRequest& stop,
                                               const MemoryBudget& memory)
    : PreconditionerBase<Space, T>(a.space()),
      first_(static_cast<std::size_t>(a.row_parts().begin(a.space().team()))),
      rows_(a.rows()),
      gather_(a.space(), a.row_parts()) {
  const Team& team = space_.team();
  if (team.most(stop.is_made() ? 1 : 0) == 1) throw Stopped("multigrid: making the levels was stopped");
  Csr<T> whole = gathered(team, mine);
  team.agreed([&] {
    const Local& local = space_.local();
    const auto rows = static_cast<std::size_t>(whole.rows);
    const Analysis<Local, T> analysis(local, std::move(whole));
    made_ = std::make_unique<Multigrid<Local, T>>(analysis, options, StopRequest(), memory);
    z_ = Vector<Local, T>(local, rows);
    local.wait();  // other streams may write what is made here
  });
}

template <class Local, class T>
void GatheredMultigrid<Local, T>::apply(Block<const T> r, Block<T> z) const {
  for (int k = 0; k < z.columns; ++k) {
    const T* const own = r.column(k).data();
    gather_.start(own);
    gather_.finish(own);
    made_->apply(gather_.boundary(), z_.span());
    copy<T>(space_.local(), In<T>(z_.data() + first_, rows_), z.column(k));
  }
}

OSTINATO_CLASS(GatheredMultigrid);

}  // namespace ostinato
