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

/// Inspects a slice of 32 rows.
struct InspectSlice {
  const Offset* row_ptr;
  Index rows;
  ProfileCounters* counters;

  template <class Add>
  void operator()(std::size_t slice, Add add) const {
    const Offset begin = static_cast<Offset>(slice) * Profile::slice_rows;
    const Offset end = begin + Profile::slice_rows < rows ? begin + Profile::slice_rows : rows;
    Offset longest = 0, counted = begin;
    for (Offset row = begin; row < end; ++row) {
      const Offset length = row_ptr[row + 1] - row_ptr[row];
      longest = length > longest ? length : longest;
      if (row + 1 < end && row_ptr[row + 2] - row_ptr[row + 1] == length) continue;
      add(static_cast<int>(length < Profile::widest_third ? length : Profile::widest_third),
          static_cast<int>(row + 1 - counted));
      counted = row + 1;
    }
    SlotAtomic<Host>::add(&counters->slice_widths, longest);
  }
};

void inspect_lengths(const Host& space, const Offset* row_ptr, Index rows, ProfileCounters* counters) {
  constexpr auto slice = static_cast<std::size_t>(Profile::slice_rows);
  histogram<ProfileCounters::lengths>(space, (static_cast<std::size_t>(rows) + slice - 1) / slice,
                                      InspectSlice{row_ptr, rows, counters}, counters->rows_of_length);
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
