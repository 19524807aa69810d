// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include <ostinato/spmv/formats/diagonal/product_text.hpp>
#include <ostinato_generated/product_prelude.hpp>

namespace ostinato::formats {

unsigned ProductSource::Tiling::blocks(Index rows) const {
  const Offset chunk = Offset{stride} * tall;
  const Offset of_threads = tall == 1 ? (Offset{rows} + pair - 1) / pair : (rows + chunk - 1) / chunk * stride / pair;
  return static_cast<unsigned>((of_threads + threads - 1) / threads);
}

namespace product_text {

namespace {

/// The last row of a thread, relative to its first row.
Offset last_row(const ProductSource::Tiling& t) { return Offset{t.stride} * (t.tall - 1) + t.pair - 1; }

/// The statements that store the sums s0_0, s0_1 and so on.
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

}  // namespace

std::string head(const std::string& type) {
  return join(product_prelude, "\nusing namespace ostinato;\nusing namespace ostinato::formats;\nusing T = ", type,
              ";\nusing Pair = ", type, "2;\n");
}

std::string dot_kernel(const std::string& args) {
  return join("extern \"C\" __global__ void __launch_bounds__(256) product_dot(const __grid_constant__ ", args,
              " a, Product<T> p, const T* w, cuda::Reduction to) {\n  Sums<1> dot{};\n"
              "  cuda::pdl_trigger_and_wait();\n  rows<true>(a, p, w, dot);\n  cuda::grid_sum(dot, to, [](const "
              "Sums<1>&) {});\n}\n");
}

std::set<Offset> reach(const std::vector<Index>& offsets, const ProductSource::Tiling& t) {
  std::set<Offset> places;
  for (const Index o : offsets) {
    for (int r = 0; r < t.tall; ++r) {
      for (int q = 0; q < t.pair; ++q) places.insert(Offset{o} + Offset{t.stride} * r + q);
    }
  }
  return places;
}

std::string name(const char* array, Offset p) { return p < 0 ? join(array, "m", -p) : join(array, p); }

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

std::string all_inside(const std::vector<Index>& offsets, const ProductSource::Tiling& t, Index rows, Index cols) {
  if (offsets.empty()) return "false";
  const std::set<Offset> places = reach(offsets, t);
  return join("i >= ", std::max<Offset>(0, -*places.begin()), "u && i < ",
              std::max<Offset>(0, Offset{cols} - std::max<Offset>(0, *places.rbegin())), "u && i + ", last_row(t),
              "u < ", rows, "u");
}

std::string tiled_kernel(const char* kernel, const char* args, const ProductSource::Tiling& t, Index rows,
                         const Rows& sums) {
  std::string text = join("extern \"C\" __global__ void __launch_bounds__(", t.threads, ") ", kernel,
                          "(const __grid_constant__ ", args, " a, const Product<T> p) {\n  const unsigned u = ", t.pair,
                          "u * (blockIdx.x * ", t.threads, "u + threadIdx.x);\n  const unsigned i = ");
  text += t.tall == 1 ? std::string("u;\n")
                      : join("u / ", t.stride, "u * ", Offset{t.stride} * t.tall, "u + u % ", t.stride, "u;\n");
  text += join("  cuda::pdl_trigger_and_wait();\n  if (i >= ", rows,
               "u) return;\n  const T* x = p.x + i;\n  Sums<1> none{};\n");
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

}  // namespace product_text

}  // namespace ostinato::formats
