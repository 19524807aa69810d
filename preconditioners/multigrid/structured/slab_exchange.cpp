// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/slab_exchange.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <ostinato/preconditioners/multigrid/structured/slab_steps.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato::multigrid {

/// What a rank wants of another one, and where.
template <class Local>
struct SlabExchange<Local>::Asked {
  Index first;
  std::size_t count, offset, within, apart;  ///< offset: from the beginning of the memory
};

template <class Local>
SlabExchange<Local>::SlabExchange(const SlabMemory<Local>& memory, const Partition& parts, Index begin, Index end,
                                  const Landing& landing, std::size_t value_bytes)
    : memory_(&memory) {
  const Team& team = memory.team();
  const Index own_begin = parts.begin(team), own_end = parts.end(team);
  ask(parts, begin, std::min(end, own_begin), landing.below, landing.below_first, landing.apart);
  runs_below_ = in_.size();
  ask(parts, std::max(begin, own_end), end, landing.above, landing.above_first, landing.apart);
  answer();
  if constexpr (is_cuda<Local>) {
    if (memory.is_shared()) return;
    std::size_t got = 0;
    for (const Run& run : in_) got += run.count;
    team.agreed([&] {
      packed_ = Vector<Local, float>(memory.space().local(), sent_ * value_bytes / sizeof(float));
      courier_ = std::make_unique<Courier>(memory.space().local(), sent_ * value_bytes, got * value_bytes);
    });
  }
}

/// Adds the runs begin .. end - 1, of the ranks that have them.
template <class Local>
void SlabExchange<Local>::ask(const Partition& parts, Index begin, Index end, float* to, Index first,
                              std::size_t apart) {
  for (Index i = begin; i < end;) {
    const int owner = parts.owner(i);
    const Index last = std::min(end, parts.offset(owner + 1));
    in_.push_back({owner, static_cast<std::size_t>(i - parts.offset(owner)), static_cast<std::size_t>(last - i), to,
                   static_cast<std::size_t>(i - first), apart});
    i = last;
  }
}

/// Tells other ranks what this one wants, and hears what they do. A rank has one run at most for another one.
template <class Local>
void SlabExchange<Local>::answer() {
  std::vector<Team::Letter> letters;
  for (const Run& run : in_) {
    const Asked asked{static_cast<Index>(run.first), run.count, static_cast<std::size_t>(run.to - memory_->data()),
                      run.within, run.apart};
    const auto* const bytes = reinterpret_cast<const std::byte*>(&asked);
    letters.push_back({run.rank, Team::Bytes(bytes, bytes + sizeof asked)});
  }
  for (const Team::Letter& letter : memory_->team().exchange(letters)) {
    Asked asked;
    std::memcpy(&asked, letter.bytes.data(), sizeof asked);
    float* const to = memory_->is_shared() ? memory_->of(letter.rank) + asked.offset : nullptr;
    out_.push_back({letter.rank, static_cast<std::size_t>(asked.first), asked.count, to, asked.within, asked.apart});
    sent_ += asked.count;
  }
}

template <class Local>
template <class V>
void SlabExchange<Local>::run(const V* own, std::size_t array) const {
  if (!memory_->is_shared() && in_.empty() && out_.empty()) return;
  if constexpr (is_cuda<Local>) {
    return memory_->is_shared() ? write_to_others(own, array) : go_through_hosts(own, array);
  } else {
    std::vector<detail::Message> to, from;
    for (const Run& run : out_) to.push_back({run.rank, const_cast<V*>(own + run.first), run.count * sizeof(V)});
    for (const Run& run : in_) from.push_back({run.rank, target<V>(run, array), run.count * sizeof(V)});
    memory_->team().start_exchange(to, from);
    memory_->team().finish_exchange();
  }
}

template <class Local>
template <class V>
void SlabExchange<Local>::write_to_others(const V* own, std::size_t array) const {
  RunCopies copies;
  for (const Run& run : out_) copies.add(own + run.first, target<V>(run, array), run.count * sizeof(V));
  const Local& local = memory_->space().local();
  if (memory_->meets_in_kernels()) return copies.enqueue_for_ranks(local, memory_->rendezvous());
  copies.enqueue(local);
  memory_->meet();
}

template <class Local>
template <class V>
void SlabExchange<Local>::go_through_hosts(const V* own, std::size_t array) const {
  if constexpr (is_cuda<Local>) {
    V* const packed = reinterpret_cast<V*>(packed_.data());
    std::vector<detail::Message> to, from;
    V *out = reinterpret_cast<V*>(courier_->out()), *in = reinterpret_cast<V*>(courier_->in());
    RunCopies copies;
    std::size_t at = 0;
    for (const Run& run : out_) {
      if (copies.is_full()) copies.enqueue(memory_->space().local());
      copies.add(own + run.first, packed + at, run.count * sizeof(V));
      to.push_back({run.rank, out + at, run.count * sizeof(V)});
      at += run.count;
    }
    copies.enqueue(memory_->space().local());
    std::size_t got[2] = {};  // below and above
    for (const Run& run : in_) {
      from.push_back({run.rank, in + got[0] + got[1], run.count * sizeof(V)});
      got[from.size() <= runs_below_ ? 0 : 1] += run.count;
    }
    courier_->fetch(packed);
    courier_->wait();
    memory_->team().start_exchange(to, from);
    memory_->team().finish_exchange();
    const auto place = [&](std::size_t run, std::size_t count) {
      return Courier::Place{count == 0 ? nullptr : target<V>(in_[run], array), count * sizeof(V)};
    };
    courier_->deliver({place(0, got[0]), place(runs_below_, got[1])});
  }
}

#define OSTINATO_INSTANTIATE(Space)                                        \
  template class SlabExchange<Space>;                                      \
  template void SlabExchange<Space>::run(const float*, std::size_t) const; \
  template void SlabExchange<Space>::run(const double*, std::size_t) const
OSTINATO_FOR_SPACES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::multigrid
