// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/generate/rows.hpp>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/space/memory.hpp>

namespace ostinato::generate_detail {

namespace {

bool has_memory(double bytes) { return bytes <= static_cast<double>(host_memory()); }

[[noreturn]] void refuse(const std::string& what) {
  throw MemoryLimitError("generate: " + what + " takes more than " + bytes_text(static_cast<double>(host_memory())) +
                         ", the memory that there is; a smaller one takes less");
}

}  // namespace

void require_memory(const std::string& what, double bytes) {
  if (!has_memory(bytes)) refuse(what);
}

void EntryMemory::count(Offset entries) {
  const Offset total = entries_.fetch_add(entries, std::memory_order_relaxed) + entries;
  const double bytes =
      sizeof(Offset) * static_cast<double>(rows_) + static_cast<double>(bytes_an_entry_) * static_cast<double>(total);
  if (!has_memory(bytes)) refuse("a matrix of " + std::to_string(rows_) + " rows");
}

}  // namespace ostinato::generate_detail
