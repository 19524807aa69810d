// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/selection/choice.hpp>

namespace ostinato::bench {

/// Seconds that all threads of this process have computed so far. Unlike a watch, they tell little of other programs.
inline double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// A matrix, and whether formats may compress its values.
struct Case {
  Csr<double> matrix;
  Compress compress = Compress::automatic;
  std::vector<double> points = {};  ///< where they are, for elasticity3d
};

/// Loads a .mtx file, or generates FAMILY:N[:KEY=VALUE ...]. The keys are members of GenerateOptions, compress=0, and
/// ones=1 for the matrix of a graph without weights.
inline Case load_case(const std::string& name) {
  if (name.find(".mtx") != std::string::npos) return {read_matrix_market<double>(name)};
  std::stringstream words(name);
  std::string family, word;
  std::getline(words, family, ':');
  GenerateOptions options;
  Compress compress = Compress::automatic;
  bool ones = false;
  while (std::getline(words, word, ':')) {
    const std::size_t equals = word.find('=');
    const double value = std::atof(word.c_str() + (equals == std::string::npos ? 0 : equals + 1));
    const std::string key = equals == std::string::npos ? "n" : word.substr(0, equals);
    if (key == "n") {
      options.n = static_cast<Index>(value);
    } else if (key == "unknowns") {
      options.unknowns = static_cast<int>(value);
    } else if (key == "entries") {
      options.entries_per_row = value;
    } else if (key == "constant") {
      options.constant = value != 0;
    } else if (key == "renumbered") {
      options.renumbered = value != 0;
    } else if (key == "compress") {
      compress = value != 0 ? Compress::on : Compress::off;
    } else if (key == "ones") {
      ones = value != 0;
    } else {
      throw ArgumentError("unknown key '" + key + "' in " + name +
                          "; known: n, unknowns, entries, constant, renumbered, compress, ones");
    }
  }
  Case c{generate<double>(family, options), compress, generate_coordinates(family, options)};
  if (ones) std::fill(c.matrix.val.begin(), c.matrix.val.end(), 1.0);
  return c;
}

/// OSTINATO_SHARED_DIR/matrices or, by default, ../shared/matrices.
inline std::filesystem::path real_folder() {
  const char* given = std::getenv("OSTINATO_SHARED_DIR");
  return std::filesystem::path(given != nullptr ? given : "../shared") / "matrices";
}

/// Returns the paths of all Matrix Market files in real_folder(), by name.
inline std::vector<std::string> all_real_matrices() {
  std::vector<std::string> found;
  if (!std::filesystem::is_directory(real_folder())) return found;
  for (const auto& entry : std::filesystem::directory_iterator(real_folder())) {
    const std::string path = entry.path().string();
    if (path.ends_with(".mtx") || path.ends_with(".mtx.gz")) found.push_back(path);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Returns the paths of those real matrices that exist in real_folder().
inline std::vector<std::string> real_matrices(const std::vector<std::string>& names) {
  const std::filesystem::path folder = real_folder();
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const std::filesystem::path path = folder / (name + ".mtx.gz");
    if (std::filesystem::exists(path)) found.push_back(path.string());
  }
  return found;
}

inline std::vector<std::string> with_real(std::vector<std::string> names, const std::vector<std::string>& real) {
  const std::vector<std::string> found = real_matrices(real);
  names.insert(names.end(), found.begin(), found.end());
  return names;
}

inline std::vector<std::string> host_set() {
  return with_real({"poisson2d:2048", "poisson3d:128", "fem27:40:unknowns=3"}, {"xenon1", "bcsstk16", "wang3"});
}

inline std::vector<std::string> host_diagonal_set() {
  return with_real({"poisson2d:2048", "variable2d:2048", "pde2d:2048", "poisson3d:128", "variable3d:128", "pde3d:128",
                    "kgs2d:512", "fem27:64:constant=1"},
                   {"wang3", "lap3d_40"});
}

/// Stencils, the families of the DIA-Adaptive paper at its sizes, and real matrices with few diagonals.
inline std::vector<std::string> gpu_diagonal_set() {
  return with_real({"poisson2d:4096",
                    "variable2d:4096",
                    "pde2d:4096",
                    "poisson3d:256",
                    "variable3d:256",
                    "pde3d:256",
                    "fem27:128:constant=1",
                    "fem27:128",
                    "fem27:128:compress=0",
                    "kgs2d:1024:compress=0",
                    "kgs3d:96:compress=0",
                    "kgs2d:1024",
                    "kgs3d:96",
                    "maxwell2d:512",
                    "maxwell2d:1024",
                    "pde2d:1024",
                    "pde3d:160",
                    "convection-diffusion2d:2048",
                    "anisotropic:2048",
                    "banded:1000000",
                    "poisson2d:1024",
                    "poisson3d:64",
                    "poisson2d:64"},
                   {"wang3", "lap3d_40", "sherman3", "sherman5", "orsreg_1", "BentPipe2D100", "Laplace3D10", "nos3",
                    "nos7", "gr_30_30", "bcsstk21", "mhd3200b", "cryg2500", "bcsstm25"});
}

/// General matrices: generated ones that fill the memory, real ones, and small ones.
inline std::vector<std::string> gpu_set() {
  return with_real({"fem27:128", "fem27:56:unknowns=3", "fem27:44:unknowns=6", "rmat:1048576:entries=16",
                    "rmat:1048576:entries=16:ones=1", "rmat:1048576:entries=3", "rmat:4194304:entries=16",
                    "powerlaw:1000000", "random:1000000:entries=16", "dense-row:1000000", "poisson3d:64",
                    "poisson2d:64", "random:100:entries=5", "random:10000:entries=9"},
                   {"xenon1",
                    "goodwin",
                    "c-62",
                    "bcsstk33",
                    "bcsstk16",
                    "bcsstk18",
                    "wang3",
                    "cage10",
                    "cage9",
                    "memplus",
                    "rajat01",
                    "add32",
                    "add20",
                    "Dubcova1",
                    "lap3d_40",
                    "NotreDame_www",
                    "ScaleMicrogrid_Jacobian_N1000_01",
                    "Groebner_id2003_aug",
                    "Franz6_id1959_aug",
                    "A_multigrid",
                    "mbeacxc",
                    "fidapex6",
                    "gemat11",
                    "luxembourg",
                    "nasa4704",
                    "wathen_30_30",
                    "lnsp3937",
                    "zenios",
                    "bcspwr10",
                    "Pd",
                    "Si2",
                    "west0479",
                    "bcsstk01",
                    "1138_bus"});
}

}  // namespace ostinato::bench
