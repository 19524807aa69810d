// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Real systems on the CPU: Ostinato's "auto" against the incomplete factors of other libraries (peers.hpp). b = A *
// ones, x0 = 0, until ||b - A x|| <= 1e-8 ||b||, which this program recomputes. A time is everything from an assembled
// matrix until x is there: analysis, formats, factors, iterations. Every solve has a process of its own, which ends at
// the time limit. The best of some runs counts; what fails is run once, and no run begins after two seconds of runs.
//
//   bench_real [--limit SECONDS] [--runs N] [--with NAME,NAME] [MATRIX.mtx ...]
//
// By default: 20 seconds, 3 runs, all of ostinato, superlu, superlu-match, eigen-bicgstab, eigen-gmres, petsc-ilu and
// petsc-ic, and the square real matrices with at most 50,000 rows in OSTINATO_SHARED_DIR/matrices or
// ../shared/matrices. "ostinato:ilut" is Ostinato with that preconditioner instead of "auto". Sums and ratios are
// against the first of the two superlu that is asked for, otherwise the first name.

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/base/timing.hpp>

#include "cases.hpp"
#include "peers.hpp"

namespace {

using namespace ostinato;
using namespace ostinato::bench;

constexpr Index most_rows = 50000;
constexpr double goal = 1e-8;  ///< of ||b||

struct Settings {
  double limit = 20;
  int runs = 3;
  std::vector<std::string> with;
  std::vector<std::string> matrices;
};

using Solve = std::function<PeerSolve(const Host&, const Csr<double>&, const std::vector<double>&)>;

struct Way {
  std::string name;
  Solve solve;
};

std::string milliseconds(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), seconds < 0.1 ? "%.2f" : "%.0f", seconds * 1e3);
  return text.data();
}

/// Analysis, format, preconditioner and solve as `ostinato solve --precond PRECONDITIONER` does them.
PeerSolve solve_with_ostinato(const Host& space, const Csr<double>& a, const std::vector<double>& b,
                              const std::string& preconditioner) {
  PeerSolve s;
  Stopwatch watch;
  const Analysis<Host, double> analysis(space, a);
  const double analyse = watch.lap();
  const Operator<Host, double> op(analysis);
  const double convert = watch.lap();
  const AnyPreconditioner<Host, double> m(analysis, preconditioner);
  const double precondition = watch.lap();
  Vector<Host, double> x(space, b.size(), 0.0);
  const SolveResult result = solve(space, op, Vector<Host, double>(space, b), x, m, "auto", {.history = false});
  s.solve = watch.lap();
  s.setup = analyse + convert + precondition;
  s.x = x.download();
  s.iterations = result.iterations;
  s.status = in_words(result.status);
  s.notes = "analysis " + milliseconds(analyse) + ", " + op.format() + " " + milliseconds(convert) + ", " + m.name() +
            " " + milliseconds(precondition) + ", solve " + milliseconds(s.solve) + " ms, ended by " + result.solver;
  for (const std::string& note : result.notes) s.notes += "; " + note;
  return s;
}

Solve ostinato_with(const std::string& preconditioner) {
  return [preconditioner](const Host& space, const Csr<double>& a, const std::vector<double>& b) {
    return solve_with_ostinato(space, a, b, preconditioner);
  };
}

Solve petsc(const std::string& options) {
  return [options](const Host&, const Csr<double>& a, const std::vector<double>& b) {
    return solve_with_petsc(a, b, options);
  };
}

/// Incomplete Cholesky factors are for positive definite matrices. Whether one is, CG finds out; the diagonal tells of
/// some.
Solve petsc_if_symmetric(const std::string& options) {
  return [options](const Host& space, const Csr<double>& a, const std::vector<double>& b) {
    PeerSolve not_for_this;
    not_for_this.status = "-";
    const Structure s = Analysis<Host, double>(space, a).structure();
    if (!s.symmetric || !s.positive_diagonal) return not_for_this;
    return solve_with_petsc(a, b, options);
  };
}

std::vector<Way> all_ways() {
  const std::string gmres = "-ksp_type gmres -ksp_gmres_restart " + std::to_string(peer_restart) + " ";
  const auto superlu = [](bool match) {
    return [match](const Host& space, const Csr<double>& a, const std::vector<double>& b) {
      return solve_with_superlu(space, a, b, match);
    };
  };
  const auto eigen = [](bool with_gmres) {
    return [with_gmres](const Host&, const Csr<double>& a, const std::vector<double>& b) {
      return solve_with_eigen(a, b, with_gmres);
    };
  };
  return {{"ostinato", ostinato_with("auto")},
          {"superlu", superlu(false)},
          {"superlu-match", superlu(true)},
          {"eigen-bicgstab", eigen(false)},
          {"eigen-gmres", eigen(true)},
          {"petsc-ilu", petsc(gmres + "-pc_type ilu")},
          {"petsc-ic", petsc_if_symmetric("-ksp_type cg -pc_type icc")}};
}

