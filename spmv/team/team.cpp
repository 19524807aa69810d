// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/team/team.hpp>

#include <sched.h>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <thread>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/stop.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/team/mpi_object.hpp>
#include <ostinato/spmv/team/threads.hpp>

namespace ostinato {

namespace {

using Clock = std::chrono::steady_clock;

class Alone final : public detail::Channel {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void start_gather(const void* mine, std::size_t bytes, void* all) override {
    if (bytes > 0) std::memcpy(all, mine, bytes);
  }
  bool is_gathered() override { return true; }
  void start_announcing(std::span<const detail::Message> to) override {
    arrivals_.clear();
    for (const detail::Message& message : to) arrivals_.push_back({0, message.bytes});
  }
  bool is_announced() override { return true; }
  std::span<const detail::Arrival> arrivals() const override { return arrivals_; }
  void start_exchange(std::span<const detail::Message> to, std::span<const detail::Message> from) override {
    for (std::size_t k = 0; k < to.size(); ++k)
      if (to[k].bytes > 0) std::memcpy(from[k].data, to[k].data, to[k].bytes);
  }
  bool is_exchanged() override { return true; }
  void tell(const detail::Notice&) override {}
  detail::Notice heard() override { return {}; }

 private:
  std::vector<detail::Arrival> arrivals_;
};

bool is_stop(const std::exception_ptr& why) {
  try {
    std::rethrow_exception(why);
  } catch (const Stopped&) {
    return true;
  } catch (...) {
    return false;
  }
}

std::string text_of(const std::exception_ptr& what) {
  try {
    std::rethrow_exception(what);
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "failed";
  }
}

/// The value of the first of these variables that there is; 0 without one.
int first_number(std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (const char* const text = std::getenv(name)) return std::atoi(text);
  }
  return 0;
}

/// Lets other threads of a processor run, the longer the more often it was called.
void pause(int tries) {
  constexpr int busy = 5, short_wait = 4000;
  if (tries < busy) return;
  if (tries < short_wait) {
    ::sched_yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

/// Ranks leave `from` and go on in a thread each; joins them, and keeps what the first one threw by itself.
class Ranks {
 public:
  void begin(const Team& team, const std::function<void(const Team&)>& work) {
    threads_.emplace_back([this, team, &work, mine = threads_.size()] {
      try {
        team.together([&] { work(team); });
      } catch (...) {
        thrown_[mine] = std::current_exception();
      }
    });
  }
  explicit Ranks(std::size_t size) : thrown_(size) {}
  ~Ranks() { join(); }
  void end() {
    join();
    for (const bool by_itself : {true, false}) {
      for (const std::exception_ptr& what : thrown_)
        if (what != nullptr && (!by_itself || !is_of_others(what))) std::rethrow_exception(what);
    }
  }

 private:
  static bool is_of_others(const std::exception_ptr& what) {
    try {
      std::rethrow_exception(what);
    } catch (const RankError&) {
      return true;
    } catch (...) {
      return false;
    }
  }
  void join() {
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }

  std::vector<std::exception_ptr> thrown_;
  std::vector<std::thread> threads_;
};

}  // namespace

Team Team::alone() { return Team(std::make_shared<Alone>()); }

std::vector<Team> Team::threads(int size) {
  if (size < 1) throw ArgumentError("Team::threads: " + std::to_string(size) + " ranks asked for");
  const Host pool;  // begins on a thread that is there at the end of the program, where the pool ends
  std::vector<Team> ranks;
  for (auto& channel : detail::channels_between_threads(size)) ranks.push_back(Team(std::move(channel)));
  return ranks;
}

void Team::run(int size, const std::function<void(const Team&)>& work) {
  const std::vector<Team> ranks = threads(size);
  Ranks running(ranks.size());
  for (const Team& team : ranks) running.begin(team, work);
  running.end();
}

Team Team::mpi(const void* communicator) { return Team(detail::open_mpi(communicator)); }

int Team::launched() { return std::max(1, first_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})); }
int Team::launched_rank() { return first_number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}); }

void Team::leave_with_others() const {
  if (const detail::Notice notice = channel_->heard(); notice.rank >= 0) throw RankError(notice.rank, notice.text);
}

