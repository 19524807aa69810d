// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include <ostinato/spmv/formats/diagonal/product_args.hpp>
#include <ostinato/spmv/formats/diagonal/product_text.hpp>

namespace ostinato::formats {

namespace {

using namespace product_text;

/// Most bands in all bodies, and most row pieces: past these limits the compilation takes longer than it saves.
constexpr std::size_t max_bands = 1024;
constexpr std::size_t max_pieces = 4096;
/// Most row pieces that a kernel finds by comparison.
constexpr std::size_t max_compared = 16;
/// Loads issued before the first value is used. More of them would evict each other from the first-level cache.
constexpr std::size_t in_flight = 8;
/// For full bands: a stride above 1 / most_of_rows of the rows leaves too many threads at the edges.
constexpr Offset most_of_rows = 16;

std::string rows_kernel(const std::string& args) {
  return join("extern \"C\" __global__ void __launch_bounds__(256) product(const __grid_constant__ ", args,
              " a, Product<T> p) {\n  Sums<1> none{};\n  cuda::pdl_trigger_and_wait();\n  rows<false>(a, p, nullptr, "
              "none);\n}\n");
}

/// Row pieces with the same diagonals and storages, which share a body.
struct Shape {
  std::vector<Band> bands;
  std::vector<RowPiece> pieces;

  bool starts_inside(Index offset) const {
    return std::all_of(pieces.begin(), pieces.end(), [=](const RowPiece& p) { return Offset{p.begin} + offset >= 0; });
  }
  bool ends_inside(Index offset, Index cols) const {
    return std::all_of(pieces.begin(), pieces.end(),
                       [=](const RowPiece& p) { return Offset{p.end} - 1 + offset < cols; });
  }
};

/// Writes the bodies for a plan.
class BandWriter {
 public:
  explicit BandWriter(const BandPlan& plan) : plan_(plan) {
    std::map<std::vector<std::pair<Index, int>>, std::size_t> known;
    for (const RowPiece& piece : plan.pieces) {
      std::vector<std::pair<Index, int>> key;
      const auto first = plan.bands.begin() + piece.first_band;
      const std::vector<Band> bands(first, first + piece.bands);
      for (const Band& b : bands) key.push_back({b.offset, static_cast<int>(b.storage) * 4096 + b.diagonal});
      const auto [at, added] = known.emplace(std::move(key), shapes_.size());
      if (added) shapes_.push_back({bands, {}});
      shapes_[at->second].pieces.push_back(piece);
      shape_of_.push_back(at->second);
    }
  }

  std::size_t bands() const {
    std::size_t count = 0;
    for (const Shape& s : shapes_) count += s.bands.size();
    return count;
  }

  std::string rows() const {
    std::string text;
    for (std::size_t s = 0; s < shapes_.size(); ++s) text += body(s);
    if (!has_few_pieces()) text += shape_table();
    return text +
           join(
               "template <bool Dotted>\n__device__ void rows(const BandArgs<T>& a, const Product<T>& p, const T* w, "
               "Sums<1>& dot) {\n  for (long long tile = blockIdx.x; tile < ",
               (Offset{plan_.rows} + piece_rows - 1) / piece_rows,
               "; tile += gridDim.x) {\n    const unsigned i = static_cast<unsigned>(tile) * 256u + threadIdx.x;\n    "
               "if (i >= ",
               plan_.rows, ") continue;\n", dispatch(), remainder(),
               "    cuda::finish_row<Dotted>(p, i, sum, w, dot);\n  }\n}\n");
  }

  /// The kernels of the product. With a few full, mirrored bands a thread takes several rows, since neighbouring rows
  /// share values.
  std::string product(const ProductSource::Tiling& tiling) const {
    if (tiling.tall * tiling.pair == 1) return rows_kernel("BandArgs<T>");
    std::vector<Index> offsets;
    for (const Band& b : plan_.bands) offsets.push_back(b.offset);
    return product_kernels(tiling, [&](const char* kernel, const ProductSource::Tiling& t) {
      return tiled_kernel(
          kernel, "BandArgs<T>", t, plan_.rows,
          {all_inside(offsets, t, plan_.rows, plan_.cols), tile(offsets, t), "", "body0(a, nullptr, row, p.x + row)"});
    });
  }

