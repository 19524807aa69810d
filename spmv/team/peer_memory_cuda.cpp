// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/peer_memory.hpp>

#include <algorithm>
#include <compare>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato {

GpuNumber number_of_gpu(const Cuda& space) {
  GpuNumber number;
  std::memcpy(number.data(), space.state().properties.uuid.bytes, number.size());
  return number;
}

struct PeerMemory::Key {
  ProcessNumber process;  ///< of the owner
  std::uint64_t number;   ///< among what that has shown
  auto operator<=>(const Key&) const = default;
};

struct PeerMemory::Handle {
  Key key;
  GpuNumber gpu;
  std::size_t bytes;
  cudaIpcMemHandle_t memory;
};

namespace {

/// What the owner of memory has to give back.
struct Owned {
  int device = 0;
  std::byte* memory = nullptr;
  cudaEvent_t complete = nullptr;

  void free() const noexcept {
    try {
      const OnDevice here(device);
      if (memory != nullptr) (void)cuda_succeeds(cudaFree(memory));
      if (complete != nullptr) (void)cuda_succeeds(cudaEventDestroy(complete));
    } catch (const DeviceError&) {  // at the end of a program, after the driver's
    }
  }
};

}  // namespace

/// What this process has shown to others, and what it has of them.
struct PeerMemory::Ledger {
  struct Shown {
    std::vector<ProcessNumber> readers;  ///< that haven't said that they have dropped it
    bool is_dropped = false;             ///< by the owner
    Owned owned = {};
  };

  std::mutex mutex;
  std::uint64_t next = 0;
  std::map<std::uint64_t, Shown> shown;
  std::map<Key, std::weak_ptr<PeerMemory>> opened;
  std::vector<Key> dropped;  ///< of other processes, which don't know of it yet

  /// It stays until the process ends: objects of any age may drop memory.
  static Ledger& of_process() {
    static auto* const ledger = new Ledger;
    return *ledger;
  }

  void drop_own(const Key& key, const Owned& owned) {
    const std::lock_guard lock(mutex);
    Shown& entry = shown[key.number];
    entry.is_dropped = true;
    entry.owned = owned;
    free_if_unused(key.number);
  }
  void drop_opened(const Key& key) {
    const std::lock_guard lock(mutex);
    if (const auto found = opened.find(key); found != opened.end() && found->second.expired()) opened.erase(found);
    dropped.push_back(key);
  }

  /// Ranks tell each other what they have dropped, and free what nobody has any more. Returns the process of each.
  /// Exec      Collective.
  std::vector<ProcessNumber> settle(const Team& team) {
    std::vector<Key> mine;
    {
      const std::lock_guard lock(mutex);
      mine = dropped;
    }
    const std::vector<ProcessNumber> processes = team.all_gather(process_number());
    const std::vector<Team::Bytes> all = team.all_gather_v(std::as_bytes(std::span(mine)));
    const std::lock_guard lock(mutex);
    for (std::size_t r = 0; r < all.size(); ++r) {
      for (std::size_t at = 0; at < all[r].size(); at += sizeof(Key)) {
        Key key;
        std::memcpy(&key, all[r].data() + at, sizeof key);
        if (key.process == process_number()) hear_of_drop(key.number, processes[r]);
      }
    }
    std::erase_if(dropped, [&](const Key& key) {
      return std::find(mine.begin(), mine.end(), key) != mine.end() &&
             std::find(processes.begin(), processes.end(), key.process) != processes.end();
    });
    return processes;
  }

 private:
  void hear_of_drop(std::uint64_t number, const ProcessNumber& reader) {
    const auto found = shown.find(number);
    if (found == shown.end()) return;
    std::erase(found->second.readers, reader);
    free_if_unused(number);
  }
  void free_if_unused(std::uint64_t number) {
    const Shown& entry = shown[number];
    if (!entry.is_dropped || !entry.readers.empty()) return;
    entry.owned.free();
    shown.erase(number);
  }
};

PeerMemory::PeerMemory(const Cuda& space, std::size_t bytes, bool for_processes)
    : device_(space.device()), gpu_(number_of_gpu(space)), bytes_(bytes), for_processes_(for_processes) {
  constexpr std::size_t block = std::size_t{1} << 21;
  const OnDevice here(space);
  if (for_processes_) bytes_ = (bytes + block - 1) / block * block;
  void* memory = nullptr;
  OSTINATO_CUDA(cudaMalloc(&memory, std::max<std::size_t>(1, bytes_)));
  data_ = static_cast<std::byte*>(memory);
  if (for_processes_) return;
  if (const cudaError_t code = cudaEventCreateWithFlags(&complete_, cudaEventDisableTiming); !cuda_succeeds(code)) {
    Owned{device_, data_}.free();
    cuda_check(code, "cudaEventCreateWithFlags");
  }
}

