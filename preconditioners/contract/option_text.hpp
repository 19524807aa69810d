// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/message.hpp>

namespace ostinato {

/// An option as a user sees it.
struct OptionInText {
  std::string key;
  std::string values;  ///< that it may have: "0..8", "yes|no"
};

/// Reads a text "KEY=VALUE,KEY=VALUE"; an empty one sets nothing. take(i, value) keeps a value of the option i, and
/// returns false when the value isn't possible.
/// Throws    ArgumentError for a key or value that isn't possible, listing those that are, and for a key that is given
///           twice.
void read_options(std::string_view preconditioner, std::string_view text, std::span<const OptionInText> options,
                  const std::function<bool(std::size_t, std::string_view)>& take);

/// "kind=first|fourth, degree=1..100"
std::string text_of(std::span<const OptionInText> options);

/// "0..8"
std::string range_text(double least, double most);

/// Sets `to` to the number that `value` is. False when it isn't one, or not in least .. most.
bool read_number(std::string_view value, double least, double most, int& to);
bool read_number(std::string_view value, double least, double most, double& to);

/// What the options of a preconditioner are called in a text, and what they may be. Each is given by a key, a member of
/// `Options` (or a function that returns a reference into the options, const or not) and its range or its words.
template <class Options>
class OptionTable {
  template <class Member>
  using Value = std::remove_cvref_t<std::invoke_result_t<const Member&, Options&>>;
  template <class V>
  struct Inside {
    using type = V;
  };
  template <class V>
  struct Inside<std::optional<V>> {
    using type = V;
  };

 public:
  template <class Member>
  using Words = std::vector<std::pair<std::string_view, typename Inside<Value<Member>>::type>>;

  /// A number, which require() lets be as the default, too.
  template <class Member>
  OptionTable number(std::string key, Member member, double least, double most) && {
    const auto require = [key, member, least, most](std::string_view owner, const Options& o) {
      const Options usual{};
      if (std::invoke(member, o) != std::invoke(member, usual))
        require_between(owner, key, std::invoke(member, o), least, most);
    };
    return std::move(*this).limited(std::move(key), std::move(member), least, most, require);
  }

  /// A number whose range holds in a text alone.
  template <class Member>
  OptionTable number_in_text(std::string key, Member member, double least, double most) && {
    return std::move(*this).limited(std::move(key), std::move(member), least, most, {});
  }

  /// One of some words, each for a value.
  template <class Member>
  OptionTable words(std::string key, Member member, const Words<Member>& words) && {
    using V = typename Inside<Value<Member>>::type;
    std::string values;
    for (const auto& [word, value] : words) values += (values.empty() ? "" : "|") + std::string(word);
    entries_.push_back({[member, words](std::string_view text, Options& to) {
                          const auto found = std::find_if(words.begin(), words.end(),
                                                          [text](const auto& word) { return word.first == text; });
                          if (found == words.end()) return false;
                          std::invoke(member, to) = found->second;
                          return true;
                        },
                        require_one_of<V>(key, member, words),
                        [member, words](const Options& o) {
                          const auto found = std::find_if(words.begin(), words.end(), [&](const auto& word) {
                            return std::invoke(member, o) == word.second;
                          });
                          return found == words.end() ? std::string() : std::string(found->first);
                        }});
    keys_.push_back({std::move(key), std::move(values)});
    return std::move(*this);
  }

  template <class Member>
  OptionTable yes_no(std::string key, Member member) && {
    return std::move(*this).words(std::move(key), std::move(member), {{"yes", true}, {"no", false}});
  }

  /// For help: "degree=1..100, kind=first|fourth".
  std::string text() const { return text_of(keys_); }

  /// The options that a text gives, on top of those that are the default.
  /// Throws    As read_options().
  Options read(std::string_view owner, std::string_view text) const {
    Options o;
    read_options(owner, text, keys_, [&](std::size_t i, std::string_view value) { return entries_[i].read(value, o); });
    return o;
  }

  /// Of an option that is a word: "smoother=ssor".
  std::string text_of_word(std::string_view key, const Options& o) const {
    const auto at = std::find_if(keys_.begin(), keys_.end(), [key](const OptionInText& k) { return k.key == key; });
    return std::string(key) + "=" + entries_[static_cast<std::size_t>(at - keys_.begin())].word(o);
  }

  /// Throws    ArgumentError for a number that can't be.
  void require(std::string_view owner, const Options& o) const {
    for (const Entry& entry : entries_)
      if (entry.require) entry.require(owner, o);
  }

 private:
  using Require = std::function<void(std::string_view owner, const Options& o)>;  ///< throws ArgumentError

  struct Entry {
    std::function<bool(std::string_view value, Options& to)> read;  ///< false for a value that can't be
    Require require;
    std::function<std::string(const Options& o)> word;
  };

  /// Numbers that are words are in a row.
  template <class V, class Member>
  static Require require_one_of(const std::string& key, const Member& member, const Words<Member>& words) {
    if constexpr (std::is_same_v<V, int>) {
      return [key, member, least = words.front().second, most = words.back().second](std::string_view owner,
                                                                                     const Options& o) {
        require_between(owner, key, std::invoke(member, o), least, most);
      };
    }
    return {};
  }

  template <class Member>
  OptionTable limited(std::string key, Member member, double least, double most, const Require& require) && {
    keys_.push_back({std::move(key), range_text(least, most)});
    entries_.push_back({[member, least, most](std::string_view value, Options& to) {
                          return read_number(value, least, most, std::invoke(member, to));
                        },
                        require,
                        {}});
    return std::move(*this);
  }

  std::vector<OptionInText> keys_;
  std::vector<Entry> entries_;  ///< in the order of keys_
};

}  // namespace ostinato
