// gc-info: lists the devices that a program finds, and describes one of them.
#include "listed_devices.hpp"
#include "report.hpp"

#include <iostream>

namespace {

using namespace copse::tools;

/// The answer of a command, for people and as rows.
struct Answer {
  Rows rows;
  std::function<void(std::ostream &)> print;
};

Answer figure(const std::string &name, const nlohmann::ordered_json &value,
              const std::string &text) {
  return {{{{name, value}}}, [text](std::ostream &out) { out << text << '\n'; }};
}

struct Request {
  unsigned id = 0;
  bool list = false, info = false, count = false, arch = false, clock = false;
};

Answer answerTo(const Request &request) {
  const ListedDevices devices;
  if (request.list)
    return {devices.list(), [devices](std::ostream &out) { devices.printList(out); }};
  if (request.count)
    return figure("ipus", devices.ipus().size(), std::to_string(devices.ipus().size()));
  if (request.arch)
    return figure("ipu_arch", devices.architecture(), devices.architecture());
  if (request.clock)
    return figure("tile_clock_MHz", devices.clockMHz(), std::to_string(devices.clockMHz()) + "MHz");
  return {devices.attributesOf(request.id),
          [devices, id = request.id](std::ostream &out) { devices.printAttributes(out, id); }};
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Tells of the devices that Poplar programs find on this machine.", "gc-info"};
  Request request;
  auto *const commands = app.add_option_group("command", "at most one; default: --device-info");
  commands->require_option(0, 1);
  commands->add_flag("-l,--list-devices,-a,--list-all-devices", request.list,
                     "list the devices: single IPUs, and groups of them");
  commands->add_flag("-i,--device-info", request.info, "print the attributes of a device");
  commands->add_flag("--ipu-count", request.count, "print the number of IPUs");
  commands->add_flag("--ipu-arch", request.arch, "print the architecture of the IPUs");
  commands->add_flag("--tile-clock-speed", request.clock, "print the clock speed of the tiles");
  app.add_option("-d,--device-id", request.id, "id of the device, as --list-devices prints it")
      ->capture_default_str();
  app.add_flag("--all-partitions")->description("accepted, without effect: there is one partition");
  return runTool(app, argc, argv, [&](bool json) {
    const Answer answer = answerTo(request);
    json ? print(std::cout, answer.rows, true) : answer.print(std::cout);
  });
}
