// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/preconditioners/fsai/fsai.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include <ostinato/preconditioners/contract/option_text.hpp>
#include <ostinato/preconditioners/contract/require_rows.hpp>
#include <ostinato/preconditioners/definite_sign.hpp>
#include <ostinato/preconditioners/nearly_symmetric.hpp>
#include <ostinato/preconditioners/triangular/factored.hpp>
#include <ostinato/spmv/algebra/transpose.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/selection/select_format.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

namespace fsai_definition {

/// What the options are called in a text, and what they may be.
const OptionTable<FsaiOptions>& table();

template <class Space>
Host threads_of(const Space& space) {
  if constexpr (is_host<Space>) {
    return space;
  } else {
    return Host();
  }
}

template <class T>
Csr<T> rounded(Csr<double> g) {
  Csr<T> r{g.rows, g.cols, std::move(g.row_ptr), std::move(g.col), Array<T>(g.val.size())};
  std::transform(g.val.begin(), g.val.end(), r.val.begin(), [](double v) { return static_cast<T>(v); });
  bool usable = std::all_of(r.val.begin(), r.val.end(), [](T v) { return std::isfinite(v); });
  for (std::size_t i = 0; i + 1 < r.row_ptr.size(); ++i)  // the diagonal entry is the last one of the row
    usable = usable && r.val[static_cast<std::size_t>(r.row_ptr[i + 1] - 1)] != 0;
  if (usable) return r;
  throw ArgumentError("fsai: the factor leaves the range of the numbers; scale the matrix, or use preconditioner none");
}

}  // namespace fsai_definition

template <class Space, class T>
struct Fsai<Space, T>::Made {
  /// A factor and the format that is chosen for it.
  struct Factor {
    Factor(const Space& space, Csr<T>&& a) : Factor(Analysis<Space, T>(space, std::move(a))) {}
    explicit Factor(Analysis<Space, T> a) : analysis(std::move(a)), choice(choose_format(analysis)) {}
    Operator<Space, T> build() const { return Operator<Space, T>(analysis, choice); }

    Analysis<Space, T> analysis;
    Choice choice;
  };

  Factor g, transpose;
  Offset entries_of_a;
  Index diagonal_only;

  /// Nothing where the host has to make the factor, or to say why there is none.
  static std::optional<Made> in_space(const Analysis<Space, T>& analysis, const FsaiOptions& options) {
    const Structure& s = analysis.structure();
    if constexpr (is_cuda<Space>) {
      if (options.pattern != FsaiPattern::a || !why_not(s).empty()) return {};
      const auto made = approximate_factor(analysis.space(), analysis.matrix().view(), definite_sign(s));
      if (!made) return {};
      const auto analysed = [&](SpaceCsr<Space, T> a) { return Analysis<Space, T>(analysis.space(), std::move(a)); };
      return Made{Factor(analysed(made->g)), Factor(analysed(ostinato::transpose(analysis.space(), made->g))),
                  s.nonzeros, made->diagonal_only};
    }
    return {};
  }

  std::size_t rows() const { return static_cast<std::size_t>(g.analysis.structure().rows); }
  /// The same object, once the memory that it is going to take was announced.
  Made announced(const MemoryBudget& memory) && {
    const MemoryPrediction first = memory_of(g.choice), second = memory_of(transpose.choice);
    memory.announce({first.bytes + second.bytes + rows() * sizeof(T), std::max(first.certainty, second.certainty)});
    return std::move(*this);
  }
};

/// Throws    ArgumentError naming a row whose diagonal entry is so small beside the norm of A that M^-1 leaves the
///           range of T, with room for what G^T G adds up.
template <class T>
void require_usable_diagonal(const CsrView<double>& a, double norm) {
  constexpr double most = std::numeric_limits<T>::max() * std::numeric_limits<T>::epsilon();
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
      if (static_cast<std::size_t>(a.col[k]) == i && norm / std::abs(a.val[k]) > most)
        throw ArgumentError("fsai: the diagonal entry of " + row_text(i) +
                            " is tiny beside the matrix, so that M^-1 leaves the range of the numbers; scale the "
                            "matrix, or use preconditioner none");
    }
  }
}

template <class Space, class T>
std::string Fsai<Space, T>::why_not(const Structure& s) {
  if (!s.symmetric) return "the matrix isn't symmetric";
  if (!s.finite) return "the matrix holds NaN or infinity";
  return s.positive_diagonal || s.negative_diagonal ? std::string() : "the diagonal isn't positive";
}

