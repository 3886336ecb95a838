// copse: lists emulated IPUs, runs programs on them, and manages clusters.
#include "checked_program.hpp"
#include "cluster_commands.hpp"
#include "command_help.hpp"
#include "debugged_program.hpp"
#include "modelled_clock.hpp"
#include "observed_program.hpp"
#include "options_page.hpp"
#include "profile_page.hpp"
#include "report.hpp"
#include "scale.hpp"
#include "tile_trace.hpp"

#include "engine/ipu_inventory.hpp"
#include "popc/objdump.hpp"
#include "poplar/DeviceManager.hpp"
#include "poplar/exceptions.hpp"
#include "types/copse_version.hpp"
#include "types/nearest_name.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

copse::tools::Rows devices() {
  copse::tools::Rows rows;
  for (const poplar::Device &device : poplar::DeviceManager().getDevices()) {
    const auto ipus = device.getDriverIDs();
    const poplar::Target &target = device.getTarget();
    rows.push_back({{"id", device.getId()},
                    {"ipus", target.getNumIPUs()},
                    {"tiles", target.getNumTiles()},
                    {"first_ipu", ipus.front()},
                    {"last_ipu", ipus.back()}});
  }
  return rows;
}

struct RunOptions {
  unsigned ipus = 0;                    ///< 0: the number that the environment says
  std::string pod;                      ///< model of the modelled clock; empty: the environment's
  std::string execution;                ///< "modelled", "full"; empty: the environment's
  std::vector<std::string> assumptions; ///< for an execution without data
  std::string transport, logLevel;
  std::string cluster; ///< the cluster file; empty: the file of copse up, if it exists
  copse::tools::ClockRequest clock;
  std::vector<std::string> command;
};

/// Replaces this process by the program, with the environment variables that the options set. The
/// program runs on the cluster; if there is no cluster, or an option applies only to IPUs of the
/// program's own, the program starts IPUs.
int run(const RunOptions &options) {
  const auto set = [](const char *name, const std::string &value) {
    if (!value.empty())
      ::setenv(name, value.c_str(), 1);
  };
  set("COPSE_IPUS", options.ipus > 0 ? std::to_string(options.ipus) : "");
  set("COPSE_POD", options.pod);
  set("COPSE_EXECUTION", options.execution);
  set("COPSE_TRANSPORT", options.transport);
  set("COPSE_LOG_LEVEL", options.logLevel);
  try {
    copse::tools::setAssumptions(options.assumptions);
    if (options.ipus > 0)
      (void)copse::engine::ipusOfThisMachine(); // complains of a wrong number
    copse::tools::setClocks(options.clock, options.command);
  } catch (const std::runtime_error &error) {
    std::cerr << "copse: " << error.what() << '\n';
    return 2;
  }
  if (options.ipus > 0 || !options.transport.empty())
    ::unsetenv("COPSE_CLUSTER");
  else
    set("COPSE_CLUSTER",
        options.cluster.empty() ? copse::tools::presentClusterFile() : options.cluster);
  std::vector<char *> arguments;
  for (const std::string &argument : options.command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  std::cerr << "copse: " << arguments[0] << ": " << std::generic_category().message(errno) << '\n';
  return 2;
}

/// Returns true if \p word is a command that another program in the folder of this one executes,
/// because it needs libraries of higher layers.
bool isProgram(const std::string &word) {
  return word == "accuracy" || word == "ipujob" || word == "onnx";
}

/// Replaces this process by the program of the command in \p words.
int runProgram(std::vector<std::string> words) {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string program = self.parent_path() / ("copse-" + words.front());
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  std::cerr << "copse: " << program << ": " << std::generic_category().message(errno) << '\n';
  return 2;
}

/// Turns `help run` into `run --help`.
std::vector<std::string> withoutHelpCommand(std::vector<std::string> words) {
  if (words.empty() || words.front() != "help")
    return words;
  words.erase(words.begin());
  words.resize(std::min<std::size_t>(words.size(), 1)); // the help of one command
  words.emplace_back("--help");
  return words;
}

std::vector<std::string> commandsOf(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *const command : app.get_subcommands({}))
    names.push_back(command->get_name());
  return names;
}

