// Compares translated loops and regions with the interpreter, which is the reference: all state
// after a vertex must be the same.
#include "instruction_loop.hpp"
#include "isa/exception.hpp"
#include "outcome.hpp"
#include "processor/half_rounding.hpp"
#include "processor/native_page.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace copse::ipud {
namespace {

using test::kCode;
using test::kVertex;
using test::Outcome;
using test::TestTile;

constexpr std::uint32_t kLoopData = 0x80000, kLoopDataBytes = 0x8000;

/// Returns programs with random instructions: with one loop, or with nested loops, branches and
/// calls.
class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random_(seed) {}

  std::string source() {
    // The effects of instructions on memory, on pointers, and on both lanes differ by program.
    withCalls_ = any(3) == 0;
    withWildAddresses_ = any(4) == 0;
    std::string text = ".worker\n.align 8\n";
    switch (any(3)) {
    case 0:
      return text + repeat() + "exitz $mzero\n";
    case 1:
      return text + "1:\n" + body() + closing("brnzdec $m9, 1b") + "exitz $mzero\n";
    default:
      return text + "1:\n" + body() + "add $m9, $m9, -1\n" + closing("brnz $m9, 1b") +
             "exitz $mzero\n";
    }
  }

  /// $m11 counts the iterations of the outer loop, $m9 the inner loop's; $m10 is the link register.
  std::string nestedSource() {
    withCalls_ = any(3) == 0;
    withWildAddresses_ = any(8) == 0;
    withPaces_ = false;
    return ".worker\n.align 8\n" + part() + "setzi $m11, " + immediate(30) + "\n4:\n" + part() +
           "setzi $m9, " + immediate(9) + "\n" + (any(2) == 0 ? ".align 8\n" + repeat() : inner()) +
           closing("call $m10, 5f") + part() + closing("brnzdec $m11, 4b") + part() +
           "exitz $mzero\n.align 8\n5:\n" + part() + closing("br $m10");
  }

  std::uint32_t any(std::uint32_t below) { return static_cast<std::uint32_t>(random_()) % below; }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }

