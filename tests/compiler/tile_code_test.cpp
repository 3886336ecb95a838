#include "models.hpp"
#include "tile_code.hpp"

#include "assembler/assembler.hpp"
#include "compiler/compile.hpp"
#include "poplar/exceptions.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace copse::compiler {
namespace {

using graph::Model;
using popc::FieldDirection;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint32_t kCodeBase = 0x4C000;

/// Two IPUs of two tiles. F is on tiles 0 and 3; G, which F does not call, is on tile 3.
struct CodeSample {
  Model model = test::emptyModel(2, 2);

  explicit CodeSample(const std::string &assembly = kAssembly) {
    auto module = std::make_shared<popc::Module>();
    module->object = std::make_shared<const assembler::Object>(
        assembler::assemble(assembly, "f.S", isa::Architecture::Ipu2).object);
    module->sha256 = "0123";
    model.modules = {module};
    const auto set = test::addComputeSet(model, "set");
    add(set, "F", {0, 3});
    add(set, "G", {3});
  }

  static constexpr const char *kAssembly =
      "DEF_STACK_USAGE 12 __runCodelet_F\nDEF_STACK_USAGE 0 __runCodelet_G\n"
      ".section .text.F, \"ax\"\n.globl __runCodelet_F\nnop\n__runCodelet_F: bri h\n"
      ".section .text.h, \"ax\"\nh: exitz $mzero\n"
      ".section .text.G, \"ax\"\n.globl __runCodelet_G\n__runCodelet_G: br $lr\n";

  /// Each vertex writes an element of its own variable.
  void add(std::uint32_t set, const std::string &name, const std::vector<std::uint32_t> &tiles) {
    const auto data = test::addVariable(model, name, tiles);
    const auto type = test::addVertexType(model, name, {FieldDirection::Output});
    model.vertexTypes[type].symbol = "__runCodelet_" + name;
    model.vertexTypes[type].external = true;
    model.vertexTypes[type].supervisor = name == "G";
    for (std::uint64_t i = 0; i < tiles.size(); ++i) {
      const auto vertex = test::addVertex(model, set, type, tiles[i]);
      test::connect(model, vertex, 0, {{data, i, 1, 1}});
    }
  }

