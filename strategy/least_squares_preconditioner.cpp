// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/strategy/least_squares_preconditioner.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/ilu/cholesky.hpp>
#include <ostinato/preconditioners/ilu/incomplete_lu.hpp>
#include <ostinato/preconditioners/list.hpp>
#include <ostinato/preconditioners/synonyms.hpp>
#include <ostinato/spmv/algebra/norms.hpp>
#include <ostinato/spmv/algebra/product.hpp>
#include <ostinato/spmv/algebra/scale.hpp>
#include <ostinato/spmv/algebra/sum.hpp>
#include <ostinato/spmv/algebra/transpose.hpp>
#include <ostinato/spmv/base/count_text.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

namespace {

constexpr std::array<std::string_view, 5> all_names = {"none", "jacobi", "ic0", "ict", "cholesky"};

bool is_named(std::string_view name) { return std::find(all_names.begin(), all_names.end(), name) != all_names.end(); }

/// Whether it has factors of the product.
bool has_factors(std::string_view name) { return is_named(name) && name != "none" && name != "jacobi"; }

/// The row of most entries.
struct LongestRow {
  std::size_t row = 0;
  Offset entries = 0;
};

template <class Space, class T>
LongestRow longest_row(const Space& space, const CsrView<T>& a) {
  std::vector<Offset> row_ptr(a.row_ptr.size());
  space.download(row_ptr.data(), a.row_ptr.data(), a.row_ptr.size_bytes());
  LongestRow longest;
  for (std::size_t i = 0; i + 1 < row_ptr.size(); ++i) {
    const Offset entries = row_ptr[i + 1] - row_ptr[i];
    if (entries > longest.entries) longest = {i, entries};
  }
  return longest;
}

/// The identity times s, in the memory of the space.
template <class Space, class T>
SpaceCsr<Space, T> identity(const Space& space, Index n) {
  Csr<T> one{n, n, Array<Offset>(static_cast<std::size_t>(n) + 1), Array<Index>(static_cast<std::size_t>(n)),
             Array<T>(static_cast<std::size_t>(n))};
  for (std::size_t i = 0; i <= static_cast<std::size_t>(n); ++i) one.row_ptr[i] = static_cast<Offset>(i);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    one.col[i] = static_cast<Index>(i);
    one.val[i] = T{1};
  }
  return SpaceCsr<Space, T>(space, std::move(one));
}

/// Large enough that columns which depend on each other up to rounding count for nothing, and small enough that others
/// take few iterations: about 1e-11 in double precision.
template <class T>
double least_shift() {
  return std::pow(static_cast<double>(std::numeric_limits<T>::epsilon()), 0.7);
}

const char* product_name(bool of_rows) { return of_rows ? "A A^T" : "A^T A"; }

/// Predicted time of the product and of complete factors, from the lengths of rows.
/// Model     Product: 4 ns a term. Factors: those of a full matrix, at 1 ns a multiplication, or by the entries, as for
///           other matrices (rungs.hpp), whichever is less. Two cores of an AMD EPYC, 2026-11.
double predicted_seconds(const Structure& s) {
  const double n = std::min(s.rows, s.cols), entries = static_cast<double>(s.nonzeros),
               large = std::max(s.rows, s.cols);
  // Of the columns of a matrix that has more columns than rows, lengths aren't known.
  const double terms = s.rows >= s.cols ? s.rows * (s.mean_row * s.mean_row + s.row_deviation * s.row_deviation)
                                        : 2 * entries * entries / std::max(1.0, large);
  const double filled = std::min(terms, n * n);
  constexpr double few = 12000;
  const double by_entries = 3e-6 * filled * std::min(1.0, std::sqrt(n / few));
  return 1e-3 + 4e-9 * terms + std::min(1e-9 * n * n * n / 3, by_entries);
}

/// The preconditioner that LSMR takes by itself, by the norms of what would be scaled.
PreconditionerChoice choose(const Structure& s, double least_norm, double most_norm) {
  const std::string what = s.cols > s.rows ? "rows" : "columns";
  if (!s.finite) return {"none", "A holds NaN or infinity"};
  if (most_norm <= 2 * least_norm) return {"none", "the " + what + " of A have about the same norm"};
  if (s.cols > s.rows) return {"jacobi", "rows scaled to norm 1"};
  return {"jacobi", "columns scaled to norm 1"};
}

void require_known(const std::string& name) {
  if (name == "auto" || is_named(name)) return;
  throw ArgumentError(name +
                      " is for square systems; least squares has none, jacobi (columns, or rows, of norm 1), ic0, ict "
                      "and cholesky (factors of A^T A or A A^T)");
}

