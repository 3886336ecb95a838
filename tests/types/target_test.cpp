#include "poplar/Target.hpp"
#include "poplar/exceptions.hpp"
#include "types/target_description.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <unordered_set>

namespace {

using namespace poplar;
using ::testing::HasSubstr;

// Source: guide, 7.1 and 7.2; PopLibs' use of the getters.
struct Getter {
  const char *name;
  double (*get)(const Target &);
  double mk1, mk2, cpu;
};
const Getter kGetters[] = {
    {"NumWorkerContexts", [](const Target &t) -> double { return t.getNumWorkerContexts(); }, 6, 6,
     6},
    {"TilesPerIPU", [](const Target &t) -> double { return t.getTilesPerIPU(); }, 1216, 1472, 1},
    {"NumTiles", [](const Target &t) -> double { return t.getNumTiles(); }, 2 * 1216, 2 * 1472, 2},
    {"BytesPerTile", [](const Target &t) -> double { return t.getBytesPerTile(); }, 262144, 638976,
     0x7FFC0000},
    {"TileClockFrequency", [](const Target &t) { return t.getTileClockFrequency(); }, 1.6e9,
     1.325e9, 1e9},
    {"RptCountMax", [](const Target &t) -> double { return t.getRptCountMax(); }, 4095, 65535,
     65535},
    {"DataPathWidth", [](const Target &t) -> double { return t.getDataPathWidth(); }, 64, 64, 64},
    {"AtomicStoreGranularity",
     [](const Target &t) -> double { return static_cast<double>(t.getAtomicStoreGranularity()); },
     4, 4, 1},
    {"SizeOfHalf", [](const Target &t) { return double(t.getTypeSize(HALF)); }, 2, 2, 4},
    {"SizeOfLong", [](const Target &t) { return double(t.getTypeSize(LONG)); }, 4, 4, 8},
    {"SizeOfLongLong", [](const Target &t) { return double(t.getTypeSize(LONGLONG)); }, 8, 8, 8},
    {"SizeOfBool", [](const Target &t) { return double(t.getTypeSize(BOOL)); }, 1, 1, 1},
    {"WidthOfFloat", [](const Target &t) -> double { return t.getVectorWidth(FLOAT); }, 2, 2, 1},
    {"WidthOfHalf", [](const Target &t) -> double { return t.getHalfVectorWidth(); }, 4, 4, 1},
    {"WidthOfChar", [](const Target &t) -> double { return t.getVectorWidth(CHAR); }, 8, 8, 1},
    {"WidthOfBool", [](const Target &t) -> double { return t.getVectorWidth(BOOL); }, 1, 1, 1},
    {"WidthOfLongLong", [](const Target &t) -> double { return t.getVectorWidth(LONGLONG); }, 1, 1,
     1},
    {"MemoryElements", [](const Target &t) -> double { return t.getMemoryElementOffsets().size(); },
     12, 26, 1},
    {"LastElement", [](const Target &t) -> double { return t.getMemoryElementOffsets().back(); },
     262144 - 32768, 638976 - 32768, 0},
    {"FirstInterleaved",
     [](const Target &t) -> double { return t.getInterleavedMemoryElementIndex(); }, 8, 13, 0},
    {"TilesPerBus", [](const Target &t) -> double { return t.getTilesPerSharedExchangeBus(); }, 2,
     2, 1},
    {"BusSharing", [](const Target &t) -> double { return t.supportsExchangeBusSharing(); }, 1, 1,
     0},
    {"WeightsHalf", [](const Target &t) -> double { return t.getWeightsPerConvUnit(false); }, 16,
     16, 16},
    {"WeightsFloat", [](const Target &t) -> double { return t.getWeightsPerConvUnit(true); }, 8, 8,
     8},
    {"ConvLoadHalf",
     [](const Target &t) -> double { return t.getFp16ConvUnitInputLoadElemsPerCycle(); }, 4, 4, 4},
    {"ConvLoadFloat",
     [](const Target &t) -> double { return t.getFp32ConvUnitInputLoadElemsPerCycle(); }, 2, 2, 2},
    {"UnitsHalfHalf",
     [](const Target &t) -> double { return t.getFp16InFp16OutConvUnitsPerTile(); }, 8, 16, 8},
    {"UnitsHalfFloat", [](const Target &t) -> double { return t.getNumConvUnits(HALF, FLOAT); }, 8,
     8, 8},
    {"UnitsFloatFloat",
     [](const Target &t) -> double { return t.getFp32InFp32OutConvUnitsPerTile(); }, 8, 16, 8},
    {"UnitsFloatHalf", [](const Target &t) -> double { return t.getNumConvUnits(FLOAT, HALF); }, 0,
     0, 0},
};
class TargetGetters : public ::testing::TestWithParam<Getter> {};
TEST_P(TargetGetters, ReturnTheArchitecturesFigures) {
  const Getter &g = GetParam();
  EXPECT_EQ(g.get(Target::createIPUTarget(2, "ipu1")), g.mk1);
  EXPECT_EQ(g.get(Target::createIPUTarget(2, "ipu2")), g.mk2);
  EXPECT_EQ(g.get(Target::createIPUTarget(2, "ipu21")), g.mk2);
  EXPECT_EQ(g.get(Target::createCPUTarget(false, 2)), g.cpu);
}
INSTANTIATE_TEST_SUITE_P(Table, TargetGetters, ::testing::ValuesIn(kGetters),
                         [](const auto &p) { return p.param.name; });

TEST(Targets, NameArchitectureAndSystem) {
  EXPECT_EQ(Target::createIPUTarget(1, "ipu1").getTargetArchString(), "ipu1");
  const Target pod = Target::createIPUTarget(16, "IPU-POD16");
  EXPECT_EQ(pod.getTargetArchString(), "ipu2");
  EXPECT_EQ(pod.getTargetSystemString(), "IPU-POD16");
  EXPECT_TRUE(pod.getGatewayMode());
  EXPECT_EQ(Target::createIPUTarget(4, "BOW-POD4").getTileClockFrequency(), 1.85e9);
  EXPECT_THROW(Target::createCPUTarget().getTargetArchString(), poplar_error);
}

TEST(Targets, UnknownSystemSuggestsOne) {
  try {
    Target::createIPUTarget(1, "IPU-POD17");
    FAIL();
  } catch (const poplar_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("'IPU-POD16'"));
  }
}

