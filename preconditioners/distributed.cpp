// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/distributed.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/block_jacobi.hpp>
#include <ostinato/preconditioners/chebyshev_coefficients.hpp>
#include <ostinato/preconditioners/chebyshev_steps.hpp>
#include <ostinato/preconditioners/fsai/distributed_fsai.hpp>
#include <ostinato/preconditioners/fsai/fsai.hpp>
#include <ostinato/preconditioners/list.hpp>
#include <ostinato/preconditioners/multigrid/distributed_multigrid.hpp>
#include <ostinato/preconditioners/multigrid/slab_multigrid.hpp>
#include <ostinato/preconditioners/spai0_steps.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/row_numbers.hpp>
#include <ostinato/spmv/space/distributed.hpp>
#include <ostinato/spmv/space/host_beside.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps_definition.hpp>

namespace ostinato {

namespace {

constexpr std::array of_ranks = {"ssor", "ilu0", "iluk", "ilut", "ic0", "ict", "lu", "cholesky"};

template <class Local, class T>
using Base = PreconditionerBase<Distributed<Local>, T>;

template <class T>
T diagonal_of(const CsrView<T>& a, Index row, Index column) {
  const auto first = a.col.begin() + a.row_ptr[static_cast<std::size_t>(row)],
             last = a.col.begin() + a.row_ptr[static_cast<std::size_t>(row) + 1];
  const auto at = std::lower_bound(first, last, column);
  return at == last || *at != column ? T{0} : a.val[static_cast<std::size_t>(at - a.col.begin())];
}

/// 1 / d of the diagonal entry of a row; 1 / |d| where A is symmetric.
template <class T>
T inverse_of(T diagonal, bool is_symmetric, Index row, std::string_view name) {
  const T value = T{1} / (is_symmetric ? std::abs(diagonal) : diagonal);
  if (!std::isfinite(value) || value == 0)
    throw ArgumentError(std::string(name) + ": " + row_text(static_cast<std::size_t>(row)) +
                        " has no diagonal entry that can be divided by; use none");
  return value;
}

/// inverse_of() all rows of this rank.
template <class Local, class T>
Vector<Local, T> inverse_diagonal(const DistributedOperator<Local, T>& a, const CsrView<T>& mine,
                                  std::string_view name) {
  const Team& team = a.space().team();
  const Index begin = a.row_parts().begin(team);
  return team.agreed([&] {
    std::vector<T> inverse(static_cast<std::size_t>(mine.rows));
    for (Index i = 0; i < mine.rows; ++i)
      inverse[static_cast<std::size_t>(i)] =
          inverse_of(diagonal_of(mine, i, begin + i), a.facts()->symmetric, begin + i, name);
    return Vector<Local, T>(a.space().local(), std::span<const T>(inverse));
  });
}
template <class Local, class T>
Vector<Local, T> inverse_diagonal(const DistributedStencil<Local, T>& a, std::string_view name) {
  const Team& team = a.space().team();
  const Index begin = a.row_parts().begin(team);
  const bool is_symmetric = a.facts()->symmetric;
  return team.agreed([&] {
    const Local& local = a.space().local();
    if (const auto same = a.constant_diagonal())
      return Vector<Local, T>(local, a.rows(), inverse_of(*same, is_symmetric, begin, name));
    std::vector<T> inverse = a.diagonal();
    for (std::size_t i = 0; i < inverse.size(); ++i)
      inverse[i] = inverse_of(inverse[i], is_symmetric, begin + static_cast<Index>(i), name);
    return Vector<Local, T>(local, std::span<const T>(inverse));
  });
}

/// The largest sum over a row of |A(i, j) / A(i, i)|, of the rows of this rank.
template <class Local, class T>
double largest_row(const CsrView<T>& mine, const Vector<Local, T>& of_diagonal) {
  double largest = 0;
  const auto inverse = of_diagonal.download();
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    double sum = 0;
    for (auto k = static_cast<std::size_t>(mine.row_ptr[i]); k < static_cast<std::size_t>(mine.row_ptr[i + 1]); ++k)
      sum += std::abs(static_cast<double>(mine.val[k]));
    largest = std::max(largest, sum * static_cast<double>(inverse[i]));
  }
  return largest;
}

/// The diagonal of SPAI-0 for the rows of this rank.
template <class Local, class T>
Vector<Local, T> spai0_diagonal(const DistributedOperator<Local, T>& a, const CsrView<T>& mine) {
  const Team& team = a.space().team();
  const Index begin = a.row_parts().begin(team);
  return team.agreed([&] {
    std::vector<T> m(static_cast<std::size_t>(mine.rows));
    const detail::DiagonalOverSquares<T> step{detail::pattern_of(mine), mine.val.data(), m.data(), a.facts()->symmetric,
                                              begin};
    for (std::size_t i = 0; i < m.size(); ++i)
      if (step(i).v[0] > 0)
        throw ArgumentError("spai0: " + row_text(static_cast<std::size_t>(begin) + i) +
                            " has no usable diagonal entry; use none");
    return Vector<Local, T>(a.space().local(), std::span<const T>(m));
  });
}

/// Jacobi, or SPAI-0.
template <class Local, class T>
class DiagonalOfAll final : public Base<Local, T> {
 public:
  DiagonalOfAll(const Distributed<Local>& space, Vector<Local, T> inverse, const char* name)
      : Base<Local, T>(space), inverse_(std::move(inverse)), name_(name) {}

