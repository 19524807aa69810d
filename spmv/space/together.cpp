// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/together.hpp>

namespace ostinato {

namespace {

thread_local int larger_objects = 0;

}  // namespace

MadeTogether::MadeTogether() { ++larger_objects; }
MadeTogether::~MadeTogether() { --larger_objects; }
bool MadeTogether::is_on() { return larger_objects > 0; }

}  // namespace ostinato