/// The ways with these names, in this order; without names all.
std::vector<Way> chosen_ways(const std::vector<std::string>& names) {
  const std::vector<Way> all = all_ways();
  if (names.empty()) return all;
  std::vector<Way> chosen;
  for (const std::string& name : names) {
    const auto known = std::find_if(all.begin(), all.end(), [&](const Way& way) { return way.name == name; });
    if (known != all.end()) {
      chosen.push_back(*known);
    } else if (name.rfind("ostinato:", 0) == 0) {
      check_preconditioner(name.substr(9));
      chosen.push_back({name, ostinato_with(name.substr(9))});
    } else {
      std::string known_names = "ostinato:PRECONDITIONER";
      for (const Way& way : all) known_names += ", " + way.name;
      throw ArgumentError("--with: '" + name + "' is unknown; known: " + known_names);
    }
  }
  return chosen;
}

/// What a child process tells about a run, short enough for a pipe to pass on as a whole.
struct Message {
  Index rows = 0;
  Offset entries = 0;
  bool has_begun = false;  ///< the matrix was read, and the time counts from now on
  bool converged = false;
  int iterations = 0;
  double setup = 0, solve = 0, residual = 0;
  std::array<char, 64> status{};
  std::array<char, 1600> notes{};

  double seconds() const { return setup + solve; }
};

static_assert(sizeof(Message) <= PIPE_BUF);

template <std::size_t N>
void put(std::array<char, N>& to, const std::string& text) {
  std::snprintf(to.data(), N, "%s", text.c_str());
}

std::vector<double> times_ones(const Csr<double>& a) {
  std::vector<double> b;
  for (Index row = 0; row < a.rows; ++row) {
    long double sum = 0;
    for (Offset k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) sum += a.val[k];
    b.push_back(static_cast<double>(sum));
  }
  return b;
}

/// ||b - A x|| / ||b||, or ||b - A x|| for b = 0.
double relative_residual(const Csr<double>& a, const std::vector<double>& b, const std::vector<double>& x) {
  long double left = 0, whole = 0;
  for (Index row = 0; row < a.rows; ++row) {
    long double r = b[row];
    for (Offset k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) r -= static_cast<long double>(a.val[k]) * x[a.col[k]];
    left += r * r;
    whole += static_cast<long double>(b[row]) * b[row];
  }
  return static_cast<double>(std::sqrt(whole > 0 ? left / whole : left));
}

void send(int to, const Message& message) {
  if (write(to, &message, sizeof message) != sizeof message) _exit(1);
}

/// The child process: reads the matrix, solves, and sends a message before and after each run. An exception ends it,
/// and becomes the last message.
void work(const std::string& path, const Way& way, int runs, int to, Message& message) {
  const Csr<double> a = canonical(read_matrix_market<double>(path).view());
  message.rows = a.rows;
  message.entries = a.nonzeros();
  if (a.rows != a.cols || a.rows > most_rows) return send(to, message);
  const Host space;
  const std::vector<double> b = times_ones(a);
  double seconds = 0;
  for (int run = 0; run < runs && seconds < 2; ++run) {
    message.has_begun = true;
    put(message.status, "");
    send(to, message);
    const PeerSolve s = way.solve(space, a, b);
    message.setup = s.setup;
    message.solve = s.solve;
    message.iterations = s.iterations;
    message.residual = s.x.empty() ? 1 : relative_residual(a, b, s.x);
    message.converged = !s.x.empty() && message.residual <= goal;
    put(message.status, s.status);
    put(message.notes, s.notes);
    send(to, message);
    if (!message.converged) return;
    seconds += message.seconds();
  }
}

/// Solves in a child process, and returns the message of the fastest run that converged, otherwise of the last one.
Message solve_in_child(const std::string& path, const Way& way, const Settings& settings) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw Error("pipe: " + std::string(std::strerror(errno)));
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) throw Error("fork: " + std::string(std::strerror(errno)));
  if (child == 0) {
    close(ends[0]);
    Message message;
    try {
      work(path, way, settings.runs, ends[1], message);
    } catch (const std::exception& e) {
      message.converged = false;
      put(message.status, "error");
      put(message.notes, e.what());
      send(ends[1], message);
    }
    _exit(0);
  }
  close(ends[1]);
  Message best, last;
  bool is_late = false;
  for (;;) {
    pollfd from{ends[0], POLLIN, 0};
    // Reading the matrix doesn't count.
    const int ready = poll(&from, 1, last.has_begun ? static_cast<int>(settings.limit * 1e3) : -1);
    if (ready < 0 && errno == EINTR) continue;
    is_late = ready == 0;
    if (is_late || read(ends[0], &last, sizeof last) != sizeof last) break;
    if (last.converged && last.status[0] != '\0' && (!best.converged || last.seconds() < best.seconds())) best = last;
  }
  if (is_late) kill(child, SIGKILL);
  close(ends[0]);
  int code = 0;
  waitpid(child, &code, 0);
  if (best.converged) return best;
  if (is_late) {
    put(last.status, "time limit");
    last.solve = settings.limit;
  } else if (last.has_begun && last.status[0] == '\0') {
    put(last.status, WIFSIGNALED(code) ? "crashed" : "aborted");
  }
  return last;
}