  void apply(Block<const T> r, Block<T> z) const override {
    for (int k = 0; k < z.columns; ++k) multiply<T>(this->space_, inverse_, r.column(k), z.column(k));
  }
  void apply_dot(Block<const T> r, Block<T> z, Slot<T> slots) const override {
    for (int k = 0; k < z.columns; ++k) multiply_dot<T>(this->space_, inverse_, r.column(k), z.column(k), slots + k);
  }
  /// Not null on a rank without rows, too, so that all ranks go the same way; nothing is read there.
  const T* inverse_diagonal() const override { return inverse_.size() > 0 ? inverse_.data() : &unread_; }
  std::size_t rows() const override { return inverse_.size(); }
  std::size_t bytes() const override { return inverse_.bytes(); }
  bool equals_transpose() const override { return true; }
  bool capturable() const override { return true; }
  std::string name() const override { return name_; }

 private:
  Vector<Local, T> inverse_;
  T unread_ = 1;
  const char* name_;
};

template <class Local, class T>
class ChebyshevOfAll final : public Base<Local, T> {
 public:
  using Map = LinearMap<Distributed<Local>, T>;

  /// `largest`: largest_row() of all ranks.
  ChebyshevOfAll(const Map& a, Vector<Local, T> inverse, double largest)
      : Base<Local, T>(a.space()),
        a_(a),
        inverse_(std::move(inverse)),
        residual_(a.space().local(), inverse_.size()),
        direction_(a.space().local(), inverse_.size()) {
    constexpr int degree = 4;
    const Facts& facts = *a.facts();
    if (!facts.symmetric || !(facts.positive_diagonal || facts.negative_diagonal))
      throw ArgumentError("chebyshev: the matrix isn't symmetric with a diagonal of one sign");
    sign_ = facts.negative_diagonal ? -1 : 1;
    steps_ = chebyshev_coefficients(ChebyshevKind::fourth, degree, 0, largest);
  }

  void apply(Block<const T> r, Block<T> z) const override {
    for (int k = 0; k < z.columns; ++k) apply(r.column(k).data(), z.column(k).data());
  }
  std::size_t rows() const override { return inverse_.size(); }
  std::size_t bytes() const override { return 3 * inverse_.bytes(); }
  bool equals_transpose() const override { return true; }
  bool capturable() const override { return a_.capturable(); }
  std::string name() const override { return "chebyshev"; }

 private:
  void apply(const T* r, T* z) const {
    const Local& local = this->space_.local();
    for_each(local, inverse_.size(),
             detail::BeginChebyshev<T>{static_cast<T>(steps_[0].add), inverse_.data(), r, residual_.data(),
                                       direction_.data(), z});
    for (std::size_t k = 1; k < steps_.size(); ++k) {
      a_.apply(static_cast<T>(-sign_), direction_.span(), T{1}, residual_.span());
      for_each(local, inverse_.size(),
               detail::ChebyshevStep<T>{static_cast<T>(steps_[k].keep), static_cast<T>(steps_[k].add), inverse_.data(),
                                        residual_.data(), direction_.data(), z});
    }
  }

