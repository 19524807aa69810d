// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/diagonal/product_text.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::formats {

namespace {

using namespace product_text;

/// Writes the kernels for row classes.
class ClassWriter {
 public:
  /// `present` belongs to class 0.
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

  /// A function that adds up the existing entries of a row, term by term.
  std::string edge_row() const {
    std::string text =
        "__device__ __noinline__ T edge_row(const ClassArgs<T>& a, unsigned i, const T* x) {\n"
        "  const unsigned long long word = __ldg(a.patterns + __ldg(a.tiles + i / 32) * 32u + i % 32);\n  T sum = 0;\n";
    for (std::size_t d = 0; d < diagonals(); ++d)
      text += join("  if (word >> ", d, " & 1u) sum = fma(", value(d), ", *(x + (", offsets_[d], ")), sum);\n");
    return text + "  return sum;\n}\n";
  }

  /// The function rows() of product_dot, with one thread per row.
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

  /// Loads all elements of x that the rows may need, and the rows' patterns at the same time.
  std::string loads(const ProductSource::Tiling& t) const {
    return tiles(t) + fetch("x", plainly, reach(offsets_, t), t.pair);
  }

  std::string tiles(const ProductSource::Tiling& t) const {
    std::string text;
    for (int r = 0; r < t.tall; ++r)
      text += join("      const unsigned tile", r, " = __ldg(a.tiles + (i + ", Offset{t.stride} * r, "u) / 32);\n");
    return text;
  }

  /// The same loads where elements may lie outside x: the index is clamped, and the value isn't used.
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

// Rows per thread (H200, 2026-11): 5-point 4096^2 takes 81 us with one row, 69 us with 4 x 2 rows. 7-point 256^3 takes
// 84 us, and 77 us with 2 x 2 rows across planes. 27-point 128^3, bound by the first-level cache, takes 24 us, and 19
// us with 2 x 1 rows across lines and smaller thread blocks.
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
            offsets.size() > max_tiled && rows(t) == rows(best) && best.tall > 1;  // prefer lines to planes
        if (rows(t) > rows(best) || (!sooner && pair >= best.pair)) best = t;
      }
    }
  }
  return best;
}

template <class T>
ProductSource product_source(const ClassTable<T>& table, bool simple) {
  const ProductSource::Tiling tiling = choose_tiling(table.offsets, table.rows);
  const std::string type = is_single<T> ? "float" : "double";
  return {head(type) + ClassWriter(table.offsets, table.rows, table.cols, table.present[0], simple).text(tiling),
          tiling};
}

#define OSTINATO_INSTANTIATE(T) template ProductSource product_source(const ClassTable<T>&, bool)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::formats
