#include "profile/summary_options.hpp"

#include "types/option_reader.hpp"

#include <array>

namespace copse::profile {

using types::OptionEffect;
using types::OptionKind;
using types::OptionReader;
using types::OptionSpec;

namespace {

constexpr std::array kTable{
    OptionSpec{"colours", OptionKind::Boolean, "", OptionEffect::Used, {}},
    OptionSpec{"showVarStorage", OptionKind::Boolean, "false", OptionEffect::Used, {}},
    OptionSpec{"showExecutionSteps", OptionKind::Boolean, "false", OptionEffect::Used, {}},
    OptionSpec{"showOptimizations", OptionKind::Boolean, "false", OptionEffect::Used, {}},
    OptionSpec{"showPerIpuMemoryUsage", OptionKind::Boolean, "false", OptionEffect::Used, {}},
};

} // namespace

ReportOptions parseReportOptions(const poplar::OptionFlags &flags) {
  const OptionReader reader("report option", kTable, flags);
  ReportOptions options;
  if (reader.isSet("colours"))
    options.colours = reader.boolean("colours");
  options.showVarStorage = reader.boolean("showVarStorage");
  options.showExecutionSteps = reader.boolean("showExecutionSteps");
  options.showOptimizations = reader.boolean("showOptimizations");
  options.showPerIpuMemoryUsage = reader.boolean("showPerIpuMemoryUsage");
  return options;
}

} // namespace copse::profile