TEST(Targets, CompareByTheirProperties) {
  const Target a = Target::createIPUTarget(2, 4, "ipu2"), b = Target::createIPUTarget(2, "ipu2");
  EXPECT_NE(a, b);
  EXPECT_EQ(a, b.createVirtualTarget(2, 4));
  EXPECT_NE(a, Target::createIPUTarget(2, 4, "ipu1"));
  EXPECT_NE(a, Target());
  EXPECT_EQ(Target(), Target());
  EXPECT_NE(a, Target::createIPUTarget(2, 4, "ipu2", {{"ipuLinkTopology", "torus"}}));
  EXPECT_EQ(std::unordered_set<Target>({a, b, b.createVirtualTarget(2, 4)}).size(), 2u);
}

TEST(Targets, HaveAllIpusOfASystemByDefault) {
  EXPECT_EQ(Target::createIPUTarget("IPU-POD16").getNumIPUs(), 16u);
  EXPECT_EQ(Target::createIPUTarget("IPU-POD256").getNumIPUs(), 256u);
  EXPECT_EQ(Target::createIPUTarget("IPU-POD256").getIpuLinkDomainSize(), 64u);
  EXPECT_EQ(Target::createIPUTarget("ipu2"), Target::createIPUTarget(1, "ipu2"));
  EXPECT_THROW(Target::createIPUTarget("ipu9"), poplar_error);
}

TEST(Targets, KnowTheUnitsForQuartersOfChipsThatHaveThem) {
  const Target ipu2 = Target::createIPUTarget(1, "ipu2"),
               ipu21 = Target::createIPUTarget(1, "ipu21");
  EXPECT_EQ(ipu2.getFp8ConvUnitInputLoadElemsPerCycle(), 0u);
  EXPECT_EQ(ipu2.getFp8InFp16OutConvUnitsPerTile(), 0u);
  EXPECT_EQ(ipu21.getFp8ConvUnitInputLoadElemsPerCycle(),
            2 * ipu21.getFp16ConvUnitInputLoadElemsPerCycle());
  EXPECT_EQ(ipu21.getFp8InFp16OutConvUnitsPerTile(), ipu21.getFp16InFp16OutConvUnitsPerTile());
}

