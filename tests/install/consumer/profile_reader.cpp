// Reads a profile; links with libpva and libpvti alone.
#include <gccs/Algorithm.hpp>
#include <iostream>
#include <pva/pva.hpp>
#include <pvti/pvti.hpp>

int main(int argc, char **argv) {
  pvti::TraceChannel channel("reader");
  const pvti::Tracepoint point(&channel, "main");
  try {
    const pva::Report report = pva::openReport(argv[argc - 1]);
    std::cout << gccs::ceildiv(report.compilation().tiles().size(), 2u) << '\n';
    return 1; // there is no such file
  } catch (const std::exception &e) {
    std::cout << e.what() << '\n';
  }
  return 0;
}
