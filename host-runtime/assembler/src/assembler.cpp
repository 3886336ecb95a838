#include "assembler/assembler.hpp"

#include "assembly.hpp"

namespace copse::assembler {

Assembled assemble(std::string_view source, const std::string &fileName,
                   isa::Architecture architecture) {
  return Assembly(source, fileName, architecture).run();
}

} // namespace copse::assembler
