// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <ostinato/spmv/matrix/generate.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "text.hpp"

// Scripts that let a shell complete the command line. They are made from the options of the commands, so that they know
// what the program knows.

namespace ostinato::cli {

namespace {

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

bool takes_file(const Option& option) { return option.value == "FILE"; }

/// --help, which every command has.
const Option help_option = {.names = "-h,--help", .description = "print help and exit", .is_flag = true};

std::vector<Option> options_of(const CommandDescription& command) {
  std::vector<Option> options = command.options;
  options.push_back(help_option);
  return options;
}

/// A text between single quotes, for all three shells.
std::string quoted(const std::string& text, const std::string& quote) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? quote : std::string(1, c);
  return result + "'";
}

/// What may stand for an argument. A matrix is a file or FAMILY:N.
std::vector<std::string> words_for(const Option& argument) {
  if (argument.names != matrix_argument.names) return words_of(argument.words);
  std::vector<std::string> families;
  for (const GeneratorInfo& info : generators()) families.push_back(std::string(info.name) + ":");
  return families;
}

// ---- bash

/// The branch of one command: what may follow an option, and otherwise the options.
std::string bash_command(const CommandDescription& command) {
  std::string values, names, arguments;
  for (const Option& option : options_of(command)) {
    if (option.is_argument()) {
      for (const std::string& word : words_for(option)) arguments += (arguments.empty() ? "" : " ") + word;
      continue;
    }
    names += (names.empty() ? "" : " ") + joined(option.all_names(), " ");
    if (option.is_flag) continue;
    const std::string words = joined(words_of(option.words), " ");
    values += fmt::format("        {}) {} ;;\n", joined(option.all_names(), "|"),
                          takes_file(option) ? "return" : "words='" + words + "'; name=");
  }
  return fmt::format(
      "    {})\n"
      "      names='{}'\n"
      "      words='{}'\n"
      "      case \"$previous\" in\n{}"
      "      esac ;;\n",
      command.name, names, arguments, values);
}

/// Where nothing is offered, bash completes file names: complete -o default.
std::string bash_script(const ProgramDescription& program) {
  std::string commands, names;
  for (const CommandDescription& command : program.commands) {
    commands += bash_command(command);
    names += command.name + " ";
  }
  return "# bash completion, made by: ostinato completion bash\n"
         "_ostinato() {\n"
         "  local word=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
         "  if [[ $word == = ]]; then word=; elif [[ $previous == = ]]; then previous=\"${COMP_WORDS[COMP_CWORD-2]}\"; "
         "fi\n"
         "  local names='--help --version' words='" +
         names +
         "help' name=1\n"
         "  COMPREPLY=()\n"
         "  if ((COMP_CWORD > 1)); then case \"${COMP_WORDS[1]}\" in\n" +
         commands + "    help) words='" + names +
         "'; name= ;;\n"
         "    *) return ;;\n"
         "  esac; fi\n"
         "  if [[ $word == -* && -n $name ]]; then words=$names; fi\n"
         "  if [[ $word != -* ]]; then word=${word,,}; fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  if [[ ${COMPREPLY[0]} == *: ]]; then\n"
         "    compopt -o nospace 2>/dev/null\n"
         "    COMPREPLY+=($(compgen -f -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
         "  fi\n"
         "}\n"
         "complete -o default -F _ostinato ostinato\n";
}

// ---- zsh

/// The description of an option within _arguments, where a colon ends a field and brackets enclose the text.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text)
    result += c == ':' || c == '[' || c == ']' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return result;
}

std::string zsh_value(const Option& option) {
  if (option.is_flag) return {};
  const std::string title = zsh_text(option.value.empty() ? option.names : option.value);
  if (takes_file(option)) return ":" + title + ":_files";
  if (!option.words.empty()) return ":" + title + ":(" + joined(words_of(option.words), " ") + ")";
  return ":" + title + ":( )";
}

std::string zsh_command(const CommandDescription& command) {
  std::string text = fmt::format("    {})\n      _arguments", command.name);
  for (const Option& option : options_of(command)) {
    const auto add = [&text](const std::string& spec) { text += " \\\n        " + quoted(spec, "'\\''"); };
    if (option.is_argument()) {
      add(":" + zsh_value(option).substr(zsh_value(option).empty() ? 0 : 1));
      continue;
    }
    const std::vector<std::string> names = option.all_names();
    for (const std::string& name : names)
      add("(" + joined(names, " ") + ")" + name + "[" + zsh_text(option.description) + "]" + zsh_value(option));
  }
  return text + " ;;\n";
}

std::string zsh_script(const ProgramDescription& program) {
  std::string commands, names;
  for (const CommandDescription& command : program.commands) {
    commands += zsh_command(command);
    names += "    " + quoted(command.name + ":" + command.description, "'\\''") + "\n";
  }
  return "#compdef ostinato\n"
         "# zsh completion, made by: ostinato completion zsh\n"
         "_ostinato() {\n"
         "  local -a commands=(\n" +
         names +
         "  )\n"
         "  if ((CURRENT == 2)); then _describe command commands; return; fi\n"
         "  local command=${words[2]}\n"
         "  shift words\n"
         "  ((CURRENT--))\n"
         "  case $command in\n" +
         commands +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _ostinato ]]; then _ostinato \"$@\"; else compdef _ostinato ostinato; fi\n";
}

// ---- fish

std::string fish_option(const std::string& command, const Option& option) {
  std::string text = "complete -c ostinato -n '__fish_seen_subcommand_from " + command + "'";
  if (!option.is_argument()) {
    for (const std::string& name : option.all_names())
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.is_flag) text += takes_file(option) ? " -r -F" : " -x";
  }
  if (!option.words.empty()) text += " -a '" + joined(words_of(option.words), " ") + "'";
  return text + " -d " + quoted(option.description, "\\'") + "\n";
}

std::string fish_script(const ProgramDescription& program) {
  std::string text = "# fish completion, made by: ostinato completion fish\n";
  for (const CommandDescription& command : program.commands) {
    text += "complete -c ostinato -f -n __fish_use_subcommand -a " + command.name + " -d " +
            quoted(command.description, "\\'") + "\n";
  }
  for (const CommandDescription& command : program.commands) {
    for (const Option& option : options_of(command)) {
      if (!option.is_argument() || !option.words.empty()) text += fish_option(command.name, option);
    }
  }
  return text;
}

}  // namespace

std::function<int()> define_completion(Command& command) {
  const auto shell = std::make_shared<std::string>();
  command.add({.names = "shell", .description = "bash, zsh or fish", .words = "bash, zsh, fish", .required = true},
              *shell);
  command.footer(
      "Until the shell ends:   source <(ostinato completion bash)\n"
      "                        source <(ostinato completion zsh)\n"
      "                        ostinato completion fish | source\n"
      "An installation has the scripts where the shells look for them.\n");
  return [&command, shell] {
    const ProgramDescription& program = command.program();
    put(stdout, *shell == "bash" ? bash_script(program) : *shell == "zsh" ? zsh_script(program) : fish_script(program));
    return exit_converged;
  };
}

}  // namespace ostinato::cli
