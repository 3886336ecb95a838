#include "poplar/IPUModel.hpp"
#include "poplar/exceptions.hpp"
#include "types/model_description.hpp"

#include <gtest/gtest.h>

namespace {

using copse::types::describeModel;
using poplar::IPUModel;

TEST(IPUModels, StartAsOneIpuOfTheirVersion) {
  const IPUModel mk2, mk1("ipu1");
  EXPECT_EQ(mk2.IPUVersion, "ipu2");
  EXPECT_EQ(mk2.numIPUs, 1u);
  EXPECT_EQ(mk2.tilesPerIPU, 1472u);
  EXPECT_EQ(mk1.tilesPerIPU, 1216u);
  EXPECT_EQ(mk1.memoryBytesPerTile, 262144u);
  EXPECT_EQ(mk2.numWorkerContexts, 6u);
  EXPECT_TRUE(mk2.compileIPUCode);
  EXPECT_THROW(IPUModel("ipu3"), poplar::invalid_machine_model);
}

TEST(IPUModels, CompareTheirFields) {
  IPUModel a, b;
  EXPECT_EQ(a, b);
  b.minIPUSyncDelay = 1;
  EXPECT_NE(a, b);
}

TEST(IPUModels, DescribeTheirDevice) {
  IPUModel model;
  model.numIPUs = 4;
  model.tilesPerIPU = 16;
  model.memoryBytesPerTile = 4096;
  model.relativeSyncDelay = IPUModel::RelativeSyncDelayType::NO_DELAY;
  const auto d = describeModel(model, {{"ipuLinkTopology", "torus"}}, false);
  EXPECT_EQ(d.links.topology, poplar::IpuLinkTopology::Torus);
  EXPECT_EQ(d.targetType, poplar::TargetType::IPU_MODEL);
  EXPECT_EQ(d.numTiles(), 64u);
  EXPECT_EQ(d.tile.bytesPerTile, 4096u);
  EXPECT_EQ(d.halfBytes, 2u);
  EXPECT_FALSE(d.syncDelays);
}

TEST(IPUModels, KnowTheRateOfTheMatrixEngine) {
  IPUModel model;
  EXPECT_EQ(model.fp16ConvUnitInputLoadElemsPerCycle, 4U);
  EXPECT_EQ(model.fp32ConvUnitInputLoadElemsPerCycle, 2U);
  EXPECT_EQ(model.fp16ConvUnitMaxPipelineDepth, 4U);
  const IPUModel wide = [&] {
    IPUModel twice = model;
    twice.fp16ConvUnitInputLoadElemsPerCycle = 8;
    twice.fp32ConvUnitMaxPipelineDepth = 2;
    return twice;
  }();
  EXPECT_NE(model, wide);
  const auto tile = describeModel(wide, {}, false).tile;
  EXPECT_EQ(tile.convInputLoadHalf, 8U);
  EXPECT_EQ(tile.convInputLoadFloat, 2U);
  EXPECT_EQ(tile.convStepsFloat, 2U);
  EXPECT_EQ(tile.convStepsHalf, 4U);
}

TEST(IPUModels, RefuseInvalidFigures) {
  const auto refused = [](void (*change)(IPUModel &)) {
    IPUModel model;
    change(model);
    EXPECT_THROW(describeModel(model, {}, false), poplar::invalid_machine_model);
  };
  refused([](IPUModel &m) { m.numIPUs = 0; });
  refused([](IPUModel &m) { m.tilesPerIPU = 0; });
  refused([](IPUModel &m) { m.numWorkerContexts = 0; });
  refused([](IPUModel &m) { m.memoryBytesPerTile = 1u << 21; });
  refused([](IPUModel &m) { m.tileClockFrequency = 0; });
  refused([](IPUModel &m) { m.IPUVersion = "ipu9"; });
  refused([](IPUModel &m) { m.numIPUs = m.tilesPerIPU = 1u << 17; });
}

} // namespace