private:
  std::string repeat() {
    const std::uint32_t bundles = 1 + any(5);
    std::string text = "nop\nrpt $m9, " + std::to_string(bundles - 1) + "\n";
    for (std::uint32_t i = 0; i < bundles; ++i)
      text += bundle();
    return text;
  }
  std::string inner() { return "1:\n" + body() + closing("brnzdec $m9, 1b"); }
  /// Returns some instructions, or none; branches may skip some of them.
  std::string part() { return any(4) == 0 ? "" : any(4) == 0 ? "nop\n" : body(); }
  std::string body() {
    const bool withSkips = any(3) == 0;
    std::string text;
    for (std::uint32_t i = 1 + any(7); i-- > 0;) {
      if (withSkips && any(3) == 0)
        text += skip();
      text += any(3) == 0 ? bundle() : any(3) == 0 ? aux() + "\n" : mainLane() + "\n";
      if (withSkips && any(3) == 0)
        text += "2:\n";
    }
    return text + (withSkips ? "2:\n" : "");
  }
  /// Returns a branch over a part of the body.
  std::string skip() {
    static constexpr const char *kConditions[] = {"brz", "brnz", "brpos", "brneg"};
    return closing(pick(kConditions) + " " + m() + ", 2f");
  }
  std::string closing(const std::string &branch) {
    return any(4) == 0 ? "{ " + branch + "\n" + aux() + " }\n" : branch + "\n";
  }
  std::string bundle() {
    // Both halves may not write one register: then the loads write others than the arithmetic.
    loadsAreLow_ = any(2) == 0;
    inBundle_ = true;
    const std::string first = any(6) == 0 ? "nop" : mainLane(), second = aux();
    inBundle_ = false;
    return ".align 8\n{ " + first + "\n" + second + " }\n";
  }

  template <std::size_t N> std::string pick(const char *const (&all)[N]) { return all[any(N)]; }
  /// Returns a register, rarely the one that counts iterations.
  std::string m() { return "$m" + std::to_string(any(60) == 0 ? 9 : any(6)); }
  std::string source3() { return any(8) == 0 ? "$mzero" : any(8) == 0 ? "$m9" : m(); }
  std::string pointer() { return "$m" + std::to_string(6 + any(3)); }
  std::string a(bool isLoad = false) {
    if (!inBundle_)
      return "$a" + std::to_string(any(8));
    return "$a" + std::to_string(4 * (isLoad == loadsAreLow_ ? 0 : 1) + any(4));
  }
  std::string pair(bool isLoad = false) {
    const std::uint32_t first =
        inBundle_ ? 4 * (isLoad == loadsAreLow_ ? 0 : 1) + 2 * any(2) : 2 * any(4);
    return "$a" + std::to_string(first) + ":" + std::to_string(first + 1);
  }
  std::string anySingle() { return any(8) == 0 ? "$azero" : "$a" + std::to_string(any(8)); }
  std::string anyPair() {
    const std::uint32_t first = 2 * any(4);
    return any(8) == 0 ? "$azeros" : "$a" + std::to_string(first) + ":" + std::to_string(first + 1);
  }
  std::string immediate(std::uint32_t below) { return std::to_string(any(below)); }

  std::string integer() {
    static constexpr const char *kThree[] = {"add",   "sub",   "and",    "andc",   "or",  "xor",
                                             "mul",   "shl",   "shr",    "shrs",   "max", "min",
                                             "cmpeq", "cmpne", "cmpslt", "cmpult", "movz"};
    static constexpr const char *kUnsigned[] = {"and", "or", "shl", "shr", "shrs", "cmpult"};
    static constexpr const char *kSigned[] = {"add", "max", "min", "cmpeq", "cmpslt", "mul"};
    static constexpr const char *kCalled[] = {"clz", "popc", "bitrev8", "abs", "cms"};
    switch (any(withCalls_ ? 6 : 5)) {
    case 0:
    case 1:
      return pick(kThree) + " " + m() + ", " + source3() + ", " + source3();
    case 2:
      return pick(kUnsigned) + " " + m() + ", " + source3() + ", " + immediate(4096);
    case 3:
      return pick(kSigned) + " " + m() + ", " + source3() + ", " +
             std::to_string(static_cast<int>(any(65536)) - 32768);
    case 4:
      return any(2) == 0 ? "setzi " + m() + ", " + immediate(1 << 20)
                         : "sub " + m() + ", " + immediate(32768) + ", " + source3();
    default:
      return pick(kCalled) + " " + m() + ", " + source3();
    }
  }
  std::string access() {
    static constexpr const char *kMain[] = {"ld32", "ldz16", "lds16", "ldz8", "lds8", "st32"};
    const std::string name = pick(kMain);
    if (any(2) == 0)
      return moving(name, m(), name == "st32");
    switch (any(withCalls_ && withPaces_ ? 7 : 6)) {
    case 0:
      return moving("ld32", a(true), false);
    case 1:
      return moving("ld64", pair(true), false);
    case 2:
      return moving("ldb16", a(true), false);
    case 3:
      return moving("st32", anyOrdinary(), true);
    case 4:
      return moving("st64", ordinaryPair(), true);
    case 5:
      return moving("ld128", loadsAreLow_ || !inBundle_ ? "$a0:3" : "$a4:7", false);
    default:
      return "st64pace " + ordinaryPair() + ", $m10:11+=, $m5, 0";
    }
  }
  std::string anyOrdinary() { return "$a" + std::to_string(any(8)); }
  std::string ordinaryPair() {
    const std::uint32_t first = 2 * any(4);
    return "$a" + std::to_string(first) + ":" + std::to_string(first + 1);
  }
  std::string moving(const std::string &name, const std::string &data, bool isStore) {
    const std::string where = withWildAddresses_ && any(4) == 0 ? m() : pointer();
    if (any(3) != 0)
      return name + "step " + data + ", $mzero, " + where + "+=, " +
             (any(5) == 0 && !(isStore && name == "st32" && data[1] == 'm')
                  ? "$m5"
                  : std::to_string(static_cast<int>(any(4)) - 1));
    return name + " " + data + ", " +
           (any(2) == 0 ? where + ", $mzero, " : "$mzero, " + where + ", ") + immediate(8);
  }
  std::string mainLane() { return any(2) == 0 ? integer() : access(); }

  std::string aux() {
    static constexpr const char *kOfSingles[] = {"f32add", "f32sub", "f32mul", "or", "and"};
    static constexpr const char *kOfPairs[] = {"f32v2add", "f32v2sub", "f32v2mul", "or64", "and64"};
    static constexpr const char *kBroadcast[] = {"f32v2add", "f32v2sub", "f32v2mul"};
    static constexpr const char *kCalled[] = {"f32max", "f32cmplt", "f16v2max", "f16v2absadd"};
    switch (any(withCalls_ ? 9 : 7)) {
    case 0:
      return halves();
    case 1:
    case 6:
      return pick(kOfSingles) + " " + a() + ", " + anySingle() + ", " + anySingle();
    case 2:
      return pick(kOfPairs) + " " + pair() + ", " + anyPair() + ", " + anyPair();
    case 3:
      return pick(kBroadcast) + " " + pair() + ", " + anySingle() + ":B, " + anyPair();
    case 4:
      return any(2) == 0 ? "f32v2mac " + anyPair() + ", " + anyPair()
                         : "f32mac " + anySingle() + ", " + anySingle();
    case 5:
      return "setzi " + a() + ", " + immediate(1 << 20);
    case 7:
      if (any(3) == 0)
        return any(2) == 0 ? "f16v4acc " + anyPair()
                           : "f16v4mix " + pair() + ", " + anyPair() + ", " + anyPair();
      return any(2) == 0 ? "urand64 " + pair()
                         : "f16v4sisoamp " + pair() + ", " + anyPair() + ", " + anyPair() +
                               ", 0x3" + immediate(4);
    default:
      return pick(kCalled) + " " + a() + ", " + anySingle() + ", " + anySingle();
    }
  }

  std::string halves() {
    static constexpr const char *kOfTwo[] = {"f16v2add", "f16v2sub", "f16v2mul"};
    static constexpr const char *kOfFour[] = {"f16v4add", "f16v4sub", "f16v4mul"};
    static constexpr const char *kBroadcasts[] = {":BL", ":BU"};
    switch (any(6)) {
    case 0:
      return pick(kOfTwo) + " " + a() + ", " + anySingle() + ", " + anySingle();
    case 1:
      return pick(kOfFour) + " " + pair() + ", " + anyPair() + ", " + anyPair();
    case 2:
      return pick(kOfTwo) + " " + a() + ", " + anySingle() + pick(kBroadcasts) + ", " + anySingle();
    case 3:
      return pick(kOfFour) + " " + pair() + ", " + anySingle() + pick(kBroadcasts) + ", " +
             anyPair();
    case 4:
      return "f16v2tof32 " + pair() + ", " + anySingle();
    default:
      return "f32v2tof16 " + a() + ", " + anyPair();
    }
  }

  std::mt19937 random_;
  bool withCalls_ = false, withPaces_ = true, withWildAddresses_ = false, loadsAreLow_ = false,
       inBundle_ = false;
};