/// Prints that \p word is not a command, and which commands there are.
int refuseCommand(const std::string &word, const std::vector<std::string> &commands) {
  const std::vector<std::string_view> known(commands.begin(), commands.end());
  const std::string meant = copse::types::suggestion(word, known);
  std::cerr << "copse: there is no command '" << word << "'" << meant
            << (meant.empty() ? "; there are" : " There are");
  for (const std::string &command : commands)
    std::cerr << (command == commands.front() ? " " : ", ") << command;
  std::cerr << '\n';
  return 2;
}

/// Removes the "--" between the options of a command and the program that it runs, which the parser
/// would append to the program's arguments. A "--" behind the program is the program's own.
std::vector<std::string> withoutSeparator(CLI::App &app, std::vector<std::string> words) {
  const auto separator = std::ranges::find(words, "--");
  if (separator == words.end() || separator == words.begin())
    return words;
  const std::string program = "the program";
  std::vector<std::string> before(words.begin(), separator);
  before.push_back(program);
  std::ranges::reverse(before);
  try {
    app.parse(std::move(before));
  } catch (const CLI::ParseError &) {
    return words; // the whole of the words tells what is wrong
  }
  for (const CLI::App *const command : app.get_subcommands())
    for (const CLI::Option *const option : command->get_options())
      if (option->get_positional() && option->results() == std::vector{program})
        words.erase(separator);
  return words;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> words = withoutHelpCommand({argv + 1, argv + argc});
  if (!words.empty() && isProgram(words.front()))
    return runProgram(std::move(words));
  CLI::App app{"Lists emulated IPUs, runs programs on them, and manages clusters.", "copse"};
  app.require_subcommand(1);
  app.set_version_flag("--version", copse::types::copseVersion());

  app.add_subcommand("accuracy",
                     "compare the modelled clock with published figures; copse accuracy "
                     "--help lists its options");
  app.add_subcommand("ipujob", "write Jobs of Kubernetes for an IPUJob; copse ipujob --help lists "
                               "its options");
  app.add_subcommand("onnx", "run an ONNX model; copse onnx --help lists its options");
  bool devicesAsJson = false;
  CLI::App *const lists = app.add_subcommand("devices", "list the devices that a program finds");
  lists->add_flag("-j,--json", devicesAsJson, "print a JSON array instead of a table");
  RunOptions options;
  CLI::App *const runs =
      app.add_subcommand("run", "run a Poplar program on a cluster, or on IPUs of its own");
  auto *const cluster =
      runs->add_option("--cluster", options.cluster,
                       "the cluster file; default: $COPSE_CLUSTER, else the file of copse up; "
                       "without a cluster, the program starts IPUs of its own");
  runs->add_option("--ipus", options.ipus,
                   "number of IPUs that the program finds, instead of those of a cluster")
      ->check(CLI::Range(1, 1024))
      ->excludes(cluster);
  runs->add_option("--pod", options.pod,
                   "the pod that the IPUs are in, with its machines, hosts and links: pod16, "
                   "bow-pod64, ..., a file, or none; default: $COPSE_POD, else the smallest system "
                   "with enough IPUs");
  runs->add_option("--transport", options.transport,
                   "transport of IPU-Links; the program then starts IPUs of its own")
      ->check(CLI::IsMember({"shm", "ipc", "tcp"}))
      ->excludes(cluster);
  runs->add_option("--log-level", options.logLevel,
                   "log level of the ipud processes: trace, debug, info, warn, error or off");
  runs->add_option("--execution", options.execution,
                   "modelled: time only, on any number of IPUs up to 1,024: the modelled clocks "
                   "advance, and no data are computed; default: $COPSE_EXECUTION, else full")
      ->check(CLI::IsMember({"full", "modelled"}));
  runs->add_option("--assume", options.assumptions,
                   "with --execution modelled, what is assumed where data decide: KIND=VALUE or "
                   "KIND:NAME=VALUE, such as if=true, switch:layer/mode=3 or while=10")
      ->take_all()
      ->allow_extra_args(false);
  runs->add_option("--clock", options.clock.clock,
                   "modelled: the program's clocks advance by what the IPUs would take, and not by "
                   "what the emulator takes; default: $COPSE_CLOCK, else real")
      ->check(CLI::IsMember({"real", "modelled"}));
  runs->add_option("--host-time", options.clock.hostTime,
                   "with --clock modelled, what the program's own code takes: real, none, or a "
                   "factor of what it really takes; default: $COPSE_HOST_TIME, else real")
      ->check(CLI::Validator(copse::tools::wrongHostTime, "real|none|FACTOR"));
  runs->add_flag("--clock-summary", options.clock.summary,
                 "with --clock modelled, say at the end what device, program and emulator took");
  runs->add_option("command", options.command, "the program and its arguments")->required();
  runs->positionals_at_end();
  runs->prefix_command();

  const copse::tools::ClusterCommands clusters(app);
  copse::popc::ObjdumpOptions dump;
  CLI::App *const objdump =
      app.add_subcommand("objdump", "write the tile code of a .gp file as assembly");
  objdump->add_option("--target", dump.target,
                      "target of the code: ipu1, ipu2 or ipu21; default: all");
  objdump->add_option("--module", dump.module, "source file of the code; default: all");
  objdump->add_option("file", dump.path, "the .gp file")->required();

  copse::tools::TraceRequest trace;
  CLI::App *const traces = app.add_subcommand(
      "trace", "run a Poplar program and list the tile instructions that it executed");
  traces->add_option("--ipu", trace.ipu, "trace one IPU; default: all");
  traces->add_option("--tile", trace.tile, "trace one tile; default: all");
  traces
      ->add_option("--worker", trace.worker,
                   "trace one worker of each tile; default: all, and supervisors")
      ->check(CLI::Range(0, 5));
  traces->add_flag("--supervisor", trace.supervisor, "trace the supervisor only")
      ->excludes("--worker");
  traces->add_flag("--statistics", trace.statistics,
                   "print counts for each class of vertices instead of a list");
  traces->add_option("--most", trace.most, "limit of instructions listed for each IPU")
      ->capture_default_str();
  traces->add_flag("-j,--json", trace.json, "print a JSON array instead of a table");
  traces->add_option("-o,--output", trace.output, "write to this file; default: standard output");
  traces->add_option("command", trace.command, "the program and its arguments")->required();
  traces->positionals_at_end();
  traces->prefix_command();

  copse::tools::CheckRequest check;
  CLI::App *const checks = app.add_subcommand(
      "check", "run a Poplar program and list its faults that hardware does not tell: accesses "
               "outside of a vertex's fields, races, reads of undefined memory, misalignment");
  checks->add_option("--most", check.most, "limit of faults listed")->capture_default_str();
  checks
      ->add_option("--suppress", check.suppressed,
                   "leave out the faults of vertices with this name; * stands for any characters")
      ->take_all()
      ->allow_extra_args(false);
  checks
      ->add_option("--suppress-file", check.suppressFiles,
                   "leave out the faults of the vertices that this file names, one a line")
      ->take_all()
      ->allow_extra_args(false);
  checks->add_flag("-j,--json", check.json, "print a JSON array instead of lines");
  checks->add_option("-o,--output", check.output, "write to this file; default: standard output");
  checks->add_option("command", check.command, "the program and its arguments")->required();
  checks->positionals_at_end();
  checks->prefix_command();

  copse::tools::DebugRequest debug;
  CLI::App *const debugs = app.add_subcommand(
      "debug", "run a Poplar program, and gdb on the IPU that stops before a vertex");
  debugs->add_option("-b,--break", debug.where,
                     "VERTEX or VERTEX:TILE: stop before vertices of that class; * stands for any "
                     "characters; default: the first vertex that runs");
  debugs->add_option("--ipu", debug.ipu,
                     "the IPU to debug; default: the first that reaches such a vertex");
  debugs->add_flag("--batch", debug.batch, "end gdb after its commands, without a prompt");
  debugs->add_option("-x,--command", debug.files, "a file of commands for gdb")
      ->take_all()
      ->allow_extra_args(false);
  debugs->add_option("--ex", debug.commands, "a command for gdb")
      ->take_all()
      ->allow_extra_args(false);
  debugs->add_option("program", debug.command, "the program and its arguments")->required();
  debugs->positionals_at_end();
  debugs->prefix_command();

  copse::tools::PageRequest page;
  CLI::App *const reports =
      app.add_subcommand("report", "write a profile, or a comparison of two, as an HTML page");
  reports
      ->add_option("profile", page.profiles,
                   "profile.pop, or the directory that holds it; two: what grew, what got slower")
      ->required()
      ->expected(1, 2);
  reports->add_option("-o,--output", page.output,
                      "the page; default: report.html beside the (second) profile");
  reports->add_flag("--open", page.open, "show the page in the browser");
  reports->add_flag("-j,--json", page.json, "write the figures of the page as JSON instead")
      ->excludes("--open");

  copse::tools::ScaleRequest scale;
  CLI::App *const scales = app.add_subcommand(
      "scale", "run a program time-only over a sweep, and write a page: throughput, efficiency, "
               "where the time goes, and what would help most");
  copse::tools::addScaleOptions(*scales, scale);

  copse::tools::OptionsRequest listed;
  CLI::App *const optionLists = app.add_subcommand(
      "options", "list the options of engines, targets, devices, streams and the simulator");
  optionLists->add_option("word", listed.word, "only options whose names contain this word");
  optionLists->add_flag("--markdown", listed.markdown, "print the page docs/engine-options.md");
  optionLists->add_flag("-j,--json", listed.json, "print a JSON array instead of a table")
      ->excludes("--markdown");

  copse::tools::completeHelp(app);
  const std::vector<std::string> commands = commandsOf(app);
  if (!words.empty() && !words.front().starts_with('-') &&
      std::ranges::find(commands, words.front()) == commands.end())
    return refuseCommand(words.front(), commands);
  words = withoutSeparator(app, std::move(words));
  std::ranges::reverse(words); // in the order that the parser expects
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError &error) {
    return copse::tools::exitFor(app, error);
  }
  try {
    if (clusters.chosen())
      return clusters.run();
    if (*objdump) {
      copse::popc::objdump(dump, std::cout);
      return 0;
    }
    if (*traces) {
      for (const std::string &rest : traces->remaining())
        trace.command.push_back(rest);
      return copse::tools::traceProgram(trace);
    }
    if (*checks) {
      for (const std::string &rest : checks->remaining())
        check.command.push_back(rest);
      return copse::tools::checkProgram(check);
    }
    if (*debugs) {
      for (const std::string &rest : debugs->remaining())
        debug.command.push_back(rest);
      return copse::tools::debugProgram(debug);
    }
    if (*reports)
      return copse::tools::writeProfilePage(page);
    if (*scales) {
      for (const std::string &rest : scales->remaining())
        scale.command.push_back(rest);
      return copse::tools::scaleProgram(scale);
    }
    if (*optionLists)
      return copse::tools::listOptions(listed);
    if (*lists) {
      copse::tools::print(std::cout, devices(), devicesAsJson);
      return 0;
    }
    for (const std::string &rest : runs->remaining())
      options.command.push_back(rest);
    return run(options);
  } catch (const copse::tools::ProgramNotStarted &error) {
    std::cerr << "copse: " << error.what() << '\n';
    return 2;
  } catch (const copse::tools::WrongArguments &error) {
    std::cerr << "copse: " << error.what() << '\n';
    return 2;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "copse: %s\n", error.what());
    return 1;
  }
}
