#pragma once

namespace poplar {

/// A place in the user's program. It keeps the pointers, which must stay valid (pointers of
/// Current() always do).
class SourceLocation {
public:
  SourceLocation() = default;
  SourceLocation(const char *functionName, const char *fileName, unsigned lineNumber)
      : functionName_(functionName), fileName_(fileName), lineNumber_(lineNumber) {}

  const char *getFunctionName() const { return functionName_; }
  const char *getFileName() const { return fileName_; }
  unsigned getLineNumber() const { return lineNumber_; }
  bool isValid() const { return fileName_ != nullptr; }

  /// Where it is called; as a default argument, where the function that has it is called.
  static SourceLocation Current(const char *functionName = __builtin_FUNCTION(),
                                const char *fileName = __builtin_FILE(),
                                unsigned lineNumber = __builtin_LINE()) {
    return SourceLocation(functionName, fileName, lineNumber);
  }

private:
  const char *functionName_ = nullptr;
  const char *fileName_ = nullptr;
  unsigned lineNumber_ = 0;
};

} // namespace poplar
