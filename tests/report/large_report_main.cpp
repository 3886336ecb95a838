// large_report FILE IPUS TILES STEPS: writes the page of an invented profile of this size.
#include "large_report.hpp"

#include "report/page.hpp"

#include <cstdlib>
#include <fstream>

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  const auto number = [&](int argument) {
    return static_cast<std::uint32_t>(std::strtoul(argv[argument], nullptr, 10));
  };
  const auto data = copse::test::largeReport(number(2), number(3), number(4));
  const copse::report::NamedProfile profile{"large", &data};
  std::ofstream file(argv[1], std::ios::binary);
  copse::report::writePage(file, {&profile, 1});
  return file.flush() ? 0 : 1;
}
