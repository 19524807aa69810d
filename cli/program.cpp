// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <string_view>
#include <thread>

#include <ostinato/preconditioners/ilu/library_factors.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/libraries.hpp>
#include <ostinato/spmv/team/team.hpp>
#include <ostinato/spmv/version.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "html/page.hpp"
#include "progress.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

constexpr const char *single_takes_less = "--precision single takes less", *nothing_takes_less = "end other programs";

constexpr CommandInfo commands[] = {
    {"solve", "solve A x = b and say how it went", define_solve,
     "a smaller --restart, --precision single or --format csr takes less"},
    {"inspect", "say what a matrix is, and what each format would cost", define_inspect, single_takes_less},
    {"compare", "race solvers and preconditioners on a system", define_compare,
     "--mem-limit or --precision single takes less"},
    {"tune", "time every format and keep the verdict; for solvers, see compare", define_tune, single_takes_less},
    {"bench", "time a product in every format, and check it", define_bench,
     "--precision single or --format csr takes less"},
    {"generate", "write a matrix of a known family", define_generate, "a smaller N takes less"},
    {"completion", "print a script with which a shell completes command lines", define_completion, nothing_takes_less},
    {"man", "print the manual page", define_man, nothing_takes_less},
};

constexpr const char* exit_codes =
    "Exit codes:\n"
    "  0    converged, or least squares where no x solves the system; done\n"
    "  1    not converged within the limits, or stagnated\n"
    "  2    usage\n"
    "  3    bad input: a file, or a matrix that can't be solved with or held; or an\n"
    "       output that can't be written\n"
    "  4    breakdown, divergence, numbers that aren't finite\n"
    "  5    memory or device\n"
    "  130  interrupted; x so far is written, once a solve has begun";

std::string version_text() {
  const std::string opened = cuda_libraries(), mumps = LibraryFactors::multifrontal();
  return fmt::format("ostinato {}.{}.{}, {}{}, {}, {}, {}", version.major, version.minor, version.patch,
                     Cuda::build_description(), opened.empty() ? "" : " (" + opened + ")", Host::build_description(),
                     mumps.empty() ? "no MUMPS" : mumps, OSTINATO_BUILD);
}

/// Opens what the caller has closed of the three standard streams, so that no other file gets its number. What is read
/// from or written to such a stream fails as it would on a closed one; messages to stderr go nowhere.
void open_standard_streams() {
  constexpr int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", modes[stream]) < 0) return;
  }
}

/// The command line in words, the program by its name alone.
std::string text_of(int argc, char** argv) {
  std::string text = "ostinato";
  for (int k = 1; k < argc; ++k) text += std::string(" ") + argv[k];
  return text;
}

/// Refuses processes that a launcher has started together, for commands that would do everything once for each.
void require_solve_on_ranks(int argc, char** argv) {
  if (Team::launched() == 1 || argc < 2 || argv[1][0] == '-' || std::string_view(argv[1]) == "solve") return;
  throw UsageError(fmt::format("{} processes were started together, and only solve works on ranks; start {} by itself",
                               Team::launched(), argv[1]));
}

int guarded(int argc, char** argv) {
  try {
    const ProgramInfo program = {"ostinato", "Ostinato: sparse iterative solvers that choose the matrix format",
                                 version_text, exit_codes};
    require_solve_on_ranks(argc, argv);
    html::sign_pages(text_of(argc, argv));
    const int code = run_command_line(program, commands, argc, argv);
    require_printed();
    return code;
  } catch (...) {
    const Complaint complaint = Complaint::of_exception();
    // The launcher may end all processes when the first one ends.
    if (Team::launched_rank() == 0)
      complaint.say();
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    return complaint.code;
  }
}

}  // namespace

int run_program(int argc, char** argv) {
  open_standard_streams();
  // Writing to a closed pipe, or beyond the limit of a file's size (ulimit -f), becomes an error like any other, told
  // after the report is written.
  for (const int number : {SIGPIPE, SIGXFSZ}) (void)signal(number, SIG_IGN);
  exit_on_interrupt();
  return guarded(argc, argv);
}

}  // namespace ostinato::cli
