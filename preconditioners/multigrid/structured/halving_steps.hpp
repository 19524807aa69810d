// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The steps from a grid to the next one where no axis is periodic: the coarse operator, and the weights where all axes
// are halved. The functors take `Lanes` points that follow each other along x: one on Cuda, many on Host, in loops that
// become vector instructions.

#include <algorithm>

#include <ostinato/preconditioners/multigrid/structured/hierarchy_steps.hpp>

namespace ostinato::multigrid {

/// Where the numbers of a stencil by point and of the weights to the next grid are.
template <int Dimensions, bool Star>
struct HalvedLevel {
  using Fine = Shape<Dimensions, Star>;
  using Coarse = Shape<Dimensions, false>;
  using P = Halved<Dimensions == 3 ? 7 : 3>;
  static constexpr bool deep = Dimensions == 3;

  Extents fine, coarse;
  const float* a;  ///< of the neighbours in ascending order, then of the centre
  float* p;

  OSTINATO_FUNCTION static constexpr bool has(int k) { return k == centre || Fine::has(k); }
  template <int K>
  OSTINATO_FUNCTION const float* row(std::size_t i) const {
    constexpr std::size_t slot = K == centre ? Fine::count() : Fine::coefficient(K);
    return a + slot * fine.points() + i;
  }
  template <int K>
  OSTINATO_FUNCTION float* weight(std::size_t j) const {
    constexpr std::size_t slot = P::coefficient(K);
    return p + slot * coarse.points() + j;
  }
  /// The fine point at step d from a coarse point, and whether it is in the grid; along x it is where there are more
  /// lanes than one.
  template <int Lanes>
  OSTINATO_FUNCTION bool find(Index x, Index y, Index z, const Step& d, std::size_t& i) const {
    const Index fx = 2 * x + 1 + d.x, fy = 2 * y + 1 + d.y, fz = deep ? 2 * z + 1 + d.z : 0;
    i = fine.number(fx, fy, fz);
    return (Lanes > 1 || fx < fine.x) && fy < fine.y && fz < fine.z;
  }
};

/// Calls f.template lanes<Lanes>(x, count, y, z) for the points of a segment.
constexpr int lanes_at_once = 32;
template <class F>
void in_lanes(const F& f, Index x, Index count, Index y, Index z) {
  for (Index k = 0; k < count; k += lanes_at_once)
    f.template lanes<lanes_at_once>(x + k, std::min<Index>(lanes_at_once, count - k), y, z);
}

/// SolveWeights.
template <int Dimensions, bool Star>
struct SolveHalvedWeights {
  using L = HalvedLevel<Dimensions, Star>;
  L level;

  OSTINATO_FUNCTION void operator()(Index x, Index y, Index z) const { lanes<1>(x, 1, y, z); }
  Range even(int n) const { return {1, n - 1}; }
  void segment(Index x, Index count, Index y, Index z) const { in_lanes(*this, x, count, y, z); }

  template <int Lanes>
  OSTINATO_FUNCTION void lanes(Index x, Index count, Index y, Index z) const {
    const std::size_t j = level.coarse.number(x, y, z);
    float w[neighbours][Lanes];
    for (int n = 0; n < Lanes; ++n) w[centre][n] = 1;
    each<1, Dimensions + 1>([&](auto axes) {
      each<0, neighbours>([&](auto k) {
        if constexpr (L::P::has(k) && Step::of(k).axes() == axes) solve<k>(x, count, y, z, w);
      });
    });
    each<0, neighbours>([&](auto k) {
      if constexpr (L::P::has(k)) {
        float* const to = level.template weight<k>(j);
        for (Index n = 0; n < count; ++n) to[n] = w[k][n];
      }
    });
  }

 private:
  /// Whether a step o leads along the axes of d towards the coarse point or not at all, as o itself does.
  OSTINATO_FUNCTION static constexpr bool leads(int o, int d) { return d == 0 || o == 0 || o == -d; }

