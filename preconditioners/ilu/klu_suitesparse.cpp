// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <suitesparse/klu.h>

#include <algorithm>
#include <limits>
#include <new>

#include <ostinato/preconditioners/ilu/library_factors.hpp>

namespace ostinato {

const bool has_klu = true;

namespace {

class Klu final : public FactorsInLibrary {
 public:
  Klu(const CsrView<double>& a, double pivot) : rows_(a.rows), begin_(a.row_ptr.begin(), a.row_ptr.end()) {
    klu_defaults(&common_);
    common_.tol = pivot;
    // The rows are given as columns: A^T is factored.
    col_.assign(a.col.begin(), a.col.end());
    symbolic_ = klu_analyze(rows_, begin_.data(), col_.data(), &common_);
    if (common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
  }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;
  ~Klu() override {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }

  /// Whether the order shows that the factors take few operations. False for a structurally singular matrix.
  bool suits() const {
    constexpr double most_operations = 3e6;
    return symbolic_ != nullptr && symbolic_->structural_rank == rows_ && symbolic_->est_flops <= most_operations;
  }
  Offset predicted() const { return static_cast<Offset>(symbolic_->lnz + symbolic_->unz) - rows_; }

  /// Makes the factors. False where a pivot is 0 but for rounding.
  bool factor(const CsrView<double>& a) {
    constexpr double rounding = 0x1p-46;  // as in raise()
    std::vector<double> val(a.val.begin(), a.val.end());
    numeric_ = klu_factor(begin_.data(), col_.data(), val.data(), symbolic_, &common_);
    if (common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
    begin_ = {};  // solves need no more of A than KLU has kept
    col_ = {};
    return numeric_ != nullptr && common_.status == KLU_OK && klu_rcond(symbolic_, numeric_, &common_) != 0 &&
           common_.rcond > rounding;
  }

  std::string library() const override {
    return "KLU " + std::to_string(KLU_MAIN_VERSION) + "." + std::to_string(KLU_SUB_VERSION);
  }
  std::size_t rows() const override { return static_cast<std::size_t>(rows_); }
  Offset nonzeros() const override { return Offset{numeric_->lnz} + numeric_->unz + numeric_->nzoff - rows_; }
  std::size_t bytes() const override {
    return static_cast<std::size_t>(nonzeros()) * (sizeof(double) + sizeof(int)) + numeric_->worksize +
           rows() * (10 * sizeof(int) + 2 * sizeof(double));
  }
  void solve(std::span<double> x, bool transposed) override {
    (transposed ? klu_solve : klu_tsolve)(symbolic_, numeric_, rows_, 1, x.data(), &common_);
  }

 private:
  int rows_;
  std::vector<int> begin_, col_;
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};

}  // namespace

std::unique_ptr<FactorsInLibrary> detail::factor_by_klu(const CsrView<double>& a, const LibraryFactorOptions& options,
                                                        const FactorMemory& memory) {
  if (a.nonzeros() > std::numeric_limits<int>::max()) return nullptr;
  constexpr double weakest = 0.01;
  auto klu = std::make_unique<Klu>(a, std::max(weakest, options.pivot));
  if (!klu->suits()) return nullptr;
  const bool too_many = klu->predicted() > memory.most_entries;
  memory.announce(klu->predicted(), too_many ? Certainty::at_least : Certainty::rough);
  if (too_many) throw TooManyEntries();
  if (!klu->factor(a)) return nullptr;
  if (klu->nonzeros() > memory.most_entries) throw TooManyEntries();  // pivots off the diagonal fill more
  return klu;
}

}  // namespace ostinato
