// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato {

namespace detail {

/// Whether the elements lie one after the other: as a Kokkos::View or a dense Eigen object says itself, else true.
template <class Container>
bool is_contiguous(const Container& c) {
  if constexpr (requires { bool(c.span_is_contiguous()); }) {
    return c.span_is_contiguous();
  } else if constexpr (requires { c.innerStride() + c.outerStride() + c.innerSize() + c.outerSize(); }) {
    return c.innerStride() == 1 && (c.outerSize() <= 1 || c.outerStride() == c.innerSize());
  } else {
    return true;
  }
}

}  // namespace detail

/// A span over the elements of a container that holds them one after the other: an array, std::vector, Kokkos::View,
/// Eigen::VectorXd and the like, whatever has data() and size(). The memory is the container's: for a view in the
/// memory of a GPU, the span is for Cuda.
///
/// Requires  The elements outlive the span.
/// Throws    ArgumentError for a view or block with gaps between its elements.
template <class Container>
auto span_of(Container&& c) {
  constexpr bool is_container = requires {
    std::data(c);
    std::size(c);
  };
  static_assert(is_container, "span_of: the class has no data() and size(), as std::vector and Kokkos::View have them");
  if constexpr (is_container) {
    if (!detail::is_contiguous(c)) throw ArgumentError("span_of: there are gaps between the elements; copy them first");
    return std::span<std::remove_pointer_t<decltype(std::data(c))>>(std::data(c),
                                                                    static_cast<std::size_t>(std::size(c)));
  }
}

}  // namespace ostinato
