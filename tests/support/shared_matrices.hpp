// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include <ostinato/spmv/matrix/io/matrix_market.hpp>

// The real matrices that lie beside the repository. The folder is <OSTINATO_SHARED_DIR>/matrices, from the environment
// or, if that says nothing, as CMake found it. Where there is none, there are no matrices and no tests of them.

namespace ostinato::test {

struct SharedMatrixEntry {
  std::string name;
  Index rows = 0, cols = 0;
  Offset entries = 0;
  std::string numeric_class;  ///< "SPD", "nonsymmetric", ...

  bool square() const { return rows == cols; }
  bool definite() const { return numeric_class == "SPD"; }
};

/// GTest prints it in the place of the bytes.
inline void PrintTo(const SharedMatrixEntry& e, std::ostream* out) { *out << e.name; }

inline std::string shared_matrices_dir() {
  const char* dir = std::getenv("OSTINATO_SHARED_DIR");
  return std::string(dir != nullptr ? dir : OSTINATO_SHARED_DIR) + "/matrices/";
}

/// The catalogue without complex matrices, smallest first.
inline std::vector<SharedMatrixEntry> shared_matrices() {
  std::ifstream file(shared_matrices_dir() + "CATALOGUE.tsv");
  std::vector<SharedMatrixEntry> out;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> field;
    std::istringstream words(line);
    for (std::string word; std::getline(words, word, '\t');) field.push_back(word);
    if (field.size() < 8 || field[6] == "complex") continue;
    out.push_back({field[0], std::stoi(field[1]), std::stoi(field[2]), std::stoll(field[4]), field[7]});
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.entries < b.entries; });
  return out;
}

/// Those of them for which keep(entry) holds.
template <class F>
std::vector<SharedMatrixEntry> shared_matrices(F keep) {
  std::vector<SharedMatrixEntry> all = shared_matrices();
  all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& e) { return !keep(e); }), all.end());
  return all;
}

/// A test name: letters, digits and underscores.
inline std::string test_name(const SharedMatrixEntry& e) {
  std::string name = e.name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

template <class T>
Csr<T> read(const SharedMatrixEntry& e) {
  return read_matrix_market<T>(shared_matrices_dir() + e.name + ".mtx.gz");
}

}  // namespace ostinato::test
