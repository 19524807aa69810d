// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "commands.hpp"
#include "exit_code.hpp"
#include "files.hpp"
#include "generated.hpp"
#include "inspection.hpp"
#include "json.hpp"
#include "progress.hpp"

namespace ostinato::cli {

namespace {

template <class T, class Space>
int inspect_on(const Space& space, const Csr<T>& a, const InspectInput& in, Inspection& i) {
  LiveLine live(true);
  if (!in.html.empty()) i.pattern = html::density_of(a);
  live.phase("analysing");
  look_at(space, a, in, i);
  live.clear();
  Outputs outputs;
  outputs.attempt([&] { write_json(in.json, i); });
  outputs.attempt([&] {
    if (!in.html.empty()) html::write_page(in.html, page_of(i, in.all));
  });
  outputs.attempt([&] {
    print(table_stream({in.json, in.html}), i, in.all);
    require_printed();
  });
  return outputs.finish(exit_converged);
}

}  // namespace

std::function<int()> define_inspect(Command& command) {
  const auto in = std::make_shared<InspectInput>();
  command.add(matrix_argument, in->matrix);
  command.add(json_option, in->json);
  command.add(html_option, in->html);
  command.add_flag({.names = "--all",
                    .description = "show formats that don't run on this machine, too, and examine the matrix however "
                                   "long that takes"},
                   in->all);
  command.add_flag({.names = "--ranks",
                    .description = "predict an iteration of cg with jacobi on 1, 2, 4 and 8 ranks, a machine each"},
                   in->ranks);
  add_tune_option(command, in->formats, "model, measure", "model (predict) or measure (time the best few)");
  add_kernel_options(command, in->formats);
  command.add(
      {.names = "--restart", .description = "vectors that gmres would keep", .value = "N", .default_text = "auto"},
      in->restart, whole_or_auto(1, automatic_restart));
  add_device_options(command, in->device);
  command.footer(format_listing());
  return [in] {
    require_reports(in->json, in->html, in->matrix);
    require_use_of_formats(in->formats, in->device.device);
    Inspection i;
    i.matrix = in->matrix;
    i.to_measure = fmt::format("ostinato tune {}, then --tune measure", i.matrix == "-" ? "FILE" : i.matrix);
    const auto read = [&]<class T>() { return load_shown<T>(in->matrix, &i.file); };
    return with_device(in->device, in->matrix, read, [&]<class T>(const auto& space, const DeviceInfo& on, Csr<T> a) {
      i.device = on;
      return inspect_on<T>(space, a, *in, i);
    });
  };
}

}  // namespace ostinato::cli
