// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/io/header.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>
#include <ostinato/spmv/matrix/io/text.hpp>
#include <ostinato/spmv/space/memory.hpp>

namespace ostinato {
namespace {

using Dense = std::vector<std::vector<double>>;

/// A folder of its own for each test.
class MatrixMarket : public testing::Test {
 protected:
  MatrixMarket() { std::filesystem::create_directory(folder_); }
  ~MatrixMarket() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }

  std::string save(const std::string& bytes, const std::string& name = "a.mtx") const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  std::string load(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// The bytes of a gzip file of this text.
  std::string gzip(const std::string& text) const {
    io::Output out(path("packed.gz"));
    out.write(text);
    out.close();
    return load("packed.gz");
  }

  Csr<double> read(const std::string& text) const { return read_matrix_market<double>(save(text)); }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("ostinato_matrix_market_" + std::to_string(::getpid()));
};

Dense dense(const Csr<double>& a) {
  check(a.view());
  EXPECT_TRUE(is_canonical(a.view()));
  Dense out(static_cast<std::size_t>(a.rows), std::vector<double>(static_cast<std::size_t>(a.cols)));
  for (std::size_t r = 0; r < out.size(); ++r) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[r]); k < static_cast<std::size_t>(a.row_ptr[r + 1]); ++k) {
      out[r][static_cast<std::size_t>(a.col[k])] += a.val[k];
    }
  }
  return out;
}

std::vector<double> list(const Array<double>& x) { return {x.begin(), x.end()}; }

template <class F>
FormatError failure(F f) {
  try {
    f();
  } catch (const FormatError& e) {
    return e;
  }
  ADD_FAILURE() << "no FormatError";
  return {"", -1, "none"};
}

const std::string real_general = "%%MatrixMarket matrix coordinate real general\n";

// ---- accepted files

TEST_F(MatrixMarket, ReadsCoordinatesInAnyOrder) {
  const Csr<double> a = read(real_general + "2 3 4\n2 3 4\n1 2 -1.5\n2 1 3\n1 1 2\n");
  EXPECT_EQ(a.rows, 2);
  EXPECT_EQ(a.cols, 3);
  EXPECT_EQ(a.nonzeros(), 4);
  EXPECT_EQ(dense(a), (Dense{{2, -1.5, 0}, {3, 0, 4}}));
}

TEST_F(MatrixMarket, ReadsSinglePrecision) {
  const auto a = read_matrix_market<float>(save(real_general + "1 1 1\n1 1 0.1\n"));
  EXPECT_EQ(a.val[0], 0.1f);
}

TEST_F(MatrixMarket, TellsWhatTheFileSays) {
  MatrixMarketInfo info;
  read_matrix_market<double>(save("%%MatrixMarket Matrix COORDINATE Integer Symmetric\n2 2 2\n1 1 1\n2 1 5\n"), &info);
  EXPECT_EQ(info.format, "coordinate");
  EXPECT_EQ(info.field, "integer");
  EXPECT_EQ(info.symmetry, "symmetric");
  EXPECT_EQ(info.rows, 2);
  EXPECT_EQ(info.cols, 2);
  EXPECT_EQ(info.stored_entries, 2);
}

TEST_F(MatrixMarket, MirrorsSymmetricEntriesButNotTheDiagonal) {
  for (const char* kind : {"symmetric", "hermitian"}) {
    const Csr<double> a =
        read("%%MatrixMarket matrix coordinate real " + std::string(kind) + "\n3 3 4\n1 1 1\n2 1 2\n3 2 3\n3 3 4\n");
    EXPECT_EQ(a.nonzeros(), 6);
    EXPECT_EQ(dense(a), (Dense{{1, 2, 0}, {2, 0, 3}, {0, 3, 4}}));
  }
}

TEST_F(MatrixMarket, NegatesTheMirrorOfSkewSymmetricEntries) {
  const Csr<double> a = read("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 2\n3 1 -3\n");
  EXPECT_EQ(dense(a), (Dense{{0, -2, 3}, {2, 0, 0}, {-3, 0, 0}}));
}

