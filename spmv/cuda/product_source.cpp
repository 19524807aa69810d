// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <type_traits>

#include <ostinato/spmv/cuda/product_args.hpp>
#include <ostinato/spmv/cuda/product_source.hpp>
#include <ostinato_generated/product_prelude.hpp>

namespace ostinato::formats {

namespace {

/// Bands over all bodies, and row pieces, past which the compiler takes longer than it is worth.
constexpr std::size_t max_bands = 1024;
constexpr std::size_t max_pieces = 4096;
/// Row pieces that a kernel finds by comparing.
constexpr std::size_t max_compared = 16;
/// Loads that are on the way before the first value is used. More of them push each other out of the first-level cache.
constexpr std::size_t in_flight = 8;
/// Shorter strides leave neighbouring threads too little in common.
constexpr Index least_stride = 32;
/// Of whole values: longer strides, as a share of the rows, leave too many threads at the edges.
constexpr Offset most_of_rows = 16;
/// Rows up to which kernels with several a thread can count in 32 bits.
constexpr Index max_tiled_rows = Index{1} << 30;
/// Diagonals of which a thread can hold several rows' values.
constexpr std::size_t max_tiled = 12;
/// Threads that a GPU needs to be busy: with fewer, rows aren't taken together (H200, 2026-11: 5-point 1024^2 takes
/// 6.5 us with a row a thread, 7.2 with eight; 2048^2 25.3 and 23.2).
constexpr Index enough_threads = 400000;

template <class... Words>
std::string join(const Words&... words) {
  std::string text;
  const auto add = [&](const auto& word) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(word)>>) {
      text += std::to_string(word);
    } else {
      text += word;
    }
  };
  (add(words), ...);
  return text;
}

std::string head(const std::string& type) {
  return join(product_prelude, "\nusing namespace ostinato;\nusing namespace ostinato::formats;\nusing T = ", type,
              ";\nusing Pair = ", type, "2;\n");
}

/// The kernels around `template <bool Dotted> void rows(args, p, w, dot)`, which goes through all rows of a block.
std::string dot_kernel(const std::string& args) {
  return join(
      "extern \"C\" __global__ void __launch_bounds__(256) product_dot(const __grid_constant__ ", args,
      " a, Product<T> p, const T* w, cuda::Reduction to) {\n  Sums<1> dot{};\n"
      "  cuda::take_turn();\n  rows<true>(a, p, w, dot);\n  cuda::grid_sum(dot, to, [](const Sums<1>&) {});\n}\n");
}

std::string rows_kernel(const std::string& args) {
  return join("extern \"C\" __global__ void __launch_bounds__(256) product(const __grid_constant__ ", args,
              " a, Product<T> p) {\n  Sums<1> none{};\n  cuda::take_turn();\n  rows<false>(a, p, nullptr, none);\n}\n");
}

/// Elements of x that the rows of a thread reach, relative to the first row.
std::set<Offset> reach(const std::vector<Index>& offsets, const ProductSource::Tiling& t) {
  std::set<Offset> places;
  for (const Index o : offsets) {
    for (int r = 0; r < t.tall; ++r) {
      for (int q = 0; q < t.pair; ++q) places.insert(Offset{o} + Offset{t.stride} * r + q);
    }
  }
  return places;
}

/// The last row of a thread, relative to the first.
Offset last_row(const ProductSource::Tiling& t) { return Offset{t.stride} * (t.tall - 1) + t.pair - 1; }

/// Place p of an array, in a name: no minus sign.
std::string name(const char* array, Offset p) { return p < 0 ? join(array, "m", -p) : join(array, p); }

/// What stands before a pointer to x, which another kernel may be writing while this one starts (overlap.cuh); before
/// one to the arrays of a matrix, __ldg.
constexpr char plainly[] = "*";

/// Fetches places of an array, two at a time where they begin at a pair. `read` stands before a pointer.
std::string fetch(const char* array, const char* read, const std::set<Offset>& places, int pair) {
  std::string text;
  for (auto p = places.begin(); p != places.end(); ++p) {
    const auto next = std::next(p);
    const std::string first = name(array, *p);
    if (pair == 2 && *p % 2 == 0 && next != places.end() && *next == *p + 1) {
      text += join("      const Pair both", first, " = ", read, "(reinterpret_cast<const Pair*>(", array, " + (", *p,
                   "ll)));\n", "      const T ", first, " = both", first, ".x, ", name(array, *next), " = both", first,
                   ".y;\n");
      p = next;
    } else {
      text += join("      const T ", first, " = ", read, "(", array, " + (", *p, "ll));\n");
    }
  }
  return text;
}

