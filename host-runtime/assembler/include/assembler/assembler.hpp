#pragma once

#include "assembler/diagnostics.hpp"
#include "assembler/object.hpp"

#include <string>
#include <string_view>

namespace copse::assembler {

struct Assembled {
  Object object;
  std::string warnings; ///< lines "file:line:column: warning: text"; empty: none
};

/// Assembles preprocessed source, whose line markers name files and lines.
/// \param fileName  name of the file before the first marker
/// \throws AssemblyError with all errors
Assembled assemble(std::string_view source, const std::string &fileName,
                   isa::Architecture architecture);

} // namespace copse::assembler
