// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/analysis/pattern_hash.hpp>
#include <ostinato/spmv/base/revision.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/linear_map.hpp>
#include <ostinato/spmv/selection/choice.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

template <class Space, class T>
class BuiltFormat;
template <class Space, class T>
struct FormatEntry;
template <class Space, class T>
class FormatList;

/// What Operator::update_values() did.
enum class Update {
  refilled,  ///< the new values were put into the stored format
  rebuilt,   ///< the matrix was analysed and the format built again: its pattern or its values didn't fit
};

/// A sparse matrix, stored in the format that was chosen for it.
///
/// The constructor analyses the matrix, chooses a format and converts the matrix. The operator is then only applied.
///
/// Shapes    apply: x has cols() elements and y has rows() elements. Both are in the memory of the space.
/// Exec      The constructor waits until the matrix is ready. apply, apply_dot and residual are asynchronous on Cuda
///           and allocate no device memory. With Tune::measure and Tune::everything the constructor first times
///           formats, and keeps the times on disk.
///           On Host several threads may apply one const Operator at once. On Cuda only one thread at a time uses a
///           space.
/// Layout    A Csr is copied, or moved in: the operator owns it besides what the format stores, for solve() without a
///           preconditioner and for accurate residuals; 12 bytes an entry in double precision. An operator that is made
///           from an Analysis keeps the format only. The arrays of a CsrView are lent, and nothing is copied that need
///           not be: they must outlive the operator or the next update_values(), and stay unchanged until then. If rows
///           are unsorted or hold duplicates, the constructor works on a sorted copy.
/// Requires  On Cuda, host arrays are read by the constructor only. An object that was moved from throws ArgumentError
///           when it is applied or updated, until another one is assigned to it.
/// Throws    ArgumentError for a malformed matrix, an unknown format, or a forced format that can't hold the matrix;
///           DimensionError from apply, naming both shapes, before any work is enqueued; DeviceError, on Cuda also from
///           the first product when x or y isn't in memory that the GPU can read; later ones don't look.
template <class Space, class T>
class Operator : public LinearMap<Space, T> {
 public:
  Operator(const Space& space, const CsrView<T>& a, FormatOptions options = {});
  Operator(const Space& space, const Csr<T>& a, FormatOptions options = {});
  Operator(const Space& space, Csr<T>&& a, FormatOptions options = {});

  /// Takes a matrix whose arrays are already in the memory of the space (device memory for Cuda). The rows must be
  /// sorted and free of duplicates, which isn't checked. The arrays are lent, as those of a CsrView above.
  Operator(const Space& space, const CsrView<T>& a, OnSpace, FormatOptions options = {});

  /// Takes a matrix that is analysed already. The operator doesn't keep the analysis, nor the matrix where its format
  /// needs none; it shares arrays that the analysis owns.
  explicit Operator(const Analysis<Space, T>& analysis, FormatOptions options = {});

  /// Chooses from `list`, which may contain formats of your own (spmv/formats/list.hpp). The operator doesn't keep the
  /// list.
  Operator(const Analysis<Space, T>& analysis, FormatOptions options, const FormatList<Space, T>& list);

  /// Uses a choice that was made for this analysis with the same options. The parameter is a template, so that
  /// `{.format = "csr"}` can only mean the options.
  template <std::same_as<Choice> Made>
  Operator(const Analysis<Space, T>& analysis, Made choice, FormatOptions options = {})
      : Operator(FromChoice{}, analysis, std::move(choice), std::move(options)) {}

  // A matrix of another library comes here.
  template <detail::ForeignMatrix Matrix>
  Operator(const Space& space, const Matrix&, FormatOptions = {}) : Operator(space, CsrView<T>{}) {
    detail::explain_matrix<Matrix>();
  }

  Operator(Operator&&) noexcept;
  Operator& operator=(Operator&&) noexcept;
  ~Operator();

  Index rows() const { return structure_.rows; }
  Index cols() const { return structure_.cols; }
  /// Its census may be null (update_values()). The first call after update_values() may look at the values; several
  /// threads may ask at once.
  const Structure& structure() const {
    if (unseen_ != nullptr) look();
    return structure_;
  }
  const Facts* facts() const override { return &structure(); }
  const Choice& choice() const { return choice_; }
  const std::string& format() const { return choice_.format; }
  const std::string& parameters() const { return choice_.parameters; }  ///< empty when the format has none
  std::size_t bytes() const override;
  double analyse_seconds() const { return analyse_seconds_; }
  double tune_seconds() const { return tune_seconds_; }  ///< for measuring, or for loading the times of an earlier run
  double convert_seconds() const { return convert_seconds_; }

  // Products, in one pass where the format has such a kernel. In double, dia, brcsd-i and brcsd-ii have lower().
  void apply(T alpha, Block<const T> x, T beta, Block<T> y) const override;
  void apply_dot(Block<const T> x, Block<T> y, Block<const T> w, Slot<T> slots) const override;
  void residual(Block<const T> x, Block<const T> b, Block<T> r, Slot<T> slots) const override;
  const LinearMap<Space, float>* lower() const override;

  /// Returns false when the matrix is gone (analysis()).
  bool accurate_residual(double outer, double inner, Block<const T> x, Block<const T> b, Block<T> r,
                         Slot<T> slots) const override;

