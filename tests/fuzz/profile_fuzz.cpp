// Fuzzes profiles, and everything that is read from a profile.
#include "fuzzing.hpp"

#include "profile/profile_data.hpp"
#include "profile/profile_values.hpp"

#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  std::istringstream file{std::string(fuzz::textOf(data, size))};
  try {
    const profile::ReportData report = profile::readReport(file, "fuzzed");
    // A profile that could be read is well-formed: it can be written, and printed.
    std::ostringstream again;
    profile::writeReport(again, report);
    for (std::uint32_t tile = 0; tile < report.tiles.size(); ++tile)
      profile::blocksOf(report, tile);
    poplar::printProfileSummary(again, profile::graphProfileOf(report),
                                profile::executionProfileOf(report),
                                {{"showVarStorage", "true"}, {"showExecutionSteps", "true"}});
  } catch (const poplar::poplar_error &) {
  }
  return 0;
}
