// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/any_preconditioner.hpp>

#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/preconditioners/list.hpp>
#include <ostinato/spmv/space/error.hpp>

namespace ostinato {

const std::vector<PreconditionerInfo>& preconditioner_infos() {
  static const std::vector<PreconditionerInfo> infos = [] {
    std::vector<PreconditionerInfo> all = {{"none", "no preconditioner"}};
    for (const auto& entry : preconditioner_list<Host, double>()) all.push_back({entry.name, entry.description});
    return all;
  }();
  return infos;
}

PreconditionerChoice choose_preconditioner(const Structure& s) {
  if (const std::string reason = Jacobi<Host, double>::why_not(s); !reason.empty()) return {"none", reason};
  if (s.constant_diagonal) return {"none", "the diagonal is constant, so that Jacobi would change nothing"};
  return {"jacobi", "cheap, and every row has a diagonal entry"};
}

template <class Space, class T>
AnyPreconditioner<Space, T>::AnyPreconditioner(const Analysis<Space, T>& analysis, std::string_view name)
    : choice_(name == "auto" ? choose_preconditioner(analysis.structure())
                             : PreconditionerChoice{std::string(name), "asked for"}) {
  if (choice_.name == "none") return;
  std::string known = "auto, none";
  for (const PreconditionerEntry<Space, T>& entry : preconditioner_list<Space, T>()) {
    if (entry.name == choice_.name) {
      build(entry, analysis, name == "auto");
      return;
    }
    known += ", " + std::string(entry.name);
  }
  throw ArgumentError("unknown preconditioner '" + std::string(name) + "'; known: " + known);
}

/// The reasons against a preconditioner (why_not) don't cover all that its constructor may refuse, such as a diagonal
/// entry whose inverse overflows. Only a preconditioner that was asked for by name may fail.
template <class Space, class T>
void AnyPreconditioner<Space, T>::build(const PreconditionerEntry<Space, T>& entry, const Analysis<Space, T>& analysis,
                                        bool may_do_without) {
  try {
    built_ = entry.build(analysis);
  } catch (const ArgumentError& e) {
    if (!may_do_without) throw;
    const std::string why = e.what();  // "what is wrong; what to do"
    choice_ = {"none", why.substr(0, why.find(';'))};
  }
}

template <class Space, class T>
AnyPreconditioner<Space, T>::AnyPreconditioner(AnyPreconditioner&&) noexcept = default;
template <class Space, class T>
AnyPreconditioner<Space, T>& AnyPreconditioner<Space, T>::operator=(AnyPreconditioner&&) noexcept = default;
template <class Space, class T>
AnyPreconditioner<Space, T>::~AnyPreconditioner() = default;

template <class Space, class T>
std::size_t AnyPreconditioner<Space, T>::bytes() const {
  return is_identity() ? 0 : built_->bytes();
}

template <class Space, class T>
bool AnyPreconditioner<Space, T>::capturable() const {
  return is_identity() || built_->capturable();
}

template <class Space, class T>
void AnyPreconditioner<Space, T>::apply(std::span<const T> r, std::span<T> z) const {
  built_->apply(r, z);
}

template <class Space, class T>
bool AnyPreconditioner<Space, T>::apply_dot(std::span<const T> r, std::span<T> z, double* slot) const {
  return built_->apply_dot(r, z, slot);
}

template class AnyPreconditioner<Host, float>;
template class AnyPreconditioner<Host, double>;
template class AnyPreconditioner<Cuda, float>;
template class AnyPreconditioner<Cuda, double>;

}  // namespace ostinato
