// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/strategy/solver_on_device.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/gpu_context.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/stencil/stencil_operator.hpp>
#include <ostinato/strategy/linear_solver.hpp>
#include <ostinato/strategy/solve.hpp>

namespace ostinato {

namespace detail {

/// A LinearSolver of any space, for blocks in host memory or in that of the space.
template <class T>
class SolverSomewhere {
 public:
  virtual ~SolverSomewhere() = default;
  virtual std::size_t rows() const = 0;
  virtual std::size_t cols() const = 0;
  virtual std::vector<SolveResult> solve(Block<const T> b, Block<T> x, const SolveOptions& options) = 0;
  virtual void update_values(Csr<T>&& a) = 0;
  virtual void update_values(const CsrView<T>& a, OnSpace) = 0;
  virtual void precondition(Block<const T> r, Block<T> z, const SolveOptions& options) const = 0;
  virtual const SetUp& set_up() const = 0;
  virtual const LinearSolverOptions& options() const = 0;
};

namespace {

/// -1: the CPU.
template <class Space>
int gpu_of(const Space& space) {
  if constexpr (is_cuda<Space>) return space.device();
  return -1;
}

/// Whether a solver of a space uses memory as it is; false for host memory where the space is a GPU.
/// Throws    ArgumentError for the memory of another GPU.
template <class Space>
bool is_of_space(const Space& space, const void* p, const std::string& what) {
  const int there = gpu_of_memory(p), here = gpu_of(space);
  if (there == here) return true;
  if (there < 0) return false;
  const std::string gpu = std::to_string(there);
  throw ArgumentError(what + " is in the memory of GPU " + gpu + ", but the solver works on " +
                      (here < 0 ? "the CPU" : "GPU " + std::to_string(here)) +
                      "; copy it there, or set up a solver on " + "device \"cuda:" + gpu + "\"");
}

/// A block in the memory of a space: itself where it is there, else a copy.
template <class Space, class T>
class OnSpaceBlock {
 public:
  template <class Value>
  OnSpaceBlock(const Space& space, const Block<Value>& given, const char* name) {
    if (is_of_space(space, given.data, name)) {
      block_ = {const_cast<T*>(given.data), given.rows, given.columns, given.stride};
    } else {
      copy_.emplace(space, given.rows * static_cast<std::size_t>(given.columns));
      block_ = {copy_->data(), given.rows, given.columns, given.rows};
      for (int k = 0; k < given.columns; ++k)
        if (given.rows > 0) space.upload(block_.column(k).data(), given.column(k).data(), given.rows * sizeof(T));
    }
  }

  const Block<T>& block() const { return block_; }

  /// Waits: what a solve does last to a block, as to give rows their numbers back, may only be enqueued.
  void download(const Space& space, const Block<T>& to) const {
    if (!copy_) return space.wait();
    for (int k = 0; k < to.columns; ++k)
      if (to.rows > 0) space.download(to.column(k).data(), block_.column(k).data(), to.rows * sizeof(T));
  }

 private:
  Block<T> block_;
  std::optional<Vector<Space, T>> copy_;
};

/// Of arrays in the memory of the space.
template <class Space, class T>
Analysis<Space, T> analysis_of_copy(const Space& space, const CsrView<T>& a) {
  const SpaceCsr<Space, T> given(space, a, on_space);
  const auto copy = std::make_shared<CsrStorage<Space, T>>(
      CsrStorage<Space, T>{a.rows, a.cols, Vector<Space, Offset>(space, a.row_ptr.size()),
                           Vector<Space, Index>(space, a.col.size()), Vector<Space, T>(space, a.val.size())});
  space.copy(copy->row_ptr.data(), a.row_ptr.data(), copy->row_ptr.bytes());
  space.copy(copy->col.data(), a.col.data(), copy->col.bytes());
  space.copy(copy->val.data(), a.val.data(), copy->val.bytes());
  return Analysis<Space, T>(space, SpaceCsr<Space, T>(copy));
}

template <class Space, class T>
class SolverOnSpace final : public SolverSomewhere<T> {
 public:
  template <class Given>
  SolverOnSpace(const Space& space, Given&& given, LinearSolverOptions options)
      : space_(space), solver_(space, std::forward<Given>(given), std::move(options)) {}
  SolverOnSpace(const Space& space, const CsrView<T>& a, OnSpace, LinearSolverOptions options)
      : space_(space), solver_(Analysis<Space, T>(space, SpaceCsr<Space, T>(space, a, on_space)), std::move(options)) {}

