// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/cusparse/cusparse.hpp>

#include <ostinato/spmv/formats/contract/define_entry.hpp>
#include <ostinato/spmv/space/concept.hpp>

namespace ostinato::formats {

namespace {

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

template <class Space, template <class, class> class F, class T>
using OnGpu = std::conditional_t<is_cuda<Space>, F<Cuda, T>, NeedsGpu<F<Cuda, T>>>;

template <class Space, class T>
using Alg1 = OnGpu<Space, CusparseAlg1, T>;
template <class Space, class T>
using Alg2 = OnGpu<Space, CusparseAlg2, T>;
template <class Space, class T>
using Sell = OnGpu<Space, CusparseSell, T>;
template <class Space, class T>
using Bsr = OnGpu<Space, CusparseBsr, T>;

}  // namespace

OSTINATO_DEFINE_ENTRY(cusparse_alg1, Alg1)
OSTINATO_DEFINE_ENTRY(cusparse_alg2, Alg2)
OSTINATO_DEFINE_ENTRY(cusparse_sell, Sell)
OSTINATO_DEFINE_ENTRY(cusparse_bsr, Bsr)

}  // namespace ostinato::formats
