// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/ordering/metis_call.hpp>

namespace ostinato {

namespace {

/// What was done about the signals that METIS takes over, and what METIS does about them.
struct Handlers {
  int signal;
  struct sigaction before, of_metis;
};
std::array<Handlers, 2> handlers = {{{SIGTERM, {}, {}}, {SIGABRT, {}, {}}}};
pthread_t metis_thread;

void call_earlier(const Handlers& h, siginfo_t* info, void* context) {
  if ((h.before.sa_flags & SA_SIGINFO) != 0) return h.before.sa_sigaction(h.signal, info, context);
  if (h.before.sa_handler == SIG_IGN) return;
  if (h.before.sa_handler != SIG_DFL) return h.before.sa_handler(h.signal);
  ::sigaction(h.signal, &h.before, nullptr);
  (void)::raise(h.signal);  // ends the process once the handler has returned
}

/// METIS raises the signals in its own thread to give up. Those from elsewhere aren't meant for METIS.
extern "C" void on_signal(int number, siginfo_t* info, void* context) {
  const bool from_here = info->si_code == SI_TKILL && info->si_pid == ::getpid();
  for (const Handlers& h : handlers) {
    if (h.signal != number) continue;
    if (!from_here || ::pthread_equal(::pthread_self(), metis_thread) == 0) return call_earlier(h, info, context);
    h.of_metis.sa_handler(number);  // jumps to the end of METIS
  }
}

// METIS draws from rand(), whose numbers threads would take from each other. Who acquires isn't who releases.
std::binary_semaphore one_at_a_time(1);

std::atomic<bool> has_signals = false;  ///< METIS' handlers, or ours in their place, are there or about to be

void put_handlers_back() {
  for (const Handlers& h : handlers) ::sigaction(h.signal, &h.before, nullptr);
}

/// A forked process hasn't got the thread of METIS, which would give the turn back.
extern "C" void begin_anew() {
  std::construct_at(&one_at_a_time, 1);
  if (has_signals.exchange(false)) put_handlers_back();
}
[[maybe_unused]] const int registered = ::pthread_atfork(nullptr, nullptr, begin_anew);

/// The generator of rand(), with a state of its own between replace() and restore(). METIS seeds it. The state is as
/// long as that of a program which sets none, so that the numbers are the same in every program.
class Generator {
 public:
  void replace() { before_ = ::initstate(1, state_.data(), state_.size()); }
  void restore() {
    if (before_ == nullptr) return;
    char* const now = ::setstate(std::exchange(before_, nullptr));
    if (now != state_.data()) ::setstate(now);  // another thread has set a state of its own meanwhile
  }

 private:
  alignas(std::int32_t) std::array<char, 128> state_ = {};
  char* before_ = nullptr;
};

constexpr std::chrono::microseconds between_looks(50000), soon(50);

/// The turn of a call of METIS, and what METIS takes of the process meanwhile: two signals and rand().
///
/// The signals are passed on to the handlers that the process has. METIS installs its handlers when it begins, so that
/// they can be replaced only a moment later, by another thread.
class Turn {
 public:
  /// Waits for the turn.
  Turn(const std::string& caller, const StopRequest& stop) {
    while (!one_at_a_time.try_acquire_for(between_looks)) {
      if (stop.is_made()) throw Stopped(caller + " was stopped");
    }
    for (Handlers& h : handlers) ::sigaction(h.signal, nullptr, &h.before);
    has_signals = true;
    generator_.replace();
  }
  ~Turn() {
    end();
    one_at_a_time.release();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  /// Replaces the handlers of METIS. False when METIS hasn't installed them yet.
  bool replace_handlers() {
    const std::lock_guard lock(access_);
    if (is_over_) return true;
    for (Handlers& h : handlers) {
      ::sigaction(h.signal, nullptr, &h.of_metis);
      if (h.of_metis.sa_handler == h.before.sa_handler) return false;
    }
    for (const Handlers& h : handlers) {
      struct sigaction ours {};
      ours.sa_sigaction = on_signal;
      ours.sa_flags = SA_SIGINFO | SA_RESTART;
      ::sigaction(h.signal, &ours, nullptr);
    }
    return true;
  }

  void restore_generator() {
    const std::lock_guard lock(access_);
    generator_.restore();
  }

  /// METIS is at its end, or didn't begin.
  void end() {
    restore_generator();
    const std::lock_guard lock(access_);
    if (std::exchange(is_over_, true)) return;
    put_handlers_back();
    has_signals = false;
  }

 private:
  std::mutex access_;
  bool is_over_ = false;
  Generator generator_;
};

using Work = std::function<std::vector<Index>()>;

/// Starts the thread of METIS, which keeps the turn to its own end.
std::future<std::vector<Index>> start(const std::string& caller, Work work, const std::shared_ptr<Turn>& turn) {
  std::packaged_task<std::vector<Index>()> task([turn, work = std::move(work)] {
    const std::unique_ptr<Turn, void (*)(Turn*)> end(turn.get(), [](Turn* t) { t->end(); });
    metis_thread = ::pthread_self();
    return work();
  });
  std::future<std::vector<Index>> result = task.get_future();
  try {
    std::thread(std::move(task)).detach();
  } catch (const std::system_error&) {
    throw MemoryLimitError(
        caller +
        ": there is no memory for the thread of METIS, or the system allows no more threads; another order takes "
        "no thread");
  }
  return result;
}

}  // namespace

std::vector<Index> detail::call_metis(const std::string& caller, Work work, const StopRequest& stop) {
  const auto turn = std::make_shared<Turn>(caller, stop);
  const std::unique_ptr<Turn, void (*)(Turn*)> leave(turn.get(), [](Turn* t) { t->restore_generator(); });
  std::future<std::vector<Index>> result = start(caller, std::move(work), turn);
  constexpr int most_tries = 20000;  // a second: another METIS may install no handlers
  bool replaced = false;
  for (int k = 0; result.wait_for(replaced ? between_looks : soon) != std::future_status::ready; ++k) {
    // METIS can't be stopped, but left alone. By the second look it has seeded the generator.
    if (replaced && stop.is_made()) throw Stopped(caller + " was stopped");
    replaced = replaced || k > most_tries || turn->replace_handlers();
  }
  return result.get();
}

}  // namespace ostinato
