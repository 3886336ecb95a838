#include "test_tile.hpp"

#include "assembler/linker.hpp"

#include <gmock/gmock.h>

#include <numeric>

namespace copse::ipud {
namespace {

using isa::Exception;
using test::kCode;
using test::kVertex;
using test::TestTile;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

constexpr std::uint16_t kOne = 0x3C00, kTwo = 0x4000;

std::uint16_t half(float value) { return static_cast<std::uint16_t>(fp::nearest16(value)); }

/// Returns the worker cycles of a run that ended well.
std::uint64_t issues(const TileProcessor::Result &result) {
  EXPECT_EQ(result.fault, nullptr)
      << "stopped by " << (result.fault ? isa::nameOf(result.fault->type) : "") << std::hex
      << " at " << (result.fault ? result.fault->pc : 0);
  EXPECT_EQ(result.cycles, 6 * result.issues);
  return result.issues;
}

TEST(TilePrograms, CopyBytesOfAnyAlignmentWithTheRuntimesFunction) {
  constexpr std::uint32_t kFrom = 0x58000, kTo = 0x5C000;
  const assembler::Object caller =
      assembler::assemble("DEF_STACK_USAGE 0 f\nf: call $lr, _Longmemcpy_entry\nexitz $mzero\n",
                          "f.S", isa::Architecture::Ipu2)
          .object;
  const assembler::Object *const objects[] = {&caller};
  const std::string entries[] = {"f"};
  const auto code = assembler::link(objects, entries, {kCode, kCode + 0x4000, 0x4000});
  for (const std::uint32_t count : {0U, 1U, 3U, 4U, 7U, 16U, 33U})
    for (const std::uint32_t from : {0U, 1U, 3U})
      for (const std::uint32_t to : {0U, 2U, 3U}) {
        TestTile t;
        std::vector<std::uint8_t> bytes(64), expected(64, 0xEE);
        for (std::size_t i = 0; i < bytes.size(); ++i)
          bytes[i] = static_cast<std::uint8_t>(i + 1);
        std::memcpy(t.base() + kFrom, bytes.data(), bytes.size());
        std::memcpy(t.base() + kTo, expected.data(), expected.size());
        std::copy_n(bytes.begin() + from, count, expected.begin() + to);
        t.setM(0, kFrom + from);
        t.setM(1, kTo + to);
        t.setM(8, count);
        for (const auto &section : code.sections)
          std::memcpy(t.base() + section.address, section.bytes.data(), section.bytes.size());
        t.tile.code.forget();
        const auto result = t.run();
        ASSERT_EQ(result.fault, nullptr);
        EXPECT_EQ(t.read<std::uint8_t>(kTo, 64), expected) << count << " " << from << " " << to;
      }
}

TEST(TilePrograms, AddTwoVectorsInARepeat) {
  for (const std::uint32_t pairs : {3U, 0U}) {
    TestTile t;
    t.assembleProgram("vecadd");
    t.words(kVertex, {0x54000, 0x58000, 0x5C000, pairs});
    t.floats(0x54000, {0, 1.5, 3, 4.5, 6, 7.5});
    t.floats(0x58000, {100, 99, 98, 97, 96, 95});
    t.floats(0x5C000, {-1, -1, -1, -1, -1, -1, -1, -1});
    EXPECT_EQ(issues(t.run()), 6 + 4 * pairs);
    if (pairs == 3)
      EXPECT_THAT(t.read<float>(0x5C000, 8),
                  ElementsAre(100, 100.5, 101, 101.5, 102, 102.5, -1, -1));
    else
      EXPECT_THAT(t.read<float>(0x5C000, 2), ElementsAre(-1, -1));
  }
}

TEST(TilePrograms, AddInPlaceInAPipeline) {
  for (const std::uint32_t n : {4U, 6U, 8U}) {
    TestTile t;
    t.assembleProgram("addpipe");
    t.words(kVertex, {0x80000, n, fp::asBits(0.5F)});
    std::vector<float> x(2 * n + 2);
    std::iota(x.begin(), x.end(), 0.0F);
    t.floats(0x80000, x);
    EXPECT_EQ(issues(t.run()), n + 13);
    for (std::size_t i = 0; i < 2 * n; ++i)
      x[i] += 0.5F;
    EXPECT_THAT(t.read<float>(0x80000, x.size()), ElementsAreArray(x));
  }
}

TEST(TilePrograms, APipelineInPlainMemoryClashes) {
  TestTile t;
  t.assembleProgram("addpipe");
  t.words(kVertex, {0x54000, 8, fp::asBits(0.5F)});
  t.floats(0x54000, {0, 1, 2, 3, 4, 5, 6, 7});
  const auto result = t.run();
  ASSERT_NE(result.fault, nullptr);
  EXPECT_EQ(result.fault->type, Exception::Conflict);
  EXPECT_EQ(result.fault->pc, kCode + 0x40);
  EXPECT_TRUE(result.fault->inRepeat);
  EXPECT_EQ(result.issues, 13U);
  // The store has reached memory, the addresses have not moved.
  EXPECT_THAT(t.read<float>(0x54000, 4), ElementsAre(0.5, 1.5, 2, 3));
}

TEST(TilePrograms, MultiplyHalvesAndSumThem) {
  for (const auto &[n, sum] : {std::pair{1U, 20.0F}, {2U, 72.0F}, {5U, 420.0F}}) {
    TestTile t;
    t.assembleProgram("dot16");
    t.words(kVertex, {0x54000, 0x58000, 0x5C000, n});
    for (unsigned i = 0; i < 4 * n; ++i)
      t.halves(0x54000 + 2 * i, {half(static_cast<float>(i + 1))});
    t.halves(0x58000, std::vector<std::uint16_t>(4 * n, kTwo));
    EXPECT_EQ(issues(t.run()), n + 10);
    EXPECT_EQ(t.read<float>(0x5C000, 1)[0], sum);
  }
}

TEST(TilePrograms, TwoLoadsFromOneElementClash) {
  TestTile t;
  t.assembleProgram("dot16");
  t.words(kVertex, {0x54000, 0x54100, 0x5C000, 1});
  const auto result = t.run();
  ASSERT_NE(result.fault, nullptr);
  EXPECT_EQ(result.fault->type, Exception::Conflict);
  EXPECT_EQ(result.fault->pc, kCode + 0x18);
}

TEST(TilePrograms, SixWorkersShareAnArray) {
  TestTile t;
  t.assembleProgram("triple");
  t.words(kVertex, {0x54000, 0x58000, 20});
  std::vector<std::uint32_t> in(20), out(22, 7777);
  std::iota(in.begin(), in.end(), 0U);
  t.words(0x54000, in);
  t.words(0x58000, out);
  const std::uint64_t cycles[] = {31, 31, 27, 27, 27, 27};
  for (unsigned worker = 0; worker < 6; ++worker)
    EXPECT_EQ(issues(t.run(worker)), cycles[worker]) << worker;
  for (unsigned i = 0; i < 20; ++i)
    out[i] = 3 * i;
  EXPECT_THAT(t.read(0x58000, 22), ElementsAreArray(out));
}

TEST(TilePrograms, AccumulatorsComeOutInOrder) {
  TestTile t;
  t.assembleProgram("ginaorder");
  t.words(kVertex, {0x54000, 0x58000});
  for (unsigned i = 0; i < 8; ++i)
    t.halves(0x54000 + 2 * i, {half(static_cast<float>(i + 1))});
  EXPECT_EQ(issues(t.run()), 13U);
  EXPECT_THAT(t.read<float>(0x58000, 10), ElementsAre(2, 4, 6, 8, 10, 12, 14, 16, 0, 0));
}

TEST(TilePrograms, DivideByWorkers) {
  TestTile t;
  t.assembleProgram("split");
  const std::vector<std::uint32_t> of20 = {0, 4, 4, 4, 8, 3, 11, 3, 14, 3, 17, 3};
  const std::vector<std::uint32_t> of5 = {0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 0};
  for (const auto &[n, expected] : {std::pair{20U, of20}, {5U, of5}})
    for (unsigned worker = 0; worker < 6; ++worker) {
      t.words(kVertex, {(n / 6) << 3 | n % 6, 0x54000});
      EXPECT_EQ(issues(t.run(worker)), 14U);
      EXPECT_THAT(t.read(0x54000, 2), ElementsAre(expected[2 * worker], expected[2 * worker + 1]));
    }
}

TEST(TilePrograms, RoundStochastically) {
  TestTile t;
  t.assembleProgram("srcast");
  t.words(kVertex, {0x80000, 0x90000, 0x12345678});
  t.floats(0x80000, {1.0003F, -2.7F, 3e-6F, 70000.0F});
  EXPECT_EQ(issues(t.run()), 14U);
  EXPECT_THAT(t.read<std::uint16_t>(0x90000, 4), ElementsAre(0x3C00, 0xC167, 0x0032, 0x7BFF));
  EXPECT_THAT(t.read(0x90008, 5), ElementsAre(0xB88EACFB, 0x51FECB5B, 0x9C974320, 0x636ADF3F, 4));
}

TEST(TilePrograms, RoundStochasticallyToNaN) {
  TestTile t;
  std::ifstream in(std::string(PROGRAMS) + "/srcast.S");
  std::ostringstream text;
  text << in.rdbuf();
  std::string source = text.str();
  const std::string control = "setzi $a5, 0x80000";
  ASSERT_NE(source.find(control), std::string::npos);
  source.replace(source.find(control), control.size(), "ldconst $a5, 0x180000");
  t.assemble(source);
  t.words(kVertex, {0x80000, 0x90000, 0x12345678});
  t.floats(0x80000, {1.0003F, -2.7F, 3e-6F, 70000.0F});
  ASSERT_EQ(t.run().fault, nullptr);
  EXPECT_THAT(t.read<std::uint16_t>(0x90000, 4), ElementsAre(0x3C00, 0xC167, 0x0032, 0x7ECE));
  EXPECT_EQ(t.read(0x90018, 1)[0], 5U);
}

TEST(TilePrograms, TransposeByStrides) {
  TestTile t;
  t.assembleProgram("transposecopy");
  t.words(kVertex, {0x80000, 0x90000});
  for (std::uint32_t i = 0; i < 12; ++i)
    t.words(0x80000 + 8 * i, {0x1000 + i, 0});
  EXPECT_EQ(issues(t.run()), 19U);
  std::vector<std::uint64_t> expected;
  for (const unsigned i : {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11})
    expected.push_back(0x1000 + i);
  EXPECT_THAT(t.read<std::uint64_t>(0x90000, 12), ElementsAreArray(expected));
}

TEST(TilePrograms, ScaleHalvesAtFullSpeed) {
  for (const std::uint32_t n : {3U, 4U, 9U}) {
    TestTile t;
    t.assembleProgram("scaleh");
    t.words(kVertex, {0x54000, 0x58000, n, 0x4200});
    std::vector<std::uint16_t> expected;
    for (unsigned i = 0; i < 4 * n; ++i) {
      t.halves(0x54000 + 2 * i, {half(static_cast<float>(i))});
      expected.push_back(half(static_cast<float>(3 * i)));
    }
    EXPECT_EQ(issues(t.run()), n + 10);
    EXPECT_THAT(t.read<std::uint16_t>(0x58000, 4 * n), ElementsAreArray(expected));
  }
}

/// The program has 16 inputs and 8 outputs: a supervisor loads the weights and starts the worker.
TEST(TilePrograms, MultiplyAMatrix) {
  std::ostringstream source;
  source << ".supervisor\n.align 8\nput 0x50, $m0\n";
  for (unsigned i = 0; i < 32; ++i)
    source << "ld64putcs " << i << "\n";
  source << R"(
  setzi $m1, ampwork
  setzi $m2, 0x4000
  run $m1, $m2, 0
  sync 2
  br $lr
.worker
.align 8
ampwork:
  { ld32 $m0, $mvertex_base, $mzero, 0
    setzi $a0, 8 }
  { ld32 $m1, $mvertex_base, $mzero, 1
    uput $FP_CLR, $a0 }
  ld32 $m2, $mvertex_base, $mzero, 2
  ld64step $a2:3, $mzero, $m1+=, 1
)";
  for (int p = 0; p < 4; ++p)
    source << "{ ld64step " << (p == 3 ? "$a0:1, $mzero, $m0" : "$a2:3, $mzero, $m1")
           << "+=, 1\n f16v4sisoamp $azeros, $azeros, $a2:3, " << 0x30 + p << " }\n";
  for (int p = 0; p < 3; ++p)
    source << "{ ld64step $a0:1, $mzero, $m0+=, 1\n f16v4sisoamp $azeros, $a0:1, $azeros, "
           << 0x30 + p << " }\n";
  source << "f16v4sisoamp $azeros, $a0:1, $azeros, 0x33\n"
            "f16v4sisoamp $a4:5, $azeros, $azeros, 0x30\n";
  for (int p = 1; p < 4; ++p)
    source << "{ st64step $a4:5, $mzero, $m2+=, 1\n f16v4sisoamp $a4:5, $azeros, $azeros, "
           << 0x30 + p << " }\n";
  source << "st64step $a4:5, $mzero, $m2+=, 1\nexitz $mzero\n";
  TestTile t;
  t.assemble(source.str());
  for (unsigned u = 0; u < 8; ++u)
    for (unsigned input = 0; input < 16; ++input)
      t.halves(0x5C000 + 32 * u + 2 * input, {input == u       ? kOne
                                              : input == u + 8 ? kTwo
                                                               : std::uint16_t{0}});
  t.words(0x50000, {0x54000, 0x58000, 0x60000});
  for (unsigned i = 0; i < 16; ++i)
    t.halves(0x54000 + 2 * i, {half(static_cast<float>(i + 1))});
  t.floats(0x58000, {100, 101, 102, 103, 104, 105, 106, 107});
  const auto result = t.processor.runSupervisor(t.tile, t.base(), 0, kCode, 0x5C000, 0);
  ASSERT_EQ(result.fault, nullptr)
      << isa::nameOf(result.fault->type) << std::hex << result.fault->pc;
  EXPECT_THAT(t.read<float>(0x60000, 8), ElementsAre(119, 123, 127, 131, 135, 139, 143, 147));
  EXPECT_GT(result.cycles, 6 * 18U);
}

TEST(TilePrograms, MultiplyByTwoSetsOfSingles) {
  TestTile t;
  for (unsigned unit = 0; unit < 16; ++unit) {
    const unsigned channel = unit % 8;
    const std::uint64_t weight = fp::asBits(unit < 8 ? 1.0F : 10.0F);
    t.tile.weights.set(4 * unit + channel / 2, channel % 2 == 0 ? weight : weight << 32);
  }
  std::vector<std::pair<float, float>> results;
  for (unsigned call = 0; call < 24; ++call) {
    const unsigned phase = call % 8;
    const float x = call >= 8 && call < 16 ? static_cast<float>(call - 7) : 0.0F;
    const float first = call >= 8        ? 0.0F
                        : phase % 2 == 0 ? static_cast<float>(100 + call)
                                         : static_cast<float>(199 + call);
    t.setA(0, fp::asBits(x));
    t.setA(2, fp::asBits(first));
    t.setA(3, call < 8 ? fp::asBits(first + 1) : 0);
    ASSERT_EQ(t.run("f32sisov2amp $a4:5, $a0, $a2:3, " + std::to_string(0x30 + phase)).fault,
              nullptr);
    if (call >= 16)
      results.emplace_back(fp::asFloat(t.a(4)), fp::asFloat(t.a(5)));
    if (call == 15) {
      EXPECT_EQ(fp::asFloat(t.tile.workers[0].tas), 8.0F);
    }
  }
  const std::vector<std::pair<float, float>> expected = {{101, 103}, {210, 221}, {105, 107},
                                                         {232, 243}, {109, 111}, {254, 265},
                                                         {113, 115}, {276, 287}};
  EXPECT_EQ(results, expected);
  EXPECT_EQ(t.tile.workers[0].tas, 0U);
}

} // namespace
} // namespace copse::ipud
