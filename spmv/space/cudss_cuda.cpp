// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/cuda/cudss.hpp>

namespace ostinato::cuda {

Cudss Cudss::opened() {
  const Functions functions("cuDSS", "cudss", major);
  Cudss found{};
  functions.find("cudssCreate", found.create);
  functions.find("cudssDestroy", found.destroy);
  functions.find("cudssSetStream", found.set_stream);
  functions.find("cudssGetProperty", found.get_property);
  functions.find("cudssConfigCreate", found.create_config);
  functions.find("cudssConfigDestroy", found.destroy_config);
  functions.find("cudssConfigSet", found.set_config);
  functions.find("cudssDataCreate", found.create_data);
  functions.find("cudssDataDestroy", found.destroy_data);
  functions.find("cudssDataSet", found.set_data);
  functions.find("cudssDataGet", found.get_data);
  functions.find("cudssExecute", found.execute);
  functions.find("cudssMatrixCreateDn", found.create_vectors);
  functions.find("cudssMatrixCreateCsr", found.create_csr);
  functions.find("cudssMatrixSetValues", found.set_values);
  functions.find("cudssMatrixDestroy", found.destroy_matrix);
  return found;
}

}  // namespace ostinato::cuda