TEST(Targets, MakeControlWordsOfFloatingPointBehaviour) {
  const Target t = Target::createIPUTarget(1, "ipu2");
  EXPECT_EQ(t.makeFpIctlValue(false, false, false, false, false), 0u);
  EXPECT_EQ(t.makeFpIctlValue(true, false, true, false, false), 5u);
  EXPECT_EQ(t.makeFpIctlValue(false, true, false, true, true), 0x180002u);
  EXPECT_EQ(t.getFpIctlRegIndex(), 0x20u);
  EXPECT_EQ(t.getDbgDataRegIndex(), 0x70u);
}

TEST(Targets, RefuseMoreIpusThanTheSystemHas) {
  EXPECT_THROW(Target::createIPUTarget(1, 1473, "ipu2"), poplar_error);
  EXPECT_THROW(Target::createIPUTarget(0, "ipu2"), poplar_error);
  EXPECT_THROW(Target::createIPUTarget(1, 0, "ipu2"), poplar_error);
  EXPECT_THROW(Target::createIPUTarget(2, "ipu2").createVirtualTarget(3, 4), poplar_error);
  EXPECT_THROW(Target().getNumTiles(), poplar_error);
}

TEST(TargetOptions, ReachTheGetters) {
  const Target t = Target::createIPUTarget(8, "ipu2",
                                           {{"ipuLinkTopology", "torus"},
                                            {"syncConfiguration", "ipuAndAll"},
                                            {"ipuLinkConfiguration", "BarleyTwist"},
                                            {"ipuLinkDomainSize", "0x10"},
                                            {"gatewayMode", "true"}});
  EXPECT_EQ(t.getIpuLinkTopology(), IpuLinkTopology::Torus);
  EXPECT_EQ(t.getIpuLinkConfiguration(), IpuLinkConfiguration::BarleyTwist);
  EXPECT_EQ(t.getIpuLinkDomainSize(), 16u);
  EXPECT_TRUE(t.getGatewayMode());
  EXPECT_EQ(copse::types::describe(t).links.syncConfiguration,
            copse::types::SyncConfiguration::IpuAndAll);
  EXPECT_EQ(Target::createIPUTarget(8, "ipu2").getIpuLinkTopology(), IpuLinkTopology::Mesh);
}

TEST(TargetOptions, FollowThePartition) {
  ::setenv(
      "POPLAR_TARGET_OPTIONS",
      R"({"ipuLinkDomainSize":"64","ipuLinkConfiguration":"slidingWindow","ipuLinkTopology":"torus",)"
      R"("gatewayMode":"true","instanceSize":"64"})",
      1); // as poprun sets them
  const Target t = Target::createIPUTarget(2, "ipu2");
  ::unsetenv("POPLAR_TARGET_OPTIONS");
  EXPECT_EQ(t.getIpuLinkConfiguration(), IpuLinkConfiguration::SlidingWindow);
  EXPECT_EQ(t.getIpuLinkDomainSize(), 64u);
}

TEST(TargetOptions, EnvironmentWins) {
  ::setenv("POPLAR_TARGET_OPTIONS", R"({"ipuLinkTopology": "torus"})", 1);
  const Target t = Target::createIPUTarget(2, "ipu2", {{"ipuLinkTopology", "mesh"}});
  ::unsetenv("POPLAR_TARGET_OPTIONS");
  EXPECT_EQ(t.getIpuLinkTopology(), IpuLinkTopology::Torus);
}

TEST(TargetOptions, RefuseUnknownNames) {
  EXPECT_THROW(Target::createIPUTarget(1, "ipu2", {{"ipuLinkDomainSize", "0"}}), invalid_option);
  EXPECT_THROW(Target::createIPUTarget(1, "ipu2", {{"syncConfiguration", "all"}}), invalid_option);
  try {
    Target::createIPUTarget(1, "ipu2", {{"ipuLinkTopologie", "mesh"}});
    FAIL();
  } catch (const invalid_option &e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'ipuLinkTopology'?"));
  }
}

