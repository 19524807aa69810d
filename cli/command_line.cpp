// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <new>
#include <sstream>

#include "exit_code.hpp"
#include "json.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

constexpr std::size_t column = 26;

std::string entry(const std::string& name, const std::string& description) {
  std::string text = fmt::format("  {:<{}}", name, column - 2);
  if (name.size() + 4 > column) text = fmt::format("  {}\n{:{}}", name, "", column);
  const char* indent = "";
  for (const std::string& line : wrap(description, line_width - column)) {
    text += fmt::format("{}{}", indent, line);
    indent = "\n                          ";
  }
  return text + "\n";
}

/// Help texts in 80 columns, with each option's default at the end of its description.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string name = CLI::detail::find_and_replace(option->get_name(is_positional, !is_positional), ",", ", ");
    const bool takes_value = option->get_type_size() != 0;
    if (!is_positional && takes_value) name += " " + option->get_type_name();
    std::string description = option->get_description();
    if (takes_value && !option->get_default_str().empty()) description += " [" + option->get_default_str() + "]";
    return entry(name, description);
  }

  std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override {
    return CLI::detail::find_and_replace(CLI::Formatter::make_help(command, name, mode), "\n\n\n", "\n\n");
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_name(), command->get_description());
  }
};

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The first other command that has an option; empty when none has.
std::string command_with(const CLI::App& program, const CLI::App& command, const std::string& option) {
  for (const CLI::App* other : program.get_subcommands([](const CLI::App*) { return true; })) {
    const std::vector<std::string> names = option_names(*other);
    if (other != &command && std::find(names.begin(), names.end(), option) != names.end()) return other->get_name();
  }
  return {};
}

/// Says what is wrong with the command line, and which --help explains it.
std::string usage_message(CLI::App& program, const CLI::ParseError& e) {
  std::string name = program.get_name(), reason = e.what();
  CLI::App* at = &program;
  for (CLI::App* command : program.get_subcommands()) at = command;
  if (at != &program) name += " " + at->get_name();
  if (dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr) {
    const std::vector<std::string> words = program.remaining(true);
    const bool option = !words.empty() && words.front().starts_with("-");
    if (!words.empty()) reason = (option ? "unknown option '" : "one argument too many: '") + words.front() + "'";
    if (option) {
      const std::string given = words.front().substr(0, words.front().find('='));
      if (const std::string other = command_with(program, *at, given); !other.empty()) {
        reason += "; " + given + " is an option of " + other;
      } else if (given == "-v") {
        reason += "; did you mean --version?";
      } else if (const std::string near = did_you_mean(given, option_names(*at)); !near.empty()) {
        reason += "; " + near;
      }
      if (reason.ends_with(' ')) reason.pop_back();
      return reason + (reason.ends_with('?') ? " See " : "; see ") + name + " --help";
    }
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&e) != nullptr && reason.find("required") != std::string::npos) {
    const std::string option = reason.substr(0, reason.find(':')), rest = reason.substr(reason.find("required") + 9);
    reason = rest.starts_with("but received") ? option + " is given more than once; give it once"
                                              : option + " needs " + rest;
  }
  if (reason.ends_with(" missing")) reason.resize(reason.size() - 8);
  return reason + "; see " + name + " --help";
}

/// Rejects an unknown command. CLI11 would treat the word as an argument.
void require_known(std::span<const CommandInfo> commands, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  for (const CommandInfo& c : commands) {
    if (c.name == lower(argv[1])) return;
  }
  const std::string known = names_of(commands), near = lower(argv[1]) == "version"
                                                           ? "did you mean --version? "
                                                           : did_you_mean(argv[1], words_of(known));
  throw UsageError(fmt::format("unknown command '{}'; {}known: {}", argv[1], near, known));
}

/// "help" and "help COMMAND" stand for --help.
void take_help_command(std::vector<char*>& words) {
  static char help[] = "--help";
  if (words.size() < 2 || lower(words[1]) != "help") return;
  words.erase(words.begin() + 1);
  words.resize(std::min<std::size_t>(words.size(), 2));
  words.push_back(help);
}

/// Rejects "--NAME=" with nothing behind the sign, for which CLI11 would take the next word.
void require_values(const std::vector<char*>& words) {
  for (const std::string_view word : words) {
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      throw UsageError(std::string(word.substr(0, word.size() - 1)) + ": nothing follows the sign =");
  }
}

void parse(CLI::App& program, int argc, char** argv) {
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& e) {
    throw UsageError(usage_message(program, e));
  }
}

}  // namespace

class Command::Parser : public CLI::App {
 public:
  using CLI::App::App;
};

Check one_of(const std::string& known) {
  return [known](std::string& value) {
    const std::vector<std::string> words = words_of(known);
    const std::string given = lower(value);
    if (std::find(words.begin(), words.end(), given) == words.end())
      return "'" + value + "' is unknown; " + did_you_mean(value, words) + "known: " + known;
    value = given;
    return std::string();
  };
}

