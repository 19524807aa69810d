// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
// Times the products of every format against the fastest product of cuSPARSE or Eigen and the memory bandwidth.
//
//   bench_spmv [cpu|cuda] [NAME ...]     NAME: a .mtx file, or FAMILY:N[:KEY=VALUE ...] of the generators, such as
//                                        fem27:56:unknowns=3. Without names, the set of docs/performance.md;
//                                        "diagonal" is the set for the diagonal formats.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/bench/formats/list.hpp>
#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/analysis/diagonals.hpp>
#include <ostinato/spmv/selection/search_engine.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

#include "baseline.hpp"
#include "cases.hpp"
#include "triad.hpp"

namespace {

using namespace ostinato;
using namespace ostinato::bench;

/// Returns the memory bandwidth in bytes per second: the triad on the host; on the device the faster of a copy and a
/// kernel that only reads.
double peak_bandwidth(const Host& host) { return triad_bandwidth(host); }

double peak_bandwidth(const Cuda& space) {
  const std::size_t n = std::size_t{1} << 27;
  Vector<Cuda, double> a(space, n), b(space, n), slot(space, 1);
  space.zero(a.data(), a.bytes());
  space.zero(b.data(), b.bytes());
  const double copy =
      2.0 * n * sizeof(double) / median_seconds(space, 15, [&] { space.copy(b.data(), a.data(), a.bytes()); });
  const double read =
      2.0 * n * sizeof(double) / median_seconds(space, 15, [&] { dot<double>(space, a, b, slot.data()); });
  return std::max(copy, read);
}

/// The product of each row in long double, and sum |a||x|, by which errors are measured.
struct Reference {
  CsrView<double> a;
  const double* x;
  long double *sum, *size;

  void operator()(std::size_t i) const {
    sum[i] = size[i] = 0;
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const long double term =
          static_cast<long double>(a.val[static_cast<std::size_t>(k)]) * x[a.col[static_cast<std::size_t>(k)]];
      sum[i] += term;
      size[i] += std::abs(term);
    }
  }
};

/// Checks products against the reference.
class Checker {
 public:
  Checker(const CsrView<double>& a, const std::vector<double>& x)
      : sum_(static_cast<std::size_t>(a.rows)), size_(sum_.size()) {
    for_each(Host(), sum_.size(), Reference{a, x.data(), sum_.data(), size_.data()});
  }

  /// Returns the largest error of a row, in units of eps sum |a||x|. Infinite when a value isn't finite.
  double worst(const std::vector<double>& y) const {
    double worst = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const long double error = std::abs(sum_[i] - static_cast<long double>(y[i]));
      if (error == 0) continue;
      const auto units = static_cast<double>(error / (std::numeric_limits<double>::epsilon() * size_[i]));
      worst = std::isfinite(units) ? std::max(worst, units) : std::numeric_limits<double>::infinity();
    }
    return worst;
  }

 private:
  std::vector<long double> sum_, size_;
};

bool is_diagonal(const std::string& format) { return format == "dia" || format.starts_with("brcsd"); }

/// The timings of one of our products. On a GPU a diagonal format has two: with generated kernels, and "dia,
/// precompiled".
struct Ours : TimedProduct {
  std::string format;
  double moved, setup, error, predicted;
};

template <class Space>
class Products {
 public:
  Products(const Space& space, const Case& c, const std::vector<double>& x)
      : space_(space),
        entries_(c.matrix.nonzeros()),
        matrix_(space, c.matrix.view()),
        checker_(c.matrix, x),
        x_(space, x),
        y_(space, static_cast<std::size_t>(c.matrix.rows), std::numeric_limits<double>::quiet_NaN()),
        compress_(c.compress) {
    Operator<Space, double>(space_, matrix_.view(), on_space, options("auto", Jit::off));
    const Operator<Space, double> op(space_, matrix_.view(), on_space, options("auto", Jit::off));
    setup_ = median_setup_seconds();
    choice_ = op.choice();
    const auto& census = op.structure().census;
    if (census != nullptr && !census->diagonals.empty()) rule_ = search(*census).format;
  }

