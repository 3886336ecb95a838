#pragma once

#include <string>

namespace poplar {

/// What a file of codelets contains. Auto: goes by the extension.
enum class CodeletFileType {
  PreprocessedAsmSource, ///< .s
  AsmSource,             ///< .S
  CSource,               ///< .c
  CppSource,             ///< .cpp
  IrSource,
  Object, ///< .gp
  Auto
};

/// The enumerator's name.
std::string toString(CodeletFileType type);

} // namespace poplar
