// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// CMakeLists.txt reads the version from these three lines.
#define OSTINATO_VERSION_MAJOR 0
#define OSTINATO_VERSION_MINOR 2
#define OSTINATO_VERSION_PATCH 0

namespace ostinato {

struct Version {
  int major, minor, patch;
};

inline constexpr Version version{OSTINATO_VERSION_MAJOR, OSTINATO_VERSION_MINOR, OSTINATO_VERSION_PATCH};

}  // namespace ostinato