  std::size_t rows() const override { return solver_.matrix().rows(); }
  std::size_t cols() const override { return solver_.matrix().cols(); }

  std::vector<SolveResult> solve(Block<const T> b, Block<T> x, const SolveOptions& options) override {
    const OnSpaceBlock<Space, T> right(space_, b, "b"), guess(space_, x, "x");
    std::vector<SolveResult> results;
    try {
      if (b.columns == 1) {
        results.push_back(solver_.solve(right.block().column(0), guess.block().column(0), options));
      } else {
        results = solver_.solve_columns(right.block(), guess.block(), options);
      }
    } catch (const DeviceError&) {  // of a lack of memory, say; what is enqueued may still write to x
      try {
        space_.wait();
      } catch (const DeviceError&) {
      }
      throw;
    } catch (...) {
      guess.download(space_, x);  // what the callback throws leaves the iterate so far
      throw;
    }
    guess.download(space_, x);
    return results;
  }

  void update_values(Csr<T>&& a) override { solver_.update_values(std::move(a)); }

  void update_values(const CsrView<T>& a, OnSpace) override {
    (void)is_of_space(space_, a.row_ptr.data(), "A");
    solver_.update_values(analysis_of_copy(space_, a));
  }

  void precondition(Block<const T> r, Block<T> z, const SolveOptions& options) const override {
    const OnSpaceBlock<Space, T> from(space_, r, "r"), to(space_, z, "z");
    solver_.as_preconditioner(options).apply(from.block(), to.block());
    to.download(space_, z);
  }

  const SetUp& set_up() const override { return solver_.set_up(); }
  const LinearSolverOptions& options() const override { return solver_.options(); }

