// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "short_waits.hpp"

#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

namespace ostinato::cli {

void restart_with_short_waits(char** argv) {
  if (::getenv("OMP_WAIT_POLICY") != nullptr || ::getenv("GOMP_SPINCOUNT") != nullptr) return;
  if (::getauxval(AT_BASE) == 0) return;  // started by way of the loader, which /proc/self/exe then is
  if (::setenv("GOMP_SPINCOUNT", "2000", 0) == 0) ::execv("/proc/self/exe", argv);
}

}  // namespace ostinato::cli
