// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/ghost_exchange.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps_definition.hpp>

namespace ostinato {

namespace {

std::vector<Index> numbers(Index begin, Index end) {
  std::vector<Index> all(static_cast<std::size_t>(end - begin));
  std::iota(all.begin(), all.end(), begin);
  return all;
}

std::vector<Index> elements_of_others(const Team& team, const Partition& parts) {
  std::vector<Index> all = numbers(0, parts.rows());
  all.erase(all.begin() + parts.begin(team), all.begin() + parts.end(team));
  return all;
}

}  // namespace

template <class Local, class T>
GhostExchange<Local, T>::GhostExchange(const Distributed<Local>& space, const Partition& parts)
    : GhostExchange(space, HaloPlan(space.team(), parts, elements_of_others(space.team(), parts)),
                    numbers(0, parts.length(space.team()))) {}

template <class Local, class T>
GhostExchange<Local, T>::GhostExchange(const Distributed<Local>& space, HaloPlan halo, std::span<const Index> own)
    : space_(space), halo_(std::move(halo)) {
  space.team().agreed([&] {
    const Local& local = space_.local();
    given_ = Vector<Local, Index>(local, halo_.given());
    own_ = Vector<Local, Index>(local, own);
    sent_ = Vector<Local, T>(local, given_.size());
    x_ = Vector<Local, T>(local, halo_.ghosts() + own.size());
    local.wait();  // other streams may write what is made here
  });
  if constexpr (is_cuda<Local>) meet_peers();
}

/// Finds out whether ghosts go from GPU to GPU, and prepares their way.
template <class Local, class T>
void GhostExchange<Local, T>::meet_peers() requires is_cuda<Local> {
  const Team& team = space_.team();
  const std::size_t ranks = static_cast<std::size_t>(team.size()), below = halo_.below(), bytes = sizeof(T);
  gpu_.takes_captures = space_.can_capture();
  if (team.size() > 1) gpu_.peers = PeerBuffers::make(team, space_.local());
  if (gpu_.peers == nullptr) {
    team.agreed(
        [&] { gpu_.courier = std::make_unique<Courier>(space_.local(), sent_.bytes(), halo_.ghosts() * bytes); });
    return;
  }
  gpu_.given_bytes = team.all_gather(sent_.bytes());
  std::vector<std::size_t> mine(ranks), all(ranks * ranks);
  for (std::size_t r = 0; r < ranks; ++r) mine[r] = halo_.begin_of(static_cast<int>(r));
  team.all_gather(mine.data(), ranks * sizeof(std::size_t), all.data());
  halo_.for_ghosts([&](int rank, std::size_t begin, std::size_t count) {
    const std::size_t there = all[static_cast<std::size_t>(rank) * ranks + static_cast<std::size_t>(team.rank())];
    T* const to = x_.data() + (begin < below ? begin : own_.size() + begin);
    gpu_.copies.push_back({rank, there * bytes, to, count * bytes});
  });
  if (gpu_.takes_captures) meet_in_kernels();
}

template <class Local, class T>
void GhostExchange<Local, T>::meet_in_kernels() requires is_cuda<Local> {
  std::uint32_t partners = 0;
  std::size_t most = 0;
  const auto take = [&](detail::Shares& into) {
    return [&](int rank, std::size_t begin, std::size_t count) {
      into.add(rank, begin, count);
      partners |= std::uint32_t{1} << rank;
      most = std::max(most, count);
    };
  };
  halo_.for_given(take(gpu_.given));
  halo_.for_ghosts(take(gpu_.ghosts));
  gpu_.rendezvous =
      std::make_shared<Rendezvous>(space_.team(), space_.local(), space_.team().most(most) * sizeof(T), partners);
  space_.meet_in(gpu_.rendezvous);
}

template <class Local, class T>
bool GhostExchange<Local, T>::capturable() const {
  if constexpr (is_cuda<Local>) return gpu_.takes_captures;
  return false;
}

template <class Local, class T>
void GhostExchange<Local, T>::start(const T* x) const {
  if constexpr (is_cuda<Local>) {
    start_on_gpu(x);
  } else {
    pick(space_.local(), given_, x, sent_.data());
    halo_.start(space_.team(), sent_.data(), x_.data(), x_.data() + halo_.below() + own_.size());
  }
}

/// Starts the copies of ghosts, or that of what other ranks get.
template <class Local, class T>
void GhostExchange<Local, T>::start_on_gpu(const T* x) const requires is_cuda<Local> {
  if (is_captured()) {
    if (!has_partners()) return;
    return detail::give_ghosts(space_.local(), gpu_.rendezvous->view(), gpu_.given, given_.data(), x);
  }
  if (gpu_.rendezvous != nullptr) gpu_.rendezvous->confirm();
  if (gpu_.peers == nullptr) {
    pick(space_.local(), given_, x, sent_.data());
    return gpu_.courier->fetch(sent_.data());
  }
  const Stopwatch watch;
  gpu_.peers->turn(sent_.bytes());
  pick(space_.local(), given_, x, reinterpret_cast<T*>(gpu_.peers->mine()));
  gpu_.peers->publish();
  space_.team().all_gather(nullptr, 0, nullptr);
  gpu_.peers->meet(gpu_.given_bytes);
  gpu_.peers->copy(gpu_.copies);
  seconds_ += watch.seconds();
}

template <class Local, class T>
void GhostExchange<Local, T>::finish(const T* x) const {
  ++exchanges_;
  if constexpr (is_cuda<Local>) {
    finish_on_gpu(x);
  } else {
    pick(space_.local(), own_, x, x_.data() + halo_.below());
    const Stopwatch watch;
    space_.team().finish_exchange();
    seconds_ += watch.seconds();
  }
}

template <class Local, class T>
void GhostExchange<Local, T>::finish_on_gpu(const T* x) const requires is_cuda<Local> {
  const std::size_t below = halo_.below(), above = halo_.ghosts() - below;
  if (is_captured() && has_partners()) {
    return detail::receive_ghosts(space_.local(), gpu_.rendezvous->view(), gpu_.ghosts,
                                  detail::BoundaryX<T>{below, own_.size(), own_.data(), x, x_.data()});
  }
  pick(space_.local(), own_, x, x_.data() + below);
  if (is_captured()) return;
  const Stopwatch watch;
  if (gpu_.peers != nullptr) {
    gpu_.peers->join();
  } else {
    gpu_.courier->wait();
    T* const ghosts = reinterpret_cast<T*>(gpu_.courier->in());
    halo_.start(space_.team(), reinterpret_cast<const T*>(gpu_.courier->out()), ghosts, ghosts + below);
    space_.team().finish_exchange();
    gpu_.courier->deliver({{x_.data(), below * sizeof(T)}, {x_.data() + below + own_.size(), above * sizeof(T)}});
  }
  seconds_ += watch.seconds();
}

template <class Local, class T>
std::size_t GhostExchange<Local, T>::bytes() const {
  std::size_t total = given_.bytes() + own_.bytes() + sent_.bytes() + x_.bytes();
  if constexpr (is_cuda<Local>) total += gpu_.rendezvous == nullptr ? 0 : gpu_.rendezvous->bytes();
  return total;
}

template <class Local, class T>
HaloReport GhostExchange<Local, T>::report() const {
  HaloReport report;
  report.ghosts = static_cast<std::int64_t>(halo_.ghosts());
  report.neighbours = halo_.neighbours();
  report.bytes = (halo_.ghosts() + given_.size()) * sizeof(T);
  report.exchanges = exchanges_;
  report.seconds = seconds_;
  if constexpr (is_cuda<Local>) report.from_gpus = gpu_.peers != nullptr;
  return report;
}

OSTINATO_CLASS(GhostExchange);

}  // namespace ostinato