 private:
  Space space_;
  LinearSolver<Space, T> solver_;
};

}  // namespace

}  // namespace detail

template <class T>
template <class Make>
void SolverOnDevice<T>::make(const SystemSize& size, LinearSolverOptions options, Make&& solver_on) {
  const Stopwatch watch;
  const Host host;
  const DeviceChoice choice = choose_device(options.device, size, host, has_gpu_context());
  const auto open = [&] { return Cuda(choice.gpu); };
  options.device = "auto";
  solver_ = with_device(choice, host, open, [&](const auto& space) -> std::unique_ptr<detail::SolverSomewhere<T>> {
    device_ = space.description();
    return solver_on(space, std::move(options));
  });
  predicted_ = choice.predicted;
  seconds_ = watch.seconds();
}

template <class T>
SolverOnDevice<T>::SolverOnDevice(Csr<T>&& a, LinearSolverOptions options) {
  make(size_of(a.view()), std::move(options), [&]<class Space>(const Space& space, LinearSolverOptions o) {
    return std::make_unique<detail::SolverOnSpace<Space, T>>(space, std::move(a), std::move(o));
  });
}

template <class T>
SolverOnDevice<T>::SolverOnDevice(const CsrView<T>& a, LinearSolverOptions options) {
  make(size_of(a), std::move(options), [&]<class Space>(const Space& space, LinearSolverOptions o) {
    return std::make_unique<detail::SolverOnSpace<Space, T>>(space, a, std::move(o));
  });
}

template <class T>
SolverOnDevice<T>::SolverOnDevice(const CsrView<T>& a, OnSpace, LinearSolverOptions options) {
  const std::string device = lower(options.device);
  if (device == "cpu")
    throw ArgumentError("device cpu: A is in the memory of a GPU; copy it to the host, or use \"auto\" or \"cuda\"");
  const int gpu = gpu_of_memory(a.row_ptr.data());  // -1: managed memory, or host memory, which SpaceCsr refuses
  if (device == "auto" || device == "cuda") options.device = gpu < 0 ? "cuda" : "cuda:" + std::to_string(gpu);
  make(size_of(a), std::move(options), [&]<class Space>(const Space& space, LinearSolverOptions o) {
    (void)detail::is_of_space(space, a.row_ptr.data(), "A");
    return std::make_unique<detail::SolverOnSpace<Space, T>>(space, a, on_space, std::move(o));
  });
}

template <class T>
SolverOnDevice<T>::SolverOnDevice(const Stencil& a, LinearSolverOptions options) {
  const Extents& e = a.extents;
  const SystemSize size{static_cast<double>(e.x) * e.y * e.z, 0, sizeof(T)};
  make(size, std::move(options), [&]<class Space>(const Space& space, LinearSolverOptions o) {
    return std::make_unique<detail::SolverOnSpace<Space, T>>(space, StencilOperator<Space, T>(space, a), std::move(o));
  });
}

template <class T>
SolverOnDevice<T>::SolverOnDevice(std::shared_ptr<const LinearMap<Host, T>> a, LinearSolverOptions options)
    : map_(std::move(a)) {
  if (const std::string why = why_no_device(options.device); !why.empty()) throw ArgumentError("device: " + why);
  if (options.device != "auto" && options.device != "cpu")
    throw ArgumentError("device " + options.device + ": A is an operator of the CPU; known: auto, cpu");
  const Stopwatch watch;
  const Host host;
  device_ = host.description();
  if (const auto* const matrix = dynamic_cast<const Operator<Host, T>*>(map_.get()))
    solver_ = std::make_unique<detail::SolverOnSpace<Host, T>>(host, *matrix, std::move(options));
  else
    solver_ = std::make_unique<detail::SolverOnSpace<Host, T>>(host, *map_, std::move(options));
  seconds_ = watch.seconds();
}

template <class T>
SolverOnDevice<T>::SolverOnDevice(SolverOnDevice&&) noexcept = default;
template <class T>
SolverOnDevice<T>& SolverOnDevice<T>::operator=(SolverOnDevice&&) noexcept = default;
template <class T>
SolverOnDevice<T>::~SolverOnDevice() = default;

template <class T>
std::size_t SolverOnDevice<T>::rows() const {
  return solver_->rows();
}

template <class T>
std::size_t SolverOnDevice<T>::cols() const {
  return solver_->cols();
}

template <class T>
void SolverOnDevice<T>::require_shapes(const Block<const T>& b, const Block<T>& x) const {
  const auto text = [](std::size_t rows, std::size_t cols) {
    return std::to_string(rows) + " x " + std::to_string(cols);
  };
  if (b.rows == rows() && x.rows == cols() && b.columns == x.columns) return;
  throw DimensionError("solve: A is " + text(rows(), cols()) + ", but b is " +
                       text(b.rows, static_cast<std::size_t>(b.columns)) + " and x " +
                       text(x.rows, static_cast<std::size_t>(x.columns)));
}

template <class T>
std::vector<SolveResult> SolverOnDevice<T>::solve(Block<const T> b, Block<T> x, const SolveOptions& options) {
  require_shapes(b, x);
  return solver_->solve(b, x, options);
}

template <class T>
std::vector<SolveResult> SolverOnDevice<T>::solve_once(Block<const T> b, Block<T> x) {
  SolveOptions left = options().solve;
  const double limit = left.time_limit;
  if (limit > 0) left.time_limit = std::max(1e-9, limit - seconds_);
  std::vector<SolveResult> results = solve(b, x, left);
  for (SolveResult& r : results) r = detail::with_whole_limit(std::move(r), set_up(), limit);
  return results;
}

template <class T>
void SolverOnDevice<T>::update_values(Csr<T>&& a) {
  solver_->update_values(std::move(a));
}

template <class T>
void SolverOnDevice<T>::update_values(const CsrView<T>& a, OnSpace) {
  solver_->update_values(a, on_space);
}

template <class T>
void SolverOnDevice<T>::precondition(Block<const T> r, Block<T> z, const SolveOptions& options) const {
  require_shapes(r, z);
  solver_->precondition(r, z, options);
}

template <class T>
const SetUp& SolverOnDevice<T>::set_up() const {
  return solver_->set_up();
}

template <class T>
const LinearSolverOptions& SolverOnDevice<T>::options() const {
  return solver_->options();
}

#define OSTINATO_INSTANTIATE(T) template class SolverOnDevice<T>
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato
