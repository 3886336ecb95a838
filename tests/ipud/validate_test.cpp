#include "growth.hpp"
#include "image_builder.hpp"

#include "ipud/validate.hpp"
#include "wire/codelet_abi.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <utility>

namespace copse::ipud {
namespace {

using test::ImageBuilder;
using test::kBase;
using test::kMemoryBytes;
using test::step;
using ::testing::HasSubstr;
using wire::Image;
using wire::Op;

/// Returns a valid image with every kind of content: ipu 1 of 2, four tiles.
Image goodImage() {
  ImageBuilder b(4, 1, 2);
  const auto f = b.function("addOne");
  b.computeSet("cs");
  b.vertex(0, f, kBase, {kBase + 64});
  b.vertex(2, f, kBase, {kBase + 64});
  auto &image = b.image;
  image.computeSets[0].hasResult = true;
  image.computeSets[0].result = {3, kBase + kMemoryBytes - 1};
  wire::Exchange exchange;
  exchange.name = "ex";
  exchange.moves = {{{0, kBase}, {1, kBase}, 4, 3, 8, -4}};
  exchange.moves[0].to.address += 8;
  exchange.sends = {{0, {{0, kBase, 4, 4, 16}}, 16}};
  exchange.receives = {{0, {{1, kBase, 8, 1, 0}}, 8}};
  exchange.flows = {{1, 0, 16}, {0, 1, 8}};
  image.exchanges = {exchange};
  const auto view = ImageBuilder::wholeRow({0, kBase}, 32);
  image.hostExchanges = {{"host", {{0, wire::Direction::ToHost, view}}, 0, 64}};
  wire::RemoteCopy copy;
  copy.name = "rows";
  copy.rows = 2;
  copy.rowBytes = 16;
  copy.hasOffsets = true;
  copy.offsets = {0, kBase + 128, 8, 1, 0};
  copy.view = view;
  copy.replicaBytes = 32;
  image.remoteCopies = {copy};
  image.prints = {{0, view}};
  image.hostViews = {view};
  image.messages = {"stop"};
  image.replicaIndices = {{0, kBase + 256}};
  image.registers.floatingPoint.assign(image.geometry.tiles, kBase + 512);
  image.registers.seeds.assign(image.geometry.tiles, kBase + 1024);
  image.architecture = wire::Architecture::Ipu2;
  image.sourceFiles = {"work.S"};
  image.stacks.assign(7, kBase + 4096);
  image.code = {{kBase + 512, 16, 0, {0, 2}, {{"work", kBase + 512, 16}}, {{kBase + 512, 0, 7}}}};
  image.data.resize(16);
  image.functions.push_back({0, "work", "Work", false, wire::CodeKind::Worker, kBase + 516});
  wire::Step repeat = step(Op::Repeat), loop = step(Op::While), branch = step(Op::If),
             choice = step(Op::Switch), one = step(Op::Case, 5);
  repeat.count = 3;
  repeat.body = 1;
  loop.count = loop.body = loop.other = 1;
  branch.body = branch.other = 1;
  choice.count = 1;
  choice.body = 4;
  choice.other = 2;
  one.body = 1;
  loop.predicate = branch.predicate = choice.predicate = {0, kBase + 300};
  image.checks = {true,
                  {"in"},
                  {1, 1},
                  {{kBase, 16, 0, 0, 4, 1}},
                  {{3, kBase, 16, 0}},
                  {{1, 0, kBase, 4, 2, 8}},
                  0};
  b.callable({step(Op::ComputeSet)});
  b.program({repeat, step(Op::ComputeSet), loop, step(Op::Exchange), step(Op::Sync, 1), branch,
             step(Op::HostExchange), step(Op::RemoteCopy), choice, one, step(Op::Print),
             step(Op::Call), step(Op::Abort), step(Op::Sync, 2)});
  return image;
}
enum Steps {
  kRepeat = 1,
  kLoop = 3,
  kSync = 5,
  kBranch = 6,
  kSwitch = 9,
  kCase = 10
}; // after the function's one

TEST(Validate, AcceptsAGoodImage) {
  const auto status = validate(goodImage());
  EXPECT_TRUE(status.ok()) << status.message;
}

struct BadCase {
  const char *name;
  void (*spoil)(Image &);
  const char *message;
} const kBad[] = {
    {"NoTiles", [](Image &i) { i.geometry.tiles = 0; }, "without tiles"},
    {"TooManyTiles", [](Image &i) { i.geometry.tiles = 1U << 30; },
     "do not fit into an address space"},
    {"NoWorkers", [](Image &i) { i.geometry.workers = 0; }, "0 workers"},
    {"TinySlots", [](Image &i) { i.geometry.slotBits = 3; }, "slots of 2^3"},
    {"HugeSlots", [](Image &i) { i.geometry.slotBits = 60; }, "slots of 2^60"},
    {"MemoryBeyondSlot", [](Image &i) { i.geometry.memoryBytes = 1U << 21; }, "within its slot"},
    {"HugeMemory", [](Image &i) { i.geometry.memoryBytes = ~0ULL - 4095; }, "within its slot"},
    {"NoMemory", [](Image &i) { i.geometry.memoryBytes = 0; }, "within its slot"},
    {"UnalignedMemory", [](Image &i) { i.geometry.memoryBase += 4; }, "multiple of 4096"},
    {"UnknownArchitecture", [](Image &i) { i.architecture = wire::Architecture{4}; },
     "architecture 4, which this version does not know"},
    {"TileCodeForACpu", [](Image &i) { i.architecture = wire::Architecture::Cpu; },
     "code section 0: code of tile instructions for a CPU"},
    {"CodeWithoutStacks", [](Image &i) { i.stacks.pop_back(); }, "6 stacks for the workers"},
    {"CodeOnSevenWorkers", [](Image &i) { i.geometry.workers = 7; }, "tiles that are not an IPU's"},
    {"CodeBeyondData", [](Image &i) { i.code[0].offset = 4; }, "beyond the 16 bytes of data"},
    {"CodeOfHalfWords", [](Image &i) { i.code[0].address += 2; }, "whole number of words"},
    {"CodeNotPopulated", [](Image &i) { i.code[0].address = kBase - 4; }, "not all populated"},
    {"CodeOnUnknownTile", [](Image &i) { i.code[0].tiles[1] = 4; }, "tile 4 of 4"},
    {"CalledCodeOnTiles", [](Image &i) { i.code[0].isForNativeCode = true; },
     "code section 0: functions that native code calls are on no tile"},
    {"CalledCodeElsewhere",
     [](Image &i) {
       i.code[0].tiles.clear();
       i.code[0].isForNativeCode = true;
     },
     "code section 0: functions that native code calls begin at"},
    {"CalledCodeWithoutItsFunction",
     [](Image &i) {
       i.code[0].tiles.clear();
       i.code[0].isForNativeCode = true;
       i.code[0].address = wire::kAssemblyAddress;
     },
     "code section 0: the function 'work' is not in it"},
    {"CodeOfUnknownFile", [](Image &i) { i.code[0].lines[0].file = 1; }, "unknown source file"},
    {"EntryOutsideCode", [](Image &i) { i.functions[1].entry += 16; }, "function 1: its entry"},
    {"EntryInsideAWord", [](Image &i) { i.functions[1].entry += 2; }, "function 1: its entry"},
    {"UnknownKindOfCode", [](Image &i) { i.functions[1].kind = static_cast<wire::CodeKind>(5); },
     "unknown kind"},
    {"SupervisorInCppWithoutTileCode",
     [](Image &i) {
       i.code.clear();
       i.functions.pop_back();
       i.functions[0].kind = wire::CodeKind::NativeSupervisor;
     },
     "function 0: a supervisor without tile code in the image"},
    {"NativeCodeInTileMemory", [](Image &i) { i.functions[0].entry = kBase; },
     "function 0: tile code cannot go to native code at"},
    {"NativeCodeInsideAWord", [](Image &i) { i.functions[0].entry = wire::kNativeEntries + 2; },
     "function 0: tile code cannot go to native code at 4098"},
    {"NativeFunctionNowhere",
     [](Image &i) {
       i.functions.push_back(i.functions[0]);
       i.functions[2].kind = wire::CodeKind::NativeFunction;
     },
     "function 2: tile code cannot go to native code at 0"},
    {"TwoNativeFunctionsAtOneAddress",
     [](Image &i) {
       i.functions[0].entry = wire::kNativeEntries;
       i.functions.push_back(i.functions[0]);
     },
     "two native functions at 4096"},
    {"VertexOfAFunctionThatTileCodeCalls",
     [](Image &i) {
       i.functions[0].kind = wire::CodeKind::NativeFunction;
       i.functions[0].entry = wire::kNativeEntries;
     },
     "is no codelet"},
    {"IpuOutOfReplica", [](Image &i) { i.ipu = 2; }, "ipu 2 of 2"},
    {"HugeReplica", [](Image &i) { i.ipusPerReplica = ~0U; }, "of 4294967295"},
    {"ShortHash", [](Image &i) { i.modules[0].sha256 = "../../etc/passwd"; },
     "module 0 'test_codelets': '../../etc/passwd' is no SHA-256"},
    {"BadHash", [](Image &i) { i.modules[0].sha256[3] = '/'; }, "is no SHA-256"},
    {"NoSuchModule", [](Image &i) { i.functions[0].module = 1; }, "function 0: module 1 of 1"},
    {"NoSymbol", [](Image &i) { i.functions[0].symbol.clear(); }, "function 0: no symbol"},
    {"VertexTile", [](Image &i) { i.computeSets[0].tiles[1].tile = 4; },
     "compute set 0 'cs': tile 4 of 4"},
    {"TileTwice", [](Image &i) { i.computeSets[0].tiles[1].tile = 0; }, "ascending"},
    {"VertexRange", [](Image &i) { i.computeSets[0].tiles[1].count = 2; }, "tile 2 names vertices"},
    {"VertexRangeWraps", [](Image &i) { i.computeSets[0].tiles[1].first = ~0U; },
     "tile 2 names vertices"},
    {"VerticesOfTwoTiles", [](Image &i) { i.computeSets[0].tiles[1].first = 0; },
     "tile 2 names another tile's vertices"},
    {"VertexFunction", [](Image &i) { i.computeSets[0].vertices[1].function = 7; },
     "vertex 1: function 7 of 2"},
    {"VertexState", [](Image &i) { i.computeSets[0].vertices[1].address = kBase - 4; },
     "vertex 1: its state at"},
    {"ResultAddress", [](Image &i) { ++i.computeSets[0].result.address; },
     "compute set 0 'cs': 1 bytes at"},
    {"MoveTile", [](Image &i) { i.exchanges[0].moves[0].to.tile = 9; },
     "exchange 0 'ex': move 0: tile 9 of 4"},
    {"MoveBelow", [](Image &i) { i.exchanges[0].moves[0].to.address -= 4; }, "move 0: 12 bytes at"},
    {"MoveFarBelow", [](Image &i) { i.exchanges[0].moves[0].toStride = INT32_MIN; },
     "begin below address 0"},
    {"MoveFarAbove", [](Image &i) { i.exchanges[0].moves[0].count = ~0U; }, "move 0: "},
    {"RegionSpan", [](Image &i) { i.exchanges[0].sends[0].regions[0].stride = 1 << 20; },
     "send 0: region 0: "},
    {"MessageBytes", [](Image &i) { i.exchanges[0].sends[0].bytes = 17; },
     "send 0: it says 17 bytes, but its regions have 16"},
    {"MessagePeer", [](Image &i) { i.exchanges[0].receives[0].peer = 2; }, "receive 0: ipu 2 of 2"},
    {"MessageToItself", [](Image &i) { i.exchanges[0].sends[0].peer = 1; }, "its own peer"},
    {"FlowPeer", [](Image &i) { i.exchanges[0].flows[0].to = 3; }, "flow 0: ipu 3 of 2"},
    {"FlowBytes", [](Image &i) { i.exchanges[0].flows[0].bytes = 15; },
     "its flows and its messages with ipu 0 differ"},
    {"MessagesByTile", [](Image &i) { i.exchanges[0].byTile = true; },
     "exchange 0 'ex': it goes by tile, but overlaps or has messages"},
    {"MovesNotByTile",
     [](Image &i) {
       i.exchanges[0].byTile = true;
       i.exchanges[0].moves.push_back({{0, kBase}, {0, kBase + 64}, 4, 1, 0, 0});
     },
     "its moves are not in the order of the tiles"},
    {"ReplicaMap",
     [](Image &i) {
       i.exchanges[0].replicaMap = {1, 1};
     },
     "every replica once"},
    {"ReplicaMapRange",
     [](Image &i) {
       i.exchanges[0].replicaMap = {2, 0};
     },
     "every replica once"},
    {"ViewBytes", [](Image &i) { i.hostViews[0].bytes = 31; },
     "host view 0: it says 31 bytes, but its regions have 32"},
    {"PieceBeyondRow", [](Image &i) { i.hostViews[0].rowBytes = 31; },
     "piece 0: beyond the row of 31"},
    {"PieceWraps", [](Image &i) { i.hostViews[0].pieces[0].offset = ~0ULL; },
     "piece 0: beyond the row"},
    {"PieceBytes", [](Image &i) { i.hostViews[0].pieces[0].bytes = 8; },
     "its pieces of the row have 8"},
    {"TransferDirection",
     [](Image &i) { i.hostExchanges[0].transfers[0].direction = wire::Direction{2}; },
     "host exchange 0 'host': transfer 0: unknown direction"},
    {"TransferShare", [](Image &i) { i.hostExchanges[0].replicaBytesToHost = 31; },
     "more than those of its replica"},
    {"NoRows", [](Image &i) { i.remoteCopies[0].rows = 0; }, "remote copy 0 'rows': no rows"},
    {"RowBytes", [](Image &i) { i.remoteCopies[0].rowBytes = 17; }, "instead of 2 rows of 17"},
    {"RowBytesWrap", [](Image &i) { i.remoteCopies[0].rowBytes = (1ULL << 63) + 16; },
     "instead of 2 rows of"},
    {"RowsWithoutOffsets", [](Image &i) { i.remoteCopies[0].hasOffsets = false; },
     "2 rows without offsets"},
    {"Offsets", [](Image &i) { i.remoteCopies[0].offsets.bytes = 4; }, "one word per row"},
    {"PrintView", [](Image &i) { i.prints[0].view.bytes = 1; }, "print 0: it says 1 bytes"},
    {"InitialPlace", [](Image &i) { i.initial[0].to.tile = 4; }, "initial data 0: tile 4 of 4"},
    {"InitialData", [](Image &i) { i.initial[0].offset = i.data.size(); },
     "initial data 0: beyond the 16 bytes of data"},
    {"RegistersOfTooFewTiles", [](Image &i) { i.registers.seeds.pop_back(); }, "seeds of"},
    {"RegistersNotAligned", [](Image &i) { i.registers.floatingPoint[0] += 2; },
     "floating-point registers of tile 0 are not aligned"},
    {"RegistersOutsideTheMemory", [](Image &i) { i.registers.seeds[0] = kBase - 4; },
     "are not all populated"},
    {"ReplicaIndex", [](Image &i) { i.replicaIndices[0].address = kBase - 1; },
     "replica index 0: 4 bytes at"},
    {"ProgramRange", [](Image &i) { ++i.programs[0].count; }, "program 0 goes beyond the 15 steps"},
    {"ProgramWraps",
     [](Image &i) {
       i.programs[0] = {~0U, 2};
     },
     "program 0 goes beyond"},
    {"CallRange", [](Image &i) { i.calls[0].count = 100; }, "function 0 goes beyond"},
    {"StepsOfTwoPrograms", [](Image &i) { i.programs.push_back(i.programs[0]); },
     "program 1 shares steps with another program or function"},
    {"StepsOfAFunctionAndAProgram",
     [](Image &i) {
       i.programs[0] = {0, 15};
     },
     "program 0 shares steps with another program or function"},
    {"UnknownOp", [](Image &i) { i.steps[kSync].op = Op{99}; }, "step 5: unknown operation 99"},
    {"SyncGroup", [](Image &i) { i.steps[kSync].index = 4; }, "step 5: sync group 4"},
    {"NoSuchComputeSet", [](Image &i) { i.steps[2].index = 1; }, "step 2: compute set 1 of 1"},
    {"NoSuchExchange", [](Image &i) { i.steps[4].index = 1; }, "step 4: exchange 1 of 1"},
    {"NoSuchExchangeBeside", [](Image &i) { i.steps[4].count = 1; },
     "step 4: exchange 0 and the 1 after it, of 1"},
    {"NoSuchHostExchange", [](Image &i) { i.steps[7].index = 1; }, "step 7: host exchange 1 of 1"},
    {"NoSuchRemoteCopy", [](Image &i) { i.steps[8].index = 1; }, "step 8: remote copy 1 of 1"},
    {"NoSuchPrint", [](Image &i) { i.steps[11].index = 1; }, "step 11: print 1 of 1"},
    {"NoSuchFunction", [](Image &i) { i.steps[12].index = 1; }, "step 12: function 1 of 1"},
    {"NoSuchMessage", [](Image &i) { i.steps[13].index = 1; }, "step 13: message 1 of 1"},
    {"NoSuchClock", [](Image &i) { i.steps[kSync] = step(Op::ReadClock, 2); },
     "step 5: ipu 2 of 2"},
    {"ClockAddress", [](Image &i) { i.steps[kSync] = step(Op::ReadClock, 1); },
     "step 5: its clock value: 8 bytes at 0"},
    {"NoSuchAllTrue", [](Image &i) { i.steps[kSync] = step(Op::AllTrue, 2); },
     "step 5: ipu 2 of 2"},
    {"AllTrueOfNothing", [](Image &i) { i.steps[kSync] = step(Op::AllTrue, 1); },
     "step 5: an AND of no bytes"},
    {"AllTrueAddress",
     [](Image &i) {
       i.steps[kSync] = step(Op::AllTrue, 1);
       i.steps[kSync].count = 3;
     },
     "step 5: the bytes of its AND: 3 bytes at 0"},
    {"BodyTooLong", [](Image &i) { i.steps[kRepeat].body = 14; }, "step 1: its body of 14 steps"},
    {"BodyWraps", [](Image &i) { i.steps[kBranch].body = i.steps[kBranch].other = ~0U; },
     "step 6: its body of 8589934590 steps"},
    {"BodyCutInTwo",
     [](Image &i) {
       i.steps[kLoop].body = 3;
       i.steps[kBranch].body = 5;
     },
     "step 6: its body of 6 steps goes beyond step 8"},
    {"LoopPolarity", [](Image &i) { i.steps[kLoop].count = 2; }, "step 3: a loop while"},
    {"PredicateSize", [](Image &i) { i.steps[kBranch].predicateBytes = 3; },
     "step 6: a predicate of 3 bytes"},
    {"PredicateAddress", [](Image &i) { i.steps[kBranch].predicate.address = 0; },
     "step 6: its predicate: 4 bytes at 0"},
    {"CaseOutside", [](Image &i) { i.steps[kSync] = step(Op::Case); }, "step 5: a case outside"},
    {"CaseMissing", [](Image &i) { i.steps[kSwitch].count = 2; }, "step 9: case 1 of 2 is missing"},
    {"CaseTooLong", [](Image &i) { i.steps[kCase].body = 4; },
     "step 10: its body goes beyond the switch"},
    {"DefaultLength", [](Image &i) { i.steps[kSwitch].other = 1; },
     "its default has 2 steps instead of 1"},
    {"VertexWithoutRanges", [](Image &i) { i.checks.givenEnds.pop_back(); },
     "what its vertices were given is not told of each of them"},
    {"RangeOutside", [](Image &i) { i.checks.given[0].address = 0; },
     "given range 0: 16 bytes at 0"},
    {"RangeWithoutName", [](Image &i) { i.checks.given[0].field = 1; }, "no name of its field"},
    {"VariableOutside", [](Image &i) { i.checks.variables[0].tile = 4; },
     "variable 0: tile 4 of 4"},
    {"UndefinedBeyondTheSteps", [](Image &i) { i.checks.undefined[0].step = 1000; },
     "undefined range 0: no such step"},
    {"Recursion", [](Image &i) { i.steps[0] = step(Op::Call); }, "function 0 calls itself"},
};

class ValidateRefuses : public ::testing::TestWithParam<BadCase> {};

TEST_P(ValidateRefuses, AnImageNamingFaultAndStep) {
  auto image = goodImage();
  GetParam().spoil(image);
  const auto status = validate(image);
  EXPECT_EQ(status.code, wire::Code::InvalidImage);
  EXPECT_THAT(status.message, HasSubstr("is refused: "));
  EXPECT_THAT(status.message, HasSubstr(GetParam().message));
}
INSTANTIATE_TEST_SUITE_P(Cases, ValidateRefuses, ::testing::ValuesIn(kBad),
                         [](const auto &p) { return p.param.name; });

TEST(Validate, RefusesBodiesThatNestTooDeep) {
  ImageBuilder b(1);
  std::vector<wire::Step> nested(100'000, step(Op::Repeat));
  for (std::size_t i = 0; i < nested.size(); ++i)
    nested[i].body = static_cast<std::uint32_t>(nested.size() - i - 1);
  b.program(nested);
  EXPECT_THAT(validate(b.image).message, HasSubstr("deeper than 1000"));
}

TEST(Validate, RefusesCallsThatNestTooDeep) {
  ImageBuilder b(1);
  b.callable({});
  for (std::uint32_t i = 0; i < 1001; ++i)
    b.callable({step(Op::Call, i)});
  EXPECT_THAT(validate(b.image).message, HasSubstr("deeper than 1000"));
}

TEST(Validate, AcceptsTheIpuItselfAsPeerOfACrossReplicaCopy) {
  auto image = goodImage();
  auto &exchange = image.exchanges[0];
  exchange.replicaMap = {1, 0};
  exchange.sends[0].peer = exchange.receives[0].peer = 1;
  exchange.sends[0].regions = exchange.receives[0].regions;
  exchange.sends[0].bytes = 8;
  exchange.flows = {{1, 1, 8}};
  EXPECT_TRUE(validate(image).ok()) << validate(image).message;
}

/// Returns the work to validate `image`, which is good.
auto validationOf(Image image) {
  return [image = std::move(image)] {
    const auto status = validate(image);
    EXPECT_TRUE(status.ok()) << status.message;
  };
}

// Each part of both images was once compared with all others.

TEST(Validate, TakesTimeInProportionToFunctionsAndCodeSections) {
  const auto validation = [](std::size_t count) {
    auto image = goodImage();
    const auto function = image.functions[1];
    const auto section = image.code[0];
    image.functions.insert(image.functions.end(), count, function);
    for (unsigned i = 0; i < count; ++i) {
      image.code.push_back(section);
      image.code.back().address = kBase + 528 + 16 * (i % 64);
    }
    std::swap(image.code.front(), image.code.back());
    return validationOf(std::move(image));
  };
  EXPECT_LT(copse::test::growthPerElement(validation, 100'000), copse::test::kMostGrowth);
}

TEST(Validate, TakesTimeInProportionToExchangesInAReplicaOfManyIpus) {
  const auto validation = [](std::size_t count) {
    ImageBuilder b(1, 0, 1 << 16);
    b.image.exchanges.resize(count);
    return validationOf(std::move(b.image));
  };
  EXPECT_LT(copse::test::growthPerElement(validation, 400'000), copse::test::kMostGrowth);
}

} // namespace
} // namespace copse::ipud
