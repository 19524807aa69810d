// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "paper.hpp"

namespace ostinato::cli {

namespace {

/// Tables 2 (matrices; the rows that it rounds are those of the collection) and 3 (megabytes of COO over those of
/// BCCOO). The speeds of single matrices are graphs, of which the text names two.
constexpr PaperMatrix matrices_of_yaspmv[] = {
    {"Dense", 2000, 4000000, lines(3999, 3998000, 1, 0), {48. / 17}, 0, "dense2"},
    {"Protein", 36417, 4344765, blocks(3, 0.05), {52. / 21}, 0, "pdb1HYS"},
    {"FEM/Spheres", 83334, 6010480, blocks(3, 0.02), {72. / 31}, 0, "consph"},
    {"FEM/Cantilever", 62451, 4007383, blocks(3, 0.02), {48. / 21}, 0, "cant"},
    {"Wind Tunnel", 217918, 11634424, blocks(6, 0.01), {140. / 65}, 0, "pwtk"},
    {"FEM/Harbor", 46835, 2374001, blocks(3, 0.02), {28. / 14}, 0, "rma10"},
    {"QCD", 49152, 1916928, blocks(3, 0.1), {23. / 9}, 0, "qcd5_4"},
    {"FEM/Ship", 140874, 7813404, blocks(6, 0.02), {94. / 34}, 0, "shipsec1"},
    {"Economics", 206500, 1273389, web(44), {15. / 8}, 0, "mac_econ_fwd500"},
    {"Epidemiology", 525825, 2100225, lines(4, 3075, 3, 726), {25. / 14, 25.5 / 28.5}, 2 * 2.100225 / 25.5, "mc2depi"},
    {"FEM/Accelerator", 121192, 2620000, blocks(1, 0.1), {31. / 17}, 0, "cop20k_A"},
    {"Circuit", 170998, 958936, web(353), {12. / 6}, 0, "scircuit"},
    {"Webbase", 1000005, 3105536, web(4700), {37. / 27}, 0, "webbase-1M"},
    {"LP", 4284, 11279748, blocks(1, 1), {135. / 85}, 0, "rail4284", 1092610},
    {"Circuit5M", 5558326, 59524291, web(1290501), {714. / 516}},
    {"eu-2005", 862664, 19235140, web(6985), {231. / 159}},
    {"Ga41As41H72", 268096, 18488476, web(702), {222. / 136}},
    {"in-2004", 1382908, 16917053, web(7753), {203. / 132}},
    {"mip1", 66463, 10352819, web(66395), {124. / 51, 3.29}},
    {"Si41Ge41H72", 185639, 15011265, web(662), {180. / 105}}};

}  // namespace

Paper yaspmv() {
  return {.name = "yaspmv",
          .source = "Yan, Li, Zhang & Zhou, PPoPP'14, doi:10.1145/2555243.2555255, Tables 2, 3 and the text",
          .device = "GTX 680",
          .precision = "single",
          .formats = "bccoo bccoo-plus",
          .baselines = {{"coo's bytes", "coo", 0, true},
                        {"cusparse", "cusparse-alg1 cusparse-bsr hyb", 1.65},
                        {"cusp", "csr-scalar csr-vector coo ell hyb", 2.5},
                        {"best single", "csr-scalar csr-vector coo ell hyb bsr dia sliced-ell", 1.88}},
          .matrices = matrices_of_yaspmv,
          .remarks = {"Epidemiology's speed is that on a GTX 480. The means of the text are harmonic, over all 20",
                      "The means hold for cusp and best single (of clSpMV), here the fastest of our textbook formats; "
                      "clSpMV's COCKTAIL (1.70 in the mean, 2.95 on LP) isn't to be had"},
          .tunes = true,
          .compresses = true};
}

}  // namespace ostinato::cli
