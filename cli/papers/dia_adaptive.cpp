// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "paper.hpp"

namespace ostinato::cli {

namespace {

/// Tables 3 (matrices), 5 (ratios, the columns of the GTX 1070), 9 and 7 (milliseconds). Of a stand-in, the padding is
/// that of Table 6, column DIA-A; groups and stride follow from the share of far diagonals in Table 4.
constexpr PaperMatrix matrices_of_dia_adaptive[] = {
    {"wang3", 26064, 177168, lines(21, 5408, 3, 880), {2.48, 1.29, 1.21, 2.43, 1.65, 1.28}, 0.0056},
    {"wang4", 26068, 177196, lines(23, 5788, 3, 880), {2.38, 1.24, 1.13, 2.24, 1.52, 1.21}},
    {"s3dkt3m2", 90449, 3686223, lines(655, 1589657, 5, 390), {1.14, 0.98, 0.97, 9.46, 1.37, 1.13}, 0.2128},
    {"s3dkq4m2", 90449, 4427725, lines(661, 1925774, 5, 390), {1.22, 0.99, 0.97, 7.77, 1.28, 1.20}},
    {"kim1", 38415, 933195, lines(25, 15081, 5, 195), {2.04, 1.56, 1.40, 1.13, 1.18, 1.46}, 0.0426},
    {"kim2", 456976, 11300020, lines(25, 48092, 5, 676), {1.72, 1.48, 1.44, 1.24, 1.04, 1.01}},
    {"nemeth21", 9506, 1173746, lines(169, 375098, 1, 0), {1.26, 1.03, 1.07, 1.09, 1.09, 1.48}, 0.0630},
    {"nemeth22", 9506, 1358832, lines(197, 418192, 1, 0), {1.21, 1.10, 1.14, 1.09, 1.13, 1.85}},
    {"af_1_k101", 503625, 17550675, lines(897, 11226892, 3, 2500), {1.12, 1.02, 0.97, 16.60, 1.45, 1.44}, 1.1214},
    {"af_2_k101", 503625, 17550675, lines(897, 11226892, 3, 2500), {1.12, 1.02, 0.97, 16.60, 1.45, 1.44}},
    {"crystk02", 13965, 968583, lines(99, 387906, 9, 100), {1.24, 0.80, 0.93, 1.05, 1.16, 1.15}},
    {"crystk03", 24696, 1751178, lines(99, 663014, 9, 170), {1.35, 1.03, 1.02, 1.03, 1.07, 1.27}, 0.0937},
    {"ms_110", 8386560, 17919990, lines(17, 10, 3, 200000), {1.44, 1.43, 1.42, 2.97, 1.04, 1.00}},
    {"ms_112", 8386560, 22497270, lines(20, 10, 5, 200000), {1.64, 1.64, 1.63, 3.68, 1.09, 1.00}},
    {"m_110", 4190000, 10317193, lines(26, 32247, 9, 10500), {1.47, 1.80, 1.62, 5.83, 1.05, 1.13}},
    {"m_112", 4190000, 10911913, lines(32, 16215, 7, 15000), {1.51, 1.94, 1.76, 6.03, 1.07, 1.20}},
    {"Maxwell2D512", 786432, 5898222, family("maxwell2d", 512), {1.56, 1.53, 1.73, 1.20, 1.11, 1.01}},
    {"Maxwell2D1024", 3145728, 23592942, family("maxwell2d", 1024), {1.51, 1.52, 1.67, 1.17, 1.05, 1.01}},
    {"KGS2D1024", 2097152, 12574720, family("kgs2d", 1024), {1.62, 1.57, 1.56, 1.19, 1.11, 1.21}, 0.6217},
    {"KGS3D96", 1769472, 14045184, family("kgs3d", 96), {1.84, 1.57, 1.55, 1.17, 1.14, 1.56}, 0.6538},
};

}  // namespace

Paper dia_adaptive() {
  return {
      .name = "dia-adaptive",
      .source = "Adaptive sparse matrix-vector multiplication for diagonal sparse matrices on GPU, Tables 3, 5, 7, 9",
      .device = "GTX 1070",
      .precision = "double",
      .formats = "",
      .baselines = {{"csr-adaptive", "csr-adaptive"},
                    {"cusp", "csr-scalar csr-vector ell hyb"},
                    {"hybmv", "hyb"},
                    {"dia", "dia"},
                    {"hdi", "hdi"},
                    {"crsd", "crsd"}},
      .matrices = matrices_of_dia_adaptive,
      .remarks = {
          "cusp is the fastest of CUSP's kernels, here of our textbook formats; hybmv is cuSPARSE's HYB, which "
          "newer releases lack, here our hyb",
          "A stand-in has the diagonals of Table 3, and the padding of Table 6 within 10 % up to 4 million nonzeros, "
          "but for kim1 (28 % less); larger ones may be far off. Maxwell and KGS have rows, nonzeros and diagonals of "
          "the "
          "paper",
          "dia, ours or the paper's, has no kernels compiled for the matrix; brcsd has"}};
}

}  // namespace ostinato::cli