  const std::string& choice() const { return choice_.format; }
  double setup() const { return setup_; }            ///< seconds for the chosen format, analysis included
  const std::string& rule() const { return rule_; }  ///< format chosen by the search engine; empty without diagonals

  /// Times all formats that can hold the matrix without much padding and aren't predicted to be far slower than the
  /// best.
  std::vector<Ours> all() {
    std::vector<Ours> list;
    const std::vector<Candidate> candidates = one_of_all(options("auto", Jit::off)).choice().candidates;
    for (const Candidate& c : candidates) {
      const bool far_behind = c.cost.seconds > 8 * candidates.front().cost.seconds + 20e-6;
      if ((!c.cost.applies() && c.cost.reproducible) ||
          ((c.cost.padding > 3 || far_behind) && c.name != choice() && c.name != "csr"))
        continue;
      const bool generates = Space::has_streams && is_diagonal(c.name);
      if (generates) add_generated(list, c.name);
      add(list, generates ? c.name + ", precompiled" : c.name, options(c.name, Jit::off));
    }
    return list;
  }

 private:
  FormatOptions options(const std::string& format, Jit jit) const {
    return {.format = format, .jit = jit, .compress = compress_};
  }

  /// Returns an operator that takes its format from the list of all, those that are there to compare with included.
  Operator<Space, double> one_of_all(const FormatOptions& how) const {
    const Analysis<Space, double> analysis(space_, SpaceCsr<Space, double>(space_, matrix_.view(), on_space));
    return Operator<Space, double>(analysis, how, bench_formats<Space, double>());
  }

  /// Returns the median set-up time of the format that auto chooses, analysis included. Kernels are loaded already.
  double median_setup_seconds() const {
    std::vector<double> seconds;
    for (int k = 0; k < 5; ++k) {
      const Operator<Space, double> op(space_, matrix_.view(), on_space, options("auto", Jit::off));
      seconds.push_back(op.analyse_seconds() + op.convert_seconds());
    }
    std::nth_element(seconds.begin(), seconds.begin() + 2, seconds.end());
    return seconds[2];
  }

  void add_generated(std::vector<Ours>& list, const std::string& format) {
    try {
      add(list, format, options(format, Jit::on));
    } catch (const Error&) {  // no run-time compiler, or nothing to generate for this matrix
    }
  }

  /// Builds the format twice: the work that a process does once, such as loading kernels, isn't part of the set-up.
  void add(std::vector<Ours>& list, const std::string& name, const FormatOptions& how) {
    (void)one_of_all(how);
    const auto op = std::make_shared<const Operator<Space, double>>(one_of_all(how));
    if (how.jit == Jit::on && op->revision() % 2 == 0) return;
    const auto product = [op, this] { op->apply(1, x_, 0, y_); };
    product();
    Ours timed{{name, product},
               how.format,
               static_cast<double>(op->bytes() + x_.bytes() + y_.bytes()),
               op->analyse_seconds() + op->convert_seconds(),
               checker_.worst(y_.download()),
               op->choice().candidates.front().cost.seconds};
    time_product(space_, entries_, timed);
    list.push_back(std::move(timed));
  }

  Space space_;
  Offset entries_;
  SpaceCsr<Space, double> matrix_;
  Checker checker_;
  Vector<Space, double> x_, y_;
  Compress compress_;
  Choice choice_;
  double setup_ = 0;
  std::string rule_;
};

double best(const std::vector<TimedProduct>& all, const char* only = "",
            double TimedProduct::*seconds = &TimedProduct::seconds) {
  double least = 0;
  for (const TimedProduct& b : all) {
    if (b.name.find(only) == std::string::npos) continue;
    if (least == 0 || b.*seconds < least) least = b.*seconds;
  }
  return least;
}