  /// False where the precompiled kernels are better. For many full bands the compiler issues so many loads at once that
  /// few threads have enough registers: the precompiled loop is faster (H200, 2026-11: 27-point 128^3 takes 86 us with
  /// the loop, 154 us unrolled).
  bool is_worth_it() const {
    const bool long_body =
        std::any_of(shapes_.begin(), shapes_.end(), [](const Shape& s) { return s.bands.size() > max_tiled; });
    return bands() <= max_bands && plan_.pieces.size() <= max_pieces && !(plan_.is_whole && long_body);
  }

  ProductSource::Tiling tiling() const {
    const auto& bands = plan_.bands;
    const bool whole =
        plan_.pieces.size() == 1 && plan_.remainder() == 0 && bands.size() <= max_tiled && plan_.is_whole;
    const bool mirrored = std::any_of(bands.begin(), bands.end(), [](const Band& b) { return b.mirrored; });
    ProductSource::Tiling t;
    if (!whole || !mirrored || bands.back().offset < least_stride) return t;
    if (Offset{bands.back().offset} * most_of_rows > plan_.rows || plan_.rows > max_tiled_rows) return t;
    t.stride = bands.back().offset;
    if (plan_.rows / 2 >= enough_threads) t.tall = 2;
    if (plan_.rows / 4 >= enough_threads && t.stride % 2 == 0) t.pair = 2;
    return t;
  }

 private:
  /// Loads all elements of A and x that the rows of a thread need, each once, and adds up the rows.
  std::string tile(const std::vector<Index>& offsets, const ProductSource::Tiling& t) const {
    std::set<Offset> values;
    std::string sums;
    for (int r = 0; r < t.tall; ++r) {
      for (int q = 0; q < t.pair; ++q) {
        const Offset row = Offset{t.stride} * r + q;
        for (const Band& b : plan_.bands) {
          values.insert(b.base + row);
          sums += join("      s", r, "_", q, " = fma(", name("v", b.base + row), ", ", name("x", b.offset + row), ", s",
                       r, "_", q, ");\n");
        }
      }
    }
    return "      const T* v = reinterpret_cast<const T*>(a.data) + i;\n" + fetch("v", "__ldg", values, t.pair) +
           fetch("x", plainly, reach(offsets, t), t.pair) + sums;
  }

  std::string shape_table() const {
    std::string text = "__device__ const unsigned short shape_of[] = {";
    for (const std::size_t s : shape_of_) text += join(s, ",");
    return text + "};\n";
  }

  bool shares_bodies() const {
    return std::any_of(shapes_.begin(), shapes_.end(), [](const Shape& s) { return s.pieces.size() > 1; });
  }

  bool has_few_pieces() const { return plan_.pieces.size() <= max_compared; }

  /// An expression for the row piece of a tile; comparisons when there are few pieces, because these load nothing.
  std::string piece_of_tile() const {
    if (!has_few_pieces()) return "a.piece_of[tile]";
    std::string text;
    for (std::size_t p = 0; p + 1 < plan_.pieces.size(); ++p)
      text += join("tile < ", plan_.pieces[p].end / piece_rows, " ? ", p, " : ");
    return join(text, plan_.pieces.size() - 1);
  }

  std::string dispatch() const {
    if (shapes_.empty()) return "    T sum = 0;\n";
    if (plan_.pieces.size() == 1) return "    T sum = body0(a, nullptr, i, p.x + i);\n";
    std::string text =
        join("    const int piece = ", piece_of_tile(),
             ";\n    const BandWords* bands = ", shares_bodies() ? "a.bands + a.pieces[piece].first_band" : "nullptr",
             ";\n    T sum = 0;\n    switch (", has_few_pieces() ? "piece" : "shape_of[piece]", ") {\n");
    for (std::size_t c = 0; c < (has_few_pieces() ? plan_.pieces.size() : shapes_.size()); ++c)
      text += join("      case ", c, ": sum = body", has_few_pieces() ? shape_of_[c] : c,
                   "(a, bands, i, p.x + i); break;\n");
    return text + "    }\n";
  }

  std::string remainder() const {
    if (plan_.remainder() == 0) return {};
    return "    for (int k = a.remainder_ptr[tile], end = a.remainder_ptr[tile + 1]; k < end; ++k)\n"
           "      if (a.remainder_row[k] == threadIdx.x) sum = fma(a.remainder_val[k], "
           "p.x[a.remainder_col[k]], sum);\n";
  }