TEST_F(MatrixMarket, ReadsEitherTriangleOfASymmetricFile) {
  const Dense whole{{1, 2, 4}, {2, 0, 3}, {4, 3, 5}}, skew{{0, -2, 4}, {2, 0, 3}, {-4, -3, 0}};
  for (const char* kind : {"symmetric", "hermitian"}) {
    const std::string banner = "%%MatrixMarket matrix coordinate real " + std::string(kind) + "\n3 3 5\n";
    EXPECT_EQ(dense(read(banner + "1 1 1\n1 2 2\n1 3 4\n2 3 3\n3 3 5\n")), whole) << "the upper one";
    EXPECT_EQ(dense(read(banner + "3 3 5\n2 1 2\n1 3 4\n3 2 3\n1 1 1\n")), whole) << "each entry in one of both";
    EXPECT_EQ(dense(read(banner + "1 2 1\n1 2 1\n1 1 1\n3 1 4\n2 3 0\n")), (Dense{{1, 2, 4}, {2, 0, 0}, {4, 0, 0}}))
        << "duplicates are no mirror images";
  }
  const std::string banner = "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 3\n";
  EXPECT_EQ(dense(read(banner + "1 2 -2\n1 3 4\n2 3 3\n")), skew);
  EXPECT_EQ(dense(read(banner + "2 1 2\n1 3 4\n3 2 -3\n")), skew);
  EXPECT_EQ(dense(read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 2\n2 2\n")),
            (Dense{{0, 1}, {1, 1}}));
}

TEST_F(MatrixMarket, ReadsZerosOnTheDiagonalOfASkewSymmetricFile) {
  const Csr<double> a = read("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 3\n1 1 0\n2 1 3\n2 2 -0\n");
  EXPECT_EQ(a.nonzeros(), 4) << "explicit zeros stay";
  EXPECT_EQ(dense(a), (Dense{{0, -3}, {3, 0}}));
}

TEST_F(MatrixMarket, LeavesRemarksBehindTheBannerOut) {
  EXPECT_EQ(dense(read("%%MatrixMarket matrix coordinate real general (made by me)\n2 2 2\n1 1 2\n2 2 3\n")),
            (Dense{{2, 0}, {0, 3}}));
  EXPECT_EQ(dense(read("%%MatrixMarket matrix coordinate real symmetric % lower\n2 2 1\n2 1 3\n")),
            (Dense{{0, 3}, {3, 0}}));
}

TEST_F(MatrixMarket, ReadsFilesOfAmgxWithoutExtensions) {
  EXPECT_EQ(dense(read(real_general + "%%AMGX 1 1 sorted\n%%NVAMG\n% AMGX rhs\n1 1 1\n1 1 2\n")), (Dense{{2}}));
}

TEST_F(MatrixMarket, CountsTheValuesThatVanish) {
  const auto count = [&](const std::string& text) {
    MatrixMarketInfo info;
    read_matrix_market<double>(save(text), &info);
    return info.vanished;
  };
  EXPECT_EQ(count(real_general + "2 2 4\n1 1 1e-400\n1 2 0\n2 1 -1D-999 \n2 2 3\r\n"), 2);
  EXPECT_EQ(count(real_general + "2 2 3\n1 1 0e5\n2 1 -0.000\n2 2 5e-324"), 0);
  EXPECT_EQ(count("%%MatrixMarket matrix array real general\n2 1\n0.000001e-400\n0\n"), 1);
  EXPECT_EQ(count("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n"), 0);
  MatrixMarketInfo info;
  read_matrix_market<float>(save(real_general + "1 2 2\n1 1 1e-60\n1 2 1e-40\n"), &info);
  EXPECT_EQ(info.vanished, 1);

  Offset vanished = 9;
  read_vector<double>(save("# b\n1e-400\n0\n\n-.5e-330\n1\n", "b.txt"), &vanished);
  EXPECT_EQ(vanished, 2);
  read_vector<double>(save(real_general + "3 1 1\n2 1 1e-400\n"), &vanished);
  EXPECT_EQ(vanished, 1);
  write_vector<double>(path("b.npy"), std::vector<double>{1e-60, 0, -1e-50, 1e-40});
  read_vector<float>(path("b.npy"), &vanished);
  EXPECT_EQ(vanished, 2);
  read_vector<double>(path("b.npy"), &vanished);
  EXPECT_EQ(vanished, 0);
}

TEST_F(MatrixMarket, ReadsPatternsAsOnes) {
  EXPECT_EQ(dense(read("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1")), (Dense{{0, 1}, {1, 0}}));
  EXPECT_EQ(dense(read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\r\n")),
            (Dense{{1, 1}, {1, 0}}));
}

TEST_F(MatrixMarket, ReadsArraysByColumns) {
  const Csr<double> a = read("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n0\n5\n6\n");
  EXPECT_EQ(a.nonzeros(), 6);
  EXPECT_EQ(dense(a), (Dense{{1, 3, 5}, {2, 0, 6}}));
  EXPECT_EQ(dense(read("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n")),
            (Dense{{1, 2, 3}, {2, 4, 5}, {3, 5, 6}}));
  const Csr<double> skew = read("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n");
  EXPECT_EQ(skew.nonzeros(), 6);
  EXPECT_EQ(dense(skew), (Dense{{0, -1, -2}, {1, 0, -3}, {2, 3, 0}}));
}

TEST_F(MatrixMarket, ReadsEmptyMatrices) {
  EXPECT_EQ(dense(read(real_general + "0 0 0\n")), Dense{});
  EXPECT_EQ(read(real_general + "0 5 0").cols, 5);
  EXPECT_EQ(dense(read(real_general + "2 0 0\n% end")), (Dense{{}, {}}));
  EXPECT_EQ(dense(read(real_general + "2 1 0\n\n\n")), (Dense{{0}, {0}}));
  EXPECT_EQ(dense(read("%%MatrixMarket matrix array real general\n0 3\n")), Dense{});
  EXPECT_EQ(dense(read("%%MatrixMarket matrix array real skew-symmetric\n1 1\n")), (Dense{{0}}));
  EXPECT_EQ(dense(read("%%MatrixMarket matrix array real symmetric\n0 0\n")), Dense{});
}

TEST_F(MatrixMarket, IgnoresLayout) {
  const Csr<double> a = read(
      "%%MATRIXMARKET\t matrix   Coordinate  REAL general \t\r\n% comment\r\n\r\n \t\n%\n  2\t2   3 \r\n%% within\n"
      "\t1 1\t1 \r\n\r\n   % indented\n1\t \t2 2\n \n2 2   3\t\r\n%\n\n  ");
  EXPECT_EQ(dense(a), (Dense{{1, 2}, {0, 3}}));
}

TEST_F(MatrixMarket, DoesNotNeedALastLineEnd) {
  EXPECT_EQ(dense(read(real_general + "1 1 1\n1 1 7")), (Dense{{7}}));
  EXPECT_EQ(dense(read(real_general + "1 1 1\n1 1 7\r")), (Dense{{7}}));
}

TEST_F(MatrixMarket, AddsDuplicatesInTheOrderOfTheFile) {
  // (1e300 - 1e300) + 1 is 1; adding 1 to either large value first would give 0 by rounding.
  const Csr<double> a = read(real_general + "2 2 5\n2 1 1e300\n1 1 5\n2 1 -1e300\n2 1 1\n2 2 2\n");
  EXPECT_EQ(a.nonzeros(), 3);
  EXPECT_EQ(dense(a), (Dense{{5, 0}, {1, 2}}));
  EXPECT_EQ(dense(read("%%MatrixMarket matrix coordinate real symmetric\n2 2 4\n2 1 1\n2 1 2\n1 1 3\n1 1 4\n")),
            (Dense{{7, 3}, {3, 0}}));
}

TEST_F(MatrixMarket, KeepsExplicitZeros) {
  EXPECT_EQ(read(real_general + "2 2 2\n1 1 0\n2 1 -0.0\n").nonzeros(), 2);
  EXPECT_EQ(read(real_general + "1 1 2\n1 1 1\n1 1 -1\n").nonzeros(), 1);
}

TEST_F(MatrixMarket, ReadsEveryWayOfWritingANumber) {
  const std::vector<std::pair<std::string, double>> numbers{
      {"1e-300", 1e-300},
      {"1D+3", 1000},
      {"1d+3", 1000},
      {"-2.5D-3", -2.5e-3},
      {"+1.5", 1.5},
      {".5", .5},
      {"5.", 5},
      {"-.5E1", -5},
      {"+5.D0", 5},
      {"1E3", 1000},
      {"007", 7},
      {"4.9406564584124654e-324", 5e-324},
      {"1e-400", 0},
      {"-1e-400", -0.0},
      {"2e-310", 2e-310},
      {"0.1000000000000000055511151231257827", 0.1},
      {"1.7976931348623157e308", std::numeric_limits<double>::max()}};
  for (const auto& [text, value] : numbers) EXPECT_EQ(read(real_general + "1 1 1\n1 1 " + text).val[0], value) << text;
  EXPECT_EQ(read(real_general + "1 1 1\n1 1 " + std::string(100, '0') + "1D2\n").val[0], 100);
}

TEST_F(MatrixMarket, ReadsWholeNumbersOfIntegerFiles) {
  EXPECT_EQ(dense(read("%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 1 -3\n1 2 4.0\n")),
            (Dense{{-3, 4}}));
}

// ---- gzip and standard input

TEST_F(MatrixMarket, KnowsGzipByItsFirstBytes) {
  const std::string text = real_general + "1 2 2\n1 1 1\n1 2 2\n";
  EXPECT_EQ(dense(read_matrix_market<double>(save(gzip(text), "named.mtx"))), (Dense{{1, 2}}));
  EXPECT_EQ(dense(read_matrix_market<double>(save(text, "plain.mtx.gz"))), (Dense{{1, 2}}));
}

TEST_F(MatrixMarket, JoinsGzipMembers) {
  const std::string members = gzip(real_general + "1 2 2\n1 1") + gzip(" 1\n1 2 2\n") + gzip("");
  EXPECT_EQ(dense(read(members)), (Dense{{1, 2}}));
  EXPECT_EQ(dense(read(members + std::string(512, '\0'))), (Dense{{1, 2}}));
}

TEST_F(MatrixMarket, InflatesTextThatIsMuchLargerThanItsFile) {
  const std::string text = real_general + "1 1 1\n" + std::string(3000000, '\n') + "1 1 2";
  EXPECT_EQ(dense(read(gzip(text))), (Dense{{2}}));
}

TEST_F(MatrixMarket, BoundsWhatATextInflatesTo) {
  const std::string blanks(1 << 20, ' ');
  const std::string file = save(gzip(blanks));
  EXPECT_LT(load("a.mtx").size(), 4096u);
  EXPECT_EQ(io::Text(file, 1 << 20).view().size(), blanks.size());
  const FormatError e = failure([&] { io::Text(file, 100000); });
  EXPECT_EQ(e.what(), file + ": inflates to more than 100 kB of text, the most that there is memory for");
}

TEST_F(MatrixMarket, BoundsWhatAPipeGives) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream to(path("pipe"), std::ios::binary);
    to << std::string(1 << 16, ' ');  // as much as a pipe holds, so that the writer never waits for a reader
  });
  const FormatError e = failure([&] { io::Text(path("pipe"), 10000); });
  writer.join();
  EXPECT_NE(std::string(e.what()).find("gives more than 10.0 kB of text"), std::string::npos) << e.what();
}

