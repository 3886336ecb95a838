#include "gp_object.hpp"

#include "assembler/assembler.hpp"
#include "assembler/disassembler.hpp"
#include "assembler/linker.hpp"

#include <gtest/gtest.h>

namespace copse::popc {
namespace {

using assembler::Object;

Object sample() {
  return assembler::assemble("DEF_STACK_SIZE_OWN 8 f\n.globl f\nf: call $lr, g\nbri f\n"
                             "setzi $m0, data\n.section .text.g,\"ax,worker\"\n.align 8\n"
                             "g: br $lr\nbri other\n.data\ndata: .byte 1\n.short 2\n.int f, 3\n",
                             "sample.S", isa::Architecture::Ipu1)
      .object;
}

std::string bytesOf(const Object &object) {
  std::string bytes;
  for (const assembler::Section &section : object.sections)
    bytes.append(reinterpret_cast<const char *>(section.bytes.data()), section.bytes.size());
  return bytes;
}

TEST(GpObject, ReadsItsOwnOutput) {
  const Object object = sample();
  const std::string bytes = bytesOf(object);
  std::string_view blobs = bytes;
  EXPECT_EQ(objectFrom(objectTable(object), blobs), object);
  EXPECT_TRUE(blobs.empty());
}

/// Uses all parts of an object that could be read.
void useAll(const Object &object) {
  assembler::disassemble(object);
  const Object *const objects[] = {&object};
  const std::string entries[] = {"f"};
  try {
    assembler::link(objects, entries, {0x40000, 0x60000, 0x4000});
  } catch (const assembler::LinkError &) {
    // The object refers to something that is missing.
  }
}

TEST(GpObject, RefusesInvalidTables) {
  const Object object = sample();
  const std::string bytes = bytesOf(object);
  const auto flat = objectTable(object).flatten();
  int refused = 0;
  for (const auto &[path, value] : flat.items())
    for (const std::int64_t wrong : {-1LL, 0LL, 7LL, 1LL << 31, 0xFFFFFFFFLL, 1LL << 40}) {
      auto changed = flat;
      changed[path] = wrong;
      std::string_view blobs = bytes;
      try {
        useAll(objectFrom(changed.unflatten(), blobs));
      } catch (const std::exception &) {
        ++refused;
      }
    }
  EXPECT_GT(refused, 100);
}

} // namespace
} // namespace copse::popc
