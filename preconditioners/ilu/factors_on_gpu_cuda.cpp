// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/ilu/factors_on_gpu.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <system_error>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/cuda/cudss.hpp>
#include <ostinato/spmv/space/cuda/on_device.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace {

using cuda::Cudss;

/// Throws    DeviceMemoryError where memory ran out, DeviceError for other failures.
void require_success(int status, const char* what) {
  if (status == Cudss::success) return;
  const std::string text = "cuDSS: error " + std::to_string(status) + " in " + what;
  if (status == Cudss::out_of_memory) throw DeviceMemoryError(text);
  throw DeviceError(text);
}

template <class T>
constexpr cudaDataType_t value_type = is_single<T> ? CUDA_R_32F : CUDA_R_64F;

int type_of(LibraryFactorOptions::Kind kind) {
  using Kind = LibraryFactorOptions::Kind;
  return kind == Kind::general ? Cudss::general : kind == Kind::symmetric ? Cudss::symmetric : Cudss::definite;
}

}  // namespace

/// The objects of cuDSS, and the matrix: cuDSS keeps pointers to its arrays.
template <class T>
struct FactorsOnGpu<T>::Kept {
  Kept(const Cuda& on, const CsrView<T>& a, LibraryFactorOptions::Kind kind_of_a)
      : space(on),
        kind(kind_of_a),
        row_ptr(on, a.row_ptr.size()),
        col(on, a.col.size()),
        val(on, a.val.size()),
        rows(a.rows) {
    space.copy(row_ptr.data(), a.row_ptr.data(), a.row_ptr.size_bytes());
    space.copy(col.data(), a.col.data(), a.col.size_bytes());
    space.copy(val.data(), a.val.data(), a.val.size_bytes());
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    if (Cudss::is_closed()) return;
    const OnDevice there(space.state(), OnDevice::Quietly());
    for (const Cudss::Matrix m : {matrix, x, b}) {
      if (m != nullptr) cudss.destroy_matrix(m);
    }
    if (data != nullptr) cudss.destroy_data(handle, data);
    if (config != nullptr) cudss.destroy_config(config);
    if (handle != nullptr) cudss.destroy(handle);
  }

  void open() {
    const OnDevice there(space);
    require_success(cudss.create(&handle), "cudssCreate");
    require_success(cudss.set_stream(handle, space.stream()), "cudssSetStream");
    require_success(cudss.create_config(&config), "cudssConfigCreate");
    require_success(cudss.create_data(handle, &data), "cudssDataCreate");
    set(Cudss::deterministic, 1);
    require_success(cudss.create_csr(&matrix, rows, rows, static_cast<std::int64_t>(val.size()), row_ptr.data(),
                                     nullptr, col.data(), val.data(), CUDA_R_64I, CUDA_R_32I, value_type<T>,
                                     type_of(kind), Cudss::full, Cudss::from_zero),
                    "cudssMatrixCreateCsr");
    for (Cudss::Matrix* const v : {&x, &b})
      require_success(cudss.create_vectors(v, rows, 1, rows, val.data(), value_type<T>, Cudss::by_columns),
                      "cudssMatrixCreateDn");
    require_success(cudss.set_data(handle, data, Cudss::interrupt, &is_stopped, sizeof is_stopped), "cudssDataSet");
  }

  void set(int key, int value) {
    require_success(cudss.set_config(config, key, &value, sizeof value), "cudssConfigSet");
  }

  template <class Value>
  Value fact(int key) const {
    Value value{};
    std::size_t written = 0;
    require_success(cudss.get_data(handle, data, key, &value, sizeof value, &written), "cudssDataGet");
    return value;
  }

  int execute(int phase) { return cudss.execute(handle, phase, config, data, matrix, x, b); }

  /// Does a phase on a thread of its own where it may be stopped, and waits for it.
  void run(int phase, const StopRequest& stop) {
    constexpr std::chrono::milliseconds between_looks(20);
    int status = 0;
    if (!stop) {
      const OnDevice there(space);
      status = execute(phase);
    } else {
      std::future<int> over = std::async(std::launch::async, [&] {
        const OnDevice there(space.device());
        return execute(phase);
      });
      while (over.wait_for(between_looks) != std::future_status::ready) {
        if (stop.is_made()) std::atomic_ref(is_stopped).store(1);
      }
      status = over.get();
    }
    end_factoring_on(stop);
    require_success(status, "cudssExecute");
  }

  /// Makes the factors. False where they don't exist.
  bool factor(int phase, const StopRequest& stop) {
    run(phase, stop);
    if (fact<int>(Cudss::info) != 0) return false;
    raised = fact<int>(Cudss::raised_pivots);
    if (kind == LibraryFactorOptions::Kind::symmetric) negative = fact<std::array<int, 2>>(Cudss::inertia)[1];
    return true;
  }

