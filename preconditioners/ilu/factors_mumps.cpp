// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <dmumps_c.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <semaphore>
#include <system_error>
#include <thread>
#include <utility>

#include <ostinato/preconditioners/ilu/cholesky.hpp>
#include <ostinato/preconditioners/ilu/library_factors.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/ordering/nested_dissection.hpp>
#include <ostinato/spmv/ordering/rcm.hpp>

#if defined(__SANITIZE_ADDRESS__)
/// MUMPS 5.5 loses four bytes in some analyses, which isn't for our checks to find.
extern "C" [[gnu::weak]] const char* __lsan_default_suppressions() { return "leak:libdmumps_seq"; }
#endif

namespace ostinato {

namespace {

/// The function of the library, of the version that the header is of: the layout of its struct changes.
struct Library {
  void (*call)(DMUMPS_STRUC_C*) = nullptr;
};

Library open() {
  const std::string version = MUMPS_VERSION;
  const std::string name = "libdmumps_seq-" + version.substr(0, version.find('.', version.find('.') + 1)) + ".so";
#if defined(__SANITIZE_ADDRESS__)
  constexpr int scope = RTLD_LOCAL;  // the sanitizer refuses the other flag
#else
  constexpr int scope = RTLD_LOCAL | RTLD_DEEPBIND;  // it has functions of MPI of its own, as the program may
#endif
  void* const library = dlopen(name.c_str(), RTLD_NOW | scope);
  if (library == nullptr) return {};
  return {reinterpret_cast<void (*)(DMUMPS_STRUC_C*)>(dlsym(library, "dmumps_c"))};
}

const Library& library_in_use() {
  static const Library library = open();
  return library;
}

// The library has global variables. Who acquires isn't who releases.
std::binary_semaphore one_at_a_time(1);

bool was_left_within = false;  ///< the process was forked while another thread was within the library

// A forked process hasn't got the thread that would give the turn back, and that left the global variables half done.
[[maybe_unused]] const int registered = ::pthread_atfork(nullptr, nullptr, [] {
  was_left_within = was_left_within || !one_at_a_time.try_acquire();
  std::construct_at(&one_at_a_time, 1);
});

constexpr std::chrono::milliseconds between_looks(20);
constexpr double flops_a_second = 8e9;  ///< of one thread of an EPYC with OpenBLAS

/// The names of the entries of MUMPS' arrays, counted from 0.
enum Control {
  match_columns = 5,
  ordering = 6,
  transposed = 8,
  room = 13,
  most_megabytes = 22,
  detect_null_pivots = 23,
  null_vector = 24
};
enum Size { least_pivot = 0, null_pivot = 2 };
enum Fact {  // of INFOG
  status = 0,
  detail_of_status = 1,
  numbers_kept = 8,
  indices_kept = 9,
  negative_found = 11,
  megabytes_foretold = 16,
  entries_foretold = 19,
  columns_permuted = 22,
  nulls_found = 27,
  entries_made = 28
};
enum Ordered { by_caller = 1, by_scotch = 3, by_minimum_degree = 6 };
enum Job { begin = -1, end = -2, analyse = 1, factor = 2, solve_with = 3 };

/// The turn of a thread to call the library.
class Turn {
 public:
  /// Waits.
  /// Throws    Stopped once `stop` is made.
  explicit Turn(const StopRequest& stop = {}) {
    while (!one_at_a_time.try_acquire_for(between_looks)) end_factoring_on(stop);
  }
  /// Takes a turn that was acquired.
  explicit Turn(std::adopt_lock_t) {}
  ~Turn() { one_at_a_time.release(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
};

/// A matrix in the hands of the library.
class Instance {
 public:
  using Options = LibraryFactorOptions;
  Instance(const CsrView<double>& a, const Options& options, const StopRequest& stop) {
    id_.comm_fortran = -987654;  // the number that stands for all processes
    id_.par = 1;
    id_.sym = options.kind == Options::Kind::definite ? 1 : options.kind == Options::Kind::symmetric ? 2 : 0;
    call(begin, Turn(stop));
    for (const int messages : {0, 1, 2, 3}) id_.icntl[messages] = 0;
    copy(a, options.kind != Options::Kind::general);
    id_.icntl[match_columns] = options.match ? 7 : 0;
    id_.icntl[ordering] = by_minimum_degree;
    id_.icntl[detect_null_pivots] = 1;
    id_.icntl[room] = 100;
    id_.cntl[least_pivot] = options.pivot;
    // Of ||A||, scaled: pivots that are smaller may be 0 but for rounding.
    id_.cntl[null_pivot] = 64 * std::numeric_limits<double>::epsilon() * std::sqrt(id_.n);
    if (!options.order.empty()) take_order(options.order);
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// Ends the instance, here or, where another thread has the turn for long, on a thread of its own.
  static void leave(Instance* instance) {
    if (one_at_a_time.try_acquire()) return end_in(instance, Turn(std::adopt_lock));
    try {
      std::thread([instance] { end_in(instance, Turn()); }).detach();
    } catch (const std::system_error&) {
      end_in(instance, Turn());
    }
  }

  DMUMPS_STRUC_C& id() { return id_; }

  /// The row at each place.
  void take_order(const std::vector<Index>& rows) {
    place_.resize(rows.size());
    for (std::size_t k = 0; k < place_.size(); ++k) place_[static_cast<std::size_t>(rows[k])] = static_cast<int>(k) + 1;
    id_.perm_in = place_.data();
    id_.icntl[ordering] = by_caller;
  }

  void call(int job, const Turn& = Turn()) {
    id_.job = job;
    library_in_use().call(&id_);
  }

  /// A is for making factors, not for solves.
  void forget_matrix() {
    id_.irn = id_.jcn = nullptr;
    id_.a = nullptr;
    row_ = col_ = {};
    val_ = {};
  }

  double flops() const { return id_.rinfog[status]; }
  static Offset counted(int number) { return number < 0 ? Offset{-1000000} * number : Offset{number}; }
  Offset entries(int counted_in_triangle) const {
    const Offset count = counted(counted_in_triangle);
    return id_.sym == 0 ? count : 2 * count - id_.n;
  }
  /// A v, and the sum of the sizes of the entries of each row.
  std::pair<std::vector<double>, std::vector<double>> product(const std::vector<double>& v) const {
    std::vector<long double> sum(v.size(), 0);
    std::vector<double> size(v.size(), 0);
    const auto add = [&](std::size_t i, std::size_t j, double value) {
      sum[i] += static_cast<long double>(value) * v[j];
      size[i] += std::abs(value);
    };
    for (std::size_t k = 0; k < val_.size(); ++k) {
      const auto i = static_cast<std::size_t>(row_[k] - 1), j = static_cast<std::size_t>(col_[k] - 1);
      add(i, j, val_[k]);
      if (id_.sym != 0 && i != j) add(j, i, val_[k]);
    }
    std::vector<double> rounded;
    for (const long double s : sum) rounded.push_back(static_cast<double>(s));
    return {std::move(rounded), std::move(size)};
  }

  /// Beside the order: a fit, within a factor of 2 on an EPYC with OpenBLAS on one thread.
  double predicted_seconds() const {
    return 1e-6 * id_.n + 10e-9 * static_cast<double>(counted(id_.infog[entries_foretold])) + flops() / flops_a_second;
  }

 private:
  ~Instance() = default;
  static void end_in(Instance* instance, const Turn& turn) {
    instance->call(end, turn);
    delete instance;
  }

  void copy(const CsrView<double>& a, bool lower_triangle) {
    for (Index i = 0; i < a.rows; ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (auto k = static_cast<std::size_t>(a.row_ptr[row]); k < static_cast<std::size_t>(a.row_ptr[row + 1]); ++k) {
        if (lower_triangle && a.col[k] > i) break;
        row_.push_back(i + 1);
        col_.push_back(a.col[k] + 1);
        val_.push_back(a.val[k]);
      }
    }
    id_.n = a.rows;
    id_.nnz = static_cast<MUMPS_INT8>(val_.size());
    id_.irn = row_.data();
    id_.jcn = col_.data();
    id_.a = val_.data();
  }

  DMUMPS_STRUC_C id_{};
  std::vector<int> row_, col_, place_;
  std::vector<double> val_;
};

struct Singular {};  ///< without pivots that would be raised

/// Throws what an error of the library stands for.
void require_success(const DMUMPS_STRUC_C& id) {
  const int ended = id.infog[status];
  if (ended >= 0) return;
  if (ended == -5 || ended == -7 || ended == -13) throw std::bad_alloc();
  if (ended == -19 || ended == -8 || ended == -9) throw TooManyEntries();
  if (ended == -6 || ended == -10) throw Singular();
  throw ArgumentError("the factorisation by " + LibraryFactors::multifrontal() + " failed (error " +
                      std::to_string(ended) + ", " + std::to_string(id.infog[detail_of_status]) +
                      "); use preconditioner ilut");
}

/// Does a job. What may take long gets a thread, so that the caller can leave it alone.
void run(const std::shared_ptr<Instance>& instance, int job, double seconds, const StopRequest& stop) {
  constexpr double soon = 10e-3;
  if (seconds < soon) return instance->call(job, Turn(stop));
  const auto is_left = std::make_shared<std::atomic<bool>>(false);
  std::packaged_task<void()> task([instance, job, is_left] {
    const Turn turn;
    if (!*is_left) instance->call(job, turn);
  });
  std::future<void> over = task.get_future();
  try {
    std::thread(std::move(task)).detach();
  } catch (const std::system_error&) {
    return instance->call(job, Turn(stop));  // the system allows no more threads
  }
  while (over.wait_for(between_looks) != std::future_status::ready) {
    if (!stop.is_made()) continue;
    *is_left = true;
    throw Stopped(factoring_stopped);
  }
}

/// Takes the order with the fewest operations, where nested dissection may save more time than it takes.
void find_order(const std::shared_ptr<Instance>& instance, const CsrView<double>& a, double most_seconds,
                const StopRequest& stop) {
  constexpr double seconds_a_row = 1e-6, seconds_a_row_of_dissection = 8e-6, usual_gain = 0.5, most_gain = 0.9;
  DMUMPS_STRUC_C& id = instance->id();
  run(instance, analyse, seconds_a_row * id.n, stop);
  require_success(id);
  const double first = instance->flops();
  if (id.icntl[ordering] == by_caller || usual_gain * first / flops_a_second < seconds_a_row_of_dissection * id.n ||
      (1 - most_gain) * first / flops_a_second > most_seconds)
    return;
  if (has_nested_dissection) {
    instance->take_order(nested_dissection(symmetric_graph(a.row_ptr, a.col), stop));
  } else {
    id.icntl[ordering] = by_scotch;
  }
  run(instance, analyse, seconds_a_row_of_dissection * id.n, stop);
  if (id.infog[status] >= 0 && instance->flops() <= first) return;
  id.icntl[ordering] = by_minimum_degree;
  run(instance, analyse, seconds_a_row * id.n, stop);
  require_success(id);
}

/// Makes the factors, with more room where pivots that come late need that.
void make_factors(const std::shared_ptr<Instance>& instance, const StopRequest& stop) {
  constexpr int times = 4;
  DMUMPS_STRUC_C& id = instance->id();
  const int most = id.icntl[most_megabytes], most_tries = most > 0 ? 2 : 5;  // a limit is taken whole at once
  for (int k = 0; k < most_tries; ++k) {
    // The library reserves all that it may take.
    id.icntl[most_megabytes] = k == 0 && id.infog[megabytes_foretold] <= most ? 0 : most;
    run(instance, factor, instance->predicted_seconds(), stop);
    const int ended = id.infog[status];
    const bool lacked_room = ended == -8 || ended == -9 || ended == -14 || ended == -15;
    if (!lacked_room) break;
    id.icntl[room] *= times;
  }
  id.icntl[most_megabytes] = most;
}

/// Whether the first null vector that the library finds is one but for rounding in each row, once it is refined. What
/// is rounding in a row with large entries isn't in another.
bool has_null_vector(const std::shared_ptr<Instance>& instance) {
  constexpr double roundings = 32;
  DMUMPS_STRUC_C& id = instance->id();
  const auto solve = [&](std::vector<double>& v) {
    id.rhs = v.data();
    instance->call(solve_with);
    require_success(id);
  };
  std::vector<double> v(static_cast<std::size_t>(id.n), 0);
  id.icntl[null_vector] = 1;
  solve(v);
  id.icntl[null_vector] = 0;
  std::vector<double> change = instance->product(v).first;
  solve(change);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] -= change[i];
  const auto [left, size] = instance->product(v);
  double largest = 0;
  for (const double x : v) largest = std::max(largest, std::abs(x));
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (!(std::abs(left[i]) <= roundings * std::numeric_limits<double>::epsilon() * size[i] * largest)) return false;
  }
  return largest > 0;
}

/// Looks at pivots that were taken for 0. Where A isn't singular, makes the factors again, in which they stay as they
/// are.
void check_null_pivots(const std::shared_ptr<Instance>& instance, const StopRequest& stop) {
  DMUMPS_STRUC_C& id = instance->id();
  if (id.infog[nulls_found] == 0 || has_null_vector(instance)) return;
  id.cntl[null_pivot] = -std::numeric_limits<double>::min();  // not of ||A||, which a single large row may make
  make_factors(instance, stop);
  require_success(id);
}

void refuse_slow(double seconds, double most) {
  char text[160];
  std::snprintf(text, sizeof text,
                "complete factors are predicted to take %.2g s, longer than %.2g s; use preconditioner ilut", seconds,
                most);
  throw SlowFactors(text);
}

/// Makes the factors of a matrix whose order was found.
void factor_ordered(const std::shared_ptr<Instance>& instance, const LibraryFactorOptions& options,
                    const FactorMemory& memory, const StopRequest& stop) {
  DMUMPS_STRUC_C& id = instance->id();
  const Offset entries = Instance::counted(id.infog[entries_foretold]);
  const bool too_many = entries > memory.most_entries;
  memory.announce(entries, too_many ? Certainty::at_least : Certainty::rough);
  if (too_many) throw TooManyEntries();
  if (instance->predicted_seconds() > options.most_seconds)
    refuse_slow(instance->predicted_seconds(), options.most_seconds);
  // With what is taken while they are made: the fronts of L D L^T are whole, too.
  const double bytes_an_entry = options.kind == LibraryFactorOptions::Kind::general ? 12 : 24;
  constexpr double no_limit = 1e6;  // in megabytes
  const double megabytes = static_cast<double>(memory.most_entries) * bytes_an_entry / 1e6;
  id.icntl[most_megabytes] = megabytes < no_limit ? static_cast<int>(std::ceil(megabytes)) : 0;
  make_factors(instance, stop);
  const bool shows_singular = id.infog[status] == -6 || id.infog[status] == -10 || id.infog[nulls_found] > 0;
  if (options.kind == LibraryFactorOptions::Kind::definite && (shows_singular || id.infog[negative_found] > 0))
    detail::throw_not_definite();
  require_success(id);
  check_null_pivots(instance, stop);
  if (Instance::counted(id.infog[entries_made]) > memory.most_entries) throw TooManyEntries();  // pivots that came late
}

class Mumps final : public FactorsInLibrary {
 public:
  explicit Mumps(std::shared_ptr<Instance> instance) : instance_(std::move(instance)) {}

