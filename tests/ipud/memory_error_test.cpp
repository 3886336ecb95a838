// Tests words of tile memory with parity errors: a thread that reads such a word stops, and no
// other notices it.
#include "one_ipu.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace copse::ipud {
namespace {

using test::ImageBuilder;
using test::kBase;
using test::OneIpu;
using test::step;
using ::testing::AllOf;
using ::testing::HasSubstr;

// The numbers begin in one page and end in the next.
constexpr std::uint32_t kState = kBase + 0x100, kFrom = kBase + 0x2FA4, kTo = kBase + 0x8008;
constexpr std::uint32_t kWord = 4;

std::string hex(std::uint32_t address) {
  std::ostringstream text;
  text << std::hex << std::showbase << address;
  return text.str();
}

/// A chip whose memory can have parity errors.
class BadChip : public OneIpu {
public:
  explicit BadChip(std::shared_ptr<MemoryErrors> own = std::make_shared<MemoryErrors>())
      : OneIpu({.memoryErrors = own}), errors(std::move(own)) {}
  std::shared_ptr<MemoryErrors> errors;
};

struct LoopCase {
  const char *symbol;
  std::uint32_t from, to; ///< sizes of what it reads and writes, of each number [bytes]
  bool readsResults;
};
constexpr std::uint32_t kNumbers = 45; // some vectors, and some that are left over

class MemoryErrorLoops : public ::testing::TestWithParam<LoopCase> {
protected:
  static wire::Image image(const LoopCase &c) {
    ImageBuilder b(2);
    const auto loop = b.function(c.symbol);
    b.computeSet("the set");
    b.vertex(1, loop, kState, {kFrom, kNumbers, kTo});
    b.view({1, kTo}, c.to * kNumbers);
    b.program({step(wire::Op::ComputeSet)});
    b.image.initial.push_back({{1, kFrom, c.from * kNumbers, 1, 0}, b.image.data.size()});
    for (std::uint32_t i = 0; i < c.from * kNumbers; ++i)
      b.image.data.push_back(static_cast<std::byte>(37 * i & 0x3F));
    return b.image;
  }
};

TEST_P(MemoryErrorLoops, StopAtTheWordsThatTheyReadAndAtNoOthers) {
  const auto &c = GetParam();
  if (std::string(c.symbol).ends_with("Wide") && !__builtin_cpu_supports("avx2"))
    GTEST_SKIP() << "this processor has no wide vectors";
  const wire::Image program = image(c);
  BadChip chip;
  ASSERT_TRUE(chip.run(program).ok());
  const auto good = chip.values<std::uint8_t>(0);
  const auto expectAt = [&](std::uint32_t address, bool reads) {
    chip.errors->clear();
    chip.errors->add({1, address});
    const auto report = chip.run(program);
    EXPECT_EQ(report.ok(), !reads) << hex(address) << ": " << report.status().message;
    if (!report.ok()) {
      EXPECT_EQ(report.status().code, wire::Code::MemoryError);
      EXPECT_THAT(report.status().message,
                  AllOf(HasSubstr("ipu 0, tile 1, worker 0: vertex 'Type<" + std::string(c.symbol) +
                                  ">' of compute set 'the set' failed: "),
                        HasSubstr("parity error at address " + hex(address) + ";")));
    }
    chip.errors->clear();
    if (report.ok()) {
      EXPECT_EQ(chip.values<std::uint8_t>(0), good) << hex(address);
    }
  };
  const auto around = [&](std::uint32_t begin, std::uint32_t bytes, bool reads) {
    const std::uint32_t first = begin / kWord * kWord, end = begin + bytes;
    for (std::uint32_t word = first - 16 * kWord; word < end + 16 * kWord; word += kWord)
      expectAt(word, reads && word >= first && word < end);
  };
  around(kFrom, c.from * kNumbers, true);
  around(kTo, c.to * kNumbers, c.readsResults);
}

constexpr LoopCase kLoops[] = {
    {"copyWords", 4, 4, false},    {"copyWordsWide", 4, 4, false},
    {"copyShorts", 2, 2, false},   {"copyShortsWide", 2, 2, false},
    {"copyBytes", 1, 1, false},    {"copyBytesWide", 1, 1, false},
    {"extendBytes", 1, 4, false},  {"extendBytesWide", 1, 4, false},
    {"extendShorts", 2, 8, false}, {"extendShortsWide", 2, 8, false},
    {"convert", 4, 8, false},      {"convertWide", 4, 8, false},
    {"scale", 4, 4, false},        {"scaleWide", 4, 4, false},
    {"narrow", 8, 4, false},       {"narrowWide", 8, 4, false},
    {"divideAll", 8, 8, false},    {"divideAllWide", 8, 8, false},
    {"isSmall", 4, 1, false},      {"isSmallWide", 4, 1, false},
    {"accumulate", 4, 4, true},    {"accumulateWide", 4, 4, true},
    {"volatileCopy", 2, 2, false}, {"copyMemory", 1, 1, false},
    {"copyString", 1, 1, false},
};
INSTANTIATE_TEST_SUITE_P(Native, MemoryErrorLoops, ::testing::ValuesIn(kLoops),
                         [](const auto &p) { return p.param.symbol; });

TEST(MemoryError, StaysAndDoesNotStopAWrite) {
  ImageBuilder b(1);
  const auto fill = b.function("fillWords"), bytes = b.function("fillBytes"),
             add = b.function("addOne");
  b.computeSet("fill");
  b.vertex(0, fill, kState, {kFrom, 40});
  b.vertex(0, bytes, kState + 16, {kTo, 40});
  b.computeSet("read");
  b.vertex(0, add, kState + 32, {kFrom});
  b.program({step(wire::Op::ComputeSet, 0)});
  b.program({step(wire::Op::ComputeSet, 1)});
  BadChip chip;
  chip.errors->add({0, kFrom});
  chip.errors->add({0, kTo});
  for (int i = 0; i < 2; ++i) { // a load does not mend it
    ASSERT_TRUE(chip.load(b.image).ok());
    EXPECT_TRUE(chip.ipu.run(0, chip.environment).ok());
    EXPECT_EQ(chip.ipu.run(1, chip.environment).status().code, wire::Code::MemoryError);
  }
  chip.errors->clear();
  EXPECT_TRUE(chip.run(b.image).ok());
  EXPECT_TRUE(chip.ipu.run(1, chip.environment).ok());
}

TEST(MemoryError, IsDetectedOnAnyThread) {
  ImageBuilder b(300);
  const auto add = b.function("addOne");
  b.computeSet("the set");
  for (std::uint32_t tile = 0; tile < 300; ++tile)
    b.vertex(tile, add, kState, {kFrom}, 1'000'000);
  b.program({step(wire::Op::ComputeSet)});
  auto errors = std::make_shared<MemoryErrors>();
  OneIpu chip({.threads = 3, .memoryErrors = errors});
  for (std::uint32_t tile = 0; tile < 300; ++tile)
    errors->add({tile, kFrom + 8}); // in the page, but not read
  EXPECT_TRUE(chip.run(b.image).ok());
  errors->add({201, kFrom});
  errors->add({203, kFrom});
  EXPECT_THAT(chip.run(b.image).status().message, HasSubstr("tile 201, worker 0"));
}

/// A step that reads kFrom of tile 1, and the begin of its message.
struct StepCase {
  const char *name;
  void (*build)(ImageBuilder &);
  const char *reader;
};
class MemoryErrorSteps : public ::testing::TestWithParam<StepCase> {};

wire::Step withPredicate(wire::Step s) {
  s.predicate = {1, kFrom / kWord * kWord};
  return s;
}

const StepCase kSteps[] = {
    {"Exchange",
     [](ImageBuilder &b) {
       b.image.exchanges.emplace_back().name = "halo";
       b.image.exchanges.back().moves.push_back({{1, kFrom - 8}, {0, kTo}, 4, 3, 4, 4});
       b.program({step(wire::Op::Exchange)});
     },
     "step 0, exchange 'halo' failed: "},
    {"IfReadsItsPredicate", [](ImageBuilder &b) { b.program({withPredicate(step(wire::Op::If))}); },
     "step 0, If failed: "},
    {"WhileReadsItsPredicate",
     [](ImageBuilder &b) {
       wire::Step loop = withPredicate(step(wire::Op::While));
       loop.count = 1;
       b.program({loop});
     },
     "step 0, RepeatWhile failed: "},
};
TEST_P(MemoryErrorSteps, NameTheStep) {
  const auto &c = GetParam();
  ImageBuilder b(2);
  b.view({1, kFrom}, 4);
  c.build(b);
  BadChip chip;
  ASSERT_TRUE(chip.load(b.image).ok());
  ASSERT_TRUE(chip.ipu.run(0, chip.environment).ok());
  chip.errors->add({1, kFrom - 8 - kWord}); // beside what is read
  chip.errors->add({0, kTo});               // where the step writes to
  EXPECT_TRUE(chip.ipu.run(0, chip.environment).ok());
  chip.errors->add({1, kFrom});
  const auto status = chip.ipu.run(0, chip.environment).status();
  EXPECT_EQ(status.code, wire::Code::MemoryError);
  EXPECT_THAT(status.message, HasSubstr(std::string("ipu 0, tile 1: ") + c.reader +
                                        "memory parity error at address " + hex(kFrom)));
}
INSTANTIATE_TEST_SUITE_P(Cases, MemoryErrorSteps, ::testing::ValuesIn(kSteps),
                         [](const auto &p) { return p.param.name; });

TEST(MemoryError, IsDetectedByAReadOfTheHost) {
  ImageBuilder b(2);
  b.view({1, kFrom}, 8);
  BadChip chip;
  ASSERT_TRUE(chip.load(b.image).ok());
  EXPECT_TRUE(chip.ipu.readView(0).ok());
  chip.errors->add({1, kFrom + kWord});
  const auto status = chip.ipu.readView(0).status();
  EXPECT_EQ(status.code, wire::Code::MemoryError);
  EXPECT_THAT(status.message, HasSubstr("tile 1: a read of the host failed"));
}

} // namespace
} // namespace copse::ipud
