#pragma once

#include <string>

namespace poplar {

/// The contents of a file of codelets. Auto: the extension decides.
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