  std::string library() const override { return "MUMPS " MUMPS_VERSION; }
  std::size_t rows() const override { return static_cast<std::size_t>(instance_->id().n); }
  std::size_t bytes() const override {
    const DMUMPS_STRUC_C& id = instance_->id();  // numbers and indices of the factors
    return static_cast<std::size_t>(Instance::counted(id.infog[numbers_kept])) * sizeof(double) +
           static_cast<std::size_t>(Instance::counted(id.infog[indices_kept])) * sizeof(int);
  }
  Offset nonzeros() const override { return instance_->entries(instance_->id().infog[entries_made]); }
  Index null_pivots() const override { return instance_->id().infog[nulls_found]; }
  Index negative_pivots() const override {
    return instance_->id().sym == 0 ? 0 : instance_->id().infog[negative_found];
  }
  std::vector<Index> order() const override {
    const DMUMPS_STRUC_C& id = instance_->id();
    if (id.infog[columns_permuted] != 0) return {};  // with an order that is given, there is no matching
    std::vector<Index> rows(static_cast<std::size_t>(id.n));
    for (int i = 0; i < id.n; ++i) rows[static_cast<std::size_t>(id.sym_perm[i]) - 1] = i;
    return rows;
  }

  void solve(std::span<double> x, bool of_transpose) override {
    DMUMPS_STRUC_C& id = instance_->id();
    id.rhs = x.data();
    id.icntl[transposed] = of_transpose ? 0 : 1;
    instance_->call(solve_with);
    require_success(id);
  }

 private:
  std::shared_ptr<Instance> instance_;
};

}  // namespace

std::string LibraryFactors::multifrontal() {
  return library_in_use().call != nullptr && !was_left_within ? "MUMPS " MUMPS_VERSION : "";
}

std::unique_ptr<FactorsInLibrary> detail::factor_by_mumps(const CsrView<double>& a, const LibraryFactorOptions& options,
                                                          const FactorMemory& memory, const StopRequest& stop) {
  constexpr double fewest_flops_a_row = 200;
  const std::shared_ptr<Instance> instance(new Instance(a, options, stop), Instance::leave);
  try {
    find_order(instance, a, options.most_seconds, stop);
    if (instance->flops() < fewest_flops_a_row * a.rows) return nullptr;
    factor_ordered(instance, options, memory, stop);
    instance->forget_matrix();
  } catch (const Singular&) {
    return nullptr;  // others raise pivots
  }
  return std::make_unique<Mumps>(instance);
}

}  // namespace ostinato
