#include "popc/popc.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace copse::popc {
namespace {

Module sampleModule(const std::string &name) {
  Field field;
  field.name = "in";
  field.direction = FieldDirection::Input;
  field.kind = FieldKind::Vector;
  field.type = ElementType::Half;
  field.typeName = "half";
  field.elementBytes = 2;
  field.outer = Layout::ScaledPtr128;
  field.minAlign = 16;
  field.interleaved = true;
  field.offset = 4;
  field.bytes = 2;
  VertexType vertex;
  vertex.name = "n::" + name;
  vertex.symbol = "__runCodelet_n__" + name;
  vertex.multiVertex = true;
  vertex.stateBytes = 8;
  vertex.stateAlign = 4;
  vertex.fields = {field};
  vertex.constraints = {"elem(*a) != elem(*b)"};
  Module module;
  module.arch = Architecture::Ipu2;
  module.name = name + ".cpp";
  module.sha256 = "abc";
  for (int i = 0; i < 40; ++i)
    module.elf.push_back(static_cast<std::byte>(i));
  module.vertices = {vertex};
  return module;
}

std::string written(const std::vector<Module> &modules) {
  std::ostringstream out;
  writeGp(out, modules);
  return out.str();
}

std::vector<Module> readBack(const std::string &bytes) {
  std::istringstream in(bytes);
  return readGp(in, "test.gp");
}

TEST(GpFormat, ReadsItsOwnOutput) {
  const auto modules = readBack(written({sampleModule("A"), sampleModule("B")}));
  ASSERT_EQ(modules.size(), 2u);
  const Module &b = modules[1];
  EXPECT_EQ(b.arch, Architecture::Ipu2);
  EXPECT_EQ(b.name, "B.cpp");
  EXPECT_EQ(b.elf, sampleModule("B").elf);
  ASSERT_EQ(b.vertices.size(), 1u);
  EXPECT_EQ(b.vertices[0].symbol, "__runCodelet_n__B");
  EXPECT_TRUE(b.vertices[0].multiVertex);
  EXPECT_EQ(b.vertices[0].constraints, sampleModule("B").vertices[0].constraints);
  ASSERT_EQ(b.vertices[0].fields.size(), 1u);
  const Field &field = b.vertices[0].fields[0];
  EXPECT_EQ(field.outer, Layout::ScaledPtr128);
  EXPECT_EQ(field.typeName, "half");
  EXPECT_EQ(field.offset, 4u);
  EXPECT_TRUE(field.interleaved);
}

TEST(GpFormat, ReadsTheModulesOfOneArchitectureOnly) {
  Module cpu = sampleModule("A");
  cpu.arch = Architecture::Cpu;
  std::istringstream in(written({cpu, sampleModule("B"), cpu}));
  const auto modules = readGp(in, "test.gp", Architecture::Ipu2);
  ASSERT_EQ(modules.size(), 1u);
  EXPECT_EQ(modules[0].name, "B.cpp");
  EXPECT_EQ(modules[0].elf, sampleModule("B").elf);
}

TEST(GpFormat, RefusesEveryTruncation) {
  const std::string bytes = written({sampleModule("A")});
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(readBack(bytes.substr(0, length)), FileError) << length;
}

TEST(GpFormat, RefusesEveryFlippedBit) {
  const std::string bytes = written({sampleModule("A")});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    EXPECT_THROW(readBack(damaged), FileError) << i;
  }
}

TEST(GpFormat, RefusesBytesAfterTheEnd) {
  EXPECT_THROW(readBack(written({sampleModule("A")}) + "x"), FileError);
}

TEST(GpFormat, NamesTheFileThatIsBad) {
  try {
    readBack("ELF");
    FAIL() << "accepted";
  } catch (const FileError &e) {
    EXPECT_NE(std::string(e.what()).find("test.gp"), std::string::npos);
  }
}

TEST(GpFormat, MissingFileIsAnError) {
  EXPECT_THROW(compileFile("/nowhere/missing.gp", {}), FileError);
  EXPECT_THROW(compileFile("/nowhere/missing.cpp", {}), FileError);
}

} // namespace
} // namespace copse::popc