std::string cell(const Message& m) {
  if (m.converged) return milliseconds(m.seconds()) + ", " + std::to_string(m.iterations);
  const std::string status = m.status.data();
  if (status != "converged") return status;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "residual %.0e", m.residual);
  return text.data();
}

std::string stem(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return name.substr(0, name.find(".mtx"));
}

/// Of the matrices that way `base` solves: counts, sums and ratios. A system that another way doesn't solve has no
/// ratio.
void summarize(const std::vector<Way>& ways, const std::vector<std::vector<Message>>& rows, std::size_t base) {
  const std::string name = ways[base].name;
  std::printf(
      "\n| | converged of %zu | of them among %s's | sum over those of both, s | the same of %s, s | ratio | geometric "
      "mean "
      "of ratios |\n|---|---|---|---|---|---|---|\n",
      rows.size(), name.c_str(), name.c_str());
  for (std::size_t k = 0; k < ways.size(); ++k) {
    int converged = 0, both = 0;
    double ours = 0, theirs = 0, logs = 0;
    for (const std::vector<Message>& row : rows) {
      converged += row[k].converged;
      if (!row[k].converged || !row[base].converged) continue;
      ++both;
      ours += row[k].seconds();
      theirs += row[base].seconds();
      logs += std::log(row[k].seconds() / row[base].seconds());
    }
    std::printf("| %s | %d | %d | %.3f | %.3f | %.3f | %.3f |\n", ways[k].name.c_str(), converged, both, ours, theirs,
                ours / theirs, std::exp(logs / std::max(1, both)));
  }
}

/// Where the first way takes more than half of the time of `base`: what it did.
void explain(const std::vector<std::string>& names, const std::vector<std::vector<Message>>& rows, std::size_t base) {
  std::printf("\nMore than half of the time:\n\n");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Message& ours = rows[i][0];
    const Message& theirs = rows[i][base];
    if (!theirs.converged || (ours.converged && ours.seconds() <= 0.5 * theirs.seconds())) continue;
    std::printf("- %s: %s against %s ms (set-up %s). %s\n", names[i].c_str(), cell(ours).c_str(),
                milliseconds(theirs.seconds()).c_str(), milliseconds(theirs.setup).c_str(), ours.notes.data());
  }
}

void run(const Settings& settings) {
  const std::vector<Way> ways = chosen_ways(settings.with);
  std::printf("Milliseconds with set-up, and iterations. %d runs, %g s at most.\n\n| matrix | rows | entries |",
              settings.runs, settings.limit);
  for (const Way& way : ways) std::printf(" %s |", way.name.c_str());
  std::printf("\n|---|---|---|");
  for (std::size_t k = 0; k < ways.size(); ++k) std::printf("---|");
  std::printf("\n");
  std::vector<std::string> names;
  std::vector<std::vector<Message>> rows;
  for (const std::string& path : settings.matrices) {
    std::vector<Message> row;
    for (const Way& way : ways) {
      row.push_back(solve_in_child(path, way, settings));
      if (!row.back().has_begun) break;
    }
    if (!row.back().has_begun) {  // too large, not square, or not real
      if (row.back().status[0] != '\0') std::fprintf(stderr, "left out: %s\n", row.back().notes.data());
      continue;
    }
    std::printf("| %s | %d | %lld |", stem(path).c_str(), row[0].rows, static_cast<long long>(row[0].entries));
    for (const Message& message : row) std::printf(" %s |", cell(message).c_str());
    std::printf("\n");
    std::fflush(stdout);
    names.push_back(stem(path));
    rows.push_back(std::move(row));
  }
  std::size_t base = 0;
  while (base < ways.size() && ways[base].name.find("superlu") != 0) ++base;
  if (base == ways.size()) base = 0;
  summarize(ways, rows, base);
  if (ways[0].name.rfind("ostinato", 0) == 0 && base > 0) explain(names, rows, base);
}

Settings read_settings(int argc, char** argv) {
  Settings s;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word.rfind("--", 0) != 0) {
      s.matrices.push_back(word);
      continue;
    }
    if (++k == argc) throw ArgumentError(word + " needs a value");
    if (word == "--limit") {
      s.limit = std::atof(argv[k]);
    } else if (word == "--runs") {
      s.runs = std::atoi(argv[k]);
    } else if (word == "--with") {
      std::stringstream names(argv[k]);
      for (std::string name; std::getline(names, name, ',');) s.with.push_back(name);
    } else {
      throw ArgumentError("unknown option " + word + "; known: --limit, --runs, --with");
    }
  }
  if (!(s.limit > 0) || s.runs < 1) throw ArgumentError("--limit and --runs must be positive");
  if (s.matrices.empty()) s.matrices = all_real_matrices();
  if (s.matrices.empty()) throw ArgumentError("no matrices found: name some, or set OSTINATO_SHARED_DIR");
  return s;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(read_settings(argc, argv));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_real: %s\n", e.what());
    return 1;
  }
}
