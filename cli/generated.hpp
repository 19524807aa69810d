// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/matrix/io/matrix_market.hpp>

#include "command_line.hpp"
#include "progress.hpp"

// Matrices that are made instead of read.

namespace ostinato::cli {

/// Throws    UsageError for an unknown family, naming the known ones.
const GeneratorInfo& family_of(std::string_view name);

/// Rejects an option that the family doesn't read, because such an option would change nothing.
void require_read(const std::vector<GivenOption>& given, const GeneratorInfo& family);

/// "entries_per_row" as it is written on the command line.
std::string kebab(std::string_view name);

/// A matrix that is named by its family.
struct Generated {
  std::string family;
  GenerateOptions options;
};

/// Reads "FAMILY:N" or "FAMILY:N:KEY=VALUE,KEY=VALUE". Returns nothing when the name is that of a file, or reads
/// otherwise.
/// Throws    UsageError for an unknown family, size or key.
std::optional<Generated> generated_matrix(const std::string& name);

/// Reads the matrix from a file, or makes it.
/// Throws    UsageError for a matrix that can't be made; as read_matrix_market().
template <class T>
Csr<T> load_matrix(const std::string& name, MatrixMarketInfo* info = nullptr, Progress* progress = nullptr);

/// The same, with a live line.
template <class T>
Csr<T> load_shown(const std::string& name, MatrixMarketInfo* info = nullptr, bool wanted = true) {
  Progress progress;
  LiveLine live(wanted);
  live.phase("reading " + name, &progress);
  return load_matrix<T>(name, info, &progress);
}

/// Where the points of a generated matrix are.
/// Throws    UsageError for a family without coordinates; ArgumentError as generate().
Table coordinates_of(const Generated& made);

/// Reads where points are from a file, or makes that for a family that has coordinates.
/// Throws    UsageError for a family without; as read_table().
Table load_coordinates(const std::string& name);

}  // namespace ostinato::cli
