// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ostinato::test {

/// A stop that was requested before anything began.
struct AtOnce {
  bool stop_requested() const { return true; }
};

}  // namespace ostinato::test
