// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/peer_buffers.hpp>

// In a build without CUDA there is no Cuda to make these of: the linker alone asks for them.

namespace ostinato {

struct PeerBuffers::Shown {};
struct PeerBuffers::Beside {};
PeerBuffers::PeerBuffers(const Cuda& space) : space_(space) {}
std::unique_ptr<PeerBuffers> PeerBuffers::make(const Team&, const Cuda&) { return nullptr; }
PeerBuffers::~PeerBuffers() = default;
void PeerBuffers::turn(std::size_t) {}
std::byte* PeerBuffers::mine() { return nullptr; }
void PeerBuffers::publish() {}
void PeerBuffers::await() {}
const std::byte* PeerBuffers::of(int) const { return nullptr; }
void PeerBuffers::copy(std::span<const Copy>) {}
void PeerBuffers::join() {}

}  // namespace ostinato
