// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Element-wise work, written once as functors and run on either space. The definitions for Host are in parallel.hpp,
// those for Cuda in cuda/parallel.cuh; a .cu file instantiates the latter for each functor.
//
// A functor is copied to each worker and has
//   operator()(std::size_t i) const  the work on element i; for sum, returns Sums<K>
//   bool prepare()       (optional)  called once by each worker on its copy, before the elements: reads the scalars that
//                                    the functor needs; when it returns false no element is touched
//   void skipped()       (optional)  called once, by one worker, when prepare returned false
//   void finish(const Sums<K>&)  (optional, sum only)  called once, by one worker, with the finished sums
//
// The order in which sums are added depends on n alone (on Cuda on the model of the GPU, too): blocks of fixed size,
// whose partial sums are added in order. The same input gives the same bits, whatever the number of threads.

#include <cstddef>

namespace ostinato {

class Host;
class Cuda;

/// f(i) for i = 0 .. n - 1, in no particular order. Calls must not touch each other's elements.
/// Exec      Host: returns when all calls are done. Cuda: enqueued.
template <class F>
void for_each(const Host& space, std::size_t n, F f);
template <class F>
void for_each(const Cuda& space, std::size_t n, F f);

/// slots[k] := sum over i of f(i).v[k]; slots may be null when f.finish takes the sums.
/// Exec      Host: returns when all calls are done. Cuda: enqueued; the slots are in device memory.
template <class F>
void sum(const Host& space, std::size_t n, F f, double* slots);
template <class F>
void sum(const Cuda& space, std::size_t n, F f, double* slots);

/// Integer operations on counters that several workers share, for functors that run on either space.
template <class Space>
struct Atomic;

}  // namespace ostinato
