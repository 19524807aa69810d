// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

// Helpers to test the command line program from outside: exit codes, messages, and the keys of the JSON report.

namespace ostinato::cli_tests {

using Json = nlohmann::json;

inline std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Outcome {
  int code = -1;
  std::string out, err;
};

/// Runs the program in a temporary folder, a new folder for each test.
class Cli : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "ostinato_cli_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }

  /// Runs the program with `arguments`. `before` goes in front of the program in the shell command: a pipe, an
  /// environment variable, a wrapper.
  Outcome run(const std::string& arguments, const std::string& before = "") const {
    const std::string command = "cd '" + folder_ + "' && " + before + " '" + OSTINATO_PROGRAM + "' " + arguments +
                                " >'" + path("out") + "' 2>'" + path("err") + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(path("out")), contents(path("err"))};
  }

  void generate(const std::string& family_and_file) const {
    ASSERT_EQ(run("generate --quiet " + family_and_file).code, 0);
  }

  Json report(const std::string& name = "report.json") const { return Json::parse(contents(path(name))); }

 private:
  std::string folder_;
};

/// Checks that the report's section "amortisation" has all figures, and that they are consistent.
inline void expect_amortisation(const Json& a) {
  for (const char* key : {"setup_seconds", "csr_seconds", "csr_setup_seconds", "product_seconds", "setup_products"}) {
    ASSERT_TRUE(a.contains(key) && a[key].is_number()) << key;
  }
  const auto number = [&a](const char* key) { return a[key].get<double>(); };
  EXPECT_NEAR(number("setup_products") * number("csr_seconds"), number("setup_seconds"), 1e-9);
  const double dearer = number("setup_seconds") - number("csr_setup_seconds");
  const double saving = number("csr_seconds") - number("product_seconds");
  ASSERT_TRUE(a.contains("break_even_products"));
  if (a["break_even_products"].is_null()) {
    EXPECT_LE(saving, 0);
    return;
  }
  const double n = number("break_even_products");
  EXPECT_GE(saving, 0);
  EXPECT_GE(n * saving, dearer * (1 - 1e-9));
  EXPECT_TRUE(n == 0 || (n - 1) * saving < dearer) << a;
}

inline constexpr const char* rectangular = "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n";

inline bool is_one_line(const std::string& text) { return !text.empty() && text.find('\n') == text.size() - 1; }

inline void expect_complaint(const Outcome& r, int code, const std::string& phrase) {
  EXPECT_EQ(r.code, code) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_TRUE(is_one_line(r.err)) << r.err;
  EXPECT_EQ(r.err.rfind("ostinato: ", 0), 0u) << r.err;
  EXPECT_NE(r.err.find(phrase), std::string::npos) << r.err;
}

}  // namespace ostinato::cli_tests
