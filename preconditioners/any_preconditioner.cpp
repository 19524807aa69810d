// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/any_preconditioner.hpp>

#include <new>

#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/preconditioners/list.hpp>
#include <ostinato/preconditioners/multigrid/multigrid.hpp>
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

namespace {

PreconditionerChoice choose_simple(const Structure& s) {
  if (const std::string reason = Jacobi<Host, double>::why_not(s); !reason.empty()) return {"none", reason};
  if (s.constant_diagonal) return {"none", "the diagonal is constant, so that Jacobi would change nothing"};
  return {"jacobi", "cheap, and every row has a diagonal entry"};
}

}  // namespace

template <class Space, class T>
PreconditionerChoice choose_preconditioner(const Analysis<Space, T>& analysis) {
  constexpr Index fewest_rows = 4096;
  const Structure& s = analysis.structure();
  if (s.rows < fewest_rows || !Multigrid<Space, T>::why_not(s).empty()) return choose_simple(s);
  const Grid& grid = analysis.grid();
  if (!grid || !grid.periodic_axes().empty() || grid.dominant > 0.5) return choose_simple(s);
  return {"multigrid", "the matrix is on a grid, " + grid.text()};
}

template <class Space, class T>
AnyPreconditioner<Space, T>::AnyPreconditioner(const Analysis<Space, T>& analysis, std::string_view name)
    : choice_(name == "auto" ? choose_preconditioner(analysis) : PreconditionerChoice{std::string(name), "asked for"}) {
  if (name != "auto") {
    build(analysis);
    return;
  }
  // The reasons against a preconditioner (why_not) don't cover all that its constructor may refuse, nor memory. Only a
  // preconditioner that was asked for by name may fail.
  const PreconditionerChoice simple = choose_simple(analysis.structure());
  for (;;) {
    const std::string why = try_to_build(analysis);
    if (why.empty()) return;
    built_.reset();
    choice_ = choice_.name == simple.name ? PreconditionerChoice{"none", why}
                                          : PreconditionerChoice{simple.name, simple.reason + "; " + why};
  }
}

/// Returns why the chosen preconditioner can't be built or won't pay; empty when it was built.
template <class Space, class T>
std::string AnyPreconditioner<Space, T>::try_to_build(const Analysis<Space, T>& analysis) {
  constexpr double poor_rate = 0.7;
  try {
    build(analysis);
    const bool is_poor = built_ != nullptr && built_->rate() > poor_rate;
    return is_poor ? choice_.name + ": a cycle shrinks an error too little" : std::string();
  } catch (const ArgumentError& e) {
    const std::string what = e.what();  // "what is wrong; what to do"
    return what.substr(0, what.find(';'));
  } catch (const std::bad_alloc&) {
    return choice_.name + ": not enough memory";
  } catch (const DeviceError& e) {
    return choice_.name + ": " + e.what();
  }
}

template <class Space, class T>
void AnyPreconditioner<Space, T>::build(const Analysis<Space, T>& analysis) {
  if (choice_.name == "none") return;
  std::string known = "auto, none";
  for (const PreconditionerEntry<Space, T>& entry : preconditioner_list<Space, T>()) {
    if (entry.name == choice_.name) {
      built_ = entry.build(analysis);
      return;
    }
    known += ", " + std::string(entry.name);
  }
  throw ArgumentError("unknown preconditioner '" + choice_.name + "'; known: " + known);
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
double AnyPreconditioner<Space, T>::seconds() const {
  return is_identity() ? 0 : built_->seconds();
}

template <class Space, class T>
bool AnyPreconditioner<Space, T>::works_in_float() const {
  return !is_identity() && built_->works_in_float();
}

template <class Space, class T>
std::vector<PreconditionerLevel> AnyPreconditioner<Space, T>::levels() const {
  if (is_identity()) return {};
  return built_->levels();
}

template <class Space, class T>
void AnyPreconditioner<Space, T>::apply(std::span<const T> r, std::span<T> z) const {
  built_->apply(r, z);
}

template <class Space, class T>
bool AnyPreconditioner<Space, T>::apply_dot(std::span<const T> r, std::span<T> z, double* slot) const {
  return built_->apply_dot(r, z, slot);
}

#define OSTINATO_INSTANTIATE(Space, T)                                            \
  template PreconditionerChoice choose_preconditioner(const Analysis<Space, T>&); \
  template class AnyPreconditioner<Space, T>
OSTINATO_INSTANTIATE(Host, float);
OSTINATO_INSTANTIATE(Host, double);
OSTINATO_INSTANTIATE(Cuda, float);
OSTINATO_INSTANTIATE(Cuda, double);

}  // namespace ostinato
