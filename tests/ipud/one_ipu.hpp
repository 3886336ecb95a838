#pragma once

#include "image_builder.hpp"
#include "memory_environment.hpp"

#include <gtest/gtest.h>

namespace copse::ipud::test {

/// A partition of one IPU with the test codelets.
class OneIpu {
public:
  explicit OneIpu(IpuOptions options = {})
      : timing(machine(), wire::Topology::Mesh, 1), partition(1, 1, timing),
        environment(partition, 0), ipu(timing, options) {}

  wire::Status load(const wire::Image &image) {
    return ipu.load(image, {}, moduleAt(TEST_CODELETS));
  }
  /// Loads and runs program 0.
  wire::Result<IpuRun> run(const wire::Image &image) {
    if (auto status = load(image); !status.ok())
      return status;
    return ipu.run(0, environment);
  }
  template <class T = std::int32_t> std::vector<T> values(std::uint32_t view) const {
    const auto bytes = ipu.readView(view);
    EXPECT_TRUE(bytes.ok()) << bytes.status().message;
    return valuesOf<T>((*bytes).bytes());
  }

  clock::TimingModel timing;
  Partition partition;
  MemoryEnvironment environment;
  Ipu ipu;
};

} // namespace copse::ipud::test