/// Registers, accumulators, memory and weights that \p seed decides.
void fill(TestTile &t, unsigned seed) {
  RandomProgram random(seed);
  test::OperandSource operands;
  const bool isTame = random.any(2) == 0; // no infinities, NaNs and overflows for a while
  // Products of edges are about the smallest normal number.
  static constexpr std::uint32_t kEdges[] = {0x00800000, 0x80FFFFFF, 0x3F7FFFFF, 0xBF000000};
  const auto number = [&] {
    if (!isTame && random.any(4) == 0)
      return kEdges[random.any(std::size(kEdges))];
    return isTame ? 0x3F000000 + random.any(0x01000000) : operands.single() ^ random.any(2) << 31;
  };
  for (unsigned i = 0; i < 8; ++i)
    t.setA(i, number());
  for (unsigned i = 0; i < 6; ++i)
    t.setM(i, random.any(3) == 0 ? random.word() : kLoopData + random.any(kLoopDataBytes));
  t.setM(5, random.any(4)); // a stride
  for (unsigned i = 6; i < 9; ++i)
    t.setM(i, kLoopData + 0x1000 * (i - 5) + 16 * random.any(16) + (random.any(30) == 0 ? 1 : 0));
  t.setM(9, random.any(3) == 0 ? random.any(6) : 200 + random.any(700));
  t.setM(10, kLoopData + 0x6000);
  t.setM(11, 0);
  for (std::uint32_t at = 0; at < kLoopDataBytes; at += 4)
    stored(t.base() + kLoopData + at, number());
  for (unsigned i = 0; i < 4; ++i)
    t.accumulator(i) = static_cast<float>(random.any(100));
  t.tile.workers[0].prng = fp::Prng::seeded(seed + 1);
  for (unsigned i = 0; i < 64; ++i)
    t.tile.weights.set(i, 0x3C0038003400BC00 + random.any(1 << 30));
}

