// gc-inventory: lists the attributes of all devices that a program finds.
#include "listed_devices.hpp"
#include "report.hpp"

#include <iostream>

int main(int argc, char **argv) {
  using namespace copse::tools;
  CLI::App app{"Prints the attributes of the devices that Poplar programs find on this machine.",
               "gc-inventory"};
  return runTool(app, argc, argv, [](bool json) {
    const ListedDevices devices;
    json ? print(std::cout, devices.list(), true) : devices.printAttributes(std::cout, {});
  });
}