template <class Space, class T>
MemoryPrediction Fsai<Space, T>::guess(const Analysis<Space, T>& analysis) {
  const Structure& s = analysis.structure();
  const auto rows = static_cast<std::size_t>(s.rows), entries = static_cast<std::size_t>(s.nonzeros);
  const std::size_t of_factor = (rows + 1) * sizeof(Offset) + (entries + rows) / 2 * (sizeof(Index) + sizeof(T));
  return {2 * of_factor + rows * sizeof(T), Certainty::rough};
}

template <class Space, class T>
std::string Fsai<Space, T>::known_options() {
  return fsai_definition::table().text();
}

template <class Space, class T>
FsaiOptions Fsai<Space, T>::parse_options(std::string_view text) {
  return fsai_definition::table().read(name, text);
}

template <class Space, class T>
auto Fsai<Space, T>::make(const Analysis<Space, T>& analysis, const FsaiOptions& options, const StopRequest& stop)
    -> Made {
  const Structure& s = analysis.structure();
  fsai_definition::table().require("fsai", options);
  if (!s.finite) throw ArgumentError("fsai: the matrix holds NaN or infinity; use preconditioner none");
  if (stop.is_made()) throw Stopped("fsai: making the factor was stopped");
  if (auto made = Made::in_space(analysis, options)) return std::move(*made);
  Csr<double> a = host_copy(analysis.space(), analysis.matrix());
  if (definite_sign(s) < 0) std::transform(a.val.begin(), a.val.end(), a.val.begin(), std::negate<>());
  if (!s.symmetric && !is_nearly_symmetric(a))
    throw ArgumentError("fsai: the matrix isn't symmetric; use preconditioner ilu0");
  require_usable_diagonal<T>(a, s.norm_inf);
  ApproximateFactor f = approximate_factor(fsai_definition::threads_of(analysis.space()), a, options, stop);
  Csr<T> g = fsai_definition::rounded<T>(std::move(f.g));
  Csr<T> transposed = transpose(g.view(), checked);
  using Factor = typename Made::Factor;
  return {Factor(analysis.space(), std::move(g)), Factor(analysis.space(), std::move(transposed)), s.nonzeros,
          f.diagonal_only};
}

template <class Space, class T>
Fsai<Space, T>::Fsai(const Analysis<Space, T>& analysis, FsaiOptions options)
    : Fsai(analysis, options, {}, MemoryBudget(analysis.space(), name)) {}

template <class Space, class T>
Fsai<Space, T>::Fsai(const Analysis<Space, T>& analysis, FsaiOptions options, const StopRequest& stop,
                     const MemoryBudget& memory)
    : Fsai(make(analysis, options, stop).announced(memory), options) {}

template <class Space, class T>
Fsai<Space, T>::Fsai(const Made& made, const FsaiOptions& options)
    : options_(options),
      g_(made.g.build()),
      transpose_(made.transpose.build()),
      entries_of_a_(made.entries_of_a),
      diagonal_only_(made.diagonal_only),
      between_(g_.space(), made.rows()) {}

template <class Space, class T>
void Fsai<Space, T>::update_values(const Analysis<Space, T>& analysis) {
  require_rows(name, analysis.structure(), between_.size());
  *this = Fsai(analysis, options_);
}

template <class Space, class T>
void Fsai<Space, T>::apply(std::span<const T> r, std::span<T> z) const {
  require_lengths(name, rows(), r.size(), z.size());
  const auto within = one_thread_.enter(name);
  g_.apply(T{1}, r, T{0}, between_);
  transpose_.apply(T{1}, between_, T{0}, z);
}

template <class Space, class T>
void Fsai<Space, T>::apply_dot(std::span<const T> r, std::span<T> z, Slot<T> slot) const {
  require_lengths(name, rows(), r.size(), z.size());
  const auto within = one_thread_.enter(name);
  g_.apply_dot(r, between_, between_, slot);
  transpose_.apply(T{1}, between_, T{0}, z);
}

template <class Space, class T>
double Fsai<Space, T>::seconds() const {
  double total = 0;
  for (const Operator<Space, T>* op : {&g_, &transpose_}) {
    const auto& candidates = op->choice().candidates;
    total += candidates.empty() ? 0 : candidates.front().product_seconds();
  }
  return total;
}

template <class Space, class T>
std::string Fsai<Space, T>::remarks() const {
  char text[64];
  std::snprintf(text, sizeof text, "%.3g times the entries of A, products in ",
                static_cast<double>(nonzeros()) / static_cast<double>(std::max<Offset>(entries_of_a_, 1)));
  std::string all = text + g_.format() + " and " + transpose_.format();
  if (diagonal_only_ > 0)
    all += ", " + std::to_string(diagonal_only_) + (diagonal_only_ == 1 ? " row" : " rows") + " of the diagonal alone";
  return all;
}

}  // namespace ostinato
