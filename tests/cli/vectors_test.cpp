// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <vector>

#include <ostinato/spmv/matrix/io/matrix_market.hpp>

#include "cli/program.hpp"

// Vectors in NumPy files and in text, and the history.

namespace ostinato::cli_tests {
namespace {

using CliVectors = Cli;

/// A NumPy file as numpy.save writes it: version 1, a header of 118 bytes.
template <class T>
std::string numpy(const std::string& type, const std::string& shape, const std::vector<T>& values) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.append(117 - header.size(), ' ').append("\n");
  std::string data(values.size() * sizeof(T), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + data;
}

/// A NumPy file of any version with this header.
std::string with_header(int version, const std::string& header, const std::vector<double>& values) {
  std::string data(values.size() * sizeof(double), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  std::string size(version == 1 ? 2 : 4, '\0');
  size[0] = static_cast<char>(header.size());
  return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' + size + header + data;
}

constexpr const char* diagonal = "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 2\n3 3 4\n";

TEST_F(CliVectors, EveryKindHoldsTheSameVector) {
  write("a.mtx", diagonal);
  write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n-2\n8\n");
  write("b.npy", numpy<double>("<f8", "(3,)", {1, -2, 8}));
  write("column.npy", numpy<float>("<f4", "(3, 1)", {1, -2, 8}));
  write("row.npy", numpy<std::int32_t>("<i4", "(1, 3)", {1, -2, 8}));
  write("big.npy", numpy<std::uint16_t>(">i2", "(3,)", {0x0100, 0xfeff, 0x0800}));
  write("renamed", numpy<double>("<f8", "(3,)", {1, -2, 8}));
  write("b.txt", "# from a spreadsheet\n 1\n\n-2.0e0\r\n8");
  for (const char* b : {"b.mtx", "b.npy", "column.npy", "row.npy", "big.npy", "renamed", "b.txt"}) {
    for (const char* precision : {"double", "single"}) {
      const Outcome r = run(std::string("solve a.mtx --quiet -o x.txt --precision ") + precision + " -b " + b);
      EXPECT_EQ(r.code, 0) << b << ": " << r.err;
      std::istringstream x(contents(path("x.txt")));
      double first = 0, second = 0, third = 0;
      x >> first >> second >> third;
      EXPECT_NEAR(first, 1, 1e-4) << b;
      EXPECT_NEAR(second, -1, 1e-4) << b;
      EXPECT_NEAR(third, 2, 1e-4) << b;
    }
  }
}

TEST_F(CliVectors, NumpyHeadersMayBeWrittenInOtherWays) {
  write("a.mtx", diagonal);
  const auto reads = [this](int version, const std::string& header) {
    write("b.npy", with_header(version, header, {1, -2, 8}));
    const Outcome r = run("solve a.mtx --quiet -b b.npy -o x.txt");
    EXPECT_EQ(r.code, 0) << header << ": " << r.err;
    EXPECT_EQ(read_vector<double>(path("x.txt")).size(), 3u);
  };
  for (const int version : {1, 2, 3}) reads(version, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }   \n");
  reads(1, R"({"descr":"<f8","fortran_order":True,"shape":(3,)})");
  reads(2, "{'shape': ( 3 , 1 ) ,  'fortran_order' : False, 'descr' : '<f8'}");
  reads(1, "{'descr': 'f8', 'fortran_order': False, 'shape': (3L,), }\n");
  reads(3, "{'descr': '<f8', 'comment': 'shape: (5,)', 'fortran_order': False, 'shape': (1, 3)}");
}

TEST_F(CliVectors, ASolutionIsReadAgainAsGuess) {
  for (const char* name : {"x.mtx", "x.mtx.gz", "x.npy", "x.npy.gz", "x.txt", "x.txt.gz", "x"}) {
    const std::string file = name;
    EXPECT_EQ(run("solve poisson2d:12 --quiet -o " + file).code, 0) << name;
    EXPECT_EQ(run("solve poisson2d:12 --quiet --json report.json -x " + file).code, 0) << name;
    EXPECT_EQ(report()["iterations"], 0) << name;
  }
  EXPECT_EQ(contents(path("x.npy")).substr(0, 6), "\x93NUMPY");
  EXPECT_EQ(contents(path("x.npy")).size() % 64, 144 * 8 % 64u) << "the data begins at a multiple of 64 bytes";
}

TEST_F(CliVectors, RefusesWhatIsNoVector) {
  write("a.mtx", diagonal);
  const auto refuses = [this](const std::string& name, const std::string& contents, const std::string& phrase) {
    write(name, contents);
    expect_complaint(run("solve a.mtx -f " + name), 3, name + phrase);
  };
  refuses("two.npy", numpy<double>("<f8", "(2, 2)", {1, 2, 3, 4}),
          ": the NumPy array has the shape '(2, 2)' where a vector is wanted");
  refuses("complex.npy", numpy<double>("<c16", "(1,)", {1, 2}), ": the NumPy type is ");
  refuses("cut.npy", numpy<double>("<f8", "(3,)", {1, 2}), ": holds 16 bytes where 3 values of 8 bytes");
  refuses("huge.npy", numpy<double>("<f8", "(4611686018427387904,)", {1, 2}), ": holds 16 bytes");
  refuses("beyond.npy", numpy<double>("<f8", "(99999999999999999999,)", {1, 2}), ": the NumPy array has the shape ");
  refuses("negative.npy", numpy<double>("<f8", "(-3,)", {1, 2, 4}), ": the NumPy array has the shape '(-3,)' where");
  refuses("scalar.npy", numpy<double>("<f8", "()", {1}), ": the NumPy array has the shape '()' where");
  refuses("cube.npy", numpy<double>("<f8", "(1, 1, 3)", {1, 2, 4}),
          ": the NumPy array has the shape '(1, 1, 3)' where");
  refuses("record.npy", numpy<double>("<f8'), ('b', '<f8", "(3,)", {1, 2, 4}), ": the NumPy header isn't a dictionary");
  refuses("half.npy", numpy<std::int16_t>("<f2", "(3,)", {1, 2, 4}), ": the NumPy type is ''<f2''");
  refuses("future.npy", with_header(4, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", {1, 2, 4}),
          ": is of version 4.0 of NumPy's format; versions 1, 2 and 3 are known");
  refuses("shapeless.npy", with_header(1, "{'descr': '<f8', 'fortran_order': False}", {1, 2, 4}),
          ": the NumPy header names no 'shape': ");
  refuses("orderless.npy", with_header(1, "{'descr': '<f8', 'fortran_order': 1, 'shape': (3,)}", {1, 2, 4}),
          ": the NumPy header has a fortran_order that is neither");
  refuses("list.npy", with_header(1, "['<f8', (3,)]", {1, 2, 4}), ": the NumPy header isn't a dictionary: ");
  refuses("nan.npy", numpy<double>("<f8", "(3,)", {1, std::nan(""), 2}), ": row 2 holds NaN");
  refuses("header.npy", std::string("\x93NUMPY\x01\x00\xff\xff", 10), ": the NumPy header is cut off");
  refuses("magic.npy", "\x93NUMPY", ": the NumPy header is cut off");
  refuses("words.txt", "1\ntwo\n3\n", ":2: one finite number a line is wanted, and this one reads 'two'");
  refuses("pairs.txt", "1 2\n", ":1: one finite number a line");
  refuses("nan.txt", "1\nnan\n2\n", ":2: one finite number a line");
  refuses("b.csv", "1\n2\n3\n", ":1: isn't a vector file");
  refuses("short.txt", "1\n2\n", ": holds 2 values, but the matrix has 3 rows");
}

TEST_F(CliVectors, RefusesAnUnknownEndingBeforeTheSolve) {
  expect_complaint(run("solve poisson2d:12 -o x.csv"), 3, "name it .mtx (Matrix Market), .npy (NumPy) or .txt");
  EXPECT_FALSE(std::filesystem::exists(path("x.csv")));
}

TEST_F(CliVectors, TheHistoryIsThatOfTheReport) {
  EXPECT_EQ(run("solve poisson2d:12 --quiet --json report.json --history h.csv").code, 0);
  std::istringstream lines(contents(path("h.csv")));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "iteration,relative_residual");
  const Json history = report()["history"];
  for (std::size_t k = 0; k < history.size(); ++k) {
    std::getline(lines, line);
    const std::size_t comma = line.find(',');
    EXPECT_EQ(line.substr(0, comma), std::to_string(k));
    EXPECT_EQ(std::stod(line.substr(comma + 1)), history[k].get<double>());
  }
  EXPECT_FALSE(std::getline(lines, line));
  expect_complaint(run("solve poisson2d:12 --json - --history -"), 2,
                   "only one of --json, --html, --output and --history");
}

/// Two points in the plane, with two displacements each.
TEST_F(CliVectors, CoordinatesAreATable) {
  write("a.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 4\n1 1 1\n2 2 2\n3 3 4\n4 4 3\n");
  write("p.mtx", "%%MatrixMarket matrix array real general\n2 2\n0\n1\n0\n0.5\n");
  write("p.npy", numpy<double>("<f8", "(2, 2)", {0, 0, 1, 0.5}));
  write("far.npy", numpy<double>("<f8", "(3, 2)", {0, 0, 1, 0.5, 2, 2}));
  write("line.npy", numpy<double>("<f8", "(4,)", {0, 0, 1, 0.5}));
  const std::string solve = "solve a.mtx --solver cg --quiet --precond multigrid:kind=aggregation --coordinates ";
  for (const char* file : {"p.mtx", "p.npy"}) {
    const Outcome r = run(solve + file);
    EXPECT_EQ(r.code, 0) << file << r.err;
  }
  const auto refuses = [&](const std::string& line, const std::string& why) {
    const Outcome r = run(line);
    EXPECT_NE(r.code, 0) << line;
    EXPECT_NE(r.err.find(why), std::string::npos) << r.err;
  };
  refuses(solve + "far.npy", "coordinates of 3 points, but the matrix has 2 points with 2 unknowns each");
  refuses(solve + "line.npy", "where rows and columns are wanted");
  refuses("solve a.mtx --precond jacobi --coordinates p.npy",
          "--coordinates are for --precond auto or multigrid:kind=aggregation");
}

}  // namespace
}  // namespace ostinato::cli_tests
