// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <metis.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <system_error>
#include <thread>
#include <utility>

#include <ostinato/spmv/matrix/ordering/nested_dissection.hpp>
#include <ostinato/spmv/space/error.hpp>

// METIS' own functions, which install its signal handlers, and restore those that were there. Null where a build of METIS
// hides them.
extern "C" int gk_sigtrap() __attribute__((weak));
extern "C" int gk_siguntrap() __attribute__((weak));

namespace ostinato {

const bool has_nested_dissection = true;

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

/// Passes the signals that METIS takes over on to the handlers that the process has, as long as the object exists.
class Signals {
 public:
  Signals() {
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask_);
    for (Handlers& h : handlers) ::sigaction(h.signal, nullptr, &h.before);
    if (gk_sigtrap == nullptr || gk_siguntrap == nullptr) return;
    gk_sigtrap();  // METIS_NodeND then finds its handlers installed, and installs none
    metis_thread = ::pthread_self();
    for (Handlers& h : handlers) {
      ::sigaction(h.signal, nullptr, &h.of_metis);
      struct sigaction ours {};
      ours.sa_sigaction = on_signal;
      ours.sa_flags = SA_SIGINFO | SA_RESTART;
      ::sigaction(h.signal, &ours, nullptr);
    }
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() {
    if (gk_sigtrap != nullptr && gk_siguntrap != nullptr) gk_siguntrap();
    for (const Handlers& h : handlers) ::sigaction(h.signal, &h.before, nullptr);
    ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);  // METIS jumps out of a handler, which leaves the signal blocked
  }

 private:
  sigset_t mask_;
};

/// The graph in METIS' integers.
struct Arrays {
  std::vector<idx_t> ptr, col;
};

std::vector<Index> ordered(Arrays& g) {
  idx_t nodes = static_cast<idx_t>(g.ptr.size()) - 1;
  std::vector<idx_t> node(g.ptr.size() - 1), place(node.size());
  static std::mutex one_at_a_time;  // METIS draws from rand(), whose numbers threads would take from each other
  const std::lock_guard lock(one_at_a_time);
  const Signals signals;
  const int status = METIS_NodeND(&nodes, g.ptr.data(), g.col.data(), nullptr, nullptr, node.data(), place.data());
  if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
  if (status != METIS_OK) throw ArgumentError("nested_dissection: METIS can't order the graph; take another order");
  return {node.begin(), node.end()};
}

}  // namespace

std::vector<Index> nested_dissection(const Graph& g, const StopRequest& stop) {
  if (g.col.empty()) {
    std::vector<Index> order(g.nodes());
    std::iota(order.begin(), order.end(), Index{0});
    return order;
  }
  if (g.row_ptr.back() > std::numeric_limits<idx_t>::max())
    throw ArgumentError("nested_dissection: the graph has too many edges for METIS; take another order");
  Arrays arrays{{g.row_ptr.begin(), g.row_ptr.end()}, {g.col.begin(), g.col.end()}};
  if (!stop) return ordered(arrays);
  // METIS can't be stopped, but left alone.
  using Task = std::packaged_task<std::vector<Index>()>;
  const auto task = std::make_shared<Task>([a = std::move(arrays)]() mutable { return ordered(a); });
  std::future<std::vector<Index>> order = task->get_future();
  try {
    std::thread([task] { (*task)(); }).detach();
  } catch (const std::system_error&) {  // no more threads
    (*task)();
  }
  while (order.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    if (stop.is_made()) throw Stopped("nested_dissection was stopped");
  }
  return order.get();
}

}  // namespace ostinato
