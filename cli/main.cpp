// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <Kokkos_Macros.hpp>
#include <array>
#include <new>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/version.hpp>

#include "exit_code.hpp"
#include "help.hpp"
#include "progress.hpp"

namespace ostinato::cli {

namespace {

constexpr const char* exit_codes =
    "Exit codes:\n"
    "  0    converged; done\n"
    "  1    not converged within the limits, or stagnated\n"
    "  2    usage\n"
    "  3    bad input: a file, or a matrix that can't be solved with or held\n"
    "  4    breakdown, divergence, numbers that aren't finite\n"
    "  5    memory or device\n"
    "  130  interrupted; x so far is written";

std::string version_text() {
  return fmt::format("ostinato {}.{}.{}, {}, Kokkos {}.{}", version.major, version.minor, version.patch,
                     Cuda::build_description(), KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100);
}

int complain(const std::string& message, ExitCode code) {
  fmt::print(stderr, "ostinato: {}\n", message);
  return code;
}

/// What is wrong with the command line, and where to look.
std::string usage_message(CLI::App& program, const CLI::ParseError& e) {
  std::string name = "ostinato", reason = e.what();
  CLI::App* at = &program;
  for (CLI::App* command : program.get_subcommands()) at = command;
  if (at != &program) name += " " + at->get_name();
  if (dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr) {
    const std::vector<std::string> words = program.remaining(true);
    const bool option = !words.empty() && words.front().starts_with("-");
    if (!words.empty()) reason = (option ? "unknown option '" : "one argument too many: '") + words.front() + "'";
  }
  return reason + "; see " + name + " --help";
}

int run(CLI::App& program, const std::array<Command, 5>& commands, int argc, char** argv) {
  std::string known;
  bool is_known = argc < 2 || argv[1][0] == '-';
  for (const Command& c : commands) {
    known += (known.empty() ? "" : ", ") + c.app->get_name();
    is_known = is_known || c.app->get_name() == argv[1];
  }
  if (!is_known) {
    throw UsageError(fmt::format("unknown command '{}'; known: {}", argv[1], known));
  }
  if (argc < 2) {
    fmt::print(stderr, "{}", program.help());
    return exit_usage;
  }
  program.parse(argc, argv);
  for (const Command& c : commands) {
    if (c.app->parsed()) return c.run();
  }
  throw UsageError("a command is missing; known: " + known);
}

int guarded(int argc, char** argv) {
  CLI::App program("Ostinato: sparse iterative solvers that choose the matrix format", "ostinato");
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->label("SUBCOMMAND", "COMMAND");
  formatter->label("Positionals", "Arguments");
  program.formatter(formatter);
  program.set_version_flag("--version", version_text(), "print the version and exit");
  program.set_help_flag("-h,--help", "print this help and exit; each command has its own");
  program.footer(exit_codes);
  const std::array<Command, 5> commands = {solve_command(program), inspect_command(program), tune_command(program),
                                           bench_command(program), generate_command(program)};
  try {
    return run(program, commands, argc, argv);
  } catch (const CLI::Success& e) {
    return program.exit(e);
  } catch (const CLI::ParseError& e) {
    return complain(usage_message(program, e), exit_usage);
  } catch (const UsageError& e) {
    return complain(e.what(), exit_usage);
  } catch (const DeviceError& e) {
    return complain(e.what(), exit_device);
  } catch (const Error& e) {
    return complain(e.what(), exit_bad_input);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; a smaller --restart, --precision single or --format csr takes less", exit_device);
  } catch (const std::exception& e) {
    return complain(std::string("unexpected: ") + e.what(), exit_device);
  }
}

}  // namespace

}  // namespace ostinato::cli

int main(int argc, char** argv) {
  ostinato::cli::exit_on_interrupt();
  return ostinato::cli::guarded(argc, argv);
}
