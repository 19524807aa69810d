// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/scaled_structure_definition.hpp>

#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

template std::optional<Structure> rounded_structure(const Host&, const CsrView<float>&, const Structure&, double);
template std::optional<Structure> rounded_structure(const Cuda&, const CsrView<float>&, const Structure&, double);

std::optional<Structure> scaled_structure(const Structure& s, double factor) {
  // An analysis that looked for no equal values looked for no symmetry either.
  const bool is_known = !s.lengths_only && s.census != nullptr && s.profile->single && s.profile->distinct > 0;
  if (!scaled_structure_definition::is_power_of_two(factor) || !is_known) return {};
  const std::vector<double>& values = s.census->values;
  const auto fits = [factor](double v) { return scaled_structure_definition::is_exact(v, factor); };
  if (values.empty() || !std::all_of(values.begin(), values.end(), fits)) return {};
  Structure made = scaled_structure_definition::with_scaled_values(s, factor);
  made.census = std::make_shared<const DiagonalCensus>(scaled_structure_definition::scaled(*s.census, factor));
  return made;
}

}  // namespace ostinato
