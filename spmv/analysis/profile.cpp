// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/profile.hpp>

#include <ostinato/spmv/analysis/profile_steps.hpp>
#include <ostinato/spmv/space/atomic.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

namespace detail {

template <int K, class F>
void histogram(const Host& space, std::size_t n, F f, int* counts) {
  constexpr std::size_t length = std::max(256, K / 4);
  for_blocks(space, (n + length - 1) / length, [=](std::size_t block) {
    int here[K] = {};
    for (std::size_t i = block * length; i < std::min((block + 1) * length, n); ++i)
      f(i, [&](int k, int v) { here[k] += v; });
    for (int k = 0; k < K; ++k) {
      if (here[k] != 0) Atomic<Host>::add(counts + k, here[k]);
    }
  });
}

void inspect_lengths(const Host& space, const Offset* row_ptr, Index rows, ProfileCounters* counters) {
  constexpr Offset rows_at_once = 64 * Profile::slice_rows;
  for_blocks(space, static_cast<std::size_t>((rows + rows_at_once - 1) / rows_at_once), [=](std::size_t block) {
    const Offset begin = static_cast<Offset>(block) * rows_at_once, end = std::min<Offset>(begin + rows_at_once, rows);
    Offset widths = 0;
    for (Offset first = begin; first < end; first += Profile::slice_rows) {
      Offset longest = 0;
      for (Offset row = first; row < std::min<Offset>(first + Profile::slice_rows, end); ++row)
        longest = std::max(longest, row_ptr[row + 1] - row_ptr[row]);
      widths += longest;
    }
    SlotAtomic<Host>::add(&counters->slice_widths, widths);
  });
}

template <class T>
void inspect_values(const Host& space, const CsrView<T>& a, ProfileCounters* counters) {
  const InspectValues<SlotAtomic<Host>, T> inspect{a.val.data(), {counters->value_slots, &counters->values}};
  const Offset count = a.nonzeros(), length = host_block;
  for_blocks(space, static_cast<std::size_t>((count + length - 1) / length), [=](std::size_t block) {
    const Offset begin = static_cast<Offset>(block) * length, end = std::min(begin + length, count);
    bool exact = Atomic<Host>::load(&counters->wide) == 0;
    if (exact) {
      for (Offset k = begin; k < end; ++k) exact &= inspect.exact(k);
      if (!exact) Atomic<Host>::store(&counters->wide, 1);
    }
    for (Offset k = begin; k < end && !inspect.distinct.too_many(); ++k) inspect.add(k, nullptr);
  });
}

}  // namespace detail

template <class T>
StartedProfile start_profile(const Host& space, const CsrView<T>& a, bool inspects_values) {
  return detail::start_profile_on(space, a, inspects_values);
}

#define OSTINATO_INSTANTIATE(T) template StartedProfile start_profile(const Host&, const CsrView<T>&, bool)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