PreconditionerRequest request_of(std::string_view text) {
  const UsualName usual = usual_name(NameOf::preconditioner, text);
  const std::size_t colon = std::min(usual.name.find(':'), usual.name.size());
  const std::string name = usual.name.substr(0, colon),
                    options = usual.name.substr(std::min(colon + 1, usual.name.size()));
  require_known(name);
  if (has_factors(name)) return {name, find_preconditioner<Host, double>(name)->parse(options), usual.note};
  if (text.find(':') != std::string_view::npos) throw ArgumentError(name + " takes no options");
  return {name, {}, usual.note};
}

}  // namespace

std::span<const std::string_view> least_squares_preconditioner_names() { return all_names; }

void check_least_squares_preconditioner(std::string_view text) { request_of(text); }

template <class Space, class T>
LeastSquaresPreconditioner<Space, T>::LeastSquaresPreconditioner(const Analysis<Space, T>& analysis,
                                                                 std::string_view name, const StopRequest& stop,
                                                                 std::size_t mem_limit)
    : LeastSquaresPreconditioner(analysis, request_of(name), stop, mem_limit) {}

template <class Space, class T>
LeastSquaresPreconditioner<Space, T>::LeastSquaresPreconditioner(const Analysis<Space, T>& analysis,
                                                                 PreconditionerRequest asked, const StopRequest& stop,
                                                                 std::size_t mem_limit)
    : PreconditionerStep<Space, T>(analysis.space()),
      choice_(detail::choice_by_name(asked, request_of)),
      mem_limit_(mem_limit) {
  require_known(choice_.name);
  const Structure& s = analysis.structure();
  if (has_factors(choice_.name)) options_ = std::move(asked.options);
  of_rows_ = s.cols > s.rows;
  find_norms(analysis);
  if (choice_.name == "auto") {
    choice_ = choose(s, least_norm_, most_norm_);
    if (s.finite && most_norm_ > 0) {
      analysis_ = analysis;
      stronger_seconds_ = predicted_seconds(s);
    }
  }
  is_none_ = choice_.name == "none" || rows() == 0;
  if (is_none_) return;
  room_ = Vector<Space, T>(space_, rows());
  if (has_factors(choice_.name)) {
    factor(analysis, stop);
  } else {
    remarks_ = std::string(of_rows_ ? "rows" : "columns") + " scaled to norm 1";
    prediction_ = MemoryPrediction{bytes()};
  }
}

template <class Space, class T>
void LeastSquaresPreconditioner<Space, T>::find_norms(const Analysis<Space, T>& analysis) {
  const SpaceCsr<Space, T> b = of_rows_ ? analysis.matrix() : transpose(space_, analysis.matrix());
  Vector<Space, double> norms(space_, static_cast<std::size_t>(b.view().rows));
  row_norms(space_, b.view(), norms.span());
  std::vector<T> inverse;
  constexpr double least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  for (const double norm : norms.download()) {
    inverse.push_back(norm > 0 ? static_cast<T>(std::clamp(1 / norm, least, most)) : T{0});
    if (!(norm > 0)) continue;
    least_norm_ = least_norm_ == 0 ? norm : std::min(least_norm_, norm);
    most_norm_ = std::max(most_norm_, norm);
  }
  inverse_norms_ = Vector<Space, T>(space_, std::span<const T>(inverse));
}

/// Makes the scaled product and its factors.
template <class Space, class T>
void LeastSquaresPreconditioner<Space, T>::factor(const Analysis<Space, T>& analysis, const StopRequest& stop) {
  const Space& space = space_;
  if (!analysis.structure().finite)
    throw ArgumentError(choice_.name + ": the matrix holds NaN or infinity; use preconditioner none");
  const MemoryBudget whole(space, choice_.name, mem_limit_, taken_), memory = whole.beside(bytes());
  const SpaceCsr<Space, T> left = scaled<Space, T>(
      space, of_rows_ ? analysis.matrix() : transpose(space, analysis.matrix()), inverse_norms_.span(), {});
  const SpaceCsr<Space, T> right = transpose(space, left);
  const LongestRow longest = longest_row(space, right.view());
  const auto side = static_cast<double>(longest.entries), least_bytes = side * side * (sizeof(T) + sizeof(Index));
  if (least_bytes > static_cast<double>(memory.most()))
    throw MemoryLimitError(
        choice_.name + ": " + product_name(of_rows_) + " takes at least " + bytes_text(least_bytes) + ", because " +
        (of_rows_ ? "column " + std::to_string(longest.row) + " (counted from 0)" : row_text(longest.row)) + " has " +
        count_text(longest.entries) + " entries, and " + bytes_text(static_cast<double>(memory.most())) +
        " may be taken; use preconditioner jacobi");
  const SpaceCsr<Space, T> product = multiply(space, left, right, stop),
                           one = identity<Space, T>(space, left.view().rows);
  const double first = least_shift<T>();
  constexpr double last = 1e-2;
  const auto& entry = *find_preconditioner<Space, T>(choice_.name);
  MatrixSum<Space, T> shifted(space, product, static_cast<T>(first), one);
  for (double shift = first; factors_ == nullptr; shift *= 16) {
    if (shift > first) shifted.update(product, static_cast<T>(shift), one);
    try {
      factors_ = entry.build(Analysis<Space, T>(space, shifted.result()), options_, stop, memory);
    } catch (const NotDefinite&) {
      if (shift > last) throw;
    }
  }
  whole.confirm(bytes());
  prediction_ = memory.prediction();
  if (prediction_) prediction_->bytes += rows() * 2 * sizeof(T);
  const std::string what = of_rows_ ? "rows" : "columns";
  remarks_ = std::string(choice_.name == "cholesky" ? "complete" : "incomplete") + " factors of " +
             product_name(of_rows_) + " after its " + what + " were scaled, " + count_text(product.view().nonzeros()) +
             " entries";
}

