// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <ostinato/preconditioners/contract/memory_budget.hpp>
#include <ostinato/preconditioners/contract/preconditioner.hpp>
#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

namespace ostinato {

/// The names that LeastSquaresPreconditioner takes beside "auto".
std::span<const std::string_view> least_squares_preconditioner_names();

/// Throws    ArgumentError for a text that LeastSquaresPreconditioner doesn't take, naming what serves.
void check_least_squares_preconditioner(std::string_view text);

/// A preconditioner for LSMR: M is of A^T A, or of A A^T where A has more columns than rows. There, x stays the
/// solution of the smallest norm, and A x = b is supposed to have one. The columns of A (or the rows) are scaled to
/// norm 1 first: M = D K D, where D holds their norms, and K is of the scaled product, whose diagonal is 1.
///   none      no preconditioner
///   jacobi    K = 1: columns of norm 1
///   ic0, ict, cholesky
///             K from the factors of the product, which is made for that; with their options, as "ict:drop=1e-4"
///   auto      none where the norms differ by less than a factor of 2, else jacobi; stronger() goes on with cholesky,
///             or with ict where its factors are too large
/// A column of zeros keeps its x. Factors are of K plus a shift: eps^0.7, and more where the pivots want that.
///
/// Memory    2 sizeof(T) a column, and what the factors take; the product while they are made.
/// Exec      The constructor transposes A where it needs the columns, and waits. apply is enqueued; one thread at a
///           time applies an object.
/// Throws    ArgumentError for an unknown name, or options that can't be; MemoryLimitError where the product is known
///           to have more entries than there is room for, naming the row that makes it dense, and as the factors;
///           Stopped once `stop` is made.
template <class Space, class T>
class LeastSquaresPreconditioner : public PreconditionerStep<Space, T> {
 public:
  explicit LeastSquaresPreconditioner(const Analysis<Space, T>& analysis, std::string_view name = "auto",
                                      const StopRequest& stop = {}, std::size_t mem_limit = 0);
  /// By a value of an options struct: {"ict", IctKind::Options{.drop = 1e-4}}.
  LeastSquaresPreconditioner(const Analysis<Space, T>& analysis, PreconditionerRequest asked,
                             const StopRequest& stop = {}, std::size_t mem_limit = 0);

  std::string name() const override { return choice_.name; }
  const std::string& reason() const { return choice_.reason; }
  std::string remarks() const override { return remarks_; }  ///< of what the factors are; empty without any
  std::size_t rows() const override { return inverse_norms_.size(); }
  std::size_t bytes() const override;
  const std::optional<MemoryPrediction>& prediction() const { return prediction_; }
  bool is_identity() const override { return is_none_; }
  bool capturable() const override { return factors_ == nullptr || factors_->capturable(); }
  double seconds() const override { return factors_ == nullptr ? 0 : factors_->seconds(); }
  bool works_in_float() const override { return factors_ != nullptr && factors_->works_in_float(); }
  bool equals_transpose() const override { return true; }
  bool for_least_squares() const override { return true; }
  bool is_complete() const override { return choice_.name == "cholesky"; }

  void apply(Block<const T> r, Block<T> z) const override;

  /// Complete factors of the product, of at most 100 times its entries unless options.thorough, or incomplete ones
  /// where these can't be made. Null where there is nothing else, as where this one was asked for by name in
  /// `refused` those that couldn't be made. Made once.
  const LeastSquaresPreconditioner* stronger(const StrongerOptions& options,
                                             std::vector<Refusal>& refused) const override;
  /// Predicted from the lengths of the rows. 0 where there is nothing else.
  double stronger_seconds() const override;

 private:
  using Base = PreconditionerBase<Space, T>;
  explicit LeastSquaresPreconditioner(const Space& space) : PreconditionerStep<Space, T>(space) {}
  void find_norms(const Analysis<Space, T>& analysis);
  void factor(const Analysis<Space, T>& analysis, const StopRequest& stop);
  std::unique_ptr<LeastSquaresPreconditioner> made(const Analysis<Space, T>& analysis, std::string_view name,
                                                   std::any options, const StopRequest& stop) const;

  using Base::space_;
  PreconditionerChoice choice_;
  std::any options_;  ///< of the factors
  std::string remarks_;
  bool is_none_ = false, of_rows_ = false;
  double least_norm_ = 0, most_norm_ = 0;  ///< of the columns, or rows, that aren't 0
  Vector<Space, T> inverse_norms_;         ///< 0 for a column of zeros
  mutable Vector<Space, T> room_;
  std::unique_ptr<Base> factors_;
  std::size_t mem_limit_ = 0, taken_ = 0;
  std::optional<MemoryPrediction> prediction_;
  std::optional<Analysis<Space, T>> analysis_;  ///< for stronger(); empty where there is nothing else
  double stronger_seconds_ = 0;
  mutable std::unique_ptr<LeastSquaresPreconditioner> stronger_;
};

template <class Space, class T>
LeastSquaresPreconditioner(const Analysis<Space, T>&) -> LeastSquaresPreconditioner<Space, T>;
template <class Space, class T>
LeastSquaresPreconditioner(const Analysis<Space, T>&, const char*) -> LeastSquaresPreconditioner<Space, T>;

OSTINATO_EXTERN_CLASS(LeastSquaresPreconditioner);

}  // namespace ostinato