Check file_name() {
  return [](std::string& name) { return std::string(name.empty() ? "the name of the file is empty" : ""); };
}

Reading<double> at_least(double least) {
  return [least](const std::string& text, double& to) {
    double number = 0;
    const std::errc error = read_number(text, number);
    if (error == std::errc::result_out_of_range) return fmt::format("'{}' is beyond double precision", text);
    if (error != std::errc() || !std::isfinite(number) || number < least)
      return fmt::format("'{}' isn't a number of at least {}", text, least);
    to = number;
    return std::string();
  };
}

template <class N>
Reading<N> whole(N least, N most) {
  return [least, most](const std::string& text, N& to) {
    const std::optional<N> number = number_of<N>(text);
    if (!number || *number < least || *number > most)
      return fmt::format("'{}' isn't a whole number in {} .. {}", text, least, most);
    to = *number;
    return std::string();
  };
}
template Reading<int> whole(int, int);
template Reading<std::uint64_t> whole(std::uint64_t, std::uint64_t);

Reading<int> whole_or_auto(int least, int automatic) {
  return [read = whole(least), automatic](const std::string& text, int& to) {
    const bool is_auto = text == "auto";
    if (is_auto) to = automatic;
    const std::string wrong = is_auto ? "" : read(text, to);
    return wrong.empty() ? wrong : wrong + ", nor auto";
  };
}

Reading<std::uint64_t> byte_size() {
  return [](const std::string& text, std::uint64_t& to) {
    const std::string given = lower(text);
    const std::size_t end = std::min(given.find_first_not_of("0123456789."), given.size());
    const std::string unit = given.substr(end);
    constexpr std::string_view prefixes = "kmgt";
    const std::size_t power = unit.empty() || unit == "b" ? 0 : prefixes.find(unit.front()) + 1;
    const std::string rest = power == 0 ? "" : unit.substr(1);
    const std::optional<double> number = number_of<double>(given.substr(0, end));
    const bool is_size =
        number && (power > 0 || unit.empty() || unit == "b") && (rest.empty() || rest == "b" || rest == "ib");
    const double bytes = number.value_or(0) * std::pow(rest == "ib" ? 1024.0 : 1000.0, static_cast<double>(power));
    if (!is_size || !(bytes < 1e18)) return fmt::format("'{}' isn't a size such as 500M, 2G or 1.5GiB", text);
    to = static_cast<std::uint64_t>(std::round(bytes));
    return std::string();
  };
}

void Command::describe(const Option& option, CLI::Option& added) {
  if (!option.value.empty()) added.type_name(option.value);
  if (!option.group.empty()) added.group(option.group);
  added.required(option.required);
  if (!option.default_text.empty()) {
    added.default_str(option.default_text);
  } else if (option.names.front() == '-') {
    added.capture_default_str();
  }
  Option& described = program_.commands[index_].options.emplace_back(option);
  described.default_text = added.get_default_str();
}

void Command::add(const Option& option, std::string& to) {
  CLI::Option* const added = parser_.add_option(option.names, to, option.description);
  const Check check = option.check || option.words.empty() ? option.check : one_of(option.words);
  if (check) added->transform(CLI::Validator([check](std::string& v) { return check(v); }, ""));
  describe(option, *added);
}

/// CLI11 checks a text before it hands it on. The check keeps the number, so that the text is read once.
template <class N, class To>
void Command::add_number(const Option& option, To& to, const Reading<N>& read) {
  const auto number = std::make_shared<N>();
  const auto take = [&to, number](const CLI::results_t&) {
    to = *number;
    return true;
  };
  const auto shown = [&to] { return CLI::detail::checked_to_string<To, To>(to); };
  CLI::Option* const added = parser_.add_option(option.names, take, option.description, false, shown);
  added->check(CLI::Validator([read, number](std::string& text) { return read(text, *number); }, ""));
  describe(option, *added);
}

void Command::add(const Option& option, int& to, const Reading<int>& read) { add_number(option, to, read); }
void Command::add(const Option& option, std::uint64_t& to, const Reading<std::uint64_t>& read) {
  add_number(option, to, read);
}
void Command::add(const Option& option, double& to, const Reading<double>& read) { add_number(option, to, read); }
void Command::add(const Option& option, std::optional<double>& to, const Reading<double>& read) {
  add_number(option, to, read);
}

void Command::add_flag(const Option& option, bool& to) {
  CLI::Option* const added = parser_.add_flag(option.names, to, option.description);
  if (!option.group.empty()) added->group(option.group);
  program_.commands[index_].options.emplace_back(option).is_flag = true;
}

void Command::footer(const std::string& text) {
  parser_.footer(text + "\n" + parser_.get_footer());
  program_.commands[index_].footer = text;
}

