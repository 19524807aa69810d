// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include <ostinato/spmv/formats/format.hpp>

namespace ostinato {

/// Formats that a matrix may be stored in. Selection, names, help, tests and benchmarks go by such a list.
template <class Space, class T>
class FormatList {
 public:
  FormatList() = default;
  explicit FormatList(std::vector<FormatEntry<Space, T>> entries) : entries_(std::move(entries)) {}

  /// The list with one more format, of class F.
  template <class F>
  FormatList with() const {
    FormatList more = *this;
    more.entries_.push_back(format_entry<F>());
    return more;
  }

  /// Null when there is none of that name.
  const FormatEntry<Space, T>* find(std::string_view name) const {
    const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const auto& e) { return e.name == name; });
    return at != entries_.end() ? &*at : nullptr;
  }

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<FormatEntry<Space, T>> entries_;
};

/// THE list of formats, those of the library. For Cuda it is empty in a build without CUDA.
template <class Space, class T>
const FormatList<Space, T>& format_list();

}  // namespace ostinato
