// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "contest.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/ostinato.hpp>

#include "cases.hpp"

namespace ostinato::bench {

namespace {

constexpr Index most_rows = 50000;
constexpr double goal = 1e-8;  ///< of ||b||

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
Message solve_in_child(const std::string& path, const Way& way, const ContestSettings& settings) {
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

struct Results {
  std::vector<std::string> names;
  std::vector<std::vector<Message>> rows;
};

Results solve_all(const std::vector<Way>& ways, const ContestSettings& settings) {
  std::printf("Milliseconds with set-up, and iterations. %d runs, %g s at most.\n\n| matrix | rows | entries |",
              settings.runs, settings.limit);
  for (const Way& way : ways) std::printf(" %s |", way.name.c_str());
  std::printf("\n|---|---|---|");
  for (std::size_t k = 0; k < ways.size(); ++k) std::printf("---|");
  std::printf("\n");
  Results all;
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
    all.names.push_back(stem(path));
    all.rows.push_back(std::move(row));
  }
  return all;
}

/// What the fastest of all but the first takes, of those that solve the system; infinite where none does.
double fastest_other(const std::vector<Message>& row) {
  double best = HUGE_VAL;
  for (std::size_t k = 1; k < row.size(); ++k) {
    if (row[k].converged) best = std::min(best, row[k].seconds());
  }
  return best;
}

/// The first way beside the fastest other one, of systems that take one of the two `from` seconds or more.
void compare_with_fastest(const Results& all, double from) {
  int both = 0, slower = 0;
  std::string notes;
  double logs = 0;
  std::string names;
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    const Message& ours = all.rows[i][0];
    const double other = fastest_other(all.rows[i]);
    if (!ours.converged || other == HUGE_VAL || std::max(ours.seconds(), other) < from) continue;
    ++both;
    logs += std::log(other / ours.seconds());
    if (ours.seconds() <= 1.5 * other) continue;
    ++slower;
    std::array<char, 32> times{};
    std::snprintf(times.data(), times.size(), " %.2g", ours.seconds() / other);
    if (from == 0) notes += "  - " + all.names[i] + ": " + ours.notes.data() + "\n";
    names += (names.empty() ? "" : ", ") + all.names[i] + times.data();
  }
  std::printf(
      "- from %s ms on: the fastest other takes %.2f times as long (geometric mean of %d); slower than 1.5 on %d%s%s\n",
      milliseconds(from).c_str(), std::exp(logs / std::max(1, both)), both, slower, slower > 0 ? ": " : "",
      names.c_str());
  std::printf("%s", notes.c_str());
}

}  // namespace

std::string milliseconds(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), seconds < 0.1 ? "%.2f" : "%.0f", seconds * 1e3);
  return text.data();
}

void run_contest(const std::vector<Way>& ways, const ContestSettings& settings, std::size_t base) {
  const Results all = solve_all(ways, settings);
  summarize(ways, all.rows, base);
  if (ways[0].name.rfind("ostinato", 0) == 0 && base > 0) explain(all.names, all.rows, base);
}

void run_contest_against_all(const std::vector<Way>& ways, const ContestSettings& settings) {
  const Results all = solve_all(ways, settings);
  summarize(ways, all.rows, 0);
  std::printf("\n%s beside the fastest of the others that solves a system:\n\n", ways[0].name.c_str());
  for (const double from : {0.0, 1e-3, 10e-3, 100e-3}) compare_with_fastest(all, from);
}

ContestSettings read_contest_settings(int argc, char** argv) {
  ContestSettings s;
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

}  // namespace ostinato::bench
