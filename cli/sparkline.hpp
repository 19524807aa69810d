// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace ostinato::cli {

/// A curve in block characters, on a logarithmic scale: at most `cells` values, evenly spaced from the first to the
/// last, of those that are positive and finite. Empty when there are fewer than two. `cells` is at least 2.
std::string sparkline(const std::vector<double>& values, std::size_t cells = 32);

/// Whether block characters can be shown: on a terminal whose locale is UTF-8.
bool shows_blocks(std::FILE* stream);

}  // namespace ostinato::cli
