// Tests images, tensors and rows that take longer than the lease to travel.
#include "tcp_nodes.hpp"
#include "tcp_relay.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <numeric>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <vector>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using namespace poplar;

// Each large message takes more than one and a half leases, however fast the machine is, because
// the relays limit the rate.
constexpr auto kLease = 1s;
constexpr std::size_t kElements = 10 << 20;
constexpr double kBytesPerSecond = 24 << 20;

std::uint16_t portOf(const std::string &endpoint) {
  return static_cast<std::uint16_t>(std::stoul(endpoint.substr(endpoint.rfind(':') + 1)));
}

/// A cluster whose control sockets are behind slow relays, and this process as its host program.
class LargeMessages : public ::testing::TestWithParam<bool> {
protected:
  LargeMessages() {
    for (const auto &ipu : nodes_.cluster().ipus)
      wires_.push_back(std::make_unique<TcpRelay>(portOf(ipu.control.address), TcpRelay::OnBytes{},
                                                  kBytesPerSecond));
    ::setenv("COPSE_CLUSTER", nodes_.file().c_str(), 1);
    ::setenv("COPSE_HOST", "host", 1);
  }
  ~LargeMessages() override {
    ::unsetenv("COPSE_CLUSTER");
    ::unsetenv("COPSE_HOST");
  }

  TcpNodes nodes_{GetParam(), kLease, TcpRelay::kHost};
  std::vector<std::unique_ptr<TcpRelay>> wires_; ///< one for each IPU
};

TEST_P(LargeMessages, MayTakeLongerThanTheLease) {
  const Device device = std::move(DeviceManager().getDevices(TargetType::IPU, 1).at(0));
  ASSERT_TRUE(device.attach());
  std::vector<unsigned> in(kElements), out(kElements);
  std::iota(in.begin(), in.end(), 1234567U);
  Graph graph(device);
  const Tensor x = graph.addVariable(UNSIGNED_INT, {kElements}, "x");
  const unsigned tiles = graph.getTarget().getTilesPerIPU();
  for (unsigned tile = 0; tile < tiles; ++tile)
    graph.setTileMapping(x.slice(kElements * tile / tiles, kElements * (tile + 1) / tiles), tile);
  graph.setInitialValue(x, ArrayRef<unsigned>(in));
  graph.createHostRead("x", x);
  graph.createHostWrite("x", x);
  Engine engine(graph, program::Sequence());
  engine.load(device); // an image
  engine.run(0);
  engine.readTensor("x", out.data(), out.data() + out.size());
  EXPECT_EQ(in, out);
  std::iota(in.begin(), in.end(), 7654321U);
  engine.writeTensor("x", in.data(), in.data() + in.size());
  engine.run(0);
  engine.readTensor("x", out.data(), out.data() + out.size());
  EXPECT_EQ(in, out);
}

INSTANTIATE_TEST_SUITE_P(Tcp, LargeMessages, ::testing::Bool(), [](const auto &keyed) {
  return keyed.param ? "WithKeys" : "WithoutKeys";
});

} // namespace
} // namespace copse::test