  const Map& a_;
  Vector<Local, T> inverse_;
  mutable Vector<Local, T> residual_, direction_;
  double sign_ = 1;
  std::vector<ChebyshevCoefficients> steps_;
};

/// Does a step of set-up that counts rows from the first one of this rank: its errors name those of the whole matrix.
template <class Local, class T, class Step>
void with_rows_of_all(const DistributedOperator<Local, T>& a, Step step) {
  const Team& team = a.space().team();
  const auto begin = static_cast<std::size_t>(a.row_parts().begin(team));
  team.agreed([&] {
    try {
      step();
    } catch (const MemoryLimitError&) {
      throw;
    } catch (const ArgumentError& e) {
      throw ArgumentError(with_row_numbers(e.what(), [begin](std::size_t row) { return begin + row; }));
    }
  });
}

/// jacobi, spai0 or chebyshev; null for another name.
template <class Local, class T>
std::unique_ptr<Base<Local, T>> of_diagonal(const DistributedOperator<Local, T>& a, const CsrView<T>& mine,
                                            const std::string& name) {
  const auto by = [&](Vector<Local, T> inverse, const char* as) {
    return std::make_unique<DiagonalOfAll<Local, T>>(a.space(), std::move(inverse), as);
  };
  if (name == "jacobi") return by(inverse_diagonal(a, mine, "jacobi"), "jacobi");
  if (name == "spai0") return by(spai0_diagonal(a, mine), "spai0");
  if (name != "chebyshev") return nullptr;
  auto inverse = inverse_diagonal(a, mine, name);
  const double largest = a.space().team().most(largest_row(mine, inverse));
  return std::make_unique<ChebyshevOfAll<Local, T>>(a, std::move(inverse), largest);
}

/// Blocks that end at multiples of Partition::block, so that all ranks together have those of one rank.
template <class Local, class T>
class BlockJacobiOfAll final : public Base<Local, T> {
 public:
  BlockJacobiOfAll(const DistributedOperator<Local, T>& a, const CsrView<T>& mine, std::string_view options)
      : Base<Local, T>(a.space()) {
    const Team& team = a.space().team();
    const BlockJacobiOptions how = BlockJacobi<Local, T>::parse_options(options);
    if (!a.facts()->finite) throw ArgumentError("block-jacobi: the matrix holds NaN or infinity");
    with_rows_of_all(a, [&] {
      const Analysis<Local, T> analysis(a.space().local(), own_block(team, a.row_parts(), mine));
      blocks_ = std::make_unique<BlockJacobi<Local, T>>(
          analysis, block_begins(host_beside(a.space().local()), mine.row_ptr, mine.col, how, Partition::block),
          *a.facts());
    });
  }

  void apply(Block<const T> r, Block<T> z) const override {
    for (int k = 0; k < z.columns; ++k) blocks_->apply(r.column(k), z.column(k));
  }
  std::size_t rows() const override { return blocks_->rows(); }
  std::size_t bytes() const override { return blocks_->bytes(); }
  bool capturable() const override { return true; }
  std::string name() const override { return "block-jacobi"; }

 private:
  std::unique_ptr<BlockJacobi<Local, T>> blocks_;
};

/// A preconditioner of each rank's own rows and columns.
template <class Local, class T>
class AdditiveSchwarz final : public Base<Local, T> {
 public:
  AdditiveSchwarz(const DistributedOperator<Local, T>& a, const CsrView<T>& mine, const std::string& name,
                  std::string_view options, const StopRequest& stop, std::size_t mem_limit)
      : Base<Local, T>(a.space()), rows_(static_cast<std::size_t>(mine.rows)), name_(name) {
    const Team& team = a.space().team();
    with_rows_of_all(a, [&] {
      const PreconditionerEntry<Local, T>& entry = *find_preconditioner<Local, T>(name);
      const std::any parsed = entry.parse(options);
      if (rows_ == 0) return;
      const Analysis<Local, T> analysis(a.space().local(), own_block(team, a.row_parts(), mine));
      if (const std::string why = entry.why_not(analysis.structure()); !why.empty())
        throw ArgumentError(name + ": " + why);
      inner_ = entry.build(analysis, parsed, stop, MemoryBudget(a.space().local(), name, mem_limit));
    });
    const auto any = [&](bool (PreconditionerBase<Local, T>::*of)() const, bool without) {
      const bool here = inner_ == nullptr ? without : (*inner_.*of)();
      return team.most(here ? 1 : 0) == 1;
    };
    using Inner = PreconditionerBase<Local, T>;
    varies_ = any(&Inner::varies, false);
    in_float_ = any(&Inner::works_in_float, false);
    capturable_ = team.least(inner_ == nullptr || inner_->capturable() ? 1 : 0) == 1;
    symmetric_ = team.least(inner_ == nullptr || inner_->symmetric() ? 1 : 0) == 1;
    equals_transpose_ = team.least(inner_ == nullptr || inner_->equals_transpose() ? 1 : 0) == 1;
    if (team.size() > 1) name_ += " of each rank";
  }

  void apply(Block<const T> r, Block<T> z) const override {
    if (inner_ != nullptr) inner_->apply(r, z);
  }
  std::size_t rows() const override { return rows_; }
  std::size_t bytes() const override { return inner_ == nullptr ? 0 : inner_->bytes(); }
  bool varies() const override { return varies_; }
  bool works_in_float() const override { return in_float_; }
  bool symmetric() const override { return symmetric_; }
  bool equals_transpose() const override { return equals_transpose_; }
  bool capturable() const override { return capturable_; }
  std::string name() const override { return name_; }