  /// The weights for the fine points at step D.
  template <int D, int Lanes>
  OSTINATO_FUNCTION void solve(Index x, Index count, Index y, Index z, float (&w)[neighbours][Lanes]) const {
    std::size_t i;
    if (!level.template find<Lanes>(x, y, z, Step::of(D), i)) {
      for (int n = 0; n < Lanes; ++n) w[D][n] = 0;
      return;
    }
    float own[Lanes] = {}, sum[Lanes] = {};
    each<0, neighbours>([&](auto k) {
      constexpr Step s = Step::of(k), d = Step::of(D);
      if constexpr (L::has(k) && leads(s.x, d.x) && leads(s.y, d.y) && leads(s.z, d.z)) {
        constexpr Step way{d.x != 0 ? s.x : 0, d.y != 0 ? s.y : 0, d.z != 0 ? s.z : 0};
        const float* v = level.template row<k>(i);
        if constexpr (way.axes() == 0) {
          for (Index n = 0; n < count; ++n) own[n] += v[2 * n];
        } else {
          const float* from = w[(way + d).number()];
          for (Index n = 0; n < count; ++n) sum[n] += v[2 * n] * from[n];
        }
      }
    });
    const float* c = level.template row<centre>(i);
    for (Index n = 0; n < count; ++n) w[D][n] = own[n] > 1e-4f * c[2 * n] ? -sum[n] / own[n] : 0.0f;
  }
};

/// The coarse operator P^T A P where no axis is periodic, all coefficients of a coarse point at once: P^T A of the
/// point leads to at most 5 x 5 x 5 fine points, each of which gives to the coarse points that have weights for it.
/// This is done line by line along x.
template <bool HalvedX>
struct GalerkinOfPoint {
  Stencil a;
  Weights p;
  Stencil to;

  OSTINATO_FUNCTION void operator()(Index x, Index y, Index z) const { lanes<1>(x, 1, y, z); }
  Range even(int n) const { return {1, n - 1}; }
  void segment(Index x, Index count, Index y, Index z) const { in_lanes(*this, x, count, y, z); }

  template <int Lanes>
  OSTINATO_FUNCTION void lanes(Index x, Index count, Index y, Index z) const {
    const detail::GridPoint at{x, y, z};
    float out[neighbours][Lanes] = {};
    const int fy = p.halved.y ? 2 : 1, fz = !deep() ? 0 : p.halved.z ? 2 : 1;
    for (int k = -fz; k <= fz; ++k) {
      for (int j = -fy; j <= fy; ++j) {
        float line[5][Lanes] = {};
        restrict_to<Lanes>(at, count, j, k, line);
        give<Lanes>(at, count, j, k, line, out);
      }
    }
    const std::size_t first = to.grid.number(x, y, z);
    for (int k = 0; k < neighbours; ++k) {
      if (to.slot[k] < 0) continue;
      float* const row = &to.at(k, first);
      for (Index n = 0; n < count; ++n) row[n] = out[k][n];
    }
  }

 private:
  static constexpr int reach_x = HalvedX ? 1 : 0;  ///< steps of P along x

  OSTINATO_FUNCTION bool deep() const { return to.slot[centre + 9] >= 0; }

  // Steps d of P and f - d of A lead to step f: d is from begin to end.
  OSTINATO_FUNCTION static int begin(bool halved, int f) { return !halved ? 0 : f > 0 ? f - 1 : -1; }
  OSTINATO_FUNCTION static int end(bool halved, int f) { return !halved ? 0 : f < 0 ? f + 1 : 1; }

  /// P^T A of the coarse points towards a line of fine points, y and z from that of the coarse point.
  template <int Lanes>
  OSTINATO_FUNCTION void restrict_to(const detail::GridPoint& at, Index count, int fy, int fz,
                                     float (&line)[5][Lanes]) const {
    const Halving& h = p.halved;
    const std::size_t j = to.grid.number(at.x, at.y, at.z);
    for (int dz = begin(h.z, fz); dz <= end(h.z, fz); ++dz) {
      for (int dy = begin(h.y, fy); dy <= end(h.y, fy); ++dy) {
        const Index py = Halving::fine(h.y, at.y) + dy, pz = Halving::fine(h.z, at.z) + dz;
        if (py >= a.grid.y || pz >= a.grid.z) continue;
        const signed char* slot = a.slot + Step{0, fy - dy, fz - dz}.number();
        each<-reach_x, reach_x + 1>([&](auto dx) {
          const Index px = Halving::fine(HalvedX, at.x) + dx;
          if (Lanes == 1 && px >= a.grid.x) return;
          const std::size_t i = a.grid.number(px, py, pz);
          const float* w = &p.at(Step{dx, dy, dz}.number(), j);
          each<-1, 2>([&](auto ax) {
            if (slot[ax] < 0) return;
            const float* v = a.a + static_cast<std::size_t>(slot[ax]) * a.grid.points() + i;
            float* sum = line[dx + ax + 2];
            for (Index n = 0; n < count; ++n) sum[n] += w[n] * v[(reach_x + 1) * n];
          });
        });
      }
    }
  }

