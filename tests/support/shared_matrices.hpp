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

// Real matrices: three in the repository, and many in the folder <OSTINATO_SHARED_DIR>/matrices outside it. The
// environment variable OSTINATO_SHARED_DIR comes first, then the folder that CMake set. Without this folder there are
// no cases of single matrices, and SharedMatrices.AreHere and the others with "SharedMatrices" in their names skip
// themselves.

namespace ostinato::test {

struct SharedMatrixEntry {
  std::string name;
  Index rows = 0, cols = 0;
  Offset entries = 0;
  std::string numeric_class;  ///< "SPD", "nonsymmetric", ...
  std::string folder;         ///< with a slash at its end

  bool square() const { return rows == cols; }
  bool definite() const { return numeric_class == "SPD"; }
  std::string path() const { return folder + name + ".mtx.gz"; }
};

/// Lets GTest print the name instead of the bytes.
inline void PrintTo(const SharedMatrixEntry& e, std::ostream* out) { *out << e.name; }

/// The matrices in the repository.
inline std::vector<SharedMatrixEntry> example_matrices() {
  const std::string folder = std::string(OSTINATO_EXAMPLES_DIR) + "/matrices/";
  return {{"685_bus", 685, 685, 3249, "SPD", folder},
          {"nos3", 960, 960, 15844, "SPD", folder},
          {"sherman3", 5005, 5005, 20033, "nonsymmetric", folder}};
}

inline std::string shared_matrices_dir() {
  const char* dir = std::getenv("OSTINATO_SHARED_DIR");
  return std::string(dir != nullptr ? dir : OSTINATO_SHARED_DIR) + "/matrices/";
}

/// The catalogue of the matrices outside the repository, without complex matrices, smallest first.
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
    out.push_back(
        {field[0], std::stoi(field[1]), std::stoi(field[2]), std::stoll(field[4]), field[7], shared_matrices_dir()});
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.entries < b.entries; });
  return out;
}

/// The matrices of the catalogue for which keep(entry) is true.
template <class F>
std::vector<SharedMatrixEntry> shared_matrices(F keep) {
  std::vector<SharedMatrixEntry> all = shared_matrices();
  all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& e) { return !keep(e); }), all.end());
  return all;
}

/// Says why there are no shared matrices; empty when there are some.
inline std::string why_no_shared_matrices() {
  if (!shared_matrices().empty()) return "";
  return "no catalogue of matrices in " + shared_matrices_dir() + "; OSTINATO_SHARED_DIR may name another folder";
}

/// The matrix name as a test name: letters, digits and underscores.
inline std::string test_name(const SharedMatrixEntry& e) {
  std::string name = e.name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

template <class T>
Csr<T> read(const SharedMatrixEntry& e) {
  return read_matrix_market<T>(e.path());
}

}  // namespace ostinato::test
