// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ostinato {

enum class NameOf { solver, preconditioner };

/// A name that another library has for a solver or preconditioner, or for what serves in its place here.
struct Synonym {
  NameOf of;
  std::string_view names;    ///< one or several, as "icc ic ichol"
  std::string_view meaning;  ///< the name here, of a preconditioner with options: "multigrid:kind=classical"
  std::string_view remark;   ///< where the meaning needs a word
};

/// The one table of them, for look-ups, help and documents.
std::span<const Synonym> synonyms();

/// A name in lower case, and what was made of it.
struct UsualName {
  std::string name;  ///< with the options that were given, behind those of the meaning
  std::string note;  ///< "boomeramg is multigrid:kind=classical here"; empty where the name isn't a synonym
};

/// The name here of a solver or preconditioner, from a name here or a synonym, in any case. Another name stays as it
/// is, for the look-up to refuse.
UsualName usual_name(NameOf of, std::string_view given);

}  // namespace ostinato