std::vector<GivenOption> Command::given(std::string_view group) const {
  std::vector<GivenOption> all;
  for (const CLI::Option* option : static_cast<const CLI::App&>(parser_).get_options()) {
    if (option->get_group() != group || option->count() == 0) continue;
    all.push_back({option->get_lnames().front(), option->get_type_size() != 0 ? option->results().front() : ""});
  }
  return all;
}

namespace {

bool is_settable(const CLI::Option* option) {
  if (option->get_lnames().empty()) return false;
  const std::string& name = option->get_lnames().front();
  return name != "help" && name != "options";
}

/// The long names, aliases too, without dashes.
std::vector<std::string> settable_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (is_settable(option)) names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  return names;
}

std::string known_keys(const CLI::App& command) {
  std::string known;
  for (const CLI::Option* option : command.get_options()) {
    if (is_settable(option)) known += (known.empty() ? "" : ", ") + option->get_lnames().front();
  }
  return known;
}

}  // namespace

void Command::take_options_from(const std::string& path) {
  if (path.empty()) return;
  std::vector<const CLI::Option*> taken;
  for (const auto& [key, value] : read_options_file(path)) {
    std::string name = "--" + lower(key);
    std::replace(name.begin(), name.end(), '_', '-');
    CLI::Option* const option = parser_.get_option_no_throw(name);
    if (option == nullptr || !is_settable(option)) {
      const std::string known = known_keys(parser_);
      throw UsageError(path + ": unknown option '" + key + "'; " +
                       did_you_mean(name.substr(2), settable_names(parser_)) + "known: " + known);
    }
    if (std::find(taken.begin(), taken.end(), option) != taken.end())
      throw UsageError(path + ": --" + option->get_lnames().front() + " is given more than once, here as '" + key +
                       "'; give it once");
    taken.push_back(option);
    const bool is_flag = option->get_expected_min() == 0;
    if (is_flag && value != "true" && value != "false")
      throw UsageError(path + ": the value of '" + key + "' has to be true or false, not '" + value + "'");
    if (option->count() > 0) continue;
    option->add_result(value);
    try {
      option->run_callback();
    } catch (const CLI::ParseError& e) {
      throw UsageError(path + ": " + e.what());
    }
  }
}

namespace {

/// Parses the words. Prints the help or the version where they ask for one, and returns the exit code then.
std::optional<int> parse_or_print(CLI::App& program, std::vector<char*>& words) {
  try {
    parse(program, static_cast<int>(words.size()), words.data());
    return {};
  } catch (const CLI::Success& e) {
    std::ostringstream said;
    const int code = program.exit(e, said, said);
    put(stdout, said.str());
    return code;
  }
}

int run_within_memory(const CommandInfo& command, const std::function<int()>& run) {
  try {
    return run();
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(std::string(out_of_memory) + "; " + command.takes_less_memory);
  }
}

}  // namespace

int run_command_line(const ProgramInfo& info, std::span<const CommandInfo> commands, int argc, char** argv) {
  std::vector<char*> words(argv, argv + argc);
  take_help_command(words);
  require_values(words);
  require_known(commands, static_cast<int>(words.size()), words.data());
  Command::Parser program(info.description, info.name);
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->label("SUBCOMMAND", "COMMAND");
  formatter->label("Positionals", "Arguments");
  program.formatter(formatter);
  program.set_version_flag("-V,--version", info.version, "print the version and exit");
  program.set_help_flag("-h,--help", "print this help and exit; each command has its own");
  program.footer(info.footer);
  ProgramDescription description{info, {}};
  std::vector<std::shared_ptr<Command::Parser>> parsers;
  std::vector<Command> defined;
  std::vector<std::function<int()>> run;
  defined.reserve(commands.size());
  for (const CommandInfo& c : commands) {
    parsers.push_back(std::make_shared<Command::Parser>(c.description, c.name));
    parsers.back()->formatter(formatter);
    parsers.back()->set_help_flag("-h,--help", "print this help and exit; each command has its own");
    parsers.back()->group("Commands");
    parsers.back()->footer(info.footer);
    program.add_subcommand(parsers.back());
    parsers.back()->ignore_case();
    description.commands.push_back({c.name, c.description, {}, {}});
    run.push_back(c.define(defined.emplace_back(*parsers.back(), description, description.commands.size() - 1)));
  }
  if (words.size() < 2) {
    put(stderr, program.help());
    return exit_usage;
  }
  if (const std::optional<int> code = parse_or_print(program, words)) return *code;
  for (std::size_t k = 0; k < run.size(); ++k) {
    if (parsers[k]->parsed()) return run_within_memory(commands[k], run[k]);
  }
  throw UsageError("a command is missing; known: " + names_of(commands));
}

std::string listing_line(std::string_view name, std::string_view description) {
  return entry(std::string(name), std::string(description));
}

}  // namespace ostinato::cli