TEST_F(MatrixMarket, RefusesWhatThereIsNoMemoryFor) {
  const auto failure_of = [&](const std::string& text, std::size_t memory) {
    const io::Header h = io::read_header("a.mtx", text);
    return std::string(failure([&] { io::require_memory("a.mtx", h, sizeof(double), memory); }).what());
  };
  const std::string rows = real_general + "2147483647 2147483647 1\n1 1 1\n", few = real_general + "9 9 1\n1 1 1\n";
  EXPECT_EQ(failure_of(rows, 8'000'000'000),
            "a.mtx:2: a matrix of 2147483647 rows and 1 entry takes at least 17.2 GB of memory to read, and there are "
            "8.00 GB");
  EXPECT_NO_THROW(io::require_memory("a.mtx", io::read_header("a.mtx", rows), sizeof(double), 18'000'000'000));
  EXPECT_NO_THROW(io::require_memory("a.mtx", io::read_header("a.mtx", few), sizeof(double), 200));
  EXPECT_NE(failure_of(few, 80).find("takes at least 100 B"), std::string::npos);
  const std::string array = "%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n5\n6\n";
  EXPECT_NE(failure_of(array, 95).find("takes at least 96"), std::string::npos);
}

TEST_F(MatrixMarket, RefusesWhatThereIsNoMemoryToMultiplyWith) {
  const std::string text = real_general + "2147483647 2147483647 1\n1 1 1\n";
  const io::Header h = io::read_header("a.mtx", text);
  const auto need = [&](std::size_t value_bytes, std::size_t memory) {
    io::require_product_memory("a.mtx", h, value_bytes, memory);
  };

  EXPECT_STREQ(
      failure([&] { need(sizeof(double), 25'000'000'000); }).what(),
      "a.mtx:2: a matrix of 2147483647 rows and 1 entry takes at least 51.5 GB of memory to multiply with, and "
      "there are 25.0 GB");
  EXPECT_NO_THROW(need(sizeof(double), 52'000'000'000));
  EXPECT_NO_THROW(need(sizeof(float), 35'000'000'000));
}

TEST_F(MatrixMarket, RefusesMoreRowsThanThereIsMemoryForTheVectorsOf) {
  const auto rows = static_cast<std::size_t>(host_memory() / 20);  // the row pointers alone fit
  if (rows > std::numeric_limits<Index>::max()) GTEST_SKIP() << "there is memory for as many rows as a matrix may have";
  const std::string size = std::to_string(rows), text = real_general + size + " " + size + " 1\n1 1 1\n";

  const auto message = failure([&] { read(text); });

  EXPECT_NE(std::string(message.what()).find("to multiply with"), std::string::npos) << message.what();
}

TEST_F(MatrixMarket, RefusesAVectorThatThereIsNoMemoryFor) {
  const std::string text = real_general + "1 2147483647 1\n1 1 1\n";
  const io::Header h = io::read_header("b.mtx", text);

  const auto message = failure([&] { io::require_vector_memory("b.mtx", h, sizeof(double), 8'000'000'000); });

  EXPECT_STREQ(
      message.what(),
      "b.mtx:2: a vector of 2147483647 elements takes at least 17.2 GB of memory to read, and there are 8.00 GB");
  EXPECT_NO_THROW(io::require_vector_memory("b.mtx", h, sizeof(float), 8'600'000'000));
}

TEST_F(MatrixMarket, ReadsTheStandardInput) {
  const std::string text = real_general + "1 2 2\n1 1 1\n1 2 2\n";
  for (const std::string& bytes : {text, gzip(text)}) {
    const int kept = ::dup(STDIN_FILENO);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
    ::dup2(ends[0], STDIN_FILENO);
    EXPECT_EQ(dense(read_matrix_market<double>("-")), (Dense{{1, 2}}));
    ::close(ends[0]);
    ::dup2(kept, STDIN_FILENO);
    ::close(kept);
  }
}

// ---- parallel pieces

/// A file long enough to be read in many pieces, with duplicates whose sums depend on the order of additions. A plain
/// loop adds up `sums`.
struct Large {
  std::string text;
  std::map<std::pair<Index, Index>, double> sums;

  explicit Large(bool symmetric) {
    std::mt19937_64 random(7);
    const auto pick = [&](std::uint64_t n) { return static_cast<Index>(random() % n); };
    std::ostringstream out;
    out.precision(17);
    for (int k = 0; k < entries; ++k) {
      Index row = pick(5) == 0 ? 17 : pick(1000);
      Index col = pick(200);
      if (symmetric && row < col) std::swap(row, col);
      const double value = std::ldexp(static_cast<double>(random() >> 11), -53) * std::pow(10, pick(20));
      out << row + 1 << ' ' << col + 1 << ' ' << value << '\n';
      if (k % 1000 == 0) out << "% comment\n\n";
      sums[{row, col}] += value;
      if (symmetric && row != col) sums[{col, row}] += value;
    }
    text = out.str();
  }
  static constexpr int entries = 150000;
};

TEST_F(MatrixMarket, DoesNotDependOnHowTheTextIsCut) {
  for (const bool symmetric : {false, true}) {
    const Large large(symmetric);
    ASSERT_GT(large.text.size(), std::size_t{3} << 20);
    const Csr<double> a = read("%%MatrixMarket matrix coordinate real " +
                               std::string(symmetric ? "symmetric" : "general") + "\n1000 1000 150000\n" + large.text);
    check(a.view());
    ASSERT_EQ(a.nonzeros(), static_cast<Offset>(large.sums.size()));
    std::size_t k = 0;
    for (const auto& [at, sum] : large.sums) {
      ASSERT_LT(static_cast<Offset>(k), a.row_ptr[static_cast<std::size_t>(at.first) + 1]);
      ASSERT_EQ(a.col[k], at.second);
      ASSERT_EQ(a.val[k], sum) << at.first << ", " << at.second;
      ++k;
    }
  }
}

TEST_F(MatrixMarket, ReadsLargeArrays) {
  for (const char* kind : {"general", "symmetric", "skew-symmetric"}) {
    const Index n = 600;
    std::ostringstream out;
    out << "%%MatrixMarket matrix array real " << kind << "\n" << n << " " << n << "\n";
    const bool general = std::strcmp(kind, "general") == 0;
    const bool skew = std::strcmp(kind, "skew-symmetric") == 0;
    for (Index col = 0; col < n; ++col) {
      for (Index row = general ? 0 : col + (skew ? 1 : 0); row < n; ++row) out << row * 1000 + col << ".25\n";
    }
    const Dense a = dense(read(out.str()));
    for (Index row = 0; row < n; ++row) {
      for (Index col = 0; col < n; ++col) {
        const bool lower = general || row > col || (row == col && !skew);
        const double mirrored = row == col ? 0 : (skew ? -1 : 1) * (col * 1000 + row + 0.25);
        ASSERT_EQ(a[static_cast<std::size_t>(row)][static_cast<std::size_t>(col)],
                  lower ? row * 1000 + col + 0.25 : mirrored);
      }
    }
  }
}

TEST_F(MatrixMarket, NamesTheFirstOfSeveralBadLines) {
  std::string text = real_general + "100000 1 100000\n";
  for (int k = 1; k <= 100000; ++k) {
    // A bad value, which the second pass finds, comes before bad indices, which the first pass finds. The error must
    // name the bad value.
    text += (k == 31234 || k == 90001 ? "0 1 1" : std::to_string(k) + (k == 4321 ? " 1 x" : " 1 0.123456789")) + "\n";
  }
  for (int k = 0; k < 3; ++k) {
    const FormatError e = failure([&] { read(text); });
    EXPECT_EQ(e.line(), 4323) << e.what();
  }
}

// ---- refused files

struct Bad {
  const char* name;
  std::string text;
  int line;
  const char* reason;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

std::string name_of(const testing::TestParamInfo<Bad>& bad) { return bad.param.name; }

class BadFile : public MatrixMarket, public testing::WithParamInterface<Bad> {};

TEST_P(BadFile, IsNamedWithLineAndReason) {
  const Bad& bad = GetParam();
  const FormatError e = failure([&] { read(bad.text); });
  EXPECT_EQ(e.line(), bad.line) << e.what();
  EXPECT_EQ(e.path(), path("a.mtx"));
  EXPECT_NE(std::string(e.what()).find(bad.reason), std::string::npos) << e.what();
  const FormatError packed = failure([&] { read(gzip(bad.text)); });
  EXPECT_STREQ(packed.what(), e.what());
}

const std::string two = real_general + "% comment\n2 2 2\n";  // entries begin in line 4
const std::string lower_two = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n";
const std::string skew_two = "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n";
const std::string skew_three = "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 3\n";
const std::string pattern_two = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n";
const std::string array_two = "%%MatrixMarket matrix array real general\n2 1\n";

INSTANTIATE_TEST_SUITE_P(
    Banner, BadFile,
    testing::Values(Bad{"Empty", "", 0, "empty"}, Bad{"Absent", "2 2 1\n1 1 1\n", 1, "%%MatrixMarket"},
                    Bad{"Blank", "\n" + two, 1, "%%MatrixMarket"}, Bad{"Junk", "\x89PNG\r\n\x1a\n", 1, "'\\x89PNG'"},
                    Bad{"Short", "%%MatrixMarket matrix coordinate real\n1 1 0\n", 1, "SYMMETRY"},
                    Bad{"EndOfALongOne", "%%MatrixMarket matrix coordinate       double-precision\n1 1 0\n", 1,
                        "reads '...matrix coordinate       double-precision'"},
                    Bad{"TwoSymmetries", "%%MatrixMarket matrix coordinate real general Symmetric\n1 1 0\n", 1,
                        "'Symmetric' follows the symmetry 'general'; leave one of them out"},
                    Bad{"TwoFields", "%%MatrixMarket matrix coordinate real general (x) pattern\n1 1 0\n", 1,
                        "'pattern' follows the symmetry"},
                    Bad{"Object", "%%MatrixMarket graph coordinate real general\n1 1 0\n", 1,
                        "object is 'graph'; known are matrix"},
                    Bad{"Vector", "%%MatrixMarket vector coordinate real general\n1 1 0\n", 1,
                        "object is 'vector'; write '%%MatrixMarket matrix array real general' there, and 'rows 1' as"},
                    Bad{"Batched", "%%MatrixMarket batched CRS matrix\n%\n3 3 7 2\n1 1 0.5 0.25\n", 1,
                        "object is 'batched': several matrices with one pattern; write each to a file of its own"},
                    Bad{"Format", "%%MatrixMarket matrix sparse real general\n1 1 0\n", 1, "coordinate, array"},
                    Bad{"Field", "%%MatrixMarket matrix coordinate quaternion general\n1 1 0\n", 1, "'quaternion'"},
                    Bad{"Symmetry", "%%MatrixMarket matrix coordinate real diagonal\n1 1 0\n", 1, "'diagonal'"},
                    Bad{"Complex", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", 1,
                        "complex values aren't supported yet"},
                    Bad{"PatternArray", "%%MatrixMarket matrix array pattern general\n1 1\n", 1, "pattern"},
                    Bad{"SkewPattern", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n", 1, "signs"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Amgx, BadFile,
    testing::Values(Bad{"RightHandSide", real_general + "%%AMGX sorted rhs\n1 1 1\n1 1 2\n5\n", 2,
                        "'rhs' in '%%AMGX sorted rhs' is an extension of AMGX; write each value as an entry, the "
                        "right-hand side and the solution to files of their own, and leave this line out"},
                    Bad{"Diagonal", real_general + "%\n  %%nvamg 1 1 DIAGONAL\n1 1 0\n2\n", 3, "'DIAGONAL' in '"},
                    Bad{"Blocks", real_general + "%%AMGX 4 4 sorted\n4 4 1\n1 1 1 2 3 4\n", 2, "'4' in '%%AMGX 4 4"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Size, BadFile,
    testing::Values(Bad{"Absent", real_general, 1, "before the size line"},
                    Bad{"OnlyComments", real_general + "%\n%\n\n", 4, "before the size line"},
                    Bad{"TwoNumbers", real_general + "%\n2 2\n", 3, "'rows columns entries'"},
                    Bad{"FourNumbers", real_general + "2 2 2 2\n", 2, "'2 2 2 2'"},
                    Bad{"ThreeForArray", "%%MatrixMarket matrix array real general\n2 1 2\n", 2, "'rows columns'"},
                    Bad{"Negative", real_general + "2 -2 1\n", 2, "columns reads '-2'"},
                    Bad{"Fraction", real_general + "2.0 2 1\n", 2, "rows reads '2.0'"},
                    Bad{"RowsOverflow", real_general + "2147483648 1 0\n", 2, "more than 2147483647"},
                    Bad{"ColumnsOverflow", real_general + "1 99999999999999999999999 0\n", 2, "more than 2147483647"},
                    Bad{"EntriesOverflow", real_general + "1 1 9223372036854775808\n1 1 1\n", 2, "number of entries"},
                    Bad{"TooManyForTheFile", real_general + "9 9 9000000000000\n1 1 1\n", 2, "hold at most 1"},
                    Bad{"TooManyForThePattern", pattern_two.substr(0, 49) + "9 9 3\n1 1\n2 2\n", 2, "hold at most 2"},
                    Bad{"ArrayTooLargeForTheFile",
                        "%%MatrixMarket matrix array real general\n2147483647 2147483647\n1\n", 2, "hold at most 1"},
                    Bad{"NotSquareSymmetric", "%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", 2, "2 x 3"},
                    Bad{"NotSquareSkew", "%%MatrixMarket matrix array real skew-symmetric\n2 3\n", 2, "square"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Entry, BadFile,
    testing::Values(
        Bad{"RowZero", two + "1 1 1\n0 1 1\n", 5, "row '0': indices count from 1"},
        Bad{"ColumnZero", two + "1 00 1\n2 1 1\n", 4, "column '00': indices count from 1"},
        Bad{"RowPastTheEnd", two + "1 1 1\n3 1 1\n", 5, "row '3' lies outside the 2 rows"},
        Bad{"ColumnPastTheEnd", two + "1 1 1\n\n1 3 1\n", 6, "column '3' lies outside the 2 columns"},
        Bad{"RowOverflow", two + "1 1 1\n18446744073709551617 1 1\n", 5, "outside"},
        Bad{"RowNegative", two + "-1 1 1\n1 1 1\n", 4, "row '-1' is negative"},
        Bad{"RowFraction", two + "1.5 1 1\n1 1 1\n", 4, "row '1.5' isn't a whole number"},
        Bad{"ColumnLetter", two + "1 x 1\n1 1 1\n", 4, "column 'x' isn't a whole number"},
        Bad{"OneNumber", two + "1 1 1\n1\n%%%%%%\n", 5, "'row column value'"},
        Bad{"NoValue", two + "1 1 1\n1 1\n%%%%%%\n", 5, "reads '1 1'; without values the banner has to say pattern"},
        Bad{"Junk", two + "1 1 1 x\n1 1 1\n", 4, "'x' follows the entry"},
        Bad{"CommentBehind", two + "1 1 1 % here\n1 1 1\n", 4, "'%' follows"},
        Bad{"ValueInPattern", pattern_two + "1 1 -4.5\n", 3,
            "the banner says pattern, but the line has the value '-4.5'; let the banner say real or integer"},
        Bad{"WordInPattern", pattern_two + "1 1 x\n", 3, "'x' follows the entry"},
        Bad{"Unprintable", two + "1 1 \xc3\xa9\x01\n1 1 1\n", 4, "'\\xc3\\xa9\\x01'"},
        Bad{"Nul", two + std::string("1 1 1\0\n1 1 1\n", 13), 4, "'1\\x00'"},
        Bad{"LoneCarriageReturn", two + "1 1 1\r1 1 1\n1 1 1\n", 4, "'1\\x0d1'"},
        Bad{"LongJunk", two + "1 1 " + std::string(1000, 'z') + "\n", 4, "zzzz...'"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Value, BadFile,
    testing::Values(Bad{"Word", two + "1 1 1\n1 1 abc\n", 5, "'abc' isn't a number"},
                    Bad{"Nan", two + "1 1 1\n1 1 NaN\n", 5, "'NaN' isn't a finite number"},
                    Bad{"Inf", two + "1 1 1\n1 1 -inf\n", 5, "'-inf' isn't a finite number"},
                    Bad{"Infinity", two + "1 1 +Infinity\n1 1 1\n", 4, "isn't a finite number"},
                    Bad{"Overflow", two + "1 1 1\n1 1 1e400\n", 5, "'1e400' is too large for double"},
                    Bad{"FortranOverflow", two + "1 1 1\n1 1 -1D400\n", 5, "'-1D400' is too large"},
                    Bad{"TwoSigns", two + "1 1 +-1\n1 1 1\n", 4, "'+-1' isn't a number"},
                    Bad{"OnlySign", two + "1 1 -\n1 1 1\n", 4, "'-' isn't a number"},
                    Bad{"OnlyPoint", two + "1 1 .\n1 1 1\n", 4, "'.' isn't a number"},
                    Bad{"NoExponent", two + "1 1 1e\n1 1 1\n", 4, "'1e' isn't a number"},
                    Bad{"NoFortranExponent", two + "1 1 1D+\n1 1 1\n", 4, "'1D+' isn't a number"},
                    Bad{"TwoExponents", two + "1 1 1e2d3\n1 1 1\n", 4, "'1e2d3' isn't a number"},
                    Bad{"Hexadecimal", two + "1 1 0x10\n1 1 1\n", 4, "'0x10' isn't a number"},
                    Bad{"Comma", two + "1 1 1,5\n1 1 1\n", 4, "'1,5' isn't a number"},
                    Bad{"FractionInInteger", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", 3,
                        "'1.5' isn't whole"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Whole, BadFile,
    testing::Values(
        Bad{"TooFew", two + "1 1 1.25\n% 123\n\n", 6, "ends after 1 of the 2 entries announced in line 3"},
        Bad{"TooMany", two + "1 1 1\n1 2 1\n\n2 2 1\n1 1 1\n", 7, "more entries than the 2"},
        Bad{"MirrorImage", lower_two + "2 1 1\n% x\n1 2 1\n", 5,
            "entry (1, 2) is the mirror image of entry (2, 1) in line 3, but a symmetric file stores one of "
            "the two; leave one out, or let the banner say general"},
        Bad{"MirrorImageOfAZero", lower_two + "1 2 0\n2 1 1\n", 4,
            "entry (2, 1) is the mirror image of entry (1, 2) in line 3"},
        Bad{"MirrorImageInSkew", skew_three + "1 2 1\n3 1 1\n2 1 -1\n", 5,
            "entry (2, 1) is the mirror image of entry (1, 2) in line 3, but a skew-symmetric file"},
        Bad{"MirrorImageInPattern", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n1 2\n", 4,
            "entry (1, 2) is the mirror image"},
        Bad{"FirstOfSeveralMirrorImages",
            "%%MatrixMarket matrix coordinate real hermitian\n4 4 7\n4 3 1\n2 1 1\n2 1 1\n1 2 1\n3 4 1\n"
            "1 2 1\n2 2 1\n",
            6, "entry (1, 2) is the mirror image of entry (2, 1) in line 4, but a hermitian file"},
        Bad{"DiagonalInSkew", skew_two + "2 2 5\n", 3,
            "entry (2, 2): the diagonal of a skew-symmetric matrix is 0, and this value is '5'"},
        Bad{"JunkInSkew", skew_two + "2 2 5 x\n", 3, "'x' follows the entry"},
        Bad{"ArrayTooFew", array_two + "1.5\n%\n", 4, "ends after 1 of the 2"},
        Bad{"ArrayTooMany", array_two + "1\n2\n3\n", 5, "more entries than the 2"},
        Bad{"ArrayTwoInALine", array_two + "1 2\n3\n", 3, "'2' follows the value"},
        Bad{"ArrayWord", array_two + "1\n\nnan\n", 5, "finite"}),
    name_of);

TEST_F(MatrixMarket, RefusesValuesTooLargeForSinglePrecision) {
  const FormatError e = failure([&] { read_matrix_market<float>(save(real_general + "1 1 1\n1 1 1e39\n")); });
  EXPECT_EQ(e.line(), 3);
  EXPECT_NE(std::string(e.what()).find("too large for single"), std::string::npos);
  EXPECT_EQ(read_matrix_market<float>(save(real_general + "1 1 1\n1 1 1e-60\n")).val[0], 0.0f);
}

TEST_F(MatrixMarket, NamesTheFileThatCanNotBeOpened) {
  const FormatError missing = failure([&] { read_matrix_market<double>(path("none.mtx")); });
  EXPECT_EQ(missing.what(), path("none.mtx") + ": can't be opened: No such file or directory");
  EXPECT_EQ(missing.line(), 0);
  std::filesystem::create_directory(path("folder.mtx"));
  const FormatError folder = failure([&] { read_matrix_market<double>(path("folder.mtx")); });
  EXPECT_NE(std::string(folder.what()).find("is a directory"), std::string::npos);
}

TEST_F(MatrixMarket, RefusesDamagedGzip) {
  const std::string good = gzip(two + "1 1 1\n2 2 1\n");
  for (std::size_t n = 2; n < good.size(); ++n) {
    const FormatError e = failure([&] { read(good.substr(0, n)); });
    EXPECT_NE(std::string(e.what()).find("truncated"), std::string::npos) << n << " " << e.what();
  }
  std::string wrong = good;
  wrong[wrong.size() - 8] = static_cast<char>(wrong[wrong.size() - 8] ^ 1);  // the checksum
  EXPECT_NE(std::string(failure([&] { read(wrong); }).what()).find("damaged"), std::string::npos);
  EXPECT_NE(std::string(failure([&] { read(good + "more"); }).what()).find("aren't gzip"), std::string::npos);
}

// ---- vectors

TEST_F(MatrixMarket, ReadsVectors) {
  const auto vector = [&](const std::string& text) { return list(read_vector<double>(save(text))); };
  const std::vector<double> x{1, 0, 3};
  EXPECT_EQ(vector("%%MatrixMarket matrix array real general\n3 1\n1\n0\n3\n"), x);
  EXPECT_EQ(vector("%%MatrixMarket matrix array real general\n1 3\n1\n0\n3\n"), x);
  EXPECT_EQ(vector(real_general + "3 1 2\n3 1 3\n1 1 1\n"), x);
  EXPECT_EQ(vector(real_general + "1 3 2\n1 3 3\n1 1 1\n"), x);
  EXPECT_EQ(vector(real_general + "0 1 0\n"), std::vector<double>{});
  EXPECT_EQ(vector("%%MatrixMarket matrix array real skew-symmetric\n1 1\n"), std::vector<double>{0});
}

TEST_F(MatrixMarket, NamesComplexVectors) {
  const std::string advice =
      "complex values aren't supported yet; for the real matrix [B -C; C B] write the vector b + ic as [b; c]";
  const std::string file = save("%%MatrixMarket matrix array complex general\n1 1\n1 0\n");
  EXPECT_EQ(failure([&] { read_vector<double>(file); }).what(), file + ":1: " + advice);
  EXPECT_EQ(failure([&] { read_table(file); }).what(), file + ":1: " + advice);
  for (const char* type : {"<c16", ">c8", "complex128"}) {
    std::string header = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (1,), }";
    header.resize(117, ' ');
    const std::string npy = std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(118) + '\0' + header + "\n";
    const std::string name = save(npy + std::string(16, '\0'), "c.npy");
    EXPECT_EQ(failure([&] { read_vector<double>(name); }).what(),
              name + ": the NumPy type is ''" + type + "''; " + advice);
  }
}

TEST_F(MatrixMarket, QuotesTheFaultOfALongLine) {
  const std::string file = save(std::string(60, ' ') + "1.5 and 2.5" + std::string(60, ' ') + "\n", "b.txt");
  const std::string reason = failure([&] { read_vector<double>(file); }).what();
  EXPECT_NE(reason.find("reads '...                1.5 and 2.5"), std::string::npos) << reason;
  EXPECT_EQ(io::quote("0123456789"), "'0123456789'");
  EXPECT_EQ(io::quote(std::string(39, 'a') + "bcd", 41), "'..." + std::string(37, 'a') + "bcd'");
}

TEST_F(MatrixMarket, RefusesNamesWithANulCharacter) {
  const std::string name = path(std::string("a\0b.mtx", 7));
  save("as before", "a");
  EXPECT_NE(std::string(failure([&] { read_matrix_market<double>(name); }).what()).find("can't hold a NUL character"),
            std::string::npos);
  EXPECT_THROW(write_vector<double>(name, std::vector<double>{1}), FormatError);
  EXPECT_EQ(load("a"), "as before");
}

TEST_F(MatrixMarket, RefusesAMatrixWhereAVectorIsWanted) {
  const FormatError e = failure([&] { read_vector<double>(save(two + "1 1 1\n2 2 1\n")); });
  EXPECT_EQ(e.line(), 3);
  EXPECT_NE(std::string(e.what()).find("2 x 2 matrix where a vector is wanted"), std::string::npos);
}

// ---- writing

TEST_F(MatrixMarket, WritesShortestDigits) {
  const Csr<double> a = read(real_general + "3 2 3\n1 1 0.1\n3 2 1e300\n3 1 -2\n");
  write_matrix_market(path("b.mtx"), a, "two\nlines");
  EXPECT_EQ(load("b.mtx"), real_general + "% two\n% lines\n3 2 3\n1 1 0.1\n3 1 -2\n3 2 1e+300\n");
}

template <class T>
Csr<T> random_matrix(Index rows, Index cols, int entries) {
  std::mt19937_64 random(3);
  std::vector<Triplet<T>> triplets;
  for (int k = 0; k < entries; ++k) {
    const auto bits = static_cast<double>(random() >> 11);
    triplets.push_back({static_cast<Index>(random() % static_cast<std::uint64_t>(rows)),
                        static_cast<Index>(random() % static_cast<std::uint64_t>(cols)),
                        static_cast<T>(std::ldexp(bits, -static_cast<int>(random() % 120)))});
  }
  return from_triplets<T>(rows, cols, triplets);
}

template <class T>
void expect_same(const Csr<T>& a, const Csr<T>& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.cols, b.cols);
  EXPECT_EQ(a.row_ptr, b.row_ptr);
  EXPECT_EQ(a.col, b.col);
  EXPECT_EQ(a.val, b.val);
}

TEST_F(MatrixMarket, ReadsBackTheSameBits) {
  for (const char* name : {"b.mtx", "b.mtx.gz"}) {
    const auto wide = random_matrix<double>(70001, 300, 150000);
    write_matrix_market(path(name), wide);
    expect_same(wide, read_matrix_market<double>(path(name)));
    const auto narrow = random_matrix<float>(3, 900, 1000);
    write_matrix_market(path(name), narrow, "single");
    expect_same(narrow, read_matrix_market<float>(path(name)));
    write_vector<double>(path(name), wide.val);
    EXPECT_EQ(read_vector<double>(path(name)), wide.val);
  }
  EXPECT_EQ(load("b.mtx.gz").substr(0, 2), "\x1f\x8b");
}

TEST_F(MatrixMarket, ReadsBackTheSameBitsOfVectorsInOtherFiles) {
  const auto wide = random_matrix<double>(70001, 300, 150000);
  const auto narrow = random_matrix<float>(300, 900, 20000);
  for (const char* name : {"b.npy", "b.npy.gz", "b.txt", "b.txt.gz", "b.NPY", "b", ".npy", ".txt", ".hidden"}) {
    write_vector<double>(path(name), wide.val);
    EXPECT_EQ(read_vector<double>(path(name)), wide.val) << name;
    write_vector<float>(path(name), narrow.val, "a comment");
    EXPECT_EQ(read_vector<float>(path(name)), narrow.val) << name;
  }
  for (const char* name : {"b.csv", "b.npz", "b.mtx.txt.xz", "b.gz.dat"}) {
    EXPECT_THROW(check_vector_name(path(name)), FormatError) << name;
    EXPECT_THROW(write_vector<double>(path(name), wide.val), FormatError) << name;
    EXPECT_FALSE(std::filesystem::exists(path(name)));
  }
}

TEST_F(MatrixMarket, TakesANameThatIsAnEndingForThatEnding) {
  const std::vector<double> x{1, 2};
  write_vector<double>(path(".npy"), x);
  EXPECT_EQ(load(".npy").substr(0, 6), "\x93NUMPY");
  write_vector<double>(path(".txt.gz"), x);
  EXPECT_EQ(io::Text(path(".txt.gz")).view(), "1\n2\n");
  write_vector<double>(path(".hidden"), x);
  EXPECT_EQ(load(".hidden").substr(0, 14), "%%MatrixMarket");
}

TEST_F(MatrixMarket, CountsItsProgress) {
  write_matrix_market(path("b.mtx"), random_matrix<double>(7001, 300, 150000));
  save("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", "array.mtx");
  for (const char* name : {"b.mtx", "array.mtx"}) {
    Progress progress;
    EXPECT_EQ(progress.share(), 0);
    read_matrix_market<double>(path(name), nullptr, &progress);
    EXPECT_GT(progress.steps, 0) << name;
    EXPECT_EQ(progress.done, progress.steps) << name;
    EXPECT_EQ(progress.share(), 1) << name;
  }
}

TEST_F(MatrixMarket, WritesEmptyMatricesAndVectors) {
  write_matrix_market(path("b.mtx"), Csr<double>{});
  EXPECT_EQ(read_matrix_market<double>(path("b.mtx")).rows, 0);
  for (const char* name : {"b.mtx", "b.npy", "b.txt"}) {
    write_vector<double>(path(name), {});
    EXPECT_EQ(read_vector<double>(path(name)).size(), 0u) << name;
  }
}

TEST_F(MatrixMarket, WritesToTheStandardOutput) {
  testing::internal::CaptureStdout();
  write_vector<double>("-", std::vector<double>{1, 2.5});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "%%MatrixMarket matrix array real general\n2 1\n1\n2.5\n");
}

TEST_F(MatrixMarket, SaysWhenAFileCanNotBeWritten) {
  const auto a = random_matrix<double>(100, 100, 10000);
  EXPECT_NE(std::string(failure([&] { write_matrix_market(path("none/b.mtx"), a); }).what()).find("No such file"),
            std::string::npos);
  EXPECT_NE(std::string(failure([&] { write_matrix_market(path("none/b.mtx.gz"), a); }).what()).find("No such file"),
            std::string::npos);
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  EXPECT_NE(std::string(failure([&] { write_matrix_market("/dev/full", a); }).what()).find("No space"),
            std::string::npos);
  std::filesystem::create_symlink("/dev/full", path("full.gz"));
  EXPECT_NE(std::string(failure([&] { write_matrix_market(path("full.gz"), a); }).what()).find("can't be written"),
            std::string::npos);
}

TEST_F(MatrixMarket, KeepsTheFileBeforeUntilTheNewOneIsWhole) {
  namespace fs = std::filesystem;
  for (const char* name : {"b.txt", "b.txt.gz"}) {
    save("as before", name);
    fs::permissions(path(name), fs::perms::owner_read | fs::perms::owner_write);
    {
      io::Output out(path(name));
      out.write(std::string(1 << 20, 'x'));
      EXPECT_EQ(load(name), "as before") << "a kill now would lose nothing";
    }
    EXPECT_EQ(load(name), "as before") << "what isn't closed isn't kept";
    fs::create_symlink(path(name), path("link"));
    const std::string written = path("link") + (std::string(name).ends_with(".gz") ? ".gz" : "");
    if (written != path("link")) fs::rename(path("link"), written);
    io::Output out(written);
    out.write("after");
    out.close();
    EXPECT_EQ(io::Text(path(name)).view(), "after");
    EXPECT_TRUE(fs::is_symlink(written)) << "the link stays";
    EXPECT_EQ(fs::status(path(name)).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    fs::remove(written);
    fs::remove(path(name));
    EXPECT_TRUE(fs::is_empty(path(""))) << "no temporary file is left";
  }
}

TEST_F(MatrixMarket, WritesInPlaceWhereTheFolderTakesNoNewFile) {
  namespace fs = std::filesystem;
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write anywhere";
  save("as before", "b.txt");
  fs::permissions(path(""), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_NO_THROW(write_vector<double>(path("b.txt"), std::vector<double>{1}));
  fs::permissions(path(""), fs::perms::owner_all);
  EXPECT_EQ(load("b.txt"), "1\n");
}

// ---- randomly damaged files

/// Damages a text at random: inserts, deletes, replaces or repeats parts, or cuts the end off.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string operator()(std::string text) {
    for (std::size_t k = pick(4); k > 0; --k) mutate(text);
    return text;
  }

 private:
  std::size_t pick(std::size_t n) { return random_() % n; }

  void mutate(std::string& text) {
    static const std::vector<std::string> words{
        "0", "-1", "1e400", "nan", "%",    "\r\n", "\n",  "\t", "1 1 1\n", "99999",          "1d",    "+",      ".",
        "e", "\r", " ",     "3",   "\xff", "%\n",  "inf", "1.", "2 ",      "skew-symmetric", "array", "pattern"};
    const std::size_t at = pick(text.size() + 1);
    const std::size_t rest = text.size() - at;
    switch (pick(6)) {
      case 0:
        text.insert(at, words[pick(words.size())]);
        break;
      case 1:
        text.erase(at, 1 + pick(4));
        break;
      case 2:
        text.insert(at, 1, static_cast<char>(pick(256)));
        break;
      case 3:
        text.insert(at, text.substr(pick(text.size() + 1), pick(12)));
        break;
      case 4:
        text.replace(at, std::min<std::size_t>(rest, 1), words[pick(words.size())]);
        break;
      default:
        if (pick(8) == 0)
          text.resize(at);
        else if (rest > 0)
          text[at] = static_cast<char>('0' + pick(10));
    }
  }

  std::mt19937 random_;
};

/// Whether the text has a number of more than six digits. Such a number of rows is legal and takes much memory, so the
/// test skips these texts.
bool has_long_number(const std::string& text) {
  std::size_t run = 0;
  for (const char c : text) {
    run = c >= '0' && c <= '9' ? run + 1 : 0;
    if (run > 6) return true;
  }
  return false;
}

TEST_F(MatrixMarket, GivesAMatrixOrAFormatErrorWhateverTheBytes) {
  const std::vector<std::string> seeds{
      two + "1 1 1.5\n2 1 -2e-3\n",
      lower_two + "1 1 1\n2 1 1D2\n",
      skew_two + "2 1 1\n",
      pattern_two + "1 2\n",
      array_two + "1\n2\n",
      "%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n",
      "%%MatrixMarket matrix coordinate integer hermitian\r\n%\r\n3 3 2\r\n3 1 4\r\n3 3 1\r\n"};
  Mutator mutate(2026);
  int good = 0;
  int bad = 0;
  for (int k = 0; k < 6000; ++k) {
    const std::string text = mutate(seeds[static_cast<std::size_t>(k) % seeds.size()]);
    if (has_long_number(text)) continue;
    try {
      const Csr<double> a = read(text);
      check(a.view());
      EXPECT_TRUE(is_canonical(a.view())) << text;
      for (const double v : a.val) EXPECT_TRUE(std::isfinite(v)) << text;
      ++good;
    } catch (const FormatError& e) {
      EXPECT_EQ(std::string(e.what()).find("changed while"), std::string::npos) << e.what() << "\n" << text;
      ++bad;
    }
  }
  EXPECT_GT(good, 1000);
  EXPECT_GT(bad, 1000);
}

TEST_F(MatrixMarket, GivesAMatrixOrAFormatErrorWhateverTheGzipBytes) {
  const std::string good = gzip(two + "1 1 1.5\n2 1 -2e-3\n");
  std::mt19937 random(2026);
  for (int k = 0; k < 2000; ++k) {
    std::string bytes = good;
    bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    try {
      check(read(bytes).view());
    } catch (const FormatError&) {
    }
  }
}

TEST_F(MatrixMarket, ReadsSharedMatrices) {
  const std::filesystem::path folder = std::filesystem::path(OSTINATO_SHARED_DIR) / "matrices";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " isn't there";
  std::ifstream catalogue(folder / "CATALOGUE.tsv");
  std::string line;
  std::getline(catalogue, line);
  int count = 0;
  while (std::getline(catalogue, line)) {
    std::istringstream words(line);
    std::string name, symmetry, field;
    Offset rows, cols, stored, expanded;
    words >> name >> rows >> cols >> stored >> expanded >> symmetry >> field;
    SCOPED_TRACE(name);
    const std::string file = folder / (name + ".mtx.gz");
    ++count;
    if (field == "complex") {
      EXPECT_NE(std::string(failure([&] { read_matrix_market<double>(file); }).what()).find("complex"),
                std::string::npos);
      continue;
    }
    MatrixMarketInfo info;
    const Csr<double> a = read_matrix_market<double>(file, &info);
    check(a.view());
    EXPECT_TRUE(is_canonical(a.view()));
    EXPECT_EQ(a.rows, rows);
    EXPECT_EQ(a.cols, cols);
    EXPECT_EQ(a.nonzeros(), expanded);
    EXPECT_EQ(info.stored_entries, stored);
    EXPECT_EQ(info.field, field);
    EXPECT_EQ(info.symmetry, symmetry);
    if (symmetry == "symmetric") expect_same(a, transpose(a.view()));
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace ostinato
