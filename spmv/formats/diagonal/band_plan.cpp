// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include <ostinato/spmv/formats/diagonal/band_plan.hpp>

namespace ostinato::formats {

namespace {

/// Cost of an entry of the remainder, in multiples of its stored bytes: its x is gathered alone.
constexpr std::size_t remainder_weight = 4;
/// Most entries of a row piece's remainder; every warp of the piece reads all of them.
constexpr Index max_piece_remainder = 64;

/// A row piece before storages are chosen for its diagonals.
struct Cut {
  Index begin, end;
  std::vector<std::uint16_t> diagonals;
};

/// A diagonal over consecutive pieces that hold the diagonal.
struct Run {
  Index begin, end;  ///< stored rows
  Offset base;
};

Index inside_begin(const DiagonalCensus& c, std::size_t d) { return std::max<Index>(0, -c.diagonals[d].offset); }
Index inside_end(const DiagonalCensus& c, std::size_t d) {
  return static_cast<Index>(
      std::clamp<Offset>(static_cast<Offset>(c.cols) - c.diagonals[d].offset, 0, static_cast<Offset>(c.rows)));
}

/// Turns cuts into bands: chooses storages, gives each run its place in the data, finds mirrored diagonals.
class Layout {
 public:
  /// `entries`: entries of each diagonal without the remainder.
  Layout(const DiagonalCensus& census, std::size_t value_bytes, bool compress, const std::vector<Cut>& cuts,
         const std::vector<Offset>& entries)
      : census_(census), compress_(compress), cuts_(cuts), entries_(entries), runs_(census.diagonals.size()) {
    plan_.rows = census.rows;
    plan_.cols = census.cols;
    plan_.value_bytes = value_bytes;
  }

  BandPlan make() {
    find_runs();
    choose_storages();
    for (std::size_t d = 0; d < runs_.size(); ++d) mirrored_.push_back(can_be_mirrored(d));
    for (std::size_t d = 0; d < runs_.size(); ++d) {
      if (mirrored_[d]) continue;
      for (Run& run : runs_[d]) place(d, run);
    }
    for (const Cut& cut : cuts_) add_piece(cut);
    return std::move(plan_);
  }

 private:
  void find_runs() {
    std::vector<const Cut*> last(runs_.size(), nullptr);
    for (const Cut& cut : cuts_) {
      plan_.slots += static_cast<Offset>(cut.end - cut.begin) * static_cast<Offset>(cut.diagonals.size());
      for (const std::uint16_t d : cut.diagonals) {
        const Index begin = std::max(cut.begin, inside_begin(census_, d)),
                    end = std::min(cut.end, inside_end(census_, d));
        std::vector<Run>& runs = runs_[d];
        if (last[d] != nullptr && last[d]->end == cut.begin && !runs.empty()) {
          runs.back().end = end;
        } else {
          runs.push_back({begin, end, 0});
        }
        last[d] = &cut;
      }
    }
  }

  /// True when some slots of the diagonal have no entry.
  bool has_gaps(std::size_t d) const {
    Offset stored = 0;
    for (const Run& run : runs_[d]) stored += run.end - run.begin;
    return stored != entries_[d];
  }

  void choose_storages() {
    if (compress_) plan_.codes = census_.values;
    if (std::any_of(plan_.codes.begin(), plan_.codes.end(), [](double v) { return std::isnan(v); }))
      plan_.codes.clear();  // conversion through double may change the bits of a NaN
    if (!plan_.codes.empty()) add_zero_code();
    for (std::size_t d = 0; d < runs_.size(); ++d) storages_.push_back(storage_of(d));
    if (std::find(storages_.begin(), storages_.end(), Storage::code) == storages_.end()) plan_.codes.clear();
    plan_.is_whole = std::all_of(storages_.begin(), storages_.end(), [](Storage s) { return s == Storage::full; });
    for (const Diagonal& diagonal : census_.diagonals) plan_.constants.push_back(diagonal.value);
  }

  /// Gives code 0 to the value 0, since padding consists of zero bits.
  void add_zero_code() {
    std::vector<double>& codes = plan_.codes;
    const auto zero = std::find_if(codes.begin(), codes.end(), [](double v) { return v == 0 && !std::signbit(v); });
    if (zero == codes.end()) {
      codes.insert(codes.begin(), 0);
    } else {
      std::swap(*zero, codes.front());
    }
    if (codes.size() > DiagonalCensus::max_values) codes.clear();
  }

  Storage storage_of(std::size_t d) const {
    const Diagonal& diagonal = census_.diagonals[d];
    if (!compress_) return Storage::full;
    if (diagonal.constant) return has_gaps(d) ? Storage::mask : Storage::constant;
    if (!plan_.codes.empty()) return Storage::code;
    if (diagonal.bfloat) return Storage::bfloat;
    if (diagonal.single && plan_.value_bytes > sizeof(float)) return Storage::single;
    return Storage::full;
  }

