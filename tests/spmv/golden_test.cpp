// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/bench/formats/list.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/operator.hpp>

// A table of the bits of products on the CPU, so that the bits can't change by accident.
//
// The bits are the same on every CPU with IEEE 754 arithmetic and for every number of threads: host code is compiled
// without contraction (cmake/OstinatoCompile.cmake), no compiler flag lets sums be reassociated, sums in lanes have a
// fixed number of lanes, and on Host no format chooses its parameters by the speed of the machine. Compression loses no
// bit (Compress), so a cell holds with and without compression. When the bits change on purpose, for example with
// another order of additions, OSTINATO_PRINT_GOLDEN=1 makes this test print the new table.

namespace ostinato::test {
namespace {

static_assert(FLT_EVAL_METHOD == 0, "sums are rounded at every step");

constexpr std::string_view matrices[] = {"685_bus", "nos3", "sherman3"};

constexpr std::string_view golden = R"(
format       685_bus/double    685_bus/float      nos3/double       nos3/float  sherman3/double   sherman3/float
bccoo      63b09b8cc7184424 64f36c49c0b6c025 f5dda511eb0f0b9e 563db1fc90b111c8 54e4773e6a0b2ca5 76ca7b7b1f43ddfd
bccoo-plus de5356f8bf9c7d45 88d552c1f572a883 f13a141dcf036218 132d625d43ba9556 24f4d7be46a8e6e3 4a294ba885612cbd
brcsd-i    63b09b8cc7184424 64f36c49c0b6c025 f5dda511eb0f0b9e 563db1fc90b111c8 54e4773e6a0b2ca5 76ca7b7b1f43ddfd
brcsd-ii   1fa9ce0114d4a72a 4fa155a06f92ae24 f5dda511eb0f0b9e 563db1fc90b111c8 97ac46dd151b4be1 fbd1cb96a6a21a6a
bsr        63b09b8cc7184424 64f36c49c0b6c025 f5dda511eb0f0b9e 563db1fc90b111c8 54e4773e6a0b2ca5 76ca7b7b1f43ddfd
cmrs       63b09b8cc7184424 64f36c49c0b6c025 f5dda511eb0f0b9e 563db1fc90b111c8 54e4773e6a0b2ca5 76ca7b7b1f43ddfd
coo        aad71b3e48163bec 4222d11501681dac 875af5d20ce11e48 8f0bb90a0657a894 b7a456370d83010a 35b6e82fb8c53450
crsd       63b09b8cc7184424 64f36c49c0b6c025 f5dda511eb0f0b9e 563db1fc90b111c8 54e4773e6a0b2ca5 76ca7b7b1f43ddfd
csr        63b09b8cc7184424 64f36c49c0b6c025 af6e825467b6828a e342bdf32ba7b29d 54e4773e6a0b2ca5 76ca7b7b1f43ddfd
csr-adaptive 63b09b8cc7184424 64f36c49c0b6c025 f5dda511eb0f0b9e 563db1fc90b111c8 54e4773e6a0b2ca5 76ca7b7b1f43ddfd
csr-scalar 63b09b8cc7184424 64f36c49c0b6c025 f5dda511eb0f0b9e 563db1fc90b111c8 54e4773e6a0b2ca5 76ca7b7b1f43ddfd
csr-vector 63b09b8cc7184424 64f36c49c0b6c025 f5dda511eb0f0b9e 563db1fc90b111c8 54e4773e6a0b2ca5 76ca7b7b1f43ddfd
dia        63b09b8cc7184424 64f36c49c0b6c025 f5dda511eb0f0b9e 563db1fc90b111c8 54e4773e6a0b2ca5 76ca7b7b1f43ddfd
ell        63b09b8cc7184424 64f36c49c0b6c025 f5dda511eb0f0b9e 563db1fc90b111c8 54e4773e6a0b2ca5 76ca7b7b1f43ddfd
hdi        63b09b8cc7184424 64f36c49c0b6c025 f5dda511eb0f0b9e 563db1fc90b111c8 54e4773e6a0b2ca5 76ca7b7b1f43ddfd
hyb        444cf3181f8bb54e c5db4146aebcfde1 f5dda511eb0f0b9e 563db1fc90b111c8 5db216ab8054631b 2840c574ea21312c
sliced-ell 63b09b8cc7184424 64f36c49c0b6c025 f5dda511eb0f0b9e 563db1fc90b111c8 54e4773e6a0b2ca5 76ca7b7b1f43ddfd
)";

/// The FNV-1a hash of the bytes, continued from the hash `h`.
std::uint64_t hash(const void* data, std::size_t bytes, std::uint64_t h) {
  const auto* const byte = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) h = (h ^ byte[i]) * 1099511628211u;
  return h;
}

