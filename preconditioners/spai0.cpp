// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/spai0.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <ostinato/preconditioners/contract/application.hpp>
#include <ostinato/preconditioners/contract/require_rows.hpp>
#include <ostinato/preconditioners/contract/require_square.hpp>
#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/preconditioners/spai0_steps.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

template <class Space, class T>
std::string Spai0<Space, T>::why_not(const Structure& s) {
  if (s.rows != s.cols) return "the matrix isn't square";
  if (std::string why = why_no_diagonal(s); !why.empty()) return why;
  return {};
}

template <class Space, class T>
Spai0<Space, T>::Spai0(const Analysis<Space, T>& analysis)
    : space_(analysis.space()), diagonal_(space_, static_cast<std::size_t>(analysis.structure().rows)) {
  require_square(name, analysis.structure());
  const CsrView<T>& a = analysis.matrix().view();
  Vector<Space, double> unusable(space_, 1, 0.0);
  sum(space_, diagonal_.size(),
      detail::DiagonalOverSquares<T>{detail::pattern_of(a), a.val.data(), diagonal_.data(),
                                     analysis.structure().symmetric},
      unusable.data());
  if (unusable.download()[0] == 0) return;
  const std::vector<T> m = diagonal_.download();
  const auto bad = std::find_if(m.begin(), m.end(), [](T v) { return !std::isfinite(v) || v == T{0}; });
  throw ArgumentError(
      "spai0: " + row_text(static_cast<std::size_t>(bad - m.begin())) +
      " has no usable diagonal entry (it is missing, 0, not finite, or beyond the range of the numbers); "
      "use preconditioner none");
}

template <class Space, class T>
void Spai0<Space, T>::update_values(const Analysis<Space, T>& analysis) {
  require_rows(name, analysis.structure(), diagonal_.size());
  *this = Spai0(analysis);
}

template <class Space, class T>
void Spai0<Space, T>::apply(std::span<const T> r, std::span<T> z) const {
  require_lengths(name, rows(), r.size(), z.size());
  multiply<T>(space_, diagonal_, r, z);
}

template <class Space, class T>
void Spai0<Space, T>::apply_dot(std::span<const T> r, std::span<T> z, Slot<T> slot) const {
  require_lengths(name, rows(), r.size(), z.size());
  multiply_dot<T>(space_, diagonal_, r, z, slot);
}

OSTINATO_CLASS(Spai0);

OSTINATO_DEFINE_PRECONDITIONER(spai0, Spai0)

}  // namespace ostinato
