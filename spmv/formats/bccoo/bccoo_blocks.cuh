// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a thread loads its tile of a BCCOO matrix, some blocks at a time.

#include <cstdint>

#include <ostinato/spmv/formats/bccoo/bccoo_view.hpp>

namespace ostinato::formats::detail {

/// Loads data that a product reads only once, so that the second-level cache evicts them first. Loads of 4 and 8 bytes
/// also bypass the first-level cache, whose room the loads in flight need. fem27:80 with 3 unknowns takes 251 us
/// instead of 253, R-MAT with 2^22 rows 412 us instead of 415 (H200, 2026-11).
template <class Stored>
__device__ Stored load_once(const Stored* from) {
  if constexpr (sizeof(Stored) == 8) {
    std::uint64_t bits;
    asm volatile(
        "{ .reg .b64 policy; createpolicy.fractional.L2::evict_first.b64 policy, 1.0;"
        "ld.global.L1::no_allocate.L2::cache_hint.b64 %0, [%1], policy; }"
        : "=l"(bits)
        : "l"(from));
    return __builtin_bit_cast(Stored, bits);
  } else if constexpr (sizeof(Stored) == 4) {
    std::uint32_t bits;
    asm volatile(
        "{ .reg .b64 policy; createpolicy.fractional.L2::evict_first.b64 policy, 1.0;"
        "ld.global.L1::no_allocate.L2::cache_hint.b32 %0, [%1], policy; }"
        : "=r"(bits)
        : "l"(from));
    return __builtin_bit_cast(Stored, bits);
  } else {
    return __ldcs(from);
  }
}

/// The position of a thread in the columns of its tile.
struct Cursor {
  Index col = 0;
  Index escape = 0;
};

/// The columns of N blocks of a tile. load() fetches the stored form.
template <int N>
struct Columns {
  Index at[N];

  template <class T>
  __device__ void load(const BccooView<T>& a, Offset slot, int stride) {
    if (a.columns == BccooColumns::full) {
      load_as(static_cast<const Index*>(a.col) + slot, stride);
    } else if (a.columns == BccooColumns::narrow) {
      load_as(static_cast<const unsigned short*>(a.col) + slot, stride);
    } else if (a.columns == BccooColumns::difference) {
      load_as(static_cast<const short*>(a.col) + slot, stride);
    } else {
      load_as(static_cast<const signed char*>(a.col) + slot, stride);
    }
  }

  /// Turns the differences into columns.
  template <class T>
  __device__ void resolve(const BccooView<T>& a, Cursor& cursor) {
    if (a.columns == BccooColumns::full || a.columns == BccooColumns::narrow) return;
#pragma unroll
    for (int u = 0; u < N; ++u) {
      // Most matrices have no escapes; then all threads skip the second test.
      cursor.col = a.escapes == nullptr || at[u] != -1 ? cursor.col + at[u] : a.escapes[cursor.escape++];
      at[u] = cursor.col;
    }
  }

 private:
  template <class Stored>
  __device__ void load_as(const Stored* from, int stride) {
#pragma unroll
    for (int u = 0; u < N; ++u) at[u] = load_once(from + u * stride);
  }
};

/// Keeps a code in the register of its value.
__device__ inline void hold(float& in, unsigned code) { in = __uint_as_float(code); }
__device__ inline void hold(double& in, unsigned code) { in = __hiloint2double(0, static_cast<int>(code)); }
__device__ inline unsigned held(float in) { return __float_as_uint(in); }
__device__ inline unsigned held(double in) { return static_cast<unsigned>(__double2loint(in)); }

/// Values of N blocks of a tile.
template <class T, int N, int Area>
struct Values {
  T of[N][Area];

  __device__ void load(const BccooView<T>& a, Offset first, int stride) {
    if (a.values == BccooValues::coded) {
      load_codes(static_cast<const unsigned char*>(a.val) + first, stride);
    } else if (a.values == BccooValues::single) {
      load_as(static_cast<const float*>(a.val) + first, stride);
    } else {
      load_as(static_cast<const T*>(a.val) + first, stride);
    }
  }

  /// Replaces codes by values; called after the loads of x are issued. The first-level cache holds the table.
  __device__ void look_up(const BccooView<T>& a) {
    if (a.values != BccooValues::coded) return;
#pragma unroll
    for (int u = 0; u < N; ++u) {
#pragma unroll
      for (int e = 0; e < Area; ++e) of[u][e] = __ldg(a.table + held(of[u][e]));
    }
  }

 private:
  template <class Stored>
  __device__ void load_as(const Stored* from, int stride) {
#pragma unroll
    for (int u = 0; u < N; ++u) {
#pragma unroll
      for (int e = 0; e < Area; ++e) of[u][e] = static_cast<T>(load_once(from + (u * Area + e) * stride));
    }
  }

  __device__ void load_codes(const unsigned char* from, int stride) {
#pragma unroll
    for (int u = 0; u < N; ++u) {
#pragma unroll
      for (int e = 0; e < Area; ++e) hold(of[u][e], load_once(from + (u * Area + e) * stride));
    }
  }
};

}  // namespace ostinato::formats::detail
