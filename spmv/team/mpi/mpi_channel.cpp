// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The object that is linked with MPI, and that the library opens where a program asks for MPI. It calls nothing of the
// library.

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include <ostinato/spmv/team/channel.hpp>
#include <ostinato/spmv/team/mpi_object.hpp>

namespace ostinato::detail {

namespace {

/// MPI counts in int.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

bool has_come_apart = false;  ///< a team of this process
constexpr std::byte a_byte{};

class BetweenProcesses final : public Channel {
 public:
  explicit BetweenProcesses(MPI_Comm given) {
    MPI_Comm_dup(given, &work_);
    MPI_Comm_dup(given, &notices_);
    MPI_Comm_rank(work_, &rank_);
    MPI_Comm_size(work_, &size_);
  }

  /// Communicators of a team that has come apart, or of an MPI that has ended, stay as they are.
  ~BetweenProcesses() override {
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended != 0 || is_apart_) return;
    MPI_Comm_free(&work_);
    MPI_Comm_free(&notices_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void start_gather(const void* mine, std::size_t bytes, void* all) override {
    constexpr int few = 8;  // ranks to which messages of one's own are faster
    if (bytes == 0) {       // MPI would send nothing, and nobody would wait
      nothing_.resize(static_cast<std::size_t>(size_));
      return start_gather(&a_byte, 1, nothing_.data());
    }
    auto* const to = static_cast<std::byte*>(all);
    if (size_ > few && bytes < most_bytes) {
      const auto* const from = static_cast<const std::byte*>(mine);
      mine_.assign(from, from + bytes);
      all_.resize(bytes * static_cast<std::size_t>(size_));
      gathered_to_ = all;
      gather_.emplace_back();
      MPI_Iallgather(mine_.data(), static_cast<int>(bytes), MPI_BYTE, all_.data(), static_cast<int>(bytes), MPI_BYTE,
                     work_, &gather_.back());
      return;
    }
    for (int step = 1; step < size_; ++step) {
      const int from = (rank_ + size_ - step) % size_;
      receive({from, to + static_cast<std::size_t>(from) * bytes, bytes}, gathered_tag, gather_);
    }
    for (int step = 1; step < size_; ++step)
      send({(rank_ + step) % size_, const_cast<void*>(mine), bytes}, gathered_tag, gather_);
    std::memcpy(to + static_cast<std::size_t>(rank_) * bytes, mine, bytes);
  }
  bool is_gathered() override {
    if (!are_done(gather_)) return false;
    if (void* const to = std::exchange(gathered_to_, nullptr)) std::memcpy(to, all_.data(), all_.size());
    return true;
  }

  /// A rank that all of whose lengths were received enters a barrier, and receives lengths until all are there. Then no
  /// length of this round is under way. A rank may begin the next round meanwhile, but not the one after: two tags do.
  ///
  /// Source    Hoefler, Siebert & Lumsdaine, PPoPP'10, 159-168 (nonblocking consensus).
  void start_announcing(std::span<const Message> to) override {
    arrivals_.clear();
    lengths_.clear();
    for (const Message& message : to) lengths_.push_back(message.bytes);
    announced_tag_ = announced_tag_ == first_announced_tag ? first_announced_tag + 1 : first_announced_tag;
    for (std::size_t k = 0; k < lengths_.size(); ++k) {
      announcement_.emplace_back();
      MPI_Issend(&lengths_[k], 1, MPI_UINT64_T, to[k].rank, announced_tag_, work_, &announcement_.back());
    }
  }

  bool is_announced() override {
    receive_lengths();
    if (barrier_ == MPI_REQUEST_NULL) {
      if (are_done(announcement_)) MPI_Ibarrier(work_, &barrier_);
      return false;
    }
    int done = 0;
    MPI_Test(&barrier_, &done, MPI_STATUS_IGNORE);
    if (done == 0) return false;
    std::sort(arrivals_.begin(), arrivals_.end(), [](const Arrival& a, const Arrival& b) { return a.rank < b.rank; });
    return true;
  }

  std::span<const Arrival> arrivals() const override { return arrivals_; }

  void start_exchange(std::span<const Message> to, std::span<const Message> from) override {
    for (const Message& message : from) receive(message, exchanged_tag, exchange_);
    for (const Message& message : to) send(message, exchanged_tag, exchange_);
  }
  bool is_exchanged() override { return are_done(exchange_); }

  void tell(const Notice& notice) override {
    come_apart();
    notice_ = notice.text.substr(0, longest);
    for (int r = 0; r < size_; ++r) {
      if (r == rank_) continue;
      MPI_Request sent;
      MPI_Isend(notice_.data(), static_cast<int>(notice_.size()), MPI_BYTE, r, 0, notices_, &sent);
      MPI_Request_free(&sent);
    }
  }

  Notice heard() override {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, notices_, &there, &status);
    if (there == 0) return {};
    come_apart();
    char text[longest];
    int length = 0;
    MPI_Recv(text, longest, MPI_BYTE, status.MPI_SOURCE, 0, notices_, &status);
    MPI_Get_count(&status, MPI_BYTE, &length);
    return {status.MPI_SOURCE, std::string(text, static_cast<std::size_t>(length))};
  }

