// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <new>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/version.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "progress.hpp"

namespace ostinato::cli {

namespace {

constexpr CommandInfo commands[] = {
    {"solve", "solve A x = b and say how it went", define_solve},
    {"inspect", "say what a matrix is, and what each format would cost", define_inspect},
    {"tune", "time every format and its variants, and keep the verdict", define_tune},
    {"bench", "time a product in every format, and check it", define_bench},
    {"generate", "write a matrix of a known family", define_generate},
};

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
  return fmt::format("ostinato {}.{}.{}, {}, {}", version.major, version.minor, version.patch,
                     Cuda::build_description(), Host::build_description());
}

int complain(const std::string& message, ExitCode code) {
  fmt::print(stderr, "ostinato: {}\n", message);
  return code;
}

int guarded(int argc, char** argv) {
  try {
    const ProgramInfo program = {"ostinato", "Ostinato: sparse iterative solvers that choose the matrix format",
                                 version_text(), exit_codes};
    return run_command_line(program, commands, argc, argv);
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
