// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "spmv/format_conformance.hpp"

namespace ostinato::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Double, FormatConformance, EveryFormat<double>, FormatNames);

}  // namespace ostinato::test
