// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Measures how fast Matrix Market files are read, against two references from the same run: the memory bound (copying
// the text and finding its line ends), and a loop of strtol and strtod that only parses.
//
//   bench_read [MB of text]        default 100

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/matrix/io/text.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace {

volatile double sink;  // keeps the reference loops from being optimised away

template <class F>
double median_seconds(F f) {
  f();
  std::vector<double> seconds;
  for (int k = 0; k < 5; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[2];
}

/// Writes a square matrix of about `megabytes` of text, sorted by columns as in SuiteSparse.
void make_file(const std::string& path, double megabytes, bool long_values) {
  const long per_column = 12;
  const auto columns = static_cast<long>(megabytes * 1e6 / ((long_values ? 38 : 16) * per_column));
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) throw std::runtime_error("can't write " + path);
  std::mt19937_64 random(42);
  std::uniform_real_distribution<double> real(-1, 1);
  std::fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%ld %ld %ld\n", columns, columns,
               columns * per_column);
  for (long col = 1; col <= columns; ++col) {
    for (long k = 0; k < per_column; ++k) {
      const long row = 1 + static_cast<long>(random() % static_cast<unsigned long>(columns));
      if (long_values) {
        std::fprintf(file, "%ld %ld %.17g\n", row, col, real(random));
      } else {
        std::fprintf(file, "%ld %ld %d\n", row, col, static_cast<int>(random() % 100));
      }
    }
  }
  if (std::fclose(file) != 0) throw std::runtime_error("can't write " + path);
}

void parse_with_strtod(const std::string& text) {
  const char* p = std::strchr(text.c_str(), '\n') + 1;
  char* next = nullptr;
  double sum = 0;
  for (int k = 0; k < 3; ++k, p = next) sum += static_cast<double>(std::strtol(p, &next, 10));
  for (;;) {
    const long row = std::strtol(p, &next, 10);
    if (next == p) break;
    const long col = std::strtol(next, &next, 10);
    sum += std::strtod(next, &next) + static_cast<double>(row + col);
    p = next;
  }
  sink = sum;
}

void count_lines(std::string_view text) { sink = static_cast<double>(std::count(text.begin(), text.end(), '\n')); }

void print(const char* what, std::size_t bytes, double seconds, int threads) {
  const double rate = static_cast<double>(bytes) / 1e6 / seconds;
  std::printf("  %-28s %9.4f s %9.0f MB/s %9.0f MB/s a core\n", what, seconds, rate, rate / threads);
}

void measure(const char* title, const std::string& path, double megabytes, bool long_values) {
  make_file(path, megabytes, long_values);
  const ostinato::io::Text file(path);
  const std::string text(file.view());
  std::vector<char> copy(text.size());
  const int threads = ostinato::Host().threads();
  std::printf("%s: %.1f MB\n", title, static_cast<double>(text.size()) / 1e6);
  print("copy (1 thread)", text.size(), median_seconds([&] { std::memcpy(copy.data(), text.data(), text.size()); }), 1);
  print("find line ends (1 thread)", text.size(), median_seconds([&] { count_lines(text); }), 1);
  print("strtol and strtod (1 thread)", text.size(), median_seconds([&] { parse_with_strtod(text); }), 1);
  print("read_matrix_market<double>", text.size(),
        median_seconds([&] { sink = static_cast<double>(ostinato::read_matrix_market<double>(path).nonzeros()); }),
        threads);
}

}  // namespace

int main(int argc, char** argv) {
  const double megabytes = argc > 1 ? std::atof(argv[1]) : 100;
  const ostinato::Host host;
  std::printf("%s\n", host.description().c_str());
  const auto folder = std::filesystem::temp_directory_path() / ("ostinato_read_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  int status = 0;
  try {
    measure("17 digits", folder / "long.mtx", megabytes, true);
    measure("small whole numbers", folder / "short.mtx", megabytes, false);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_read: %s\n", e.what());
    status = 1;
  }
  std::filesystem::remove_all(folder);
  return status;
}