template <class T>
std::vector<T> input(Index n, std::uint64_t factor) {
  std::vector<T> x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(1 + static_cast<double>(i * factor % 65536) / 65536);
  return x;
}

/// A hash of the bits of y = 1.5 A x - 0.5 y, then of y = A x with w . y.
template <class T>
std::string bits_of(const Operator<Host, T>& op) {
  std::vector<T> x = input<T>(op.cols(), 2654435761u), y(static_cast<std::size_t>(op.rows()), T{7});
  const std::vector<T> w = input<T>(op.rows(), 40503u);
  for (std::size_t i = 0; i < x.size(); i += 3) x[i] = -x[i];
  double dot = 0;
  op.apply(T(1.5), x, T(-0.5), y);
  std::uint64_t h = hash(y.data(), y.size() * sizeof(T), 1469598103934665603u);
  op.apply_dot(x, y, w, &dot);
  h = hash(y.data(), y.size() * sizeof(T), h);
  h = hash(&dot, sizeof dot, h);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(h));
  return text;
}

/// The hash by format and by column, such as "nos3/double". "-" means that the format can't hold the matrix.
using Table = std::map<std::string, std::map<std::string, std::string>>;

template <class T>
void add_column(Table& table, std::string_view matrix) {
  const Host host;
  const std::string column = std::string(matrix) + (is_single<T> ? "/float" : "/double");
  const Analysis analysis(host,
                          read_matrix_market<T>(OSTINATO_EXAMPLES_DIR "/matrices/" + std::string(matrix) + ".mtx.gz"),
                          AnalysisDepth::full);
  const Machine machine = machine_of(host);
  for (const auto& format : bench_formats<Host, T>()) {
    const auto cost = [&](bool compress) { return format.propose({analysis.structure(), machine, compress}, "").cost; };
    if (!cost(true).reproducible) continue;
    const auto bits = [&](Compress compress) -> std::string {
      if (!cost(compress == Compress::on).applies()) return "-";
      return bits_of(
          Operator(analysis, {.format = std::string(format.name), .compress = compress}, bench_formats<Host, T>()));
    };
    const std::string on = bits(Compress::on);
    EXPECT_EQ(bits(Compress::off), on) << format.name << " loses bits of " << column << " in fewer bytes";
    table[std::string(format.name)][column] = on;
  }
}

Table computed_table() {
  Table table;
  for (const std::string_view matrix : matrices) {
    add_column<double>(table, matrix);
    add_column<float>(table, matrix);
  }
  std::erase_if(table, [](const auto& row) {  // formats that exist on GPUs only
    return std::all_of(row.second.begin(), row.second.end(), [](const auto& cell) { return cell.second == "-"; });
  });
  return table;
}

Table golden_table() {
  std::istringstream lines{std::string(golden)};
  std::string line, word;
  std::vector<std::string> columns;
  Table table;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::vector<std::string> row;
    while (words >> word) row.push_back(word);
    if (row.empty()) continue;
    if (columns.empty()) {
      columns = row;
    } else {
      for (std::size_t k = 1; k < row.size() && k < columns.size(); ++k) table[row[0]][columns[k]] = row[k];
    }
  }
  return table;
}

void print(const Table& table) {
  if (table.empty()) return;
  std::printf("%-10s", "format");
  for (const auto& [column, bits] : table.begin()->second) std::printf(" %16s", column.c_str());
  for (const auto& [format, row] : table) {
    std::printf("\n%-10s", format.c_str());
    for (const auto& [column, bits] : row) std::printf(" %16s", bits.c_str());
  }
  std::printf("\n");
}

TEST(GoldenBits, AreThoseOfTheTable) {
  const Table wanted = golden_table(), got = computed_table();
  if (std::getenv("OSTINATO_PRINT_GOLDEN") != nullptr) print(got);

  for (const auto& [format, row] : got) {
    ASSERT_TRUE(wanted.contains(format)) << format << " isn't in the table of golden_test.cpp";
    for (const auto& [column, bits] : row) {
      const auto cell = wanted.at(format).find(column);
      ASSERT_NE(cell, wanted.at(format).end()) << column;
      EXPECT_EQ(bits, cell->second) << format << ", " << column;
    }
  }
  for (const auto& [format, row] : wanted) EXPECT_TRUE(got.contains(format)) << format << " is in the table alone";
}

}  // namespace
}  // namespace ostinato::test
