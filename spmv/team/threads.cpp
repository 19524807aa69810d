// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/threads.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>

namespace ostinato::detail {

namespace {

using Bytes = std::vector<std::byte>;

/// What a rank shows the others. Gathers alternate between two places: no rank is two gathers ahead of another one.
struct Shown {
  Bytes gathered[2];
  alignas(64) std::atomic<std::uint64_t> gathers{0};  ///< that the rank has come to
  std::atomic<std::uint64_t> announced{0};            ///< how often the rank has announced its messages
};

/// The length of a message, and in which round of announcements it was said.
struct Announcement {
  std::uint64_t round;
  std::size_t bytes;
};

/// Messages from one rank to another, in order.
struct Post {
  std::mutex mutex;
  std::deque<Bytes> messages;
  std::deque<Announcement> announcements;
};

struct Room {
  explicit Room(std::size_t size) : shown(size), posts(size * size) {}
  std::vector<Shown> shown;
  std::vector<Post> posts;  ///< [to * size + from]
  std::mutex mutex;
  Notice notice;  ///< the first one
  std::atomic<bool> is_told{false};
};

class BetweenThreads final : public Channel {
 public:
  BetweenThreads(std::shared_ptr<Room> room, int rank) : room_(std::move(room)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(room_->shown.size()); }

  void start_gather(const void* mine, std::size_t bytes, void* all) override {
    bytes_ = bytes;
    all_ = static_cast<std::byte*>(all);
    const auto* const from = static_cast<const std::byte*>(mine);
    me().gathered[gathers_ % 2].assign(from, from + bytes);
    me().gathers.store(++gathers_, std::memory_order_release);
  }

  bool is_gathered() override {
    if (behind(&Shown::gathers, gathers_) >= 0) return false;
    for (std::size_t r = 0; bytes_ > 0 && r < room_->shown.size(); ++r) {
      const Bytes& part = room_->shown[r].gathered[(gathers_ - 1) % 2];
      std::memcpy(all_ + r * bytes_, part.data(), std::min(bytes_, part.size()));
    }
    return true;
  }

  void start_announcing(std::span<const Message> to) override {
    ++announced_;
    for (const Message& message : to) {
      Post& post = room_->posts[place(message.rank, rank_)];
      const std::lock_guard lock(post.mutex);
      post.announcements.push_back({announced_, message.bytes});
    }
    me().announced.store(announced_, std::memory_order_release);
  }

  bool is_announced() override {
    if (behind(&Shown::announced, announced_) >= 0) return false;
    arrivals_.clear();
    for (int from = 0; from < size(); ++from) {
      Post& post = room_->posts[place(rank_, from)];
      const std::lock_guard lock(post.mutex);
      if (post.announcements.empty() || post.announcements.front().round != announced_) continue;
      arrivals_.push_back({from, post.announcements.front().bytes});
      post.announcements.pop_front();
    }
    return true;
  }

  std::span<const Arrival> arrivals() const override { return arrivals_; }

  void start_exchange(std::span<const Message> to, std::span<const Message> from) override {
    for (const Message& message : to) {
      Post& post = room_->posts[place(message.rank, rank_)];
      const auto* const data = static_cast<const std::byte*>(message.data);
      const std::lock_guard lock(post.mutex);
      post.messages.emplace_back(data, data + message.bytes);
    }
    awaited_.assign(from.begin(), from.end());
  }

  bool is_exchanged() override {
    std::erase_if(awaited_, [&](const Message& message) {
      Post& post = room_->posts[place(rank_, message.rank)];
      const std::lock_guard lock(post.mutex);
      if (post.messages.empty()) return false;
      if (message.bytes > 0)
        std::memcpy(message.data, post.messages.front().data(), std::min(message.bytes, post.messages.front().size()));
      post.messages.pop_front();
      return true;
    });
    return awaited_.empty();
  }

  void tell(const Notice& notice) override {
    const std::lock_guard lock(room_->mutex);
    if (room_->is_told) return;
    room_->notice = notice;
    room_->is_told = true;
  }

  Notice heard() override {
    if (!room_->is_told) return {};
    const std::lock_guard lock(room_->mutex);
    return room_->notice;
  }

  int missing() const override {
    if (!awaited_.empty()) return awaited_.front().rank;
    const int late = behind(&Shown::gathers, gathers_);
    return late >= 0 ? late : behind(&Shown::announced, announced_);
  }

 private:
  /// The first rank that has counted to less; -1 when none has.
  int behind(std::atomic<std::uint64_t> Shown::*counter, std::uint64_t count) const {
    for (std::size_t r = 0; r < room_->shown.size(); ++r)
      if ((room_->shown[r].*counter).load(std::memory_order_acquire) < count) return static_cast<int>(r);
    return -1;
  }

  Shown& me() { return room_->shown[static_cast<std::size_t>(rank_)]; }
  std::size_t place(int to, int from) const {
    return static_cast<std::size_t>(to) * room_->shown.size() + static_cast<std::size_t>(from);
  }

  std::shared_ptr<Room> room_;
  int rank_;
  std::uint64_t gathers_ = 0, announced_ = 0;
  std::size_t bytes_ = 0;
  std::byte* all_ = nullptr;
  std::vector<Message> awaited_;
  std::vector<Arrival> arrivals_;
};

}  // namespace

std::vector<std::shared_ptr<Channel>> channels_between_threads(int size) {
  const auto room = std::make_shared<Room>(static_cast<std::size_t>(size));
  std::vector<std::shared_ptr<Channel>> ranks;
  for (int r = 0; r < size; ++r) ranks.push_back(std::make_shared<BetweenThreads>(room, r));
  return ranks;
}

}  // namespace ostinato::detail
