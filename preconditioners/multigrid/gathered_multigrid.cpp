// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/gathered_multigrid.hpp>

#include <algorithm>
#include <utility>

#include <ostinato/spmv/analysis/analysis.hpp>

namespace ostinato {

namespace {

std::size_t most_rows(const Partition& rows) {
  Index most = 0;
  for (int r = 0; r < rows.ranks(); ++r) most = std::max(most, rows.offset(r + 1) - rows.offset(r));
  return static_cast<std::size_t>(most);
}

}  // namespace

template <class Local, class T>
GatheredMultigrid<Local, T>::GatheredMultigrid(const Space& space, const Partition& rows, const CsrView<T>& mine,
                                               double factor, const MultigridOptions& options,
                                               const MemoryBudget& memory)
    : LinearMap<Space, float>(space, static_cast<std::size_t>(rows.length(space.team())),
                              static_cast<std::size_t>(rows.length(space.team()))),
      rows_(rows),
      most_(most_rows(rows)) {
  const Team& team = space.team();
  Csr<T> whole = gathered(team, mine);
  team.agreed([&] {
    const Local& local = space.local();
    for (T& value : whole.val) value *= static_cast<T>(factor);
    const Analysis<Local, T> analysis(local, std::move(whole));
    made_ = std::make_unique<Multigrid<Local, T>>(analysis, options, StopRequest(), memory);
    own_ = Vector<Local, float>(local, most_, 0.0f);
    all_ = Vector<Local, float>(local, most_ * static_cast<std::size_t>(team.size()));
    r_ = Vector<Local, T>(local, static_cast<std::size_t>(rows.rows()));
    z_ = Vector<Local, T>(local, r_.size());
  });
}

template <class Local, class T>
void GatheredMultigrid<Local, T>::apply(float alpha, Block<const float> x, float beta, Block<float> y) const {
  const Team& team = space_.team();
  for (int k = 0; k < y.columns; ++k) {
    std::copy_n(x.column(k).data(), this->rows(), own_.data());
    team.all_gather(own_.data(), own_.bytes(), all_.data());
    T* to = r_.data();
    for (int r = 0; r < team.size(); ++r)
      to = std::copy_n(all_.data() + static_cast<std::size_t>(r) * most_, rows_.offset(r + 1) - rows_.offset(r), to);
    made_->apply(r_.span(), z_.span());
    const T* const from = z_.data() + rows_.begin(team);
    float* const out = y.column(k).data();
    for (std::size_t i = 0; i < this->rows(); ++i)
      out[i] = alpha * static_cast<float>(from[i]) + (beta == 0 ? 0.0f : beta * out[i]);
  }
}

template class GatheredMultigrid<Host, double>;
template class GatheredMultigrid<Host, float>;

}  // namespace ostinato
