// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/base/error.hpp>

#include "cli/exit_code.hpp"
#include "cli/json.hpp"
#include "fuzz/input.hpp"

// Any bytes give options or an error that names the file.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ostinato;
  const fuzz::File file(fuzz::text_of(data, size));
  try {
    (void)cli::read_options_file(file.path());
  } catch (const FormatError& e) {
    fuzz::require(e.path() == file.path(), "an error names the file");
  } catch (const cli::UsageError& e) {
    fuzz::require(std::string(e.what()).starts_with(file.path()), "an error names the file");
  }
  return 0;
}
