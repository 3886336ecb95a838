#pragma once

#include "poplar/StringRef.hpp"

#include <string>

namespace poplar {

/// The kinds of files of codelets. Auto: the extension decides.
enum class CodeletFileType {
  PreprocessedAsmSource, ///< .s
  AsmSource,             ///< .S
  CSource,               ///< .c
  CppSource,             ///< .cpp
  IrSource,              ///< .ll
  Object,                ///< .gp
  Auto
};

/// Returns the enumerator's name.
std::string toString(CodeletFileType type);
/// Returns the type that belongs to the extension of a file; Auto if the extension is unknown.
CodeletFileType getCodeletFileType(const char *path);
/// Returns the extension for which getCodeletFileType() returns \p type, with its dot; empty for
/// Auto.
StringRef getExtensionFromFileType(CodeletFileType type);
/// Returns the name that compilers take after `-x`: "c++", "assembler-with-cpp". Empty if they need
/// no such option.
StringRef getLanguageOption(CodeletFileType type);

} // namespace poplar
