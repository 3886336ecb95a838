// gc-monitor: shows the IPUs that programs use now.
#include "framed_table.hpp"
#include "ipud_processes.hpp"
#include "listed_devices.hpp"
#include "report.hpp"

#include <iostream>

namespace {

using namespace copse::tools;

struct Request {
  bool withoutCards = false, csv = false;
};

Rows rowsOf(const std::vector<IpudProcess> &processes) {
  Rows rows;
  for (const IpudProcess &process : processes)
    rows.push_back({{"host_pid", process.host},
                    {"program", process.hostProgram},
                    {"user", process.user},
                    {"elapsed_s", process.elapsedSeconds},
                    {"ipu", process.ipu},
                    {"pid", process.pid},
                    {"memory_MiB", process.memoryMiB},
                    {"cpu_s", process.cpuSeconds}});
  return rows;
}

/// Returns a duration as "7s", "4m1s" or "1h4m1s".
std::string duration(double elapsed) {
  const auto seconds = static_cast<unsigned>(elapsed);
  std::string text = std::to_string(seconds % 60) + "s";
  if (seconds >= 60)
    text.insert(0, std::to_string(seconds / 60 % 60) + "m");
  if (seconds >= 3600)
    text.insert(0, std::to_string(seconds / 3600) + "h");
  return text;
}

void printCards(std::ostream &out, const ListedDevices &devices) {
  const std::vector<unsigned> ipus = devices.ipus();
  FramedTable table(
      {{"gc-monitor", {"IPU-M"}},
       {"Partition: " + devices.partitionState(),
        {"Serial", "IPU-M SW", "Server version", "ICU FW", "Type", "ID", "IPU#", "Routing"}}});
  for (const unsigned ipu : ipus) // "N/A": a property that no process has
    table.add({devices.hostOf(ipu), "N/A", "N/A", "N/A", "N/A", "M2000", std::to_string(ipu),
               std::to_string(devices.numberOnBoard(ipu)), "DNC"});
  table.print(out);
}

void printProcesses(std::ostream &out, const std::vector<IpudProcess> &processes,
                    const ListedDevices &devices) {
  if (processes.empty())
    return printFramed(out, "No attached processes in partition " + devices.partition());
  FramedTable table({{"Attached processes in partition " + devices.partition(),
                      {"PID", "Command", "Time", "User"}},
                     {"IPU", {"ID", "Clock", "Temp"}},
                     {"Board", {"Temp", "Power"}}});
  for (const IpudProcess &process : processes)
    table.add({std::to_string(process.host), process.hostProgram, duration(process.elapsedSeconds),
               process.user, process.ipu.substr(process.ipu.rfind(' ') + 1),
               std::to_string(devices.clockMHz()) + "MHz", "N/A", "N/A", "N/A"});
  table.print(out);
}

void monitor(const Request &request, bool json) {
  const std::vector<IpudProcess> processes = ipudProcesses();
  if (json)
    return print(std::cout, rowsOf(processes), true);
  if (request.csv)
    return printCsv(std::cout, rowsOf(processes));
  const ListedDevices devices;
  if (!request.withoutCards)
    printCards(std::cout, devices);
  printProcesses(std::cout, processes, devices);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Lists the IPUs, and the programs that use emulated IPUs right now.", "gc-monitor"};
  Request request;
  app.add_flag("--no-card-info", request.withoutCards, "leave out the table of the IPUs");
  app.add_flag("--csv", request.csv, "print the processes as lines of values between commas");
  app.add_flag("-a,--all-partitions")
      ->description("accepted, without effect: there is one partition");
  return runTool(app, argc, argv, [&](bool json) { monitor(request, json); });
}