  /// The matrix with what is known of it: its own or, for an operator that was made from an Analysis, that one as long
  /// as a copy of it exists and until update_values(). Nothing when the matrix is gone.
  std::optional<Analysis<Space, T>> analysis() const;

  /// Replaces the values of the matrix and keeps the chosen format. structure() then describes the new values. The
  /// matrix is analysed and the format built again only when the format can't store the new values, for example because
  /// symmetry or a constant diagonal was lost, or when the entries are in other places. The result says which it was.
  ///
  /// Layout    As for the constructor: a Csr is copied where needed or moved in, a CsrView is lent.
  /// Exec      One thread at a time, and none may apply the operator meanwhile.
  /// Traffic   Host: reads the pattern once, to find out that it is the same, and copies the values. What structure()
  ///           says of the values takes another pass: at the first structure() (the first solve) where the arrays are
  ///           lent or the format is csr; otherwise, and on Cuda, at once.
  /// Throws    ArgumentError when the number of rows, columns or entries differs, when the arrays are malformed, or
  ///           when the format can't hold the new matrix. The operator then holds the old matrix. update_values(Csr&&)
  ///           has then left its argument as it was, but for a matrix that the format can't hold. After any other
  ///           exception the operator must not be used any more, and the argument is moved from.
  Update update_values(const CsrView<T>& a);
  Update update_values(const Csr<T>& a);
  Update update_values(Csr<T>&& a);

  /// The same where the caller knows that the pattern is the old one: it isn't read to find that out, so that a refill
  /// takes no longer than the first conversion.
  /// Requires  The pattern of the matrix before. Only its size is checked: with another pattern, products are wrong.
  ///           Where the rows of the matrix before were unsorted or held duplicates, the pattern is read as without the
  ///           promise.
  Update update_values(const CsrView<T>& a, SamePattern);

  /// The same for arrays that are already in the memory of the space. There is no upload and, while the format can
  /// store the values, no allocation that grows with the matrix. The rows must be sorted and free of duplicates, which
  /// isn't checked. The arrays are lent.
  Update update_values(const CsrView<T>& a, OnSpace);

  /// The same where the caller also knows that the pattern is the old one.
  /// Requires  The pattern of the matrix before, as above. Nothing but its size is checked.
  Update update_values(const CsrView<T>& a, OnSpace, SamePattern);

  /// A number that changes whenever a captured apply() becomes out of date: with every update_values(), when another
  /// operator is assigned, and when apply() starts to use kernels that were compiled in the background; it is odd then.
  /// These kernels give the same bits as before. No other operator has the number.
  /// Requires  The stream isn't being captured.
  int revision() const override;
  bool capturable() const override { return true; }

  /// Describes the state of the kernels compiled for this matrix; empty when none were requested.
  std::string generated() const;

 private:
  struct FromChoice {};
  struct Own {};
  Operator(Own, const Analysis<Space, T>& analysis, FormatOptions options);
  Operator(FromChoice, const Analysis<Space, T>& analysis, Choice choice, FormatOptions options);

  void mark(const Analysis<Space, T>& analysis);
  void select(const Analysis<Space, T>& analysis, const FormatList<Space, T>& list);
  void create(const Analysis<Space, T>& analysis, const FormatList<Space, T>& list);
  void build(const Analysis<Space, T>& analysis);
  void generate();
  BuiltFormat<Space, T>& built() const;
  bool keeps_pattern(const CsrView<T>& a) const;
  template <class Given>
  SpaceCsr<Space, T> take(const Given& a, bool same) const;
  Update update(const SpaceCsr<Space, T>& a, bool same, bool lent);
  bool refill(const SpaceCsr<Space, T>& a, bool lent);
  bool may_refuse_values() const;
  void look() const;
  void keep_values(const SpaceCsr<Space, T>& a, bool same);
  void require_size(const CsrView<T>& a) const;
  void require_shapes(const Block<const T>& x, const Block<const T>& y) const;

  /// New values that nobody has looked at yet.
  struct Unseen {
    std::once_flag once;
    std::optional<SpaceCsr<Space, T>> matrix;  ///< empty where the format has the matrix
  };

  using LinearMap<Space, T>::space_;
  std::unique_ptr<Unseen> unseen_;  ///< null when structure_ describes the values
  mutable Structure structure_;
  FormatOptions options_;
  Choice choice_;
  std::shared_ptr<const FormatEntry<Space, T>> entry_;  ///< of the chosen format, for building the format again
  std::unique_ptr<BuiltFormat<Space, T>> format_;
  bool keeps_matrix_ = false;                   ///< the operator wasn't made from an analysis
  std::optional<SpaceCsr<Space, T>> own_;       ///< the matrix then
  typename Analysis<Space, T>::Weak analysis_;  ///< that one
  LaterMark<Space> pattern_;                    ///< of the matrix
  bool given_sorted_ = true;                    ///< the rows that the caller gave ascend, without duplicates
  double analyse_seconds_ = 0;
  double tune_seconds_ = 0;
  double convert_seconds_ = 0;
  Revision revision_;  ///< renewed by every update
  FirstLook look_;
};

template <class Space, class T>
Operator(const Space&, const Csr<T>&) -> Operator<Space, T>;
template <class Space, detail::ForeignMatrix Matrix>
requires IsSpace<Space> Operator(const Space&, const Matrix&)
->Operator<Space, double>;
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

OSTINATO_EXTERN_CLASS(Operator);

}  // namespace ostinato
