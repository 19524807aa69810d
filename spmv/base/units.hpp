// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ostinato {

// Numbers for people: three digits and a unit, in powers of ten.
std::string bytes_text(double bytes);      ///< "1.23 MB"
std::string seconds_text(double seconds);  ///< "3.40 ms"; "-" when the time isn't finite
std::string rate_text(double per_second);  ///< bytes per second: "21.4 GB/s"; "-" when the rate isn't finite

}  // namespace ostinato