 private:
  static constexpr int gathered_tag = 1, exchanged_tag = 2, first_announced_tag = 3, longest = 500;
  using Requests = std::vector<MPI_Request>;

  void receive_lengths() {
    for (int there = 1; there != 0;) {
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, announced_tag_, work_, &there, &status);
      if (there == 0) break;
      std::uint64_t bytes = 0;
      MPI_Recv(&bytes, 1, MPI_UINT64_T, status.MPI_SOURCE, announced_tag_, work_, MPI_STATUS_IGNORE);
      arrivals_.push_back({status.MPI_SOURCE, bytes});
    }
  }

  /// Gives up what is under way: nothing is written to the memory of callers any more. What MPI can't give up keeps the
  /// arrays of this object, which stay.
  void come_apart() {
    if (std::exchange(is_apart_, true)) return;
    has_come_apart = true;
    if (gathered_to_ == nullptr) cancel(gather_);
    cancel(exchange_);
    cancel(announcement_);
    gathered_to_ = nullptr;
    new std::vector<std::uint64_t>(std::move(lengths_));
    new std::vector<std::byte>(std::move(mine_));
    new std::vector<std::byte>(std::move(all_));
    new std::vector<std::byte>(std::move(nothing_));
  }
  static void cancel(Requests& requests) {
    for (MPI_Request& request : requests) {
      if (request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
    requests.clear();
  }

  template <class F>
  static void in_pieces(const Message& message, F f) {
    for (std::size_t at = 0; at < message.bytes; at += most_bytes)
      f(static_cast<std::byte*>(message.data) + at, static_cast<int>(std::min(most_bytes, message.bytes - at)));
  }
  void receive(const Message& message, int tag, Requests& requests) {
    in_pieces(message, [&](std::byte* data, int bytes) {
      requests.emplace_back();
      MPI_Irecv(data, bytes, MPI_BYTE, message.rank, tag, work_, &requests.back());
    });
  }
  void send(const Message& message, int tag, Requests& requests) {
    in_pieces(message, [&](std::byte* data, int bytes) {
      requests.emplace_back();
      MPI_Isend(data, bytes, MPI_BYTE, message.rank, tag, work_, &requests.back());
    });
  }
  static bool are_done(Requests& requests) {
    int done = 1;
    if (!requests.empty()) MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) requests.clear();
    return done != 0;
  }

  MPI_Comm work_ = MPI_COMM_NULL, notices_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  Requests gather_, exchange_, announcement_;
  MPI_Request barrier_ = MPI_REQUEST_NULL;  ///< of an announcement
  std::vector<std::uint64_t> lengths_;      ///< that this rank announces
  std::vector<Arrival> arrivals_;
  int announced_tag_ = first_announced_tag;
  std::vector<std::byte> mine_, all_;  ///< of a gather by MPI itself
  std::vector<std::byte> nothing_;     ///< of a gather of no bytes
  void* gathered_to_ = nullptr;        ///< where all_ goes; null without such a gather
  std::string notice_;
  bool is_apart_ = false;
};

/// Ends MPI at the end of a program that hasn't begun it. Where a team has come apart, ranks that don't come to their
/// end, too, end the job.
void finalize() {
  constexpr int patience_seconds = 10, exit_code = 5;
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended != 0) return;
  MPI_Request all_here = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &all_here);
  const double begun = MPI_Wtime();
  for (int there = 0; there == 0;) {
    MPI_Test(&all_here, &there, MPI_STATUS_IGNORE);
    if (there == 0 && has_come_apart && MPI_Wtime() - begun > patience_seconds) MPI_Abort(MPI_COMM_WORLD, exit_code);
    if (there == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  MPI_Finalize();
}

const char* why_not(const void* communicator, int version) {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (version != mpi_object_version) return "the object that is linked with MPI is of another version of the library";
  if (ended != 0) return "MPI_Finalize was called before";
  if (begun == 0 && communicator != nullptr) return "a communicator was given, but MPI isn't initialised";
  if (begun != 0) return nullptr;
  int level = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS) return "MPI_Init_thread failed";
  std::atexit(finalize);
  return nullptr;
}

}  // namespace

}  // namespace ostinato::detail

extern "C" __attribute__((visibility("default"))) ostinato::detail::Channel* ostinato_mpi_channel(
    const void* communicator, int version, char* text, std::size_t room) {
  using namespace ostinato::detail;
  if (const char* const why = why_not(communicator, version)) {
    std::snprintf(text, room, "%s", why);
    return nullptr;
  }
  return new BetweenProcesses(communicator == nullptr ? MPI_COMM_WORLD : *static_cast<const MPI_Comm*>(communicator));
}