/// Returns the outcome after \p runs other runs of \p source: in one run, a loop of many iterations
/// becomes hot.
Outcome outcomeOf(const std::string &source, unsigned seed, Translation translation,
                  unsigned runs = 1) {
  TestTile t(isa::Architecture::Ipu2, translation);
  t.assemble(source);
  t.tile.initialControl = seed % 7 == 0   ? operation::kStochastic
                          : seed % 5 == 0 ? operation::kNanOnOverflow
                                          : 0;
  for (unsigned run = 1; run <= runs; ++run) {
    fill(t, seed + run);
    (void)t.run();
  }
  fill(t, seed);
  Outcome outcome;
  if (seed % 4 == 0) { // together, in turns
    for (unsigned i = 1; i < kWorkers; ++i)
      t.tile.workers[i] = t.tile.workers[0];
    auto results = t.processor.runWorkers(t.tile, t.base(), 0, kWorkers, {kCode, kVertex, 0, 0});
    auto worst = std::ranges::find_if(results, [](const auto &r) { return r.fault != nullptr; });
    outcome.result = std::move(worst != results.end() ? *worst : results[kWorkers - 1]);
  } else {
    outcome.result = t.run();
  }
  outcome.state = t.tile.workers[0];
  outcome.memory = t.read(kLoopData - 0x10000, (kLoopDataBytes + 0x20000) / 4);
  return outcome;
}

/// Returns false for a random program that is not valid, because one instruction writes a register
/// twice, say.
bool isProgram(const std::string &source) {
  try {
    (void)assembler::assemble(source, "test.S", isa::Architecture::Ipu2);
    return true;
  } catch (const std::exception &e) {
    return false;
  }
}