 private:
  std::size_t rows_;
  std::string name_;
  std::unique_ptr<PreconditionerBase<Local, T>> inner_;
  bool varies_ = false, in_float_ = false, symmetric_ = true, equals_transpose_ = true, capturable_ = true;
};

}  // namespace

std::string distributed_preconditioner_names() {
  std::string names = "none, jacobi, spai0, chebyshev, block-jacobi, fsai, multigrid";
  for (const char* const name : of_ranks) names += std::string(", ") + name;
  return names;
}

template <class Local, class T>
std::unique_ptr<PreconditionerBase<Distributed<Local>, T>> distributed_preconditioner(
    const DistributedOperator<Local, T>& a, const CsrView<T>& mine, std::string_view name, std::string_view options,
    const StopRequest& stop, std::size_t mem_limit) {
  const std::string given(name);
  if (a.row_parts() != a.column_parts() && given != "none")
    throw ArgumentError(given + ": needs a square matrix; with ranks, least squares problems take none");
  const bool is_of_all = given == "none" || given == "jacobi" || given == "spai0" || given == "chebyshev";
  if (is_of_all && !options.empty()) throw ArgumentError(given + " takes no options with ranks");
  if (given == "none") return nullptr;
  const MemoryBudget memory(a.space().local(), given, mem_limit);
  const auto within = [&](auto made) -> std::unique_ptr<PreconditionerBase<Distributed<Local>, T>> {
    a.space().team().agreed([&] { memory.confirm(made->bytes()); });
    return made;
  };
  if (auto by_diagonal = of_diagonal(a, mine, given)) return within(std::move(by_diagonal));
  if (given == "block-jacobi") return within(std::make_unique<BlockJacobiOfAll<Local, T>>(a, mine, options));
  if (given == "fsai")
    return within(std::make_unique<DistributedFsai<Local, T>>(a, mine, Fsai<Local, T>::parse_options(options)));
  if (given == "multigrid") {
    const MultigridOptions how = Multigrid<Local, T>::parse_options(options);
    if (auto slabs = SlabMultigrid<Local, T>::make(a, mine, how, stop, memory)) return within(std::move(slabs));
    return DistributedMultigrid<Local, T>::make(a, mine, how, stop, memory);
  }
  if (std::find(of_ranks.begin(), of_ranks.end(), given) == of_ranks.end())
    throw ArgumentError("with ranks there is no preconditioner '" + given + "'; there are " +
                        distributed_preconditioner_names());
  return std::make_unique<AdditiveSchwarz<Local, T>>(a, mine, given, options, stop, mem_limit);
}

template <class Local, class T>
std::unique_ptr<PreconditionerBase<Distributed<Local>, T>> distributed_preconditioner(
    const DistributedStencil<Local, T>& a, std::string_view name, std::string_view options, const StopRequest& stop,
    std::size_t mem_limit) {
  const std::string given(name);
  if (given != "multigrid" && !options.empty()) throw ArgumentError(given + " takes no options with ranks");
  if (given == "none") return nullptr;
  const MemoryBudget memory(a.space().local(), given, mem_limit);
  std::unique_ptr<PreconditionerBase<Distributed<Local>, T>> made;
  if (given == "jacobi") {
    made = std::make_unique<DiagonalOfAll<Local, T>>(a.space(), inverse_diagonal(a, given), "jacobi");
  } else if (given == "chebyshev") {
    made = std::make_unique<ChebyshevOfAll<Local, T>>(a, inverse_diagonal(a, given), a.largest_row());
  } else if (given == "multigrid") {
    made = SlabMultigrid<Local, T>::make(a, Multigrid<Local, T>::parse_options(options), stop, memory);
    if (made == nullptr)
      throw ArgumentError(
          "multigrid: ranks take a stencil of constant coefficients with a positive diagonal, in two or three "
          "dimensions without periodic axes and with more than 8192 points; use chebyshev");
  } else {
    throw ArgumentError("with ranks a stencil has no preconditioner '" + given + "'; there are none, jacobi, " +
                        "chebyshev, multigrid");
  }
  a.space().team().agreed([&] { memory.confirm(made->bytes()); });
  return made;
}

#define OSTINATO_INSTANTIATE(Space, T)                                                                                 \
  template std::unique_ptr<PreconditionerBase<Distributed<Space>, T>> distributed_preconditioner(                      \
      const DistributedStencil<Space, T>&, std::string_view, std::string_view, const StopRequest&, std::size_t);       \
  template std::unique_ptr<PreconditionerBase<Distributed<Space>, T>> distributed_preconditioner(                      \
      const DistributedOperator<Space, T>&, const CsrView<T>&, std::string_view, std::string_view, const StopRequest&, \
      std::size_t)
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE);

}  // namespace ostinato
