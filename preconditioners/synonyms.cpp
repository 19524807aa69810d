// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/synonyms.hpp>

#include <algorithm>

#include <ostinato/spmv/base/message.hpp>

namespace ostinato {

namespace {

constexpr NameOf solver = NameOf::solver, preconditioner = NameOf::preconditioner;

constexpr Synonym table[] = {
    {solver, "pcg", "cg", ""},
    {solver, "bcgs bicg-stab", "bicgstab", ""},
    {solver, "bcgsl bicgstabl bicgstab(l) bicgstab(2)", "bicgstab2", ""},
    {solver, "bicg cgs qmr tfqmr tcqmr", "bicgstab2", "it serves the same matrices, with as little memory"},
    {solver, "fgmres pgmres", "gmres", "it is flexible wherever the preconditioner varies"},
    {solver, "gcr gmresr", "gmres", "it minimises the same residual"},
    {solver, "lgmres gcrotmk gcro gcrot deflated dgmres", "gcrodr", "it keeps directions at a restart, too"},
    {solver, "symmlq", "minres", "it serves the same matrices"},
    {solver, "idrs idr(s)", "idr", ""},
    {solver, "lsqr cgls cgnr cgne craig", "lsmr", "it solves the same problems"},
    {preconditioner, "diag diagonal", "jacobi", ""},
    {preconditioner, "bjacobi blockjacobi block_jacobi pbjacobi", "block-jacobi", "blocks have up to 32 rows"},
    {preconditioner, "sor sgs gs gauss-seidel", "ssor", "it sweeps forward and back; sweep=forward only forward"},
    {preconditioner, "cheby chebychev", "chebyshev", ""},
    {preconditioner, "spai", "spai0", "of which only the diagonal is kept"},
    {preconditioner, "ilu", "ilu0", "ilut keeps the largest entries instead"},
    {preconditioner, "ilutp spilu", "ilut", ""},
    {preconditioner, "icc ic ichol", "ict", "it keeps the largest entries; ic0 has the pattern of A"},
    {preconditioner, "direct superlu umfpack klu mumps pardiso splu", "lu", ""},
    {preconditioner, "chol llt ldlt cholmod", "cholesky", ""},
    {preconditioner, "mg gmg", "multigrid", ""},
    {preconditioner, "amg gamg amgx", "multigrid",
     "structured on a grid, else classical; kind=plain is by aggregation"},
    {preconditioner, "boomeramg ruge_stuben rs", "multigrid:kind=classical", ""},
    {preconditioner, "sa smoothed_aggregation ml", "multigrid:kind=aggregation", "kind=plain doesn't smooth"},
    {preconditioner, "agmg", "multigrid:kind=pairwise", ""},
};

/// Whether a name is one of the words of a list.
bool is_among(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

}  // namespace

std::span<const Synonym> synonyms() { return table; }

UsualName usual_name(NameOf of, std::string_view given) {
  const std::string text = lower(given);
  const std::size_t colon = of == NameOf::preconditioner ? std::min(text.find(':'), text.size()) : text.size();
  const std::string name = text.substr(0, colon), options = text.substr(colon);
  for (const Synonym& s : table) {
    if (s.of != of || !is_among(s.names, name)) continue;
    std::string meaning(s.meaning);
    const std::string note = name + " is " + meaning + " here" + (s.remark.empty() ? "" : ": ") + std::string(s.remark);
    const bool has_both = options.size() > 1 && meaning.find(':') != std::string::npos;
    return {meaning + (has_both ? "," + options.substr(1) : options), note};
  }
  return {text, {}};
}

}  // namespace ostinato
