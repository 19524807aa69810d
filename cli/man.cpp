// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "commands.hpp"
#include "exit_code.hpp"
#include "text.hpp"

// The manual page, made from the options of the commands.

namespace ostinato::cli {

namespace {

/// A text for troff: no line begins with a dot, and dashes stay dashes.
std::string roff(std::string_view text) {
  std::string result;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    result += c == '-' ? "\\-" : c == '\\' ? "\\e" : std::string(1, c);
    begins = c == '\n';
  }
  return result;
}

std::string entry(const Option& option) {
  std::string name;
  for (const std::string& each : option.all_names()) name += (name.empty() ? "\\fB" : ", \\fB") + roff(each) + "\\fR";
  if (!option.is_flag && !option.is_argument()) name += " \\fI" + roff(option.value) + "\\fR";
  const bool has_default = !option.is_flag && !option.default_text.empty();
  return ".TP\n" + name + "\n" + roff(option.description) +
         (has_default ? " [" + roff(option.default_text) + "]" : "") + "\n";
}

/// The lines as they are.
std::string verbatim(const std::string& text) { return ".PP\n.nf\n" + roff(text) + "\n.fi\n"; }

std::string section(const CommandDescription& command) {
  std::string arguments, text;
  for (const Option& option : command.options) {
    if (option.is_argument()) arguments += " \\fI" + roff(option.names) + "\\fR";
    text += entry(option);
  }
  return ".SS ostinato " + roff(command.name) + arguments + " [\\fIoptions\\fR]\n" + roff(command.description) + "\n" +
         text + (command.footer.empty() ? "" : verbatim(command.footer));
}

std::string page(const ProgramDescription& program) {
  const ProgramInfo& info = program.info;
  const std::string version = info.version();
  std::string text = ".TH OSTINATO 1 \"\" \"" + roff(version.substr(0, version.find(','))) + "\"\n.SH NAME\n" +
                     "ostinato \\- sparse iterative solvers that choose the matrix format\n.SH SYNOPSIS\n";
  for (const CommandDescription& command : program.commands) {
    text += "\\fBostinato " + roff(command.name) + "\\fR";
    for (const Option& option : command.options) {
      if (option.is_argument()) text += " \\fI" + roff(option.names) + "\\fR";
    }
    text += " [\\fIoptions\\fR]\n.br\n";
  }
  text += ".SH COMMANDS\nEach command prints its own help with \\fB\\-\\-help\\fR. Names are taken in any case.\n";
  for (const CommandDescription& command : program.commands) text += section(command);
  text += ".SH EXIT STATUS\n" + verbatim(info.footer.substr(info.footer.find('\n') + 1));
  return text +
         ".SH ENVIRONMENT\n"
         ".TP\n\\fBOMP_NUM_THREADS\\fR\nthreads on the CPU, unless \\fB\\-\\-threads\\fR says otherwise\n"
         ".TP\n\\fBOSTINATO_CACHE_DIR\\fR\nfolder for measured times and compiled kernels; empty: nothing is kept\n"
         ".TP\n\\fBNO_COLOR\\fR\nno colours when it isn\\(aqt empty\n"
         ".SH EXAMPLES\n"
         ".nf\nostinato solve poisson3d:64\nostinato solve A.mtx \\-b b.npy \\-o x.npy \\-\\-rtol 1e\\-10\n"
         "ostinato inspect A.mtx \\-\\-tune measure\nostinato compare A.mtx \\-\\-budget 60\n.fi\n";
}

}  // namespace

std::function<int()> define_man(Command& command) {
  command.footer("To read it: ostinato man > ostinato.1; man ./ostinato.1\n");
  return [&command] {
    put(stdout, page(command.program()));
    return exit_converged;
  };
}

}  // namespace ostinato::cli