  /// Mirroring replaces a load of values by a second, shifted load of the same data. That pays for values of 1 byte or
  /// more, not for masks.
  bool can_be_mirrored(std::size_t d) const {
    return compress_ && census_.symmetric && census_.diagonals[d].offset < 0 && storages_[d] != Storage::mask &&
           storages_[d] != Storage::constant && runs_are_covered(d);
  }

  std::size_t opposite(std::size_t d) const {
    const Index offset = -census_.diagonals[d].offset;
    const auto at = std::lower_bound(census_.diagonals.begin(), census_.diagonals.end(), offset,
                                     [](const Diagonal& a, Index o) { return a.offset < o; });
    return static_cast<std::size_t>(at - census_.diagonals.begin());
  }

  /// The run of the opposite diagonal that holds all mirrored rows of `run`, or null.
  const Run* mirror_of(std::size_t d, const Run& run) const {
    const Index shift = -census_.diagonals[d].offset;
    for (const Run& above : runs_[opposite(d)]) {
      if (above.begin <= run.begin - shift && run.end - shift <= above.end) return &above;
    }
    return nullptr;
  }

  bool runs_are_covered(std::size_t d) const {
    return storages_[d] == storages_[opposite(d)] &&
           std::all_of(runs_[d].begin(), runs_[d].end(), [&](const Run& run) { return mirror_of(d, run) != nullptr; });
  }

  void place(std::size_t d, Run& run) {
    const int bits = storage_bits(storages_[d], plan_.value_bytes);
    if (bits == 0) return;
    const Index first = run.begin / 32 * 32;
    run.base = static_cast<Offset>(plan_.data_bytes) * 8 / bits - first;
    const std::size_t bytes = (static_cast<std::size_t>(run.end - first) * static_cast<std::size_t>(bits) + 7) / 8;
    plan_.data_bytes += (bytes + 255) / 256 * 256 + 256;
  }

  const Run& run_of(std::size_t d, const Cut& cut) const {
    const auto after = std::upper_bound(runs_[d].begin(), runs_[d].end(), std::max(cut.begin, inside_begin(census_, d)),
                                        [](Index row, const Run& run) { return row < run.begin; });
    return *(after - 1);
  }

  void add_piece(const Cut& cut) {
    plan_.pieces.push_back(
        {cut.begin, cut.end, static_cast<Index>(plan_.bands.size()), static_cast<Index>(cut.diagonals.size())});
    for (const std::uint16_t d : cut.diagonals) {
      Band band{0, census_.diagonals[d].offset, d, storages_[d], mirrored_[d]};
      const Run& run = run_of(d, cut);
      band.base = band.mirrored ? mirror_of(d, run)->base + band.offset : run.base;
      plan_.bands.push_back(band);
    }
  }