std::vector<TimedProduct> baselines(const Host& host, const CsrView<double>& a, const std::vector<double>& x) {
  return {eigen_product(host, a, x)};
}
std::vector<TimedProduct> baselines(const Cuda& space, const CsrView<double>& a, const std::vector<double>& x) {
  return cusparse_products(space, a, x);
}

/// The times and the bandwidth to which the products of one matrix are compared.
struct Yardsticks {
  double peak;  ///< bytes a second
  double vendor, vendor_cold, vendor_graph, vendor_csr,
      csr;  ///< seconds: vendor's best, cold, in a graph, its best CSR, our CSR
};

/// Geometric means over the matrices, each under a name.
class Means {
 public:
  void add(const std::string& name, const Yardsticks& by, const Ours& t) {
    Logs& logs = logs_[name];
    logs.vendor += std::log(by.vendor / t.seconds);
    logs.vendor_graph += std::log(by.vendor_graph / t.graph_seconds);
    if (t.cold_seconds > 0) logs.vendor_cold += std::log(by.vendor_cold / t.cold_seconds);
    logs.vendor_csr += std::log(by.vendor_csr / t.seconds);
    logs.csr += std::log(by.csr / t.seconds);
    ++logs.count;
  }

  /// Adds the loss of a choice: its time over the time of the fastest format.
  void add_loss(double loss) { losses_.push_back(loss); }

  void print() const {
    std::printf(
        "\n| geometric mean | matrices | x vendor's best | cold | in a graph | x vendor's CSR | x our csr "
        "|\n|---|---|---|---|---|---|---|\n");
    for (const auto& [name, logs] : logs_) {
      const auto mean = [count = logs.count](double log) { return std::exp(log / count); };
      std::printf("| %s | %d | %.3f | %.3f | %.3f | %.3f | %.3f |\n", name.c_str(), logs.count, mean(logs.vendor),
                  mean(logs.vendor_cold), mean(logs.vendor_graph), mean(logs.vendor_csr), mean(logs.csr));
    }
    double log = 0;
    for (const double loss : losses_) log += std::log(loss);
    std::printf("\nloss of the choice against the fastest format: geometric mean %.3f, worst %.2f\n",
                std::exp(log / static_cast<double>(losses_.size())), *std::max_element(losses_.begin(), losses_.end()));
  }

 private:
  struct Logs {
    double vendor = 0, vendor_cold = 0, vendor_graph = 0, vendor_csr = 0, csr = 0;
    int count = 0;
  };
  std::map<std::string, Logs> logs_;
  std::vector<double> losses_;
};

