// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <ostinato/spmv/space/host.hpp>

#include "support/matrices.hpp"

// The matrices that every format must multiply correctly, or give the reason why it can't hold them.

namespace ostinato::test {

template <class T>
struct Sample {
  std::string name;
  Csr<T> matrix;
};

template <class T>
std::vector<Sample<T>> square_samples() {
  std::vector<Sample<T>> out;
  for (const Index n : {0, 1, 31, 33, 597}) {
    const std::string size = " " + std::to_string(n);
    const auto seed = static_cast<std::uint64_t>(n) + 7;
    out.push_back({"empty" + size, from_triplets<T>(n, n, {})});
    out.push_back({"tridiagonal" + size, stencil<T>(n, n, 1, seed)});
    out.push_back({"stencil" + size, stencil<T>(n, n, 6, seed)});
    out.push_back({"scattered" + size, scattered<T>(n, n, 5, false, seed)});
    out.push_back({"scattered, empty rows" + size, scattered<T>(n, n, 5, true, seed)});
    out.push_back({"many entries" + size, scattered<T>(n, n, 40, false, seed)});
    if (n > 0) out.push_back({"dense row" + size, with_dense_row<T>(n, n, n / 2, seed)});
  }
  return out;
}

template <class T>
std::vector<Sample<T>> rectangular_samples() {
  return {{"wide", scattered<T>(33, 597, 9, false, 1)},     {"tall", scattered<T>(597, 33, 9, false, 2)},
          {"wide band", stencil<T>(33, 597, 5, 3)},         {"tall band", stencil<T>(597, 33, 5, 4)},
          {"one row", scattered<T>(1, 597, 200, false, 5)}, {"one column", scattered<T>(597, 1, 1, true, 6)},
          {"no columns", from_triplets<T>(5, 0, {})},       {"no rows", from_triplets<T>(0, 5, {})}};
}

/// A matrix with stored zeros, which count as entries of the pattern.
template <class T>
Csr<T> with_explicit_zeros() {
  Csr<T> a = stencil<T>(597, 597, 20, 8);
  for (std::size_t k = 0; k < a.val.size(); k += 3) a.val[k] = 0;
  return a;
}

/// Long rows among short rows. Their lengths are close to the sizes at which kernels split rows.
template <class T>
Csr<T> with_long_rows() {
  const std::vector<Index> lengths = {31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 4097, 20000};
  Random random(9);
  std::vector<Triplet<T>> triplets;
  const Index cols = 20001;
  for (Index i = 0; i < 300; ++i) {
    const Index length = i % 20 == 7 ? lengths[static_cast<std::size_t>(i / 20) % lengths.size()] : i % 4;
    const Index first = below(random, cols - length);
    for (Index j = first; j < first + length; ++j) triplets.push_back({i, j, static_cast<T>(signed_unit(random))});
  }
  return from_triplets<T>(300, cols, triplets);
}

/// More rows of some hundred entries than two per multiprocessor (up to 149 multiprocessors), and longer rows among
/// them.
template <class T>
Csr<T> with_many_long_rows() {
  const std::vector<Index> longest = {511, 512, 513, 1023, 1024, 1025};
  Random random(14);
  std::vector<Triplet<T>> triplets;
  const Index rows = 2000, cols = 3000;
  for (Index i = 0; i < rows; ++i) {
    const Index which = i / 6;
    const bool is_long = i % 6 == 1 && which < 300;
    const Index length = !is_long      ? i % 4
                         : which < 270 ? 257 + which % 40
                                       : longest[static_cast<std::size_t>(which) % longest.size()];
    const Index first = below(random, cols - length);
    for (Index j = first; j < first + length; ++j) triplets.push_back({i, j, static_cast<T>(signed_unit(random))});
  }
  return from_triplets<T>(rows, cols, triplets);
}

/// Matrices with more rows than one thread block takes, and a matrix in which one row has half of the entries. A GPU
/// gets larger ones, because only they fill it.
template <class T>
std::vector<Sample<T>> large_samples(bool on_device) {
  const Index size = on_device ? 4 : 1;
  std::vector<Sample<T>> samples = {
      {"explicit zeros", with_explicit_zeros<T>()},
      {"band over several blocks", stencil<T>(5001, 5001, 2049, 10)},
      {"tall band over several blocks", stencil<T>(7000, 2500, 3, 11)},
      {"scattered over several blocks", scattered<T>(size * 5011, size * 5011, 6, true, 12)},
      {"long rows", with_long_rows<T>()},
      {"skewed", with_dense_row<T>(size * 8334, size * 25000, 17, 13)}};
  if (on_device) samples.push_back({"many long rows", with_many_long_rows<T>()});
  return samples;
}

template <class T, class Space = Host>
const std::vector<Sample<T>>& every_sample() {
  static const std::vector<Sample<T>> samples = [] {
    std::vector<Sample<T>> all = square_samples<T>();
    for (auto& sample : rectangular_samples<T>()) all.push_back(std::move(sample));
    for (auto& sample : large_samples<T>(Space::has_streams)) all.push_back(std::move(sample));
    return all;
  }();
  return samples;
}

}  // namespace ostinato::test