/// Whether all that the rows of a thread reach is in x, and all of them are rows.
std::string all_inside(const std::vector<Index>& offsets, const ProductSource::Tiling& t, Index rows, Index cols) {
  if (offsets.empty()) return "false";
  const std::set<Offset> places = reach(offsets, t);
  return join("i >= ", std::max<Offset>(0, -*places.begin()), "u && i < ",
              std::max<Offset>(0, Offset{cols} - std::max<Offset>(0, *places.rbegin())), "u && i + ", last_row(t),
              "u < ", rows, "u");
}

/// Stores the sums s0_0, s0_1 and so on.
std::string stores(const ProductSource::Tiling& t) {
  std::string single, both;
  for (int r = 0; r < t.tall; ++r) {
    const Offset row = Offset{t.stride} * r;
    both += join("      *reinterpret_cast<Pair*>(p.y + i + ", row, ") = Pair{p.alpha * s", r, "_0, p.alpha * s", r,
                 "_1};\n");
    for (int q = 0; q < t.pair; ++q)
      single += join("      cuda::finish_row<false>(p, i + ", row + q, ", s", r, "_", q,
                     ", static_cast<const T*>(nullptr), none);\n");
  }
  if (t.pair == 1) return single;
  return "    if (p.beta == 0) {\n" + both + "    } else {\n" + single + "    }\n";
}

/// How the rows of a thread are added up.
struct Rows {
  std::string when;     ///< all of x that they reach is there: then
  std::string inside;   ///< fetches and adds up
  std::string at_edge;  ///< the same where some of x isn't there, but all are rows; may be empty
  std::string one_row;  ///< otherwise, the sum of `row`
};

/// A kernel with several rows a thread.
std::string tiled_kernel(const char* kernel, const char* args, const ProductSource::Tiling& t, Index rows,
                         const Rows& sums) {
  std::string text = join("extern \"C\" __global__ void __launch_bounds__(", t.threads, ") ", kernel,
                          "(const __grid_constant__ ", args, " a, const Product<T> p) {\n  const unsigned u = ", t.pair,
                          "u * (blockIdx.x * ", t.threads, "u + threadIdx.x);\n  const unsigned i = ");
  text += t.tall == 1 ? std::string("u;\n")
                      : join("u / ", t.stride, "u * ", Offset{t.stride} * t.tall, "u + u % ", t.stride, "u;\n");
  text += join("  cuda::take_turn();\n  if (i >= ", rows, "u) return;\n  const T* x = p.x + i;\n  Sums<1> none{};\n");
  const auto together = [&](const std::string& when, const std::string& all) {
    text += "  if (" + when + ") {\n";
    for (int r = 0; r < t.tall; ++r) {
      for (int q = 0; q < t.pair; ++q) text += join("    T s", r, "_", q, " = 0;\n");
    }
    text += "    {\n" + all + "    }\n" + stores(t) + "    return;\n  }\n";
  };
  together(sums.when, sums.inside);
  if (!sums.at_edge.empty()) together(join("i + ", last_row(t), "u < ", rows, "u"), sums.at_edge);
  return text + join("#pragma unroll 1\n  for (int k = 0; k < ", t.tall * t.pair,
                     "; ++k) {\n    const unsigned row = i + k / ", t.pair, " * ", t.stride, "u + k % ", t.pair,
                     ";\n    if (row < ", rows, "u) cuda::finish_row<false>(p, row, ", sums.one_row,
                     ", static_cast<const T*>(nullptr), none);\n  }\n}\n");
}

/// The kernels for a product: one, or two when rows are taken in pairs. `write` gives a kernel's text.
template <class F>
std::string product_kernels(ProductSource::Tiling tiling, F write) {
  std::string text;
  if (tiling.pair > 1) text += write(ProductSource::product_pairs, tiling);
  tiling.pair = 1;
  return text + write(ProductSource::product, tiling);
}

/// Bands with the same diagonals and storages, so with the same body.
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

