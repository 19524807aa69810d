// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/bccoo/bccoo_parameters.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/cost/host_cost.hpp>
#include <ostinato/spmv/cost/traffic.hpp>
#include <ostinato/spmv/formats/contract/parameters.hpp>

namespace ostinato::formats {

namespace {

constexpr int most_hot = 17408;

/// Results that fit a workgroup's cache. With hot columns a workgroup fills a multiprocessor. The first-level cache,
/// through which all loads in flight pass, gets the part of the 256 KiB that shared memory leaves, in steps. With 16384
/// doubles of x, R-MAT with 2^22 rows takes 420 us with 92 KiB of first-level cache, 458 us with 60 KiB (room for 5000
/// results) and 434 us with 124 KiB (room for 320). most_hot columns and their results are the most that leave 92 KiB;
/// they take 412 us, where streamed loads bypass that cache (H200, 2026-11).
int cached_values(int height, int hot) { return hot == 0 ? 4096 / height : hot < most_hot ? 3968 : 3392; }

/// Shared memory of a workgroup with `hot` hot columns. 4 KiB are for the workgroup's other arrays.
std::size_t shared_bytes(int hot, std::size_t value_bytes) {
  return static_cast<std::size_t>(hot + cached_values(1, hot)) * value_bytes + 4096;
}

double stored_bytes(BccooValues values, std::size_t value_bytes) {
  if (values == BccooValues::coded) return 1;
  return values == BccooValues::single ? sizeof(float) : static_cast<double>(value_bytes);
}

/// Number of different values, with the 0 of padding in blocks.
int codes_of(const Structure& s, const BccooParameters& p) {
  return s.profile->distinct + (p.height * p.width > 1 ? 1 : 0);
}

double table_bytes(const Structure& s, const BccooParameters& p, std::size_t value_bytes) {
  return codes_of(s, p) * static_cast<double>(value_bytes);
}

double fill_of(const Structure& s, int height, int width) {
  if (s.profile == nullptr || s.nonzeros == 0) return 1.0 / (height * width);
  return s.profile->fill[height - 1][width - 1];
}

/// Bytes per entry in blocks of this size with compressed columns, by which block sizes are ranked.
double bytes_of_entry(const Structure& s, int height, int width, std::size_t value_bytes) {
  const double fill = std::max(fill_of(s, height, width), 1e-3);
  return (static_cast<double>(value_bytes) + 2.2 / (height * width)) / fill;
}

struct BlockSizeRank {
  int height, width;
  double bytes;
};

std::vector<BlockSizeRank> ranked_sizes(const Structure& s, std::size_t value_bytes) {
  std::vector<BlockSizeRank> all;
  for (int h = 1; h <= 4; ++h) {
    for (int w = 1; w <= 4; ++w) all.push_back({h, w, bytes_of_entry(s, h, w, value_bytes)});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& l, const auto& r) { return l.bytes < r.bytes; });
  return all;
}

/// H200, 2026-11. 27-point stencil with 3 unknowns, 41 M entries: 90 us with 3 x 3 blocks and tiles of 16 in workgroups
/// of 128; 110 us with 1 x 1 blocks and tiles of 64. Power law, 2.8 M entries: 20 us with tiles of 8 in workgroups of
/// 256; 23 us with tiles of 16.
void choose_tile(BccooParameters& p, const Structure& s, const Machine& m) {
  if (!m.device) {
    p.threads = 1;
    p.tile = 128;
    return;
  }
  const double blocks = static_cast<double>(s.nonzeros) / (p.height * p.width);
  const bool large = blocks > 1.5e7;
  if (p.height * p.width > 1) {
    p.threads = 128;
    p.tile = blocks > 4e6 ? 16 : 8;
  } else {
    p.threads = 256;
    p.tile = large ? (s.mean_row > 32 ? 64 : 16) : 8;
  }
}

/// R-MAT, 2^20 rows: with 16 entries a row 93 us (most_hot columns, tiles of 32), with 3 entries a row 30 us (8192 hot
/// columns, tiles of 8; H200, 2026-11). Every GPU from compute capability 8.0 on has shared memory for 8192.
void choose_hot_columns(BccooParameters& p, const Structure& s, const Machine& m, std::size_t value_bytes) {
  if (!m.device || s.profile == nullptr || p.height * p.width > 1 || p.slices > 1) return;
  if (s.profile->hot[2] < 0.3 || s.nonzeros < 1500000) return;
  const bool large = s.nonzeros > 8000000;
  for (const int hot : {most_hot, 16384, 8192}) {
    if ((hot > 8192 && !large) || shared_bytes(hot, value_bytes) > m.shared_bytes) continue;
    p.hot = hot;
    p.tile = large ? 32 : 8;
    p.threads = 1024;
    return;
  }
}

void add(std::vector<BccooParameters>& all, const BccooParameters& p) {
  if (std::find(all.begin(), all.end(), p) == all.end()) all.push_back(p);
}

}  // namespace

