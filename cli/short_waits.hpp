// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ostinato::cli {

/// Lets OpenMP's threads sleep when they have waited for work for about 0.1 ms; by default they keep their processors
/// busy for some 10 ms, which other programs pay for. OpenMP reads its settings before main() begins, so the program
/// starts again with GOMP_SPINCOUNT set. Does nothing when the user has set GOMP_SPINCOUNT or OMP_WAIT_POLICY, or where
/// the program can't start again. Beside eight busy processes on two processors, small solves take 0.3 to 0.7 of the
/// time that they take without (2026-11).
void restart_with_short_waits(char** argv);

}  // namespace ostinato::cli
