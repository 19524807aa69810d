// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/together.hpp>

#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

namespace {

thread_local int larger_objects = 0;

}  // namespace

MadeTogether::MadeTogether() { ++larger_objects; }
MadeTogether::~MadeTogether() { --larger_objects; }
bool MadeTogether::is_on() { return larger_objects > 0; }

void download(const Host& space, std::span<const Copied> arrays) {
  for (const Copied& a : arrays) {
    if (a.bytes > 0) space.download(a.to, a.from, a.bytes);
  }
}

void settle(const Host&) {}

}  // namespace ostinato