std::string BccooParameters::text(std::string_view format) const {
  const bool sliced = format == "bccoo-plus";
  std::string all = parameter_text({{"height", height}, {"width", width}});
  if (sliced) all += ',' + parameter_text({{"slices", slices}});
  all += ',' + parameter_text({{"tile", tile}, {"threads", threads}, {"strategy", strategy}, {"compress", compress}});
  if (!sliced) all += ',' + parameter_text({{"hot", hot}});
  return all;
}

BccooParameters BccooParameters::parse(std::string_view format, std::string_view text) {
  ParameterReader from(format, text);
  BccooParameters p;
  p.height = from.take("height", p.height, {1, 2, 3, 4});
  p.width = from.take("width", p.width, {1, 2, 3, 4});
  if (format == "bccoo-plus") {
    p.slices = from.take("slices", 2, {2, 4, 8, 16, 32});
  } else {
    p.hot = from.take("hot", p.hot, {0, 8192, 16384, most_hot});
  }
  p.tile = from.take("tile", p.tile, {8, 16, 32, 64, 128});
  p.threads = from.take("threads", p.threads, {1, 64, 128, 256, 512, 1024});
  p.strategy = from.take("strategy", p.strategy, {1, 2});
  p.compress = from.take("compress", p.compress, {0, 1});
  from.done();
  if (p.hot > 0 && p.height * p.width > 1) throw ArgumentError("format bccoo: hot columns need 1 x 1 blocks");
  if (p.threads > 512 && p.hot == 0)
    throw ArgumentError("format " + std::string(format) + ": 1024 threads need hot columns");
  return p;
}

BccooShape BccooParameters::shape(bool may_compress) const {
  BccooShape s;
  s.height = height;
  s.width = width;
  s.slices = slices;
  s.tile = tile;
  s.threads = threads;
  s.hot = hot;
  s.cache = strategy == 1 ? 0 : cached_values(height, hot);
  s.compress = may_compress && compress != 0;
  return s;
}

BccooValues bccoo_values(const PlanInput& in, const BccooParameters& p, std::size_t value_bytes) {
  const Structure& s = in.structure;
  if (!in.compress || s.profile == nullptr) return BccooValues::whole;
  const auto otherwise = s.profile->single && value_bytes > sizeof(float) ? BccooValues::single : BccooValues::whole;
  if (p.compress == 0 || s.profile->distinct == 0 || codes_of(s, p) > bccoo_codes) return otherwise;
  const double saved = static_cast<double>(s.nonzeros) * (stored_bytes(otherwise, value_bytes) - 1);
  return saved > table_bytes(s, p, value_bytes) ? BccooValues::coded : otherwise;
}

BccooParameters choose_bccoo(const PlanInput& in, std::size_t value_bytes, bool sliced) {
  const Structure& s = in.structure;
  const Machine& m = in.machine;
  BccooParameters p;
  p.slices = sliced ? 4 : 1;
  const BlockSizeRank best = ranked_sizes(s, value_bytes).front();
  p.height = best.height;
  p.width = best.width;
  choose_tile(p, s, m);
  choose_hot_columns(p, s, m, value_bytes);
  return p;
}

std::vector<BccooParameters> bccoo_variants(const PlanInput& in, std::size_t value_bytes) {
  const Structure& s = in.structure;
  const Machine& m = in.machine;
  std::vector<BccooParameters> all;
  add(all, choose_bccoo(in, value_bytes, false));
  const std::vector<BlockSizeRank> sizes = ranked_sizes(s, value_bytes);
  for (std::size_t k = 0; k < 4 && sizes[k].bytes < 1.25 * sizes[0].bytes; ++k) {
    BccooParameters p = all.front();
    p.hot = 0;
    p.height = sizes[k].height;
    p.width = sizes[k].width;
    choose_tile(p, s, m);
    add(all, p);
    if (k > 0) continue;
    for (const int tile : {8, 16, 32}) {
      BccooParameters other = p;
      other.tile = tile;
      if (m.device) add(all, other);
    }
    BccooParameters other = p;
    other.strategy = 1;
    if (m.device) add(all, other);
    other = p;
    other.compress = 0;
    add(all, other);
  }
  return all;
}

