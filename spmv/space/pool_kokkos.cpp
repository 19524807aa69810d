// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/pool.hpp>

/// OpenMP's, where the program has OpenMP; otherwise null.
extern "C" [[gnu::weak]] int omp_get_dynamic();
extern "C" [[gnu::weak]] void omp_set_dynamic(int);

namespace ostinato::detail {
namespace {

/// Lets OpenMP give the calling thread as many threads as Kokkos asks for, while the object lives. Under OMP_DYNAMIC
/// OpenMP gives fewer on a busy machine, and Kokkos would leave out their share of the work.
class WholeTeam {
 public:
  WholeTeam() : dynamic_(omp_get_dynamic != nullptr && omp_get_dynamic() != 0) {
    if (dynamic_) omp_set_dynamic(0);
  }
  ~WholeTeam() {
    if (dynamic_) omp_set_dynamic(1);
  }
  WholeTeam(const WholeTeam&) = delete;
  WholeTeam& operator=(const WholeTeam&) = delete;

 private:
  bool dynamic_;
};

void finalize_kokkos() {
  if (Kokkos::is_initialized()) Kokkos::finalize();
}

void require_kokkos_alive() {
#if KOKKOS_VERSION >= 40000
  if (Kokkos::is_finalized())
    throw ArgumentError("Host: the program has finalised Kokkos, and this Kokkos can't be initialised again");
#endif
}

}  // namespace

int pool_size() {
  return Kokkos::is_initialized() ? static_cast<int>(Kokkos::DefaultHostExecutionSpace().concurrency()) : 0;
}

void make_pool(int threads) {
  require_kokkos_alive();
#if KOKKOS_VERSION >= 30700
  const std::string name = "--kokkos-num-threads=";
#else
  const std::string name = "--kokkos-threads=";
#endif
  std::vector<std::string> words{"ostinato", "--kokkos-disable-warnings"};
  if (threads > 0) words.push_back(name + std::to_string(threads));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  const WholeTeam whole;
  try {
    Kokkos::initialize(count, arguments.data());
  } catch (const std::runtime_error& e) {
    const std::string reason = e.what();  // a stack trace follows the first line
    throw ArgumentError("Host: Kokkos can't be initialised: " + reason.substr(0, reason.find('\n')));
  }
  static const bool registered = std::atexit(finalize_kokkos) == 0;
  static_cast<void>(registered);
}

void run_on_pool(std::size_t chunks, void (*run)(const void*, std::size_t), const void* f) {
  const WholeTeam whole;
  using Policy = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::Schedule<Kokkos::Static>>;
  Kokkos::parallel_for("ostinato", Policy(0, chunks), [=](const std::size_t t) { run(f, t); });
}

std::string pool_name() {
  return "Kokkos " + std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100);
}

}  // namespace ostinato::detail
