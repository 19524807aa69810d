// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/formats/contract/product.hpp>
#include <ostinato/spmv/formats/diagonal/band_view.hpp>
#include <ostinato/spmv/formats/diagonal/product_source.hpp>
#include <ostinato/spmv/formats/diagonal/row_classes.hpp>
#include <ostinato/spmv/jit/generated_kernels.hpp>

namespace ostinato::formats {

/// The kernels generated for one matrix of the diagonal family. While the kernels are compiled, and when there are
/// none, product() and product_dot() do nothing and return false. The caller then uses the precompiled kernels, which
/// give the same bits.
///
/// Exec      Products are enqueued, by one thread at a time. Kernels that have become ready come into use at the next
///           call outside a graph capture.
class GeneratedProduct {
 public:
  template <class T>
  void request(const Cuda& space, const BandView<T>& a);
  template <class T>
  void request(const Cuda& space, const ClassView<T>& a);

  void wait() const;  ///< until the compilation has ended

  /// Computes the product p; `a` is the BandView or ClassView of the matrix. Returns false and does nothing without
  /// kernels.
  template <class View, class T>
  bool product(const Cuda& space, const View& a, const Product<T>& p) const;

  /// Computes the product p and *slot = w . y; w may be y. Returns false and does nothing without kernels.
  template <class View, class T>
  bool product_dot(const Cuda& space, const View& a, const Product<T>& p, const T* w, Slot<T> slot) const;

  int revision(const Cuda& space) const { return in_use(space) ? 1 : 0; }
  bool failed() const {
    return kernels_ != nullptr && (kernels_->state() == GeneratedKernels::State::failed || !why_not_loaded_.empty());
  }
  std::string text() const;  ///< the state of the request in words; empty without a request

 private:
  enum Kernel { plain, dot, pairs };
  void request(const Cuda& space, ProductSource source);
  bool in_use(const Cuda& space) const;

  std::shared_ptr<GeneratedKernels> kernels_;
  ProductSource::Tiling tiling_;
  std::vector<std::uint16_t> constants_;
  bool not_worth_it_ = false;
  mutable bool loaded_ = false;
  mutable std::string why_not_loaded_;  ///< onto the GPU of the space; empty unless that has failed
  mutable std::array<const void*, 3> functions_{};
};

}  // namespace ostinato::formats
