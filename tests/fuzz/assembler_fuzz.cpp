// Fuzzes assembly sources: objdump's text of the result must assemble to the same bytes.
#include "fuzzing.hpp"

#include "assembler/assembler.hpp"
#include "assembler/disassembler.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  if (size == 0)
    return 0;
  const auto architecture = static_cast<isa::Architecture>(data[size - 1] % 3);
  assembler::Object object;
  try {
    object = assembler::assemble(fuzz::textOf(data, size), "input.S", architecture).object;
  } catch (const assembler::AssemblyError &) {
    return 0;
  }
  const std::string text = assembler::disassemble(object);
  try {
    const auto again = assembler::assemble(text, "again.S", architecture).object;
    fuzz::require(again.sections.size() == object.sections.size(), "sections stay");
    for (std::size_t s = 0; s < object.sections.size(); ++s)
      fuzz::require(again.sections[s].bytes == object.sections[s].bytes, "bytes stay");
  } catch (const assembler::AssemblyError &error) {
    std::fprintf(stderr, "%s\n%s\n", error.what(), text.c_str());
    fuzz::require(false, "what was disassembled can be assembled");
  }
  return 0;
}
