// gc-monitor: the IPUs that programs use right now.
#include "ipud_processes.hpp"
#include "report.hpp"

namespace {

copse::tools::Rows monitor() {
  copse::tools::Rows rows;
  for (const auto &process : copse::tools::ipudProcesses())
    rows.push_back({{"host_pid", process.host},
                    {"program", process.hostProgram},
                    {"ipu", process.ipu},
                    {"pid", process.pid},
                    {"memory_MiB", process.memoryMiB},
                    {"cpu_s", process.cpuSeconds}});
  return rows;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{
      "Lists the emulated IPUs that programs use right now, with their memory and processor time.",
      "gc-monitor"};
  return copse::tools::runTool(app, argc, argv, monitor);
}