namespace {

/// Seconds of a product on the CPU. A block costs as much as 2 entries of csr beside its values, and a row's end as
/// much as 6, in slices 4.5. Reading floats and codes takes a core as long as reading whole values (EPYC, 2026-11).
double host_product_seconds(const Structure& s, const Machine& m, double blocks, double area, double rows, int slices,
                            double moved) {
  constexpr double task = 16384;  // slots of a task
  const HostKernel kernel = {
      .slot = 1.1 + 1.75 / area, .row = slices > 1 ? 4.5 : 6.0, .uneven = 4, .gather = 1.3, .stream = 0.4};
  return host_seconds(s, m, kernel, {blocks * area, rows, moved, std::ceil(blocks * area / task)});
}

/// Block rows of all slices together.
double block_rows_of(const Structure& s, const BccooParameters& p) {
  return std::ceil(double(s.rows) / p.height) * p.slices;
}

/// The reason why these parameters can't be used; empty when they can.
std::string why_not(const Structure& s, const Machine& m, const BccooParameters& p, std::size_t value_bytes,
                    double blocks) {
  constexpr double limit = std::numeric_limits<Index>::max();
  if (block_rows_of(s, p) * p.height >= limit) return "2^31 rows or more in " + std::to_string(p.slices) + " slices";
  if (s.cols + double(p.hot) + 32 >= limit) return "too many columns";
  if (blocks >= limit) return "2^31 blocks or more";
  if (m.device && p.threads < 32) return "on a GPU a workgroup needs at least 32 threads";
  if (m.device && p.hot > 0 && shared_bytes(p.hot, value_bytes) > m.shared_bytes)
    return std::to_string(p.hot) + " hot columns don't fit into shared memory";
  return "";
}

}  // namespace

Cost bccoo_cost(const PlanInput& in, const BccooParameters& p, std::size_t value_bytes) {
  const Structure& s = in.structure;
  const Machine& m = in.machine;
  Cost c;
  const double entries = static_cast<double>(s.nonzeros), area = p.height * p.width;
  const double fill = std::max(fill_of(s, p.height, p.width), 1 / area), group = double(p.tile) * p.threads;
  const double blocks = std::ceil(entries / (fill * area) / group) * group, tiles = blocks / p.tile;
  const double block_rows = block_rows_of(s, p);
  const BccooValues values = bccoo_values(in, p, value_bytes);
  const bool narrow = in.compress && p.compress != 0 && p.hot == 0;
  const double value = stored_bytes(values, value_bytes);
  const bool differences = narrow && s.cols > 65536 * p.width;  // between the columns of neighbouring blocks
  const double column = narrow ? 2 : 4, header = differences ? 8 : 4;
  const bool gaps = p.slices > 1 || s.empty_rows > 0;
  c.bytes = static_cast<std::size_t>(blocks * (area * value + column + 0.125) + tiles * header +
                                     (gaps ? 4.0 * std::min(block_rows, blocks) + 4.0 * s.empty_rows : 0) +
                                     blocks / group * (12 + 2 * p.height * static_cast<double>(value_bytes)) +
                                     (p.slices > 1 ? block_rows * p.height * static_cast<double>(value_bytes) : 0) +
                                     4.0 * p.hot + (values == BccooValues::coded ? table_bytes(s, p, value_bytes) : 0));
  // Where many differences don't fit 2 bytes, whole columns are stored. The fill of blocks is that of a sample.
  if (differences) c.most_bytes = c.bytes + static_cast<std::size_t>(2 * blocks);
  if (area > 1) c.most_bytes = 2 * std::max(c.bytes, c.most_bytes);
  c.moved = static_cast<double>(c.bytes) + static_cast<double>(value_bytes) * (static_cast<double>(s.rows) + s.cols);
  c.padding = entries > 0 ? std::max(0.0, blocks * area / entries - 1) : 0;
  // H200, 2026-11: 1.5 us after the last load, 4 ps for each row through the cache, 1.2 ps for each lookup of a coded
  // value (54 us for 41 M values in 3 x 3 blocks). Hot columns are read from shared memory. The shares of
  // the 4096 and 16384 fullest columns are known; they stand for somewhat more hot columns, too.
  const double hot = p.hot == 0 || s.profile == nullptr ? 0 : s.profile->hot[p.hot > 8192 ? 2 : 1];
  const double rows = std::min(block_rows * p.height, entries);
  c.seconds = m.device ? m.latency * (p.slices > 1 ? 2 : 1) +
                             std::max(traffic_seconds(s, m, c.moved, 0.93, 1 - hot),
                                      values == BccooValues::coded ? 1.2e-12 * blocks * area : 0) +
                             1.5e-6 + 4e-12 * rows
                       : host_product_seconds(s, m, blocks, area, rows, p.slices, c.moved);
  c.setup_seconds =
      60 * m.latency + (6.0 * static_cast<double>(c.bytes) + entries * (area > 1 ? 60 : 40)) / m.bandwidth;
  c.reason_not = why_not(s, m, p, value_bytes, blocks);
  return c;
}

}  // namespace ostinato::formats