/// The bodies for a plan.
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

  /// The kernels for the product: with a few whole, mirrored diagonals several rows a thread, as neighbours share
  /// values.
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

  /// Of many whole values the compiler fetches so many at once that few threads have registers left: the precompiled
  /// loop over them is faster (H200, 2026-11: 27-point 128^3 takes 86 us with it, 154 with a straight line).
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
  /// All of A and x that the rows of a thread need, each once, and the sums.
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

  /// The row piece of a tile: by comparison when they are few, which needs no memory.
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

  /// The product of row i; x points to its own element.
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

  /// Whether row i has a column on the diagonal; empty when all rows have.
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

  /// The one value of a diagonal: from the constant cache, if it found room there.
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
  std::vector<std::size_t> shape_of_;  ///< by row piece
};

/// The kernels for row classes.
class ClassWriter {
 public:
  /// `present` is of class 0.
  ClassWriter(const std::vector<Index>& offsets, Index rows, Index cols, std::uint64_t present, bool simple)
      : offsets_(offsets), rows_(rows), cols_(cols), present_(present), simple_(simple) {}

  std::string text(const ProductSource::Tiling& tiling) const {
    return edge_row() + inner_row() + dot_kernel("ClassArgs<T>") +
           product_kernels(tiling, [&](const char* kernel, const ProductSource::Tiling& t) {
             return tiled_kernel(kernel, "ClassArgs<T>", t, rows_,
                                 {all_inside(offsets_, t, rows_, cols_), loads(t) + sums(t), edge_loads(t) + sums(t),
                                  "edge_row(a, row, p.x + row)"});
           });
  }

 private:
  std::size_t diagonals() const { return offsets_.size(); }

  std::string value(std::size_t d) const {
    return simple_ ? join("a.value[", d, "]") : join("__ldg(a.values + (word >> 56) * ", diagonals(), " + ", d, ")");
  }

  /// Entries that are there, term by term.
  std::string edge_row() const {
    std::string text =
        "__device__ __noinline__ T edge_row(const ClassArgs<T>& a, unsigned i, const T* x) {\n"
        "  const unsigned long long word = __ldg(a.patterns + __ldg(a.tiles + i / 32) * 32u + i % 32);\n  T sum = 0;\n";
    for (std::size_t d = 0; d < diagonals(); ++d)
      text += join("  if (word >> ", d, " & 1u) sum = fma(", value(d), ", *(x + (", offsets_[d], ")), sum);\n");
    return text + "  return sum;\n}\n";
  }

  /// A thread a row, for the product with a dot product.
  std::string inner_row() const {
    ProductSource::Tiling one;
    return join(
        "template <bool Dotted>\n__device__ void rows(const ClassArgs<T>& a, const Product<T>& p, const T* w, "
        "Sums<1>& dot) {\n  const unsigned stride = 256u * gridDim.x;\n"
        "  for (unsigned i = 256u * blockIdx.x + threadIdx.x; i < ",
        rows_, "; i += stride) {\n    const T* x = p.x + i;\n    T s0_0 = 0;\n    if (",
        all_inside(offsets_, one, rows_, cols_), ") {\n", loads(one), sums(one),
        "    } else {\n      s0_0 = edge_row(a, i, x);\n    }\n",
        "    cuda::finish_row<Dotted>(p, i, s0_0, w, dot);\n  }\n}\n");
  }

  /// All of x that the rows may need, and what the rows are, at the same time.
  std::string loads(const ProductSource::Tiling& t) const {
    return tiles(t) + fetch("x", plainly, reach(offsets_, t), t.pair);
  }

  std::string tiles(const ProductSource::Tiling& t) const {
    std::string text;
    for (int r = 0; r < t.tall; ++r)
      text += join("      const unsigned tile", r, " = __ldg(a.tiles + (i + ", Offset{t.stride} * r, "u) / 32);\n");
    return text;
  }

  /// The same where places may lie outside: what is fetched there in their stead isn't used.
  std::string edge_loads(const ProductSource::Tiling& t) const {
    std::string text = tiles(t);
    for (const Offset p : reach(offsets_, t))
      text += join("      const T ", name("x", p), " = p.x[min(max(static_cast<long long>(i) + (", p, "ll), 0ll), ",
                   Offset{cols_} - 1, "ll)];\n");
    return text;
  }

