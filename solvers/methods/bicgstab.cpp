// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/solvers/methods/bicgstab_definition.hpp>

#include <ostinato/solvers/methods/instantiate.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

Reason Bicgstab::breakdown(int cause, double, const std::string& when) {
  switch (cause) {
    case BicgstabScalars::no_alpha:
      return {Cause::division_by_zero,
              "r0 . A p = 0 " + when + ": the residual r0 that bicgstab began with is orthogonal to A p"};
    case BicgstabScalars::no_product:
      return {Cause::nearly_singular, "A M^-1 r = 0 " + when + " for an r that isn't 0: A M^-1 is singular"};
    case BicgstabScalars::no_omega:
      return {Cause::division_by_zero,
              "r . A M^-1 r = 0 " + when + ": no step along A M^-1 r makes the residual r smaller"};
    default:
      return {Cause::division_by_zero,
              "r0 . r = 0, up to rounding, " + when + ": the residual that bicgstab began with tells it nothing more"};
  }
}

OSTINATO_INSTANTIATE_METHOD(Bicgstab);
OSTINATO_INSTANTIATE_COMPLEX_METHOD(Bicgstab);

}  // namespace ostinato
