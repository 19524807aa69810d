// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Marks what runs on the host and in CUDA kernels. The one place where a public header looks at the compiler.
#ifdef __CUDACC__
#define OSTINATO_FUNCTION __host__ __device__
#else
#define OSTINATO_FUNCTION
#endif