TEST(TranslatedLoops, AreCreatedForHotLoopsOnSupportedHosts) {
  if (!canTranslate())
    GTEST_SKIP() << "this processor lacks AVX2";
  TestTile t(isa::Architecture::Ipu2, Translation::HotCode);
  t.assemble(".worker\n.align 8\n1:\nadd $m2, $m2, 3\nbrnzdec $m0, 1b\nexitz $mzero\n");
  t.setM(0, 100'000);
  ASSERT_EQ(t.run().fault, nullptr);
  const CodePage *const page = t.cache.page(0, t.base(), false);
  ASSERT_EQ(page->loops.size(), 1);
  const NativePage *const native = page->natives->find(*page, t.cache.chip());
  ASSERT_NE(native, nullptr);
  EXPECT_NE(native->loop(0).entry, nullptr);
}

/// The processor of a test tile stops at the first jump after 1,000,000 worker cycles.
void expectLimit(const TileProcessor::Result &result, std::uint64_t issues) {
  ASSERT_NE(result.fault, nullptr);
  EXPECT_EQ(result.fault->type, isa::Exception::None);
  EXPECT_EQ(result.issues, issues);
}

TEST(TranslatedLoops, EndAtTheLimitOfAWorker) {
  for (const Translation translation : {Translation::HotCode, Translation::None}) {
    TestTile t(isa::Architecture::Ipu2, translation);
    t.assemble(".worker\n.align 8\nsetzi $m3, 1\n1:\nadd $m2, $m2, 3\nbrnz $m3, 1b\n");
    expectLimit(t.run(), 1'000'001);
    EXPECT_EQ(t.m(2), 3 * 500'000);
  }
}

TEST(TranslatedLoops, RoundProductsUpToTheSmallestNormalNumber) {
  constexpr std::uint32_t kSmallest = 0x00800000, kBelowOne = 0x3F7FFFFF;
  for (const char *const product : {"f32mul $a4, $a0, $a1", "f32v2mul $a4:5, $a0:1, $a2:3"}) {
    TestTile t(isa::Architecture::Ipu2, Translation::HotCode);
    t.assemble(std::string(".worker\n.align 8\n1:\n") + product +
               "\nst32step $a4, $mzero, $m1+=, 1\nbrnzdec $m0, 1b\nexitz $mzero\n");
    constexpr std::uint32_t kTurns = 1000;
    t.setA(0, kSmallest);
    t.setA(1, kBelowOne);
    t.setA(2, kBelowOne);
    t.setA(3, kSmallest);
    t.setM(0, kTurns - 1);
    t.setM(1, kLoopData);
    ASSERT_EQ(t.run().fault, nullptr);
    EXPECT_THAT(t.read(kLoopData, kTurns), ::testing::Each(kSmallest)) << product;
  }
}

/// Compares the results of random programs in both modes.
template <class Source> void compare(const Source &sourceOf, unsigned programCount, unsigned runs) {
  unsigned seed = 0;
  for (unsigned programs = 0; programs < programCount; ++seed) {
    ASSERT_LT(seed, 3 * programCount) << "most programs are refused by the assembler";
    RandomProgram program(seed);
    const std::string source = sourceOf(program);
    if (!isProgram(source))
      continue;
    ++programs;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + source);
    expectTheSame(outcomeOf(source, seed, Translation::HotCode, runs),
                  outcomeOf(source, seed, Translation::None, runs));
    if (::testing::Test::HasFailure())
      return;
  }
}

TEST(TranslatedLoops, LeaveTheSameStateAsTheInterpreter) {
  compare([](RandomProgram &program) { return program.source(); }, 1000, 1);
}

/// The loop has the form in which public libraries scale and add halves: functions use values that
/// loads beside them replace.
TEST(TranslatedLoops, KeepSumsOfHalvesBesideLoads) {
  const std::string source =
      ".worker\n.align 8\nnop\nrpt $m9, 2\n"
      "{ ld64 $a0:1, $mzero, $m6, 1\nf16v4acc $a0:1 }\n"
      "{ ld64step $a2:3, $mzero, $m7+=, 1\nf16v4mix $a4:5, $azeros, $azeros }\n"
      "{ st64step $a4:5, $mzero, $m6+=, 1\nf16v4mix $a4:5, $a0:1, $a2:3 }\n"
      "exitz $mzero\n";
  for (const unsigned seed : {1U, 2U, 3U})
    expectTheSame(outcomeOf(source, seed, Translation::HotCode),
                  outcomeOf(source, seed, Translation::None));
}

TEST(TranslatedRegions, ContainTheCodeThatControlReaches) {
  if (!canTranslate())
    GTEST_SKIP() << "this processor lacks AVX2";
  TestTile t(isa::Architecture::Ipu2, Translation::HotCode);
  t.assemble(".worker\n.align 8\nadd $m2, $m2, 3\nbrnz $m3, 1f\nexitz $mzero\n"
             "1:\nadd $m2, $m2, 1\nexitz $mzero\nadd $m2, $m2, 7\n");
  constexpr std::uint32_t kRuns = 3000;
  for (std::uint32_t i = 0; i < kRuns; ++i) {
    t.setM(3, i % 2);
    ASSERT_EQ(t.run().fault, nullptr);
  }
  EXPECT_EQ(t.m(2), 3 * kRuns + kRuns / 2);
  const CodePage *const page = t.cache.page(0, t.base(), false);
  const NativePage *const native = page->natives->findAt(*page, t.cache.chip(), 0);
  ASSERT_NE(native, nullptr);
  for (const std::uint32_t reached : {0, 1, 3}) {
    ASSERT_NE(native->start(reached), nullptr) << reached;
    EXPECT_NE(native->start(reached)->entry, nullptr) << reached;
  }
  for (const std::uint32_t end : {2, 4}) {
    ASSERT_NE(native->start(end), nullptr) << end;
    EXPECT_EQ(native->start(end)->entry, nullptr) << "the interpreter ends workers";
  }
  EXPECT_EQ(native->start(5), nullptr) << "nothing goes there";
}

TEST(TranslatedRegions, AreExtendedByCodeThatIsReachedLater) {
  if (!canTranslate())
    GTEST_SKIP() << "this processor lacks AVX2";
  TestTile t(isa::Architecture::Ipu2, Translation::HotCode);
  t.assemble(".worker\n.align 8\nbrz $m3, 1f\nbr $m3\n1:\nexitz $mzero\n.align 8\n"
             "add $m2, $m2, 3\nexitz $mzero\n");
  constexpr std::uint32_t kRuns = 20'000, kLater = kCode + 16;
  for (std::uint32_t i = 0; i < 2 * kRuns; ++i) {
    t.setM(3, i < kRuns ? 0 : kLater);
    ASSERT_EQ(t.run().fault, nullptr);
  }
  EXPECT_EQ(t.m(2), 3 * kRuns);
  const CodePage *const page = t.cache.page(0, t.base(), false);
  const NativePage *const native = page->natives->findAt(*page, t.cache.chip(), 0);
  ASSERT_NE(native, nullptr);
  EXPECT_NE(native->start((kLater - kCode) / 4), nullptr);
}

TEST(TranslatedRegions, AreSharedByTheThreadsOfAnIpu) {
  TestTile first(isa::Architecture::Ipu2, Translation::HotCode);
  first.assemble(
      ".worker\n.align 8\nsetzi $m2, 0\n1:\ncall $m10, 2f\nbrnzdec $m0, 1b\nexitz $mzero\n"
      "2:\nadd $m2, $m2, 3\nbr $m10\n");
  constexpr unsigned kThreads = 4, kRuns = 3000, kTurns = 10;
  std::vector<std::vector<std::byte>> memories(
      kThreads, {first.base() + first.cache.chip().begin, first.base() + kCode + 0x2000});
  std::vector<std::thread> threads;
  std::vector<unsigned> wrong(kThreads);
  for (unsigned i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      TileProcessor processor(first.cache);
      TileContexts tile;
      std::byte *const base = memories[i].data() - first.cache.chip().begin;
      for (unsigned run = 0; run < kRuns; ++run) {
        tile.workers[0].registers.m(0) = kTurns - 1;
        const auto result = processor.runWorker(tile, base, 0, kCode, kCode);
        wrong[i] += result.fault != nullptr || tile.workers[0].registers.m(2) != 3 * kTurns;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(wrong, ::testing::Each(0));
}

TEST(TranslatedRegions, EndAtTheLimitOfAWorker) {
  for (const Translation translation : {Translation::HotCode, Translation::None}) {
    TestTile t(isa::Architecture::Ipu2, translation);
    t.assemble(".worker\n.align 8\nbrz $m3, 3f\n1:\nadd $m2, $m2, 3\ncall $m10, 2f\nbri 1b\n"
               "2:\nbr $m10\n3:\nexitz $mzero\n");
    t.setM(3, 0);
    for (unsigned i = 0; i < 3000; ++i)
      ASSERT_EQ(t.run().fault, nullptr);
    t.setM(3, 1);
    expectLimit(t.run(), 1'000'000);
    EXPECT_EQ(t.m(2), 3 * 250'000);
  }
}

TEST(TranslatedRegions, LeaveTheSameStateAsTheInterpreter) {
  constexpr unsigned kRuns = 24; // until most code is hot
  compare([](RandomProgram &program) { return program.nestedSource(); }, 600, kRuns);
}

} // namespace
} // namespace copse::ipud