template <class IsDone>
void Team::wait(IsDone is_done, const char* what) const {
  const Clock::time_point begin = Clock::now();
  for (int tries = 0; !is_done(); ++tries) {
    pause(tries);
    if (tries % 64 != 63) continue;
    leave_with_others();
    const double waited = std::chrono::duration<double>(Clock::now() - begin).count();
    if (waited < *patience_) continue;
    const int missing = channel_->missing();
    const RankError late(missing, "didn't come within " + seconds_text(waited) + " in " + what +
                                      (missing < 0 ? ": ranks do different things, or one is gone" : ""));
    fail(std::make_exception_ptr(late));
    throw late;
  }
}

void Team::all_gather(const void* mine, std::size_t bytes, void* all) const {
  leave_with_others();
  channel_->start_gather(mine, bytes, all);
  wait([&] { return channel_->is_gathered(); }, "a step of all ranks");
}

void Team::finish_exchange() const {
  wait([&] { return channel_->is_exchanged(); }, "an exchange of values");
}

auto Team::all_gather_v(std::span<const std::byte> mine) const -> std::vector<Bytes> {
  const std::vector<std::size_t> sizes = all_gather(mine.size());
  const std::size_t most = *std::max_element(sizes.begin(), sizes.end()), ranks = sizes.size();
  Bytes padded(mine.begin(), mine.end()), all(most * ranks);
  padded.resize(most);
  all_gather(padded.data(), most, all.data());
  std::vector<Bytes> parts;
  for (std::size_t r = 0; r < ranks; ++r) parts.emplace_back(all.data() + r * most, all.data() + r * most + sizes[r]);
  return parts;
}

auto Team::deliver(std::span<const detail::Message> out) const -> std::vector<Letter> {
  leave_with_others();
  channel_->start_announcing(out);
  wait([&] { return channel_->is_announced(); }, "a step of all ranks");
  std::vector<Letter> from;
  for (const detail::Arrival& arrival : channel_->arrivals()) from.push_back({arrival.rank, Bytes(arrival.bytes)});
  std::vector<detail::Message> in;
  for (Letter& letter : from) in.push_back({letter.rank, letter.bytes.data(), letter.bytes.size()});
  start_exchange(out, in);
  finish_exchange();
  return from;
}

auto Team::exchange(const std::vector<Letter>& to) const -> std::vector<Letter> {
  std::vector<detail::Message> out;
  for (const Letter& letter : to)
    out.push_back({letter.rank, const_cast<std::byte*>(letter.bytes.data()), letter.bytes.size()});
  return deliver(out);
}

auto Team::exchange_v(const std::vector<Bytes>& to) const -> std::vector<Bytes> {
  std::vector<detail::Message> out;
  for (std::size_t r = 0; r < to.size(); ++r)
    if (!to[r].empty()) out.push_back({static_cast<int>(r), const_cast<std::byte*>(to[r].data()), to[r].size()});
  std::vector<Bytes> from(static_cast<std::size_t>(size()));
  for (Letter& letter : deliver(out)) from[static_cast<std::size_t>(letter.rank)] = std::move(letter.bytes);
  return from;
}

void Team::agree(const std::exception_ptr& mine) const {
  constexpr std::size_t most = 500;
  constexpr int stopped = 2;
  struct Said {
    int failed;
    char text[most];
  } said{};
  if (mine != nullptr) {
    said.failed = is_stop(mine) ? stopped : 1;
    text_of(mine).copy(said.text, most - 1);
  }
  const std::vector<int> failed = all_gather(said.failed);
  const auto first = std::find_if(failed.begin(), failed.end(), [](int how) { return how != 0; });
  if (first == failed.end()) return;
  const std::vector<Said> all = all_gather(said);
  if (mine != nullptr) std::rethrow_exception(mine);
  const std::size_t rank = static_cast<std::size_t>(first - failed.begin());
  if (*first == stopped) throw Stopped(all[rank].text);
  throw RankError(static_cast<int>(rank), all[rank].text);
}

void Team::fail(const std::exception_ptr& why) const noexcept {
  try {
    channel_->tell({rank(), text_of(why)});
  } catch (...) {  // the others find out when their patience ends
  }
}

}  // namespace ostinato
