// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <type_traits>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/cost/cost.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/concept.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>

namespace ostinato::formats {

/// Why cuSPARSE doesn't run on Host.
inline constexpr const char* cusparse_needs_gpu = "cuSPARSE runs on NVIDIA GPUs";

/// Stands on Host for a format of cuSPARSE, which runs on Cuda only: cost() gives the reason, the constructor throws.
template <class F>
class NeedsGpu {
 public:
  using space_type = Host;
  using value_type = typename F::value_type;
  static constexpr std::string_view name = F::name;
  static constexpr std::string_view description = F::description;

  static Cost cost(const PlanInput&) {
    Cost c;
    c.reason_not = cusparse_needs_gpu;
    c.elsewhere = true;
    return c;
  }

  NeedsGpu(const Host&, const SpaceCsr<Host, value_type>&, const PlanInput&) {
    throw ArgumentError(cusparse_needs_gpu);
  }
  void apply(value_type, std::span<const value_type>, value_type, std::span<value_type>) const {}
  std::size_t bytes() const { return 0; }
};

/// F<Cuda, T> in a list of formats for Cuda, its stand-in in a list for Host.
template <class Space, template <class, class> class F, class T>
using OnGpu = std::conditional_t<is_cuda<Space>, F<Cuda, T>, NeedsGpu<F<Cuda, T>>>;

}  // namespace ostinato::formats