  std::string sums(const ProductSource::Tiling& t) const {
    std::string any;
    for (int r = 0; r < t.tall; ++r) any += join(r == 0 ? "" : " | ", "tile", r);
    std::string text = join("      if ((", any, ") == 0) {\n");
    for (int r = 0; r < t.tall; ++r) {
      for (int q = 0; q < t.pair; ++q) text += row_sum(t, r, q, false);
    }
    text += "      } else {\n";
    for (int r = 0; r < t.tall; ++r) {
      for (int q = 0; q < t.pair; ++q) text += row_sum(t, r, q, true);
    }
    return text + "      }\n";
  }

  std::string row_sum(const ProductSource::Tiling& t, int r, int q, bool odd) const {
    const Offset row = Offset{t.stride} * r + q;
    const std::string sum = join("s", r, "_", q);
    std::string text;
    if (odd)
      text += join("        {\n          const unsigned long long word = __ldg(a.patterns + tile", r, " * 32 + (i + ",
                   row, "u) % 32);\n");
    for (std::size_t d = 0; d < diagonals(); ++d) {
      if (!odd && (present_ >> d & 1u) == 0) continue;
      text += odd ? join("          if (word >> ", d, " & 1u) ") : std::string("        ");
      text += join(sum, " = fma(", odd ? value(d) : join("a.value[", d, "]"), ", ", name("x", offsets_[d] + row), ", ",
                   sum, ");\n");
    }
    return odd ? text + "        }\n" : text;
  }

  const std::vector<Index>& offsets_;
  Index rows_, cols_;
  std::uint64_t present_;
  bool simple_;
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

unsigned ProductSource::Tiling::blocks(Index rows) const {
  const Offset chunk = Offset{stride} * tall;
  const Offset of_threads = tall == 1 ? (Offset{rows} + pair - 1) / pair : (rows + chunk - 1) / chunk * stride / pair;
  return static_cast<unsigned>((of_threads + threads - 1) / threads);
}

// H200, 2026-11: 5-point 4096^2 takes 81 us with a row a thread, 69 with 4 x 2; 7-point 256^3 84 and 77 (2 x 2 across
// planes); 27-point 128^3, which the first-level cache bounds, 24 and 19 (2 x 1 across lines, smaller blocks).
ProductSource::Tiling choose_tiling(const std::vector<Index>& offsets, Index total_rows) {
  const std::size_t most = std::max<std::size_t>(24, offsets.size() * 4 / 3);
  ProductSource::Tiling best;
  if (offsets.size() > max_tiled) best.threads = 128;
  const auto rows = [](const ProductSource::Tiling& t) { return t.tall * t.pair; };
  for (const Index stride : offsets) {
    if (stride < least_stride || total_rows > max_tiled_rows) continue;
    for (const int tall : {1, 2, 4}) {
      if (Offset{stride} * tall > total_rows) continue;
      for (const int pair : {1, 2}) {
        const ProductSource::Tiling t{pair, tall, stride, best.threads};
        if (pair == 2 && (offsets.size() > max_tiled || stride % 2 != 0)) continue;
        if (reach(offsets, t).size() > most || rows(t) < rows(best) || total_rows / rows(t) < enough_threads) continue;
        const bool sooner =
            offsets.size() > max_tiled && rows(t) == rows(best) && best.tall > 1;  // lines before planes
        if (rows(t) > rows(best) || (!sooner && pair >= best.pair)) best = t;
      }
    }
  }
  return best;
}

std::optional<ProductSource> product_source(const BandPlan& plan, const std::string& type) {
  const BandWriter writer(plan);
  if (!writer.is_worth_it()) return std::nullopt;
  const ProductSource::Tiling tiling = writer.tiling();
  return ProductSource{head(type) + writer.rows() + dot_kernel("BandArgs<T>") + writer.product(tiling), tiling};
}

template <class T>
ProductSource product_source(const ClassTable<T>& table, bool simple) {
  const ProductSource::Tiling tiling = choose_tiling(table.offsets, table.rows);
  const std::string type = sizeof(T) == 8 ? "double" : "float";
  return {head(type) + ClassWriter(table.offsets, table.rows, table.cols, table.present[0], simple).text(tiling),
          tiling};
}

template ProductSource product_source(const ClassTable<float>&, bool);
template ProductSource product_source(const ClassTable<double>&, bool);

}  // namespace ostinato::formats
