// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/selection/choice.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

template <class Space, class T>
class BuiltFormat;
template <class Space, class T>
struct FormatEntry;
template <class Space, class T>
class FormatList;

/// A matrix behind one contract, in the format chosen for it: analysed, converted and from then on only applied.
///
/// Shapes    apply: x has cols() elements, y has rows(), in the memory of the space.
/// Exec      The constructor waits until the matrix is ready. apply, apply_dot and residual are enqueued; they take no
///           device memory. With Tune::measure and Tune::everything formats are timed first, and the times kept on disk.
/// Requires  On Host some formats, such as csr, refer to the arrays of a matrix given as lvalue or view: keep them
///           alive, or move the matrix in. Rows that are unsorted or hold duplicates are put in order first, on a copy.
/// Throws    ArgumentError for a malformed matrix, an unknown format, or a forced format that can't hold the matrix;
///           DimensionError from apply, naming both shapes, before anything is enqueued; DeviceError.
template <class Space, class T>
class Operator {
 public:
  using space_type = Space;
  using value_type = T;
  using is_capturable = void;

  Operator(const Space& space, const CsrView<T>& a, FormatOptions options = {});
  Operator(const Space& space, const Csr<T>& a, FormatOptions options = {})
      : Operator(space, a.view(), std::move(options)) {}
  Operator(const Space& space, Csr<T>&& a, FormatOptions options = {});

  /// A matrix whose arrays are in the memory of the space already, as on the device for Cuda. They must be canonical,
  /// which isn't checked, and with some formats, such as csr, they stay in use: keep them alive.
  Operator(const Space& space, const CsrView<T>& a, OnSpace, FormatOptions options = {});

  /// A matrix that was analysed before. The analysis isn't kept.
  explicit Operator(const Analysis<Space, T>& analysis, FormatOptions options = {});

  /// The same with a list of formats that may hold some of your own (spmv/formats/list.hpp). The list isn't kept.
  Operator(const Analysis<Space, T>& analysis, FormatOptions options, const FormatList<Space, T>& list);

  /// In the format of a choice that was made for this analysis, with the same options. The parameter is a template, so
  /// that `{.format = "csr"}` can only mean the options.
  template <std::same_as<Choice> Made>
  Operator(const Analysis<Space, T>& analysis, Made choice, FormatOptions options = {})
      : Operator(FromChoice{}, analysis, std::move(choice), std::move(options)) {}

  Operator(Operator&&) noexcept;
  Operator& operator=(Operator&&) noexcept;
  ~Operator();

  Index rows() const { return structure_.rows; }
  Index cols() const { return structure_.cols; }
  const Space& space() const { return space_; }
  const Structure& structure() const { return structure_; }
  const Choice& choice() const { return choice_; }
  const std::string& format() const { return choice_.format; }
  const std::string& parameters() const { return choice_.parameters; }  ///< of the format; empty when it has none
  std::size_t bytes() const;                                            ///< stored for the matrix
  double analyse_seconds() const { return analyse_seconds_; }
  double tune_seconds() const { return tune_seconds_; }  ///< to measure, or to find what was measured before
  double convert_seconds() const { return convert_seconds_; }

  /// y = alpha A x + beta y; beta = 0 overwrites y, even NaN.
  void apply(T alpha, std::span<const T> x, T beta, std::span<T> y) const;

  /// y = A x and *slot = w . y, in one pass where the format can. The slot is in the memory of the space.
  void apply_dot(std::span<const T> x, std::span<T> y, std::span<const T> w, double* slot) const;

  /// r = b - A x and *slot = r . r, in one pass. The slot is in the memory of the space. False, and nothing is done,
  /// when the format has no such pass.
  bool residual(std::span<const T> x, std::span<const T> b, std::span<T> r, double* slot) const;

  /// New values on the same pattern: no new choice, and no analysis unless the format kept something that no longer
  /// holds (symmetry, a constant), in which case it is built anew.
  /// Requires  The pattern of the matrix that the operator was built from. Throws ArgumentError when rows, columns or
  ///           entries differ in number. After any other exception the operator is of no use.
  void update_values(const CsrView<T>& a);

  /// The same for arrays that are in the memory of the space already: nothing is uploaded, and nothing allocated that
  /// grows with the matrix, while the values fit. They must be canonical; keep them alive as for the constructor.
  void update_values(const CsrView<T>& a, OnSpace);

  /// Changes when apply() begins to use kernels that were compiled meanwhile, which leaves the bits of the results as
  /// they are, and with every update_values(): a captured apply() is then out of date. Not to be called while the
  /// stream is captured.
  int revision() const;

  /// What became of compiling kernels for this matrix, in words; empty when none were asked for.
  std::string generated() const;

 private:
  struct FromChoice {};
  Operator(FromChoice, const Analysis<Space, T>& analysis, Choice choice, FormatOptions options);

  void select(const Analysis<Space, T>& analysis, const FormatList<Space, T>& list);
  void create(const Analysis<Space, T>& analysis, const FormatList<Space, T>& list);
  void generate();
  void update(const SpaceCsr<Space, T>& a);
  void require_shapes(std::size_t x, std::size_t y) const;

  Space space_;
  Structure structure_;
  FormatOptions options_;
  Choice choice_;
  std::shared_ptr<const FormatEntry<Space, T>> entry_;  ///< of the chosen format, to build it anew
  std::unique_ptr<BuiltFormat<Space, T>> format_;
  double analyse_seconds_ = 0;
  double tune_seconds_ = 0;
  double convert_seconds_ = 0;
  int updates_ = 0;
};

template <class Space, class T>
Operator(const Space&, const Csr<T>&) -> Operator<Space, T>;
template <class Space, class T>
Operator(const Space&, Csr<T>&&) -> Operator<Space, T>;
template <class Space, class T>
Operator(const Space&, const CsrView<T>&) -> Operator<Space, T>;
template <class Space, class T>
Operator(const Space&, const CsrView<T>&, OnSpace) -> Operator<Space, T>;
template <class Space, class T>
Operator(const Space&, const CsrView<T>&, OnSpace, FormatOptions) -> Operator<Space, T>;
template <class Space, class T>
Operator(const Space&, const Csr<T>&, FormatOptions) -> Operator<Space, T>;
template <class Space, class T>
Operator(const Space&, Csr<T>&&, FormatOptions) -> Operator<Space, T>;
template <class Space, class T>
Operator(const Space&, const CsrView<T>&, FormatOptions) -> Operator<Space, T>;

extern template class Operator<Host, float>;
extern template class Operator<Host, double>;
extern template class Operator<Cuda, float>;
extern template class Operator<Cuda, double>;

}  // namespace ostinato
