// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/base/disk_cache.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/temporary_directory.hpp"

namespace ostinato::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void overwrite(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::size_t files_in(const fs::path& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

unsigned permissions(const fs::path& path) { return static_cast<unsigned>(fs::status(path).permissions()); }

/// Sets or removes an environment variable until the end of the scope.
class Setting {
 public:
  Setting(const char* name, std::optional<std::string> value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Setting() { set(before_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  void set(const std::optional<std::string>& value) { value ? ::setenv(name_, value->c_str(), 1) : ::unsetenv(name_); }

  const char* name_;
  std::optional<std::string> before_;
};

class DiskCaching : public testing::Test {
 protected:
  fs::path directory() const { return temporary_.path() / "parent" / "cache"; }

  const std::string key_ = "key";
  const std::string value_ = std::string("a value with \0 in it", 20);

 private:
  TemporaryDirectory temporary_;
};

TEST_F(DiskCaching, GivesBackWhatWasStored) {
  const DiskCache cache(directory());
  EXPECT_EQ(cache.load(key_), std::nullopt);
  ASSERT_TRUE(cache.store(key_, value_));
  ASSERT_TRUE(cache.store("", "value of the empty key"));
  ASSERT_TRUE(cache.store("empty", ""));

  EXPECT_EQ(DiskCache(directory()).load(key_), value_);
  EXPECT_EQ(cache.load(""), "value of the empty key");
  EXPECT_EQ(cache.load("empty"), "");
  EXPECT_EQ(cache.load("other"), std::nullopt);
}

TEST_F(DiskCaching, ReplacesAnEarlierValue) {
  const DiskCache cache(directory());
  ASSERT_TRUE(cache.store(key_, "a first and longer value"));
  ASSERT_TRUE(cache.store(key_, "second"));

  EXPECT_EQ(cache.load(key_), "second");
  EXPECT_EQ(files_in(directory()), 1u);
}

TEST_F(DiskCaching, IsOpenToItsUserOnly) {
  const DiskCache cache(directory().string() + "/");
  ASSERT_TRUE(cache.store(key_, value_));

  EXPECT_EQ(permissions(directory()), 0700u);
  EXPECT_EQ(permissions(cache.file(key_)), 0600u);
}

TEST_F(DiskCaching, NamesFilesByThePublishedHash) {
  const DiskCache cache("/somewhere");
  EXPECT_EQ(cache.file(""), "/somewhere/6c62272e07bb014262b821756295c58d.cache");
  EXPECT_EQ(cache.file("a"), "/somewhere/d228cb696f1a8caf78912b704e4a8964.cache");
}

TEST_F(DiskCaching, IgnoresAFileWithAnyByteChanged) {
  const DiskCache cache(directory());
  ASSERT_TRUE(cache.store(key_, value_));
  const std::string good = contents(cache.file(key_));
  for (std::size_t k = 0; k < good.size(); ++k) {
    std::string bad = good;
    bad[k] = static_cast<char>(bad[k] ^ 0x10);
    overwrite(cache.file(key_), bad);
    EXPECT_EQ(cache.load(key_), std::nullopt) << "byte " << k;
  }
  ASSERT_TRUE(cache.store(key_, value_));
  EXPECT_EQ(cache.load(key_), value_);
}

TEST_F(DiskCaching, IgnoresAFileOfAnotherLength) {
  const DiskCache cache(directory());
  ASSERT_TRUE(cache.store(key_, value_));
  const std::string good = contents(cache.file(key_));
  for (std::size_t length = 0; length < good.size(); ++length) {
    overwrite(cache.file(key_), good.substr(0, length));
    EXPECT_EQ(cache.load(key_), std::nullopt) << length << " bytes";
  }
  overwrite(cache.file(key_), good + good);
  EXPECT_EQ(cache.load(key_), std::nullopt);
}

TEST_F(DiskCaching, IgnoresTheFileOfAnotherKey) {
  const DiskCache cache(directory());
  ASSERT_TRUE(cache.store("yek", value_));
  fs::rename(cache.file("yek"), cache.file(key_));
  EXPECT_EQ(cache.load(key_), std::nullopt);
}

TEST_F(DiskCaching, IgnoresLinksPipesAndFilesThatOthersMayWrite) {
  const DiskCache cache(directory());
  ASSERT_TRUE(cache.store(key_, value_));
  const fs::path file = cache.file(key_), elsewhere = directory() / "elsewhere";
  fs::permissions(file, fs::perms::group_write, fs::perm_options::add);
  EXPECT_EQ(cache.load(key_), std::nullopt);

  fs::permissions(file, fs::perms::group_write, fs::perm_options::remove);
  ASSERT_EQ(cache.load(key_), value_);
  fs::rename(file, elsewhere);
  fs::create_symlink(elsewhere, file);
  EXPECT_EQ(cache.load(key_), std::nullopt);
  ASSERT_TRUE(cache.store(key_, "new"));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file)));
  EXPECT_EQ(cache.load(key_), "new");

  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(cache.load(key_), std::nullopt);
}

TEST_F(DiskCaching, IgnoresTheFilesOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const DiskCache cache(directory());
  ASSERT_TRUE(cache.store(key_, value_));
  ASSERT_EQ(::chown(cache.file(key_).c_str(), 12345, 12345), 0);
  EXPECT_EQ(cache.load(key_), std::nullopt);
}

TEST_F(DiskCaching, DoesWithoutADirectoryThatItCanNotUse) {
  const TemporaryDirectory other;
  overwrite(other.path() / "file", "not a directory");
  const DiskCache below_a_file(other.path() / "file" / "cache"), off{fs::path()};
  for (const DiskCache& cache : {below_a_file, off, DiskCache("/proc/ostinato")}) {
    EXPECT_FALSE(cache.store(key_, value_)) << cache.directory();
    EXPECT_EQ(cache.load(key_), std::nullopt) << cache.directory();
  }
}

TEST_F(DiskCaching, LeavesNothingBehindWhenItCanNotReplaceAFile) {
  const DiskCache cache(directory());
  fs::create_directories(cache.file(key_) / "in the way");
  EXPECT_FALSE(cache.store(key_, value_));
  EXPECT_EQ(files_in(directory()), 1u);
}

TEST_F(DiskCaching, RemovesWhatWasUsedTheLongestAgo) {
  const DiskCache cache(directory(), 4);
  fs::create_directories(directory());
  overwrite(directory() / "notes.txt", "of the user");
  const auto now = fs::file_time_type::clock::now();
  for (int k = 0; k < 4; ++k) {
    ASSERT_TRUE(cache.store(std::to_string(k), "value"));
    fs::last_write_time(cache.file(std::to_string(k)), now - 10h + k * 1h);
  }
  ASSERT_EQ(cache.load("0"), "value");
  ASSERT_TRUE(cache.store("4", "value"));

  EXPECT_EQ(files_in(directory()), 5u);
  EXPECT_EQ(cache.load("1"), std::nullopt);
  for (const char* const key : {"0", "2", "3", "4"}) EXPECT_EQ(cache.load(key), "value") << key;
  EXPECT_EQ(contents(directory() / "notes.txt"), "of the user");
}

TEST_F(DiskCaching, RemovesWhatInterruptedWritersLeft) {
  const DiskCache cache(directory(), 2);
  ASSERT_TRUE(cache.store("a", "value"));
  for (const char* const end : {".AAAAAA", ".BBBBBB", ".CCCCCC"}) {
    const fs::path half = cache.file("b").string() + end;
    overwrite(half, "half");
    fs::last_write_time(half, fs::file_time_type::clock::now() - 1h);
  }
  ASSERT_TRUE(cache.store("c", "value"));

  EXPECT_EQ(files_in(directory()), 2u);
  EXPECT_EQ(cache.load("a"), "value");
}

/// Writes and reads one key 200 times. True when all writes succeeded and all reads returned
/// the whole value of some writer.
bool hammer(const DiskCache& cache, int writer) {
  const std::string key = "shared";
  bool whole = true;
  for (int round = 0; round < 200; ++round) {
    const std::string value(static_cast<std::size_t>(1 + 997 * writer + round), static_cast<char>('a' + writer));
    whole = cache.store(key, value) && whole;
    const std::optional<std::string> found = cache.load(key);
    whole = found && found->find_first_not_of(found->front()) == std::string::npos && whole;
  }
  return whole;
}

TEST_F(DiskCaching, ThreadsMayWriteTheSameKey) {
  const DiskCache cache(directory());
  std::vector<int> whole(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([&, t] { whole[static_cast<std::size_t>(t)] = hammer(cache, t); });
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(whole, std::vector<int>(4, 1));
  EXPECT_EQ(files_in(directory()), 1u);
}

TEST_F(DiskCaching, ProcessesMayWriteTheSameKey) {
  const DiskCache cache(directory());
  std::vector<pid_t> children;
  for (int t = 0; t < 4; ++t) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(hammer(cache, t) ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(files_in(directory()), 1u);
}

TEST_F(DiskCaching, FindsTheDirectoryOfTheUser) {
  const Setting home("HOME", "/home/me"), xdg("XDG_CACHE_HOME", "/caches"), own("OSTINATO_CACHE_DIR", "/own");
  EXPECT_EQ(DiskCache::of_user().directory(), "/own");
  const Setting empty("OSTINATO_CACHE_DIR", "");
  EXPECT_EQ(DiskCache::of_user().directory(), "");
  const Setting none("OSTINATO_CACHE_DIR", std::nullopt);
  EXPECT_EQ(DiskCache::of_user().directory(), "/caches/ostinato");
  const Setting relative("XDG_CACHE_HOME", "caches");
  EXPECT_EQ(DiskCache::of_user().directory(), "/home/me/.cache/ostinato");
  const Setting homeless("HOME", std::nullopt);
  EXPECT_EQ(DiskCache::of_user().directory(), "");
}

}  // namespace
}  // namespace ostinato::test