/// Prints the table rows of one matrix.
class Table {
 public:
  static void print_head() {
    std::printf(
        "| matrix | rows | entries | product | us | cold us | graph us | predicted us | GB/s stored | of peak | error "
        "/ eps | set-up, products | "
        "vendor best | x vendor | cold | in a graph | x vendor CSR | x csr |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  }

  Table(const std::string& name, const CsrView<double>& a, const Yardsticks& by)
      : start_("| " + name + " | " + std::to_string(a.rows) + " | " + std::to_string(a.nonzeros()) + " | "), by_(by) {
    std::printf("%speak %.1f GB/s | | | | | | | | | | | | | | |\n", start_.c_str(), by.peak / 1e9);
  }

  void row(const TimedProduct& b) const {
    std::printf("%s%s | %.2f | %.2f | %.2f | | | | | | | | | | | |\n", start_.c_str(), b.name.c_str(), b.seconds * 1e6,
                b.cold_seconds * 1e6, b.graph_seconds * 1e6);
  }

  void row(const std::string& label, const Ours& t) const {
    std::printf(
        "%s%s | %.2f | %.2f | %.2f | %.2f | %.0f | %.2f | %.1f | %.1f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n",
        start_.c_str(), label.c_str(), t.seconds * 1e6, t.cold_seconds * 1e6, t.graph_seconds * 1e6, t.predicted * 1e6,
        t.moved / t.seconds / 1e9, t.moved / t.seconds / by_.peak, t.error, t.setup / by_.vendor_csr, by_.vendor * 1e6,
        by_.vendor / t.seconds, t.cold_seconds > 0 ? by_.vendor_cold / t.cold_seconds : 0,
        by_.vendor_graph / t.graph_seconds, by_.vendor_csr / t.seconds, by_.csr / t.seconds);
  }

 private:
  std::string start_;
  Yardsticks by_;
};

/// Returns the product that users of a format get, with generated kernels if there are any; null when it wasn't timed.
const Ours* of_format(const std::vector<Ours>& ours, const std::string& format) {
  const auto at = std::find_if(ours.begin(), ours.end(), [&](const Ours& t) { return t.format == format; });
  return at == ours.end() ? nullptr : &*at;
}

/// Prints a choice. Returns its loss: its time in a graph over the time of the fastest format.
double tell_choice(const Table& table, const char* by, const std::vector<Ours>& ours, const Ours& chosen) {
  const auto fastest = std::min_element(ours.begin(), ours.end(),
                                        [](const Ours& l, const Ours& r) { return l.graph_seconds < r.graph_seconds; });
  const double loss = chosen.graph_seconds / fastest->graph_seconds;
  char label[120];
  std::snprintf(label, sizeof label, "%s: %s, loss %.2f (%s)", by, chosen.name.c_str(), loss, fastest->name.c_str());
  table.row(label, chosen);
  return loss;
}

template <class Space>
void run_case(const Space& space, const std::string& name, Means& means) {
  const Case c = load_case(name);
  const std::vector<double> x = random_vector(static_cast<std::size_t>(c.matrix.cols), 1);
  const double peak = peak_bandwidth(space);
  std::vector<TimedProduct> vendor = baselines(space, c.matrix, x);
  Products<Space> products(space, c, x);
  std::vector<Ours> ours = products.all();
  std::vector<TimedProduct*> all;
  for (TimedProduct& p : vendor) all.push_back(&p);
  for (Ours& p : ours) all.push_back(&p);
  time_in_turn(space, all);
  const Yardsticks by{peak,
                      best(vendor),
                      best(vendor, "", &TimedProduct::cold_seconds),
                      best(vendor, "", &TimedProduct::graph_seconds),
                      best(vendor, Space::has_streams ? "CSR" : ""),
                      of_format(ours, "csr")->seconds};
  const Table table(name, c.matrix, by);
  for (const TimedProduct& b : vendor) table.row(b);
  for (const Ours& t : ours) {
    table.row(t.name == t.format ? "**" + t.name + "**" : t.name, t);
    means.add(t.name, by, t);
  }
  Ours chosen = *of_format(ours, products.choice());
  chosen.setup = products.setup();
  means.add_loss(tell_choice(table, "auto", ours, chosen));
  means.add("what auto chooses", by, chosen);
  if (const Ours* ruled = of_format(ours, products.rule())) {
    tell_choice(table, "search engine", ours, *ruled);
    means.add("what the search engine chooses", by, *ruled);
    means.add("what auto chooses where the search engine is asked", by, chosen);
  }
  if (is_diagonal(chosen.format)) means.add("where auto chooses a diagonal format", by, chosen);
  std::fflush(stdout);
}

template <class Space>
void run(const Space& space, const std::vector<std::string>& names) {
  std::printf("%s\n", space.description().c_str());
  std::printf("medians, hot caches; peak: %s, measured anew for each matrix\n\n",
              Space::has_streams ? "copy or read, the faster" : "triad");
  Table::print_head();
  Means means;
  for (const std::string& name : names) run_case(space, name, means);
  means.print();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string device = argc > 1 ? argv[1] : Cuda::device_count() > 0 ? "cuda" : "cpu";
  const std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  const bool diagonal = names == std::vector<std::string>{"diagonal"};
  try {
    if (device == "cuda") {
      run(Cuda(), diagonal ? gpu_diagonal_set() : names.empty() ? gpu_set() : names);
    } else {
      run(Host(), diagonal ? host_diagonal_set() : names.empty() ? host_set() : names);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_spmv: %s\n", e.what());
    return 1;
  }
}
