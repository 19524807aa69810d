// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/formats/contract/format.hpp>

namespace ostinato {

class Host;
class Cuda;

/// A list of formats that a matrix may be stored in. Selection, names, help, tests and benchmarks go by such a list.
template <class Space, class T>
class FormatList {
 public:
  FormatList() = default;
  explicit FormatList(std::vector<FormatEntry<Space, T>> entries) : entries_(std::move(entries)) {}

  /// Returns a copy of the list with the format F added. Throws ArgumentError when the list has a format of that name.
  template <class F>
  FormatList with() const {
    if (find(F::name) != nullptr) throw ArgumentError("the list has a format " + std::string(F::name) + " already");
    FormatList more = *this;
    more.entries_.push_back(format_entry<F>());
    return more;
  }

  /// Returns the entry of that name, in any case, or null.
  const FormatEntry<Space, T>* find(std::string_view name) const {
    const auto at =
        std::find_if(entries_.begin(), entries_.end(), [&](const auto& e) { return same_name(e.name, name); });
    return at != entries_.end() ? &*at : nullptr;
  }

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<FormatEntry<Space, T>> entries_;
};

/// The library's list of formats. For Cuda the list is empty in a build without CUDA. Spaces other than Host and Cuda
/// have csr and dia (list_definition.hpp).
template <class Space, class T>
const FormatList<Space, T>& format_list();
template <>
const FormatList<Host, float>& format_list();
template <>
const FormatList<Host, double>& format_list();
template <>
const FormatList<Cuda, float>& format_list();
template <>
const FormatList<Cuda, double>& format_list();

}  // namespace ostinato