  const DiagonalCensus& census_;
  bool compress_;
  const std::vector<Cut>& cuts_;
  const std::vector<Offset>& entries_;
  std::vector<std::vector<Run>> runs_;  ///< by diagonal, like storages_ and mirrored_
  std::vector<Storage> storages_;
  std::vector<bool> mirrored_;
  BandPlan plan_;
};

std::vector<Offset> all_entries(const DiagonalCensus& c) {
  std::vector<Offset> entries;
  for (const Diagonal& d : c.diagonals) entries.push_back(d.entries);
  return entries;
}

/// A row piece with the diagonals that lie inside the matrix in some row of [begin, end).
Cut cut_inside(const DiagonalCensus& c, Index begin, Index end) {
  Cut cut{begin, end, {}};
  for (std::size_t d = 0; d < c.diagonals.size(); ++d) {
    if (inside_begin(c, d) < end && inside_end(c, d) > begin) cut.diagonals.push_back(static_cast<std::uint16_t>(d));
  }
  return cut;
}

std::vector<Index> piece_points(const DiagonalCensus& c) {
  std::vector<Index> points;
  for (std::size_t d = 0; d < c.diagonals.size(); ++d) {
    points.push_back(inside_begin(c, d));
    points.push_back(inside_end(c, d));
  }
  std::sort(points.begin(), points.end());
  std::vector<Index> kept{0};
  for (const Index p : points) {
    const Offset moved = (Offset{p} + piece_rows / 2) / piece_rows * piece_rows;
    if (moved - kept.back() >= piece_rows && moved < c.rows) kept.push_back(static_cast<Index>(moved));
  }
  kept.push_back(c.rows);
  return kept;
}

/// The fewest entries of a diagonal in a row piece for which a band takes fewer bytes than the remainder. A row of a
/// constant diagonal counts as a byte, for its work: without that, a single entry alone on its diagonal, which is
/// constant, would get a band of its own.
Index least_worth_keeping(bool constant, Index rows, std::size_t value_bytes) {
  const std::size_t band = sizeof(Band) + static_cast<std::size_t>(rows) * (constant ? 1 : value_bytes);
  const std::size_t entry = remainder_weight * (value_bytes + sizeof(Index) + 1);
  return static_cast<Index>((band + entry - 1) / entry);
}

/// least_worth_keeping() of each diagonal, for row pieces of `rows` rows.
std::vector<Index> least_entries(const DiagonalCensus& c, Index rows, std::size_t value_bytes, bool compress) {
  const Index of_constant = least_worth_keeping(true, rows, value_bytes),
              of_other = least_worth_keeping(false, rows, value_bytes);
  std::vector<Index> least;
  for (const Diagonal& d : c.diagonals) least.push_back(compress && d.constant ? of_constant : of_other);
  return least;
}

/// Fills `kept` with the diagonals of a row piece that stay bands, and subtracts the entries that go to the remainder
/// from `entries`. Returns the number of these entries.
Index keep_diagonals(const PieceDiagonal* piece, const std::vector<Index>& least, std::vector<std::uint16_t>& kept,
                     std::vector<Offset>& entries) {
  kept.clear();
  Index moved = 0;
  for (std::size_t d = 0; d < least.size(); ++d) {
    const Index there = piece[d].entries;
    if (there < least[d] && moved + there <= max_piece_remainder) {  // diagonals without an entry always move
      moved += there;
      entries[d] -= there;
    } else {
      kept.push_back(static_cast<std::uint16_t>(d));
    }
  }
  return moved;
}

}  // namespace

int storage_bits(Storage storage, std::size_t value_bytes) {
  switch (storage) {
    case Storage::full:
      return static_cast<int>(8 * value_bytes);
    case Storage::single:
      return 32;
    case Storage::bfloat:
      return 16;
    case Storage::code:
      return 8;
    case Storage::mask:
      return 1;
    case Storage::constant:
      break;
  }
  return 0;
}

std::size_t BandPlan::bytes() const {
  return data_bytes + bands.size() * sizeof(Band) + pieces.size() * sizeof(RowPiece) +
         remainder_ptr.size() * sizeof(Index) +
         static_cast<std::size_t>(remainder()) * (value_bytes + sizeof(Index) + 1);
}

BandPlan plan_dia(const DiagonalCensus& census, std::size_t value_bytes, bool compress) {
  std::vector<Cut> cuts;
  if (census.rows > 0) {
    cuts.push_back({0, census.rows, std::vector<std::uint16_t>(census.diagonals.size())});
    std::iota(cuts[0].diagonals.begin(), cuts[0].diagonals.end(), std::uint16_t{0});
  }
  const std::vector<Offset> entries = all_entries(census);
  return Layout(census, value_bytes, compress, cuts, entries).make();
}

BandPlan plan_brcsd_i(const DiagonalCensus& census, std::size_t value_bytes, bool compress) {
  const std::vector<Index> points = piece_points(census);
  std::vector<Cut> cuts;
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    if (points[k] < points[k + 1]) cuts.push_back(cut_inside(census, points[k], points[k + 1]));
  }
  const std::vector<Offset> entries = all_entries(census);
  return Layout(census, value_bytes, compress, cuts, entries).make();
}

BandPlan plan_brcsd_ii(const DiagonalCensus& census, std::size_t value_bytes, bool compress) {
  const std::size_t count = census.diagonals.size();
  std::vector<Cut> cuts;
  std::vector<Index> remainder, least;  // `remainder` stays empty until an entry moves
  std::vector<Offset> entries = all_entries(census);
  std::vector<std::uint16_t> all(count), some;
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  Index least_for = 0, most = 0;  // `least` is for pieces of least_for rows; its largest element
  const auto whole_pieces = static_cast<std::size_t>(census.rows / census.rows_in_piece);
  std::size_t next = 0;
  for (std::size_t p = 0; p < census.fewest().size(); p = next) {
    const Offset begin = static_cast<Offset>(p) * census.rows_in_piece;
    Index rows = static_cast<Index>(std::min<Offset>(census.rows - begin, census.rows_in_piece));
    if (rows != least_for) {
      least = least_entries(census, rows, value_bytes, compress);
      most = least.empty() ? 0 : *std::max_element(least.begin(), least.end());
      least_for = rows;
    }
    const bool keeps_all = census.fewest()[p] >= most;
    const Index moved = keeps_all ? 0 : keep_diagonals(census.pieces().data() + p * count, least, some, entries);
    const std::vector<std::uint16_t>& kept = keeps_all ? all : some;
    next = p + 1;
    if (keeps_all) {  // as nearly all row pieces of a stencil do
      while (next < whole_pieces && census.fewest()[next] >= most) ++next;
      rows += static_cast<Index>(next - p - 1) * census.rows_in_piece;
    }
    if (remainder.empty() && moved > 0) remainder.resize(p + 1, 0);
    if (!remainder.empty()) remainder.resize(next + 1, remainder.back() + moved);
    if (!cuts.empty() && cuts.back().diagonals == kept) {
      cuts.back().end += rows;
    } else {
      cuts.push_back({static_cast<Index>(begin), static_cast<Index>(begin) + rows, kept});
    }
  }
  BandPlan plan = Layout(census, value_bytes, compress, cuts, entries).make();
  plan.remainder_ptr = std::move(remainder);
  return plan;
}

}  // namespace ostinato::formats
