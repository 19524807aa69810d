// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <vector>

#include "cli/program.hpp"

// The scripts for shells and the manual page have what --help has. A shell that isn't installed is passed over.

namespace ostinato::cli_tests {
namespace {

using Names = std::set<std::string>;

class CliCompletion : public Cli {
 protected:
  static bool has(const std::string& shell) {
    return std::system(("command -v " + shell + " >/dev/null").c_str()) == 0;
  }

  /// What a shell command prints, in the folder with the script.
  std::string shell(const std::string& name, const std::string& commands) const {
    write("commands", commands);
    const std::string line = "cd '" + path("") + "' && " + name + " commands >'" + path("said") + "' 2>&1";
    EXPECT_EQ(std::system(line.c_str()), 0) << contents(path("said"));
    return contents(path("said"));
  }

  void print(const std::string& arguments, const std::string& name) const {
    const Outcome r = run(arguments);
    ASSERT_EQ(r.code, 0) << r.err;
    write(name, r.out);
  }

  /// What bash offers for a command line whose last word is being typed.
  std::string bash(const std::string& words) const {
    return shell("bash", "source ./script\nCOMP_WORDS=(ostinato " + words +
                             ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_ostinato\necho \"${COMPREPLY[*]}\"\n");
  }

  /// The long names in a help text.
  Names options_of(const std::string& command) const {
    Names names;
    const std::string help = run(command + " --help").out;
    for (std::size_t at = help.find("--"); at != std::string::npos; at = help.find("--", at + 2)) {
      const std::size_t end = help.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at);
      if (end > at + 2) names.insert(help.substr(at, end - at));
    }
    return names;
  }
};

constexpr const char* commands[] = {"solve", "inspect", "compare", "tune", "bench", "generate", "completion", "man"};

TEST_F(CliCompletion, HasEveryOptionOfTheHelp) {
  const std::string man = run("man").out;
  std::string page;
  for (std::size_t k = 0; k < man.size(); ++k) {
    if (man[k] != '\\' || k + 1 == man.size() || man[k + 1] != '-') page += man[k];
  }
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = run(std::string("completion ") + shell).out;
    for (const char* command : commands) {
      const Names options = options_of(command);
      EXPECT_FALSE(options.empty());
      for (const std::string& option : options) {
        const std::string known = std::string(shell) == "fish" ? "-l " + option.substr(2) : option;
        EXPECT_NE(script.find(known), std::string::npos) << shell << ": " << command << " " << option;
        EXPECT_TRUE(option == "--help" || page.find(option) != std::string::npos) << command << " " << option;
      }
    }
  }
}

TEST_F(CliCompletion, BashOffersCommandsOptionsAndNames) {
  print("completion bash", "script");
  EXPECT_EQ(shell("bash", "bash -n script"), "");
  EXPECT_EQ(bash("so"), "solve\n");
  EXPECT_EQ(bash("inspect a.mtx --js"), "--json\n");
  EXPECT_EQ(bash("solve a.mtx --solver m"), "minres\n");
  EXPECT_EQ(bash("solve a.mtx --precision ''"), "double single\n");
  EXPECT_EQ(bash("generate poisson"), "poisson2d poisson3d\n");
  EXPECT_EQ(bash("completion z"), "zsh\n");
  EXPECT_EQ(bash("solve a.mtx --solver I"), "idr\n") << "the program takes names in any case";
  EXPECT_EQ(bash("solve a.mtx --precision = s"), "single\n") << "bash makes three words of --precision=s";
  EXPECT_EQ(bash("solve a.mtx --precision ="), "double single\n");
  EXPECT_EQ(bash("help s"), "solve\n");
  write("poisson.mtx", "");
  EXPECT_EQ(bash("solve poisson"), "poisson2d: poisson3d: poisson.mtx\n") << "a family needs no file";
  EXPECT_EQ(bash("solve q"), "\n") << "bash then completes file names";
  EXPECT_EQ(bash("solve a.mtx -o x"), "\n");
  EXPECT_EQ(bash("solve a.mtx --rtol 1"), "\n");
}

TEST_F(CliCompletion, ZshOffersCommandsOptionsAndNames) {
  if (!has("zsh")) GTEST_SKIP() << "no zsh";
  print("completion zsh", "script");
  EXPECT_EQ(shell("zsh", "zsh -n script"), "");
  // The functions of zsh's completion system stand for themselves: they print what they are given.
  const std::string stubs =
      "compdef() { : }\n_describe() { print -l ${(P)2} }\n_arguments() { print -l -- $@ }\nsource ./script\n";
  const std::string first = shell("zsh", stubs + "words=(ostinato so); CURRENT=2; _ostinato\n");
  EXPECT_NE(first.find("solve:solve A x = b and say how it went\n"), std::string::npos) << first;
  const std::string second = shell("zsh", stubs + "words=(ostinato solve --s); CURRENT=3; _ostinato\n");
  EXPECT_NE(second.find(":NAME:(auto cg bicgstab gmres minres bicgstab2 idr gcrodr lsmr)\n"), std::string::npos)
      << second;
  EXPECT_NE(second.find("(-f -b --rhs)--rhs["), std::string::npos) << second;
}

TEST_F(CliCompletion, FishOffersCommandsOptionsAndNames) {
  if (!has("fish")) GTEST_SKIP() << "no fish";
  print("completion fish", "script");
  const auto offers = [this](const std::string& line) {
    return shell("HOME=. fish", "source ./script\ncomplete -C '" + line + "'\n");
  };
  EXPECT_EQ(offers("ostinato so"), "solve\tsolve A x = b and say how it went\n");
  EXPECT_EQ(offers("ostinato solve --solver mi").substr(0, 7), "minres\t");
  EXPECT_EQ(offers("ostinato inspect --js").substr(0, 7), "--json\t");
}

TEST_F(CliCompletion, TheManualPageIsValid) {
  if (!has("man") || !has("groff")) GTEST_SKIP() << "no man";
  print("man", "ostinato.1");
  const std::string warnings = shell("bash", "groff -man -ww -z ostinato.1");
  EXPECT_EQ(warnings, "");
  const std::string text = shell("bash", "MANWIDTH=80 man -l ostinato.1");
  for (const char* phrase : {"solve matrix [options]", "--max-iterations", "EXIT STATUS", "OSTINATO_CACHE_DIR"})
    EXPECT_NE(text.find(phrase), std::string::npos) << phrase;
}

}  // namespace
}  // namespace ostinato::cli_tests