  /// A function that computes row i of A x; x points to element i.
  std::string body(std::size_t s) const {
    const Shape& shape = shapes_[s];
    std::string text = join("__device__ __forceinline__ T body", s,
                            "(const BandArgs<T>& a, const BandWords* bands, unsigned i, const T* x) {\n  T sum = 0;\n");
    for (std::size_t begin = 0; begin < shape.bands.size(); begin += in_flight) {
      const std::size_t end = std::min(begin + in_flight, shape.bands.size());
      text += "  {\n";
      for (std::size_t k = begin; k < end; ++k) text += load(shape, k);
      for (std::size_t k = begin; k < end; ++k)
        text += join("    ", inside(shape, k).empty() ? "" : join("if (in", k, ") "), "sum = fma(v", k, ", x", k,
                     ", sum);\n");
      text += "  }\n";
    }
    return text + "  return sum;\n}\n";
  }

  /// The condition that row i has a column on the diagonal; empty when this holds for all rows.
  std::string inside(const Shape& shape, std::size_t k) const {
    const Index offset = shape.bands[k].offset;
    std::string text;
    if (!shape.starts_inside(offset)) text = join("i >= ", -Offset{offset}, "u");
    if (!shape.ends_inside(offset, plan_.cols))
      text += join(text.empty() ? "" : " && ", "i < ", std::max<Offset>(0, Offset{plan_.cols} - offset), "u");
    return text;
  }

  std::string load(const Shape& shape, std::size_t k) const {
    const Band& band = shape.bands[k];
    const std::string x = join("*(x + (", band.offset, "))"), value = value_of(shape, k), when = inside(shape, k);
    if (when.empty()) return join("    const T v", k, " = ", value, ", x", k, " = ", x, ";\n");
    return join("    const bool in", k, " = ", when, ";\n    T v", k, ", x", k, ";\n    if (in", k, ") {\n      v", k,
                " = ", value, ";\n      x", k, " = ", x, ";\n    }\n");
  }

  /// An expression for the one value of a diagonal: from the constant cache while there is room.
  std::string constant_of(const Band& band) const {
    const auto at = std::find(constants_.begin(), constants_.end(), band.diagonal);
    if (at == constants_.end()) return join("__ldg(a.constants + ", band.diagonal, ")");
    return join("a.constant[", at - constants_.begin(), "]");
  }

  std::string value_of(const Shape& shape, std::size_t k) const {
    const Band& band = shape.bands[k];
    const std::string base = shape.pieces.size() == 1 ? join("(", band.base, "ll)") : join("bands[", k, "].base");
    const std::string at = join("(", base, " + i)"), constant = constant_of(band);
    switch (band.storage) {
      case Storage::full:
        return join("__ldg(reinterpret_cast<const T*>(a.data) + ", at, ")");
      case Storage::single:
        return join("static_cast<T>(__ldg(reinterpret_cast<const float*>(a.data) + ", at, "))");
      case Storage::bfloat:
        return join(
            "static_cast<T>(__uint_as_float(static_cast<unsigned>(__ldg(reinterpret_cast<const unsigned short*>("
            "a.data) + ",
            at, ")) << 16))");
      case Storage::code:
        return join("__ldg(a.codes + __ldg(a.data + ", at, "))");
      case Storage::mask:
        return join("(__ldg(reinterpret_cast<const unsigned*>(a.data) + (", at, " >> 5)) >> (", at,
                    " & 31) & 1u) != 0 ? ", constant, " : T{0}");
      case Storage::constant:
        break;
    }
    return constant;
  }

  const BandPlan& plan_;
  std::vector<std::uint16_t> constants_ = constant_diagonals(plan_);
  std::vector<Shape> shapes_;
  std::vector<std::size_t> shape_of_;  ///< shape of each row piece
};

}  // namespace

std::vector<std::uint16_t> constant_diagonals(const BandPlan& plan) {
  std::vector<std::uint16_t> diagonals;
  for (const Band& b : plan.bands) {
    if (b.storage != Storage::mask && b.storage != Storage::constant) continue;
    if (diagonals.size() == BandArgs<double>::max_constants) break;
    if (std::find(diagonals.begin(), diagonals.end(), b.diagonal) == diagonals.end()) diagonals.push_back(b.diagonal);
  }
  return diagonals;
}

std::optional<ProductSource> product_source(const BandPlan& plan, const std::string& type) {
  const BandWriter writer(plan);
  if (!writer.is_worth_it()) return std::nullopt;
  const ProductSource::Tiling tiling = writer.tiling();
  return ProductSource{head(type) + writer.rows() + dot_kernel("BandArgs<T>") + writer.product(tiling), tiling};
}

}  // namespace ostinato::formats