  void solve(std::span<const T> r, std::span<T> z, int mode) {
    const OnDevice there(space);
    set(Cudss::solve_mode, mode);
    require_success(cudss.set_values(b, r.data()), "cudssMatrixSetValues");
    require_success(cudss.set_values(x, z.data()), "cudssMatrixSetValues");
    require_success(execute(Cudss::solution), "cudssExecute");
  }

  using Estimates = std::array<std::int64_t, 16>;
  static std::size_t permanent(const Estimates& e) { return static_cast<std::size_t>(e[0] + e[2]); }
  static std::size_t peak_on_gpu(const Estimates& e) { return static_cast<std::size_t>(e[1]); }

  Cuda space;
  LibraryFactorOptions::Kind kind;
  const Cudss& cudss = Cudss::get();
  Vector<Cuda, Offset> row_ptr;
  Vector<Cuda, Index> col;
  Vector<Cuda, T> val;
  Index rows, raised = 0, negative = 0;
  std::size_t bytes = 0;
  Offset entries = 0;
  std::int32_t is_stopped = 0;
  Cudss::Handle handle = nullptr;
  Cudss::Config config = nullptr;
  Cudss::Data data = nullptr;
  Cudss::Matrix matrix = nullptr, x = nullptr, b = nullptr;
};

template <class T>
std::string FactorsOnGpu<T>::library() {
  if (!Cudss::why_absent().empty()) return "";
  std::array<int, 3> number{};
  constexpr std::array<libraryPropertyType, 3> parts = {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
  for (std::size_t k = 0; k < parts.size(); ++k) Cudss::get().get_property(parts[k], &number[k]);
  return "cuDSS " + std::to_string(number[0]) + '.' + std::to_string(number[1]) + '.' + std::to_string(number[2]);
}

template <class T>
std::optional<FactorsOnGpu<T>> FactorsOnGpu<T>::make(const Cuda& space, const CsrView<T>& a,
                                                     LibraryFactorOptions::Kind kind, Offset most_entries,
                                                     const MemoryBudget& memory, const StopRequest& stop) {
  if (a.rows == 0 || !Cudss::why_absent().empty()) return {};
  try {
    const auto kept = std::make_shared<Kept>(space, a, kind);
    kept->open();
    kept->run(Cudss::analysis, stop);
    auto estimates = kept->template fact<typename Kept::Estimates>(Cudss::memory_estimates);
    if (Kept::peak_on_gpu(estimates) > space.free_bytes()) {
      kept->set(Cudss::hybrid_memory, 1);
      kept->run(Cudss::analysis, stop);
      estimates = kept->template fact<typename Kept::Estimates>(Cudss::memory_estimates);
    }
    kept->bytes = Kept::permanent(estimates) + kept->row_ptr.bytes() + kept->col.bytes() + kept->val.bytes();
    memory.announce({kept->bytes, Certainty::at_least});
    kept->entries = kept->template fact<std::int64_t>(Cudss::entries);
    if (kept->entries > most_entries) return {};
    if (!kept->factor(Cudss::factorisation, stop)) return {};
    return FactorsOnGpu(kept);
  } catch (const DeviceError&) {
    return {};  // others make factors, or say why there are none
  } catch (const std::system_error&) {
    return {};
  }
}

template <class T>
bool FactorsOnGpu<T>::update_values(std::span<const T> values, const std::function<bool()>& is_right) {
  const Cuda& space = kept_->space;
  const Vector<Cuda, T> old(space, kept_->val);
  const auto factor = [&](std::span<const T> of) {
    space.copy(kept_->val.data(), of.data(), of.size_bytes());
    return kept_->factor(Cudss::refactorisation, {});
  };
  try {
    try {
      if (factor(values) && is_right()) return true;
    } catch (const DeviceError&) {
    } catch (...) {
      factor(old.span());
      throw;
    }
    factor(old.span());
  } catch (const DeviceError&) {
    // nothing is left of the factors; the caller makes others
  }
  return false;
}

template <class T>
void FactorsOnGpu<T>::solve(std::span<const T> r, std::span<T> z) const {
  kept_->solve(r, z, Cudss::plain);
}

template <class T>
void FactorsOnGpu<T>::solve_transposed(std::span<const T> r, std::span<T> z) const {
  kept_->solve(r, z, Cudss::transposed);
}

template <class T>
const Cuda& FactorsOnGpu<T>::space() const {
  return kept_->space;
}

template <class T>
std::size_t FactorsOnGpu<T>::rows() const {
  return static_cast<std::size_t>(kept_->rows);
}

template <class T>
std::size_t FactorsOnGpu<T>::bytes() const {
  return kept_->bytes;
}

template <class T>
Offset FactorsOnGpu<T>::nonzeros() const {
  return kept_->entries;
}

template <class T>
Index FactorsOnGpu<T>::raised_pivots() const {
  return kept_->raised;
}

template <class T>
Index FactorsOnGpu<T>::negative_pivots() const {
  return kept_->negative;
}

#define OSTINATO_INSTANTIATE(T) template class FactorsOnGpu<T>
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
