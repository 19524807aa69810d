// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/cusparse/vendor.hpp>

namespace ostinato {

std::string why_no_cusparse() { return Cuda::why_absent(); }

}  // namespace ostinato
