// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <ostinato/spmv/team/channel.hpp>

namespace ostinato::detail {

/// The channel between the processes of an MPI_Comm; of all processes where `communicator` is null.
/// Exec      Collective. Opens the object that is linked with MPI (mpi_channel.cpp), at its first call.
/// Throws    ArgumentError where there is no such object, or MPI refuses.
std::shared_ptr<Channel> open_mpi(const void* communicator);

/// What the object is opened for: its function `ostinato_mpi_channel`. Returns null, and why in `text`, where it can't.
/// `version` is mpi_object_version of the caller.
using MakeMpiChannel = Channel* (*)(const void* communicator, int version, char* text, std::size_t room);
inline constexpr int mpi_object_version = 2;

}  // namespace ostinato::detail