template <class Space, class T>
std::size_t LeastSquaresPreconditioner<Space, T>::bytes() const {
  if (is_none_) return 0;
  return inverse_norms_.bytes() + room_.bytes() + (factors_ == nullptr ? 0 : factors_->bytes());
}

template <class Space, class T>
void LeastSquaresPreconditioner<Space, T>::apply(Block<const T> r, Block<T> z) const {
  for (int k = 0; k < z.columns; ++k) {
    if (is_none_) {
      copy<T>(space_, r.column(k), z.column(k));
      continue;
    }
    multiply<T>(space_, inverse_norms_, r.column(k), room_.span());
    if (factors_ != nullptr) factors_->apply(room_, z.column(k));
    multiply<T>(space_, inverse_norms_, factors_ == nullptr ? In<T>(room_) : In<T>(z.column(k)), z.column(k));
  }
}

template <class Space, class T>
auto LeastSquaresPreconditioner<Space, T>::made(const Analysis<Space, T>& analysis, std::string_view name,
                                                std::any options, const StopRequest& stop) const
    -> std::unique_ptr<LeastSquaresPreconditioner> {
  std::unique_ptr<LeastSquaresPreconditioner> next(new LeastSquaresPreconditioner(space_));
  next->choice_ = {std::string(name), "what was taken first doesn't get there"};
  next->options_ = std::move(options);
  next->of_rows_ = of_rows_;
  next->inverse_norms_ = Vector<Space, T>(space_, rows());
  copy<T>(space_, inverse_norms_, next->inverse_norms_.span());
  next->room_ = Vector<Space, T>(space_, rows());
  next->mem_limit_ = mem_limit_;
  next->taken_ = taken_ + bytes();
  next->factor(analysis, stop);
  return next;
}

template <class Space, class T>
auto LeastSquaresPreconditioner<Space, T>::stronger(const StrongerOptions& options, std::vector<Refusal>& refused) const
    -> const LeastSquaresPreconditioner* {
  if (stronger_ != nullptr) return stronger_.get();
  if (!analysis_) return nullptr;
  if (stronger_seconds_ > options.seconds) {
    refused.push_back(
        {Refusal::Why::no_time, "cholesky: no time is left to make it, some " + seconds_text(stronger_seconds_)});
    return nullptr;
  }
  const double fill = options.thorough ? 0 : 100;  // 0: as memory allows
  const std::pair<std::string_view, std::any> factors[] = {{CholeskyKind::name, CholeskyKind::Options{.fill = fill}},
                                                           {IctKind::name, {}}};
  for (const auto& [name, how] : factors) {
    try {
      stronger_ = made(*analysis_, name, how, options.stop);
      return stronger_.get();
    } catch (const ArgumentError& e) {
      const std::string what = e.what();
      refused.push_back({Refusal::Why::refused, what.substr(0, what.find(';'))});
    } catch (const std::bad_alloc&) {
      refused.push_back({Refusal::Why::memory, std::string(name) + ": not enough memory"});
    } catch (const DeviceError& e) {
      refused.push_back({Refusal::Why::memory, std::string(name) + ": " + e.what()});
    }
  }
  return nullptr;
}

template <class Space, class T>
double LeastSquaresPreconditioner<Space, T>::stronger_seconds() const {
  return analysis_ ? stronger_seconds_ : 0;
}

OSTINATO_CLASS(LeastSquaresPreconditioner);

}  // namespace ostinato