  CompiledProgram compiled() const {
    auto execute = std::make_shared<graph::ProgramNode>();
    execute->kind = graph::kind::Execute{};
    return compile(
        model, std::vector<graph::ProgramPtr>{execute}, {kCodeBase, 0x9C000, 21, 6, false},
        [](std::uint32_t) { return std::nullopt; }, sync::Scheme{});
  }
};

std::uint32_t wordOf(const wire::Image &image, const wire::CodeSection &section, std::uint32_t at) {
  std::uint32_t word = 0;
  for (std::uint32_t i = 0; i < 4; ++i)
    word |= static_cast<std::uint32_t>(image.data[section.offset + at + i]) << (8 * i);
  return word;
}

TEST(TileCode, IsPlacedOnTheTilesThatNeedIt) {
  const CompiledProgram program = CodeSample().compiled();
  const auto tilesOf = [&](std::size_t ipu) {
    std::vector<std::vector<std::uint32_t>> tiles;
    for (const wire::CodeSection &section : program.images[ipu].code)
      tiles.push_back(section.tiles);
    return tiles;
  };
  const std::vector<std::uint32_t> none, first{0}, second{1};
  EXPECT_THAT(tilesOf(0), ElementsAre(first, first, none)); // F, h, G
  EXPECT_THAT(tilesOf(1), ElementsAre(second, second, second));
  EXPECT_EQ(program.images[0].architecture, wire::Architecture::Ipu2);
}

TEST(TileCode, IsEnteredAtItsLabel) {
  const CompiledProgram program = CodeSample().compiled();
  for (const wire::Image &image : program.images) {
    ASSERT_EQ(image.functions.size(), 2u);
    EXPECT_EQ(image.functions[0].kind, wire::CodeKind::Worker);
    EXPECT_EQ(image.functions[0].entry, kCodeBase + 4);
    EXPECT_EQ(image.functions[0].vertexType, "F");
    EXPECT_EQ(image.functions[1].kind, wire::CodeKind::Supervisor);
    EXPECT_EQ(image.functions[1].entry, image.code[2].address);
    // The branch from F to h.
    EXPECT_EQ(wordOf(image, image.code[0], 4), 0x40800000 | image.code[1].address >> 2);
  }
}

TEST(TileCode, HasSymbolsAndLinesForMessages) {
  const CompiledProgram program = CodeSample().compiled();
  const wire::CodeSection &section = program.images[0].code[0];
  ASSERT_EQ(section.symbols.size(), 1u);
  EXPECT_EQ(section.symbols[0], (wire::CodeSymbol{"__runCodelet_F", kCodeBase + 4, 4}));
  EXPECT_THAT(section.lines,
              ElementsAre(wire::CodeLine{kCodeBase, 0, 5}, wire::CodeLine{kCodeBase + 4, 0, 6}));
  EXPECT_THAT(program.images[0].sourceFiles, ElementsAre("f.S"));
}

TEST(TileCode, SharesNoMemoryElementWithData) {
  const CompiledProgram program = CodeSample().compiled();
  constexpr std::uint32_t kElement = 0x4000;
  for (const wire::Image &image : program.images) {
    ASSERT_EQ(image.stacks.size(), 7u);
    for (const std::uint32_t stack : image.stacks)
      EXPECT_GE(stack, kCodeBase + kElement);
    for (const wire::ComputeSet &set : image.computeSets)
      for (const wire::VertexRecord &vertex : set.vertices)
        EXPECT_GE(vertex.address, image.stacks.back());
  }
  // A stack of 12 bytes takes 16, its scratch space 48.
  EXPECT_EQ(program.images[0].stacks[1] - program.images[0].stacks[0], 16u + 48u);
  const auto codeBytes = [&](GlobalTile tile) {
    const auto uses = bytesByUse(program.memory, tile);
    return uses[static_cast<std::size_t>(MemoryUse::VertexCode)] +
           uses[static_cast<std::size_t>(MemoryUse::Stack)];
  };
  EXPECT_GT(codeBytes(0), 6 * (16u + 48u));
  EXPECT_EQ(codeBytes(1), 0u);
}

TEST(TileCode, AllowsDataInInterleavedMemoryIfStateRequiresIt) {
  CodeSample sample;
  popc::Field table;
  table.interleaved = true;
  sample.model.vertexTypes[1].fields.push_back(table); // a table of G, on tile 3
  const CompiledProgram program = sample.compiled();
  constexpr std::uint32_t kInterleaved = 0x80000;
  const auto &sets = program.images[1].computeSets;
  EXPECT_GE(sets[0].vertices[0].address, kInterleaved);
  EXPECT_LT(program.images[0].computeSets[0].vertices[0].address, kInterleaved);
}

TEST(TileCode, StartsCodeletsInCppAtAddressesOfTheirOwn) {
  CodeSample sample("DEF_STACK_USAGE 0 __runCodelet_F\nDEF_STACK_USAGE 0 __runCodelet_G\n"
                    ".section .text.F, \"ax\"\n__runCodelet_F: exitz $mzero\n"
                    ".section .text.G, \"ax\"\n__runCodelet_G: setzi $m1, __runCodelet_W\n");
  auto module = std::make_shared<popc::Module>();
  module->sha256 = "4567";
  module->name = "w.cpp";
  sample.model.modules.push_back(module);
  for (const std::string name : {"Unused", "W"}) {
    const auto type = test::addVertexType(sample.model, name, {});
    sample.model.vertexTypes[type].symbol = "__runCodelet_" + name;
    sample.model.vertexTypes[type].multiVertex = true;
    sample.model.vertexTypeModule[type] = 1;
  }
  const CompiledProgram program = sample.compiled();
  EXPECT_THAT(program.modules, ElementsAre(module)); // though no vertex is a W
  for (const wire::Image &image : program.images) {
    ASSERT_EQ(image.functions.size(), 3u);
    EXPECT_EQ(image.functions[2],
              (wire::CodeletFunction{0, "__runCodelet_W", "W", true, wire::CodeKind::Native,
                                     wire::kNativeEntries}));
    EXPECT_EQ(wordOf(image, image.code[1], 0), 0x19100000 | wire::kNativeEntries);
  }
}

TEST(TileCode, MustDefineTheEntriesOfVertices) {
  try {
    CodeSample("nop\n").compiled();
    FAIL() << "it linked";
  } catch (const poplar::link_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("vertex 'F' is an external codelet, but nothing defines "
                                    "__runCodelet_F"));
    EXPECT_EQ(e.output, "undefined symbol: __runCodelet_F");
  }
}

TEST(TileCode, MustDeclareTheStackThatItUses) {
  EXPECT_THROW(
      CodeSample("__runCodelet_F: st32 $m0, $m11, $mzero, 0\n__runCodelet_G: nop\n").compiled(),
      poplar::link_error);
}

} // namespace
} // namespace copse::compiler
