#pragma once

#include "assembler/diagnostics.hpp"
#include "assembler/object.hpp"

#include <string>
#include <string_view>

namespace copse::assembler {

struct Assembled {
  Object object;
  std::string warnings; ///< "file:line:column: warning: text", one a line; empty: none
};

/// Assembles \p source, which has been through the C preprocessor; its line markers name files and
/// lines.
/// \param fileName  of lines before the first marker
/// \throws AssemblyError with all that is wrong
Assembled assemble(std::string_view source, const std::string &fileName,
                   isa::Architecture architecture);

} // namespace copse::assembler
