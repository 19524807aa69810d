// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Failing allocations. support/failing_new.cpp replaces operator new of the test program.

namespace ostinato::test {

/// During its lifetime, the allocation number `which` of the calling thread fails, counted from 0; the others don't.
class FailingNew {
 public:
  explicit FailingNew(int which);
  ~FailingNew();
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;
};

}  // namespace ostinato::test
