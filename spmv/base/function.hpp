// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// OSTINATO_FUNCTION marks a function that runs on the host and in CUDA kernels. No other public header tests which
// compiler is used.
#ifdef __CUDACC__
#define OSTINATO_FUNCTION __host__ __device__
#else
#define OSTINATO_FUNCTION
#endif
