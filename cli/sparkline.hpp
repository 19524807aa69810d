// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace ostinato::cli {

/// A curve in block characters, on a logarithmic scale from the least to the greatest value: the last value of each of at
/// most `cells` stretches. Empty when fewer than two values are positive and finite.
std::string sparkline(const std::vector<double>& values, std::size_t cells = 32);

/// Whether block characters can be shown: on a terminal whose locale is UTF-8.
bool shows_blocks(std::FILE* stream);

}  // namespace ostinato::cli