  /// What such a line gives to the coarse points that have weights for it.
  template <int Lanes>
  OSTINATO_FUNCTION void give(const detail::GridPoint& at, Index count, int fy, int fz, const float (&line)[5][Lanes],
                              float (&out)[neighbours][Lanes]) const {
    const Halving& h = p.halved;
    for (int ez = parent(h.z, fz, 0); ez <= parent(h.z, fz, 1); ++ez) {
      for (int ey = parent(h.y, fy, 0); ey <= parent(h.y, fy, 1); ++ey) {
        const Index y = at.y + ey, z = at.z + ez;
        if (y < 0 || z < 0 || y >= to.grid.y || z >= to.grid.z) continue;
        const int of_p = Step{0, fy - way(h.y, ey), fz - way(h.z, ez)}.number(), of_out = Step{0, ey, ez}.number();
        each<-1, 2>([&](auto ex) {
          if (Lanes == 1 && (at.x + ex < 0 || at.x + ex >= to.grid.x)) return;
          const std::size_t j = to.grid.number(at.x + ex, y, z);
          float sum[Lanes] = {};
          each<-reach_x, reach_x + 1>([&](auto wx) {
            constexpr int fx = (reach_x + 1) * ex + wx;
            if constexpr (fx >= -2 && fx <= 2) {
              const float *w = &p.at(of_p + wx, j), *v = line[fx + 2];
              for (Index n = 0; n < count; ++n) sum[n] += v[n] * w[n];
            }
          });
          for (Index n = 0; n < count; ++n) out[of_out + ex][n] += sum[n];
        });
      }
    }
  }

  /// The first and the last coarse point that has weights for the fine point at step f.
  OSTINATO_FUNCTION static int parent(bool halved, int f, int last) { return !halved ? f : (f + 2 + last) / 2 - 1; }
  /// The fine points from a coarse point to the one so many away.
  OSTINATO_FUNCTION static int way(bool halved, int e) { return halved ? 2 * e : e; }
};

/// ScaleWeights.
template <int Dimensions>
struct ScaleHalvedWeights {
  using L = HalvedLevel<Dimensions, false>;
  L level;
  const float *fine_inverse, *coarse_inverse;

  OSTINATO_FUNCTION void operator()(Index x, Index y, Index z) const { lanes<1>(x, 1, y, z); }
  Range even(int n) const { return {0, n - 1}; }
  void segment(Index x, Index count, Index y, Index z) const { in_lanes(*this, x, count, y, z); }

  template <int Lanes>
  OSTINATO_FUNCTION void lanes(Index x, Index count, Index y, Index z) const {
    const std::size_t j = level.coarse.number(x, y, z);
    const float* c = coarse_inverse + j;
    each<0, neighbours>([&](auto k) {
      if constexpr (L::P::has(k)) {
        std::size_t i;
        if (!level.template find<Lanes>(x, y, z, Step::of(k), i)) return;
        float* w = level.template weight<k>(j);
        for (Index n = 0; n < count; ++n) w[n] = w[n] * c[n] / fine_inverse[i + 2 * static_cast<std::size_t>(n)];
      }
    });
  }
};

/// The shapes of a fine grid whose axes may all be halved.
#define OSTINATO_HALVED_SHAPES(DO) DO(2, true) DO(2, false) DO(3, true) DO(3, false)

}  // namespace ostinato::multigrid
