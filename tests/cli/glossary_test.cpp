// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "cli/program.hpp"

// docs/reference/glossary.md has every label, column and parameter that the program's tables have.

namespace ostinato::cli_tests {
namespace {

using CliGlossary = Cli;
using Words = std::set<std::string>;

std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + at.size();
  }
  return parts;
}

std::string plain(const std::string& text) {
  std::string word;
  for (const char c : text) {
    if (c != '`' && c != '*') word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const std::size_t first = word.find_first_not_of(' '), last = word.find_last_not_of(' ');
  return first == std::string::npos ? "" : word.substr(first, last - first + 1);
}

/// The terms in the first column of the glossary's tables.
Words glossary() {
  Words words;
  for (const std::string& line :
       split(contents(std::string(OSTINATO_EXAMPLES_DIR) + "/../docs/reference/glossary.md"), "\n")) {
    if (!line.starts_with("| ")) continue;
    for (const std::string& term : split(split(line, "|").front(), ",")) words.insert(plain(term));
  }
  return words;
}

/// The labels at the left of a table's lines, and the columns of a table of formats. The rows of formats and
/// preconditioners, and the lines that explain parameters, are left out: they begin with one of `names`.
Words titles_in(const std::string& output, const Words& names) {
  Words titles;
  bool rows = false;
  for (const std::string& line : split(output, "\n")) {
    const bool columns = line.starts_with("format  ") && line.find("  stored  ") != std::string::npos;
    rows = columns || (rows && line.starts_with(' '));
    if (columns) {
      for (const std::string& title : split(line, "  ")) titles.insert(plain(title));
    } else if (!line.starts_with(' ') && line.find("  ") != std::string::npos) {
      const std::string label = line.substr(0, line.find("  "));
      if (!names.contains(label)) titles.insert(plain(label));
    }
  }
  return titles;
}

/// The names before "=" in words such as "height=8,version=2".
Words parameters_in(const std::string& output) {
  Words names;
  for (std::size_t at = output.find('='); at != std::string::npos; at = output.find('=', at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && std::islower(static_cast<unsigned char>(output[begin - 1])) != 0) --begin;
    const bool number = at + 1 < output.size() && std::isdigit(static_cast<unsigned char>(output[at + 1])) != 0;
    if (begin < at && number) names.insert(output.substr(begin, at - begin));
  }
  return names;
}

TEST_F(CliGlossary, HasEveryTitleAndParameterOfTheTables) {
  const Words known = glossary();
  generate("poisson2d 20 p.mtx");
  EXPECT_EQ(run("bench p.mtx --repetitions 1 --device cpu --json report.json").code, 0);
  Words names, titles, parameters;
  const Json benched = report();
  for (const Json& format : benched["formats"]) names.insert(format["format"].get<std::string>());
  EXPECT_EQ(run("inspect p.mtx --device cpu --json report.json").code, 0);
  const Json inspected = report();
  for (const Json& candidate : inspected["selection"]) names.insert(candidate["format"].get<std::string>());
  for (const Json& p : inspected["preconditioners"]) names.insert(p["name"].get<std::string>());
  for (const char* arguments : {"solve p.mtx -o x.mtx --precond jacobi", "solve poisson2d:64",
                                "solve p.mtx --maxiter 2", "inspect p.mtx --all", "inspect p.mtx --tune measure",
                                "tune p.mtx --retune", "bench p.mtx --repetitions 1", "compare p.mtx --budget 0"}) {
    const std::string out = run(std::string(arguments) + " --device cpu").out;
    titles.merge(titles_in(out, names));
    parameters.merge(parameters_in(out));
  }

  EXPECT_GE(titles.size(), 40u);
  EXPECT_GE(parameters.size(), 8u);
  for (const std::string& title : titles) EXPECT_TRUE(known.contains(title)) << "'" << title << "'";
  for (const std::string& name : parameters) EXPECT_TRUE(known.contains(name)) << "'" << name << "'";
}

TEST_F(CliGlossary, HasTheSymbolsOfTheSearchEngine) {
  const Words known = glossary();
  const std::string out = run("inspect poisson2d:20 --device cpu").out;
  for (const char* symbol : {"delta", "p_offset", "p_zero", "alpha", "label_lz", "label_s", "type"}) {
    EXPECT_NE(out.find(symbol), std::string::npos) << symbol;
    EXPECT_TRUE(known.contains(symbol)) << symbol;
  }
}

TEST_F(CliGlossary, ParametersAreExplainedWhereTheyAreShown) {
  for (const char* arguments :
       {"inspect poisson2d:20", "tune poisson2d:20 --retune", "bench poisson2d:20 --repetitions 1"}) {
    const std::string out = run(std::string(arguments) + " --device cpu").out;
    const Words shown = parameters_in(out);
    EXPECT_GE(shown.size(), 8u) << arguments;
    for (const std::string& name : shown) {
      const std::string legend = " " + name + std::string(10 - std::min<std::size_t>(name.size(), 9), ' ');
      EXPECT_NE(out.find(legend), std::string::npos) << arguments << ": " << name << "\n" << out;
    }
  }
}

TEST_F(CliGlossary, TheDocumentsHaveEveryKeyOfTheReport) {
  const std::string document = contents(std::string(OSTINATO_EXAMPLES_DIR) + "/../docs/reference/json.md");
  EXPECT_EQ(run("solve poisson2d:64 --device cpu --json report.json").code, 0);
  const Json whole = report();
  std::vector<std::string> keys;
  for (const auto& [key, value] : whole.items()) keys.push_back(key);
  for (const char* part : {"bytes", "preparation", "times"}) {
    for (const auto& [key, value] : whole[part].items()) keys.push_back(key);
  }
  for (const auto& [key, value] : whole["stages"][0].items()) keys.push_back(key);

  EXPECT_GE(keys.size(), 60u);
  for (const std::string& key : keys) EXPECT_NE(document.find("`" + key + "`"), std::string::npos) << key;
}

}  // namespace
}  // namespace ostinato::cli_tests
