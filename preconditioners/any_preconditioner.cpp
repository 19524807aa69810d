// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/any_preconditioner.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

namespace {

template <class M, class Space, class T>
M make(const Space& space, const CsrView<T>& a) {
  if constexpr (std::is_default_constructible_v<M>) {
    return M{};
  } else {
    return M(space, a);
  }
}

template <class Space, class T, class... M>
bool create(std::variant<M...>& made, const Space& space, const CsrView<T>& a, std::string_view name) {
  return ((name == M::name && (made.template emplace<M>(make<M>(space, a)), true)) || ...);
}

}  // namespace

PreconditionerChoice choose_preconditioner(const Structure& s) {
  if (s.missing_diagonal > 0)
    return {"none", std::to_string(s.missing_diagonal) + " rows have no diagonal entry, or 0 there"};
  if (s.constant_diagonal) return {"none", "the diagonal is constant, so that Jacobi would change nothing"};
  return {"jacobi", "cheap, and every row has a diagonal entry"};
}

template <class Space, class T>
AnyPreconditioner<Space, T>::AnyPreconditioner(const Space& space, const CsrView<T>& a, const Structure& s,
                                               std::string_view name)
    : choice_(name == "auto" ? choose_preconditioner(s) : PreconditionerChoice{std::string(name), "asked for"}) {
  if (create(preconditioner_, space, a, choice_.name)) return;
  std::string known = "auto";
  for (const PreconditionerInfo& info : preconditioner_infos) known += ", " + std::string(info.name);
  throw ArgumentError("unknown preconditioner '" + std::string(name) + "'; known: " + known);
}

template class AnyPreconditioner<Host, float>;
template class AnyPreconditioner<Host, double>;
template class AnyPreconditioner<Cuda, float>;
template class AnyPreconditioner<Cuda, double>;

}  // namespace ostinato