PeerMemory::~PeerMemory() {
  const Owned owned{device_, data_, complete_};
  if (key_ == nullptr) {
    owned.free();
    return;
  }
  if (is_own_) {
    Ledger::of_process().drop_own(*key_, owned);
    return;
  }
  try {
    const OnDevice here(device_);
    if (data_ != nullptr) (void)cuda_succeeds(cudaIpcCloseMemHandle(data_));
  } catch (const DeviceError&) {  // at the end of a program, after the driver's
  }
  Ledger::of_process().drop_opened(*key_);
}

void PeerMemory::publish(const Cuda& space) {
  if (for_processes_) return space.wait();
  const OnDevice here(space);
  OSTINATO_CUDA(cudaEventRecord(complete_, space.stream()));
}

void PeerMemory::await(Cuda::Stream stream) const {
  if (!for_processes_) OSTINATO_CUDA(cudaStreamWaitEvent(stream, complete_, 0));
}

/// What other processes open it by. `readers`: those.
auto PeerMemory::handle(std::vector<ProcessNumber> readers) -> Handle {
  Handle handle{};
  const OnDevice here(device_);
  OSTINATO_CUDA(cudaIpcGetMemHandle(&handle.memory, data_));
  handle.gpu = gpu_;
  handle.bytes = bytes_;
  Ledger& ledger = Ledger::of_process();
  const std::lock_guard lock(ledger.mutex);
  if (key_ == nullptr) key_ = std::make_unique<Key>(Key{process_number(), ledger.next++});
  ledger.shown[key_->number].readers = std::move(readers);
  handle.key = *key_;
  return handle;
}

std::shared_ptr<PeerMemory> PeerMemory::opened(const Cuda& space, const Handle& handle) {
  Ledger& ledger = Ledger::of_process();
  {
    const std::lock_guard lock(ledger.mutex);
    if (const auto found = ledger.opened.find(handle.key); found != ledger.opened.end()) {
      if (auto there = found->second.lock()) return there;
    }
  }
  // From here on it counts as one that this process has, and says so when it goes.
  const std::shared_ptr<PeerMemory> memory(new PeerMemory);
  memory->is_own_ = false;
  memory->key_ = std::make_unique<Key>(handle.key);
  memory->for_processes_ = true;
  memory->device_ = space.device();
  memory->gpu_ = handle.gpu;
  memory->bytes_ = handle.bytes;
  const OnDevice here(space);
  void* data = nullptr;
  OSTINATO_CUDA(cudaIpcOpenMemHandle(&data, handle.memory, cudaIpcMemLazyEnablePeerAccess));
  memory->data_ = static_cast<std::byte*>(data);
  const std::lock_guard lock(ledger.mutex);
  ledger.opened[handle.key] = memory;
  return memory;
}

std::vector<std::shared_ptr<PeerMemory>> PeerMemory::shown_by_processes(const Team& team, const Cuda& space,
                                                                        const std::shared_ptr<PeerMemory>& mine) {
  std::vector<ProcessNumber> readers = Ledger::of_process().settle(team);
  std::erase(readers, process_number());
  const Handle own = team.agreed([&] { return mine->handle(readers); });
  const std::vector<Handle> handles = team.all_gather(own);
  return team.agreed([&] {
    std::vector<std::shared_ptr<PeerMemory>> all;
    for (const Handle& handle : handles) all.push_back(handle.key == own.key ? mine : opened(space, handle));
    return all;
  });
}

bool processes_reach_each_other(const Team& team, const Cuda& space) {
  using Handle = PeerMemory::Handle;
  const auto succeeds = [&](auto step) {
    try {
      const OnDevice here(space);
      step();
      return true;
    } catch (const DeviceError&) {
      return false;
    }
  };
  std::vector<ProcessNumber> readers = PeerMemory::Ledger::of_process().settle(team);
  std::erase(readers, process_number());
  std::shared_ptr<PeerMemory> mine;
  Handle own{};
  const bool shows = succeeds([&] {
    const ProcessNumber number = process_number();
    mine = std::make_shared<PeerMemory>(space, sizeof number, true);
    OSTINATO_CUDA(cudaMemcpy(mine->data(), &number, sizeof number, cudaMemcpyHostToDevice));
    OSTINATO_CUDA(cudaDeviceSynchronize());
    own = mine->handle(readers);
  });
  const std::vector<Handle> handles = team.all_gather(own);
  bool reads = team.least(shows ? 1 : 0) == 1;
  reads = reads && succeeds([&] {
            for (const Handle& handle : handles) {
              ProcessNumber number{};
              if (handle.key == own.key) continue;
              const auto there = PeerMemory::opened(space, handle);
              OSTINATO_CUDA(cudaMemcpy(&number, there->data(), sizeof number, cudaMemcpyDeviceToHost));
              if (number != handle.key.process) throw DeviceError("the memory of another process isn't that");
            }
          });
  return team.least(reads ? 1 : 0) == 1;
}

std::vector<std::shared_ptr<PeerMemory>> shown_by_all(const Team& team, const Cuda& space,
                                                      const std::shared_ptr<PeerMemory>& mine) {
  return mine->is_for_processes() ? PeerMemory::shown_by_processes(team, space, mine) : shown_by_threads(team, mine);
}

}  // namespace ostinato