TEST(TargetDescription, GoesThroughATarget) {
  const Target t = Target::createIPUTarget(4, "ipu1");
  EXPECT_EQ(copse::types::makeTarget(copse::types::describe(t)), t);
  EXPECT_EQ(copse::types::describe(t).tile.memoryBase, 0x40000u);
  EXPECT_EQ(copse::types::describe(t).machineModel, "gc2");
}

TEST(Targets, AreKeysInSomeOrder) {
  const Target none, small = Target::createIPUTarget(1, "ipu2"),
                     large = Target::createIPUTarget(2, "ipu2"), cpu = Target::createCPUTarget();
  EXPECT_FALSE(small < Target::createIPUTarget(1, "ipu2"));
  EXPECT_NE(small < large, large < small);
  EXPECT_NE(small < cpu, cpu < small);
  EXPECT_TRUE(none < cpu);
  EXPECT_FALSE(none < Target());
}

TEST(TargetOptions, AreReturnedAsFlags) {
  const OptionFlags given{{"ipuLinkTopology", "torus"}, {"syncConfiguration", "ipuAndAll"}};
  const Target t = Target::createIPUTarget(4, "IPU-POD16", given);
  EXPECT_EQ(t.getTargetOptions().at("ipuLinkTopology"), "torus");
  EXPECT_EQ(t.getTargetOptions().at("syncConfiguration"), "ipuAndAll");
  EXPECT_EQ(t.getTargetOptions().at("gatewayMode"), "true");
  EXPECT_EQ(Target::createIPUTarget(4, "ipu2", t.getTargetOptions()).getTargetOptions(),
            t.getTargetOptions());
  EXPECT_EQ(Target::createCPUTarget().getTargetOptions(), OptionFlags());
}

TEST(Targets, KnowTheLimitsOfTypes) {
  const Target ipu = Target::createIPUTarget(1, "ipu2"), cpu = Target::createCPUTarget();
  EXPECT_EQ(ipu.getTypeLimitsMaxAs<std::uint64_t>(UNSIGNED_INT), 0xFFFFFFFFu);
  EXPECT_EQ(ipu.getTypeLimitsMaxAs<int>(UNSIGNED_SHORT), 0xFFFF);
  EXPECT_EQ(ipu.getTypeLimitsLowestAs<std::int64_t>(LONG), INT32_MIN);
  EXPECT_EQ(cpu.getTypeLimitsLowestAs<std::int64_t>(LONG), INT64_MIN);
  EXPECT_EQ(ipu.getTypeLimitsMaxAs<std::uint64_t>(UNSIGNED_LONGLONG), UINT64_MAX);
  EXPECT_EQ(ipu.getTypeLimitsMaxAs<bool>(BOOL), true);
  EXPECT_EQ(ipu.getTypeLimitsLowestAs<float>(HALF), -65504.0f);
  EXPECT_EQ(ipu.getTypeLimitsMinAs<double>(HALF), 0x1p-14);
  EXPECT_EQ(cpu.getTypeLimitsMaxAs<float>(HALF), std::numeric_limits<float>::max());
}

TEST(Targets, RefuseLimitsThatDoNotFit) {
  const Target ipu = Target::createIPUTarget(1, "ipu2");
  EXPECT_THROW(ipu.getTypeLimitsMaxAs<int>(UNSIGNED_INT), overflow_error);
  EXPECT_THROW(ipu.getTypeLimitsLowestAs<unsigned>(INT), overflow_error);
  EXPECT_THROW(ipu.getTypeLimitsMaxAs<std::int64_t>(FLOAT), overflow_error);
  EXPECT_THROW(ipu.getTypeLimitsMaxAs<float>(QUARTER), type_error);
}

TEST(Targets, AddUpTheirMemory) {
  EXPECT_EQ(Target::createIPUTarget(2, "ipu2").getMemoryBytes(), 2u * 1472u * 638976u);
}

TEST(Targets, HaveUnitsForQuartersOnTheirChipOnly) {
  EXPECT_EQ(Target::createIPUTarget(1, "ipu2").getFp8ConvUnitMaxPipelineDepth(), 0u);
  EXPECT_EQ(Target::createIPUTarget(1, "ipu21").getFp8ConvUnitMaxPipelineDepth(), 4u);
  EXPECT_EQ(Target::createIPUTarget(1, "ipu21").getQuarterVectorWidth(), 8u);
}

} // namespace
