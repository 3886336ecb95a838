#pragma once

namespace poplar {

/// Names a place in the user's program. The object keeps the pointers to its texts, which must stay
/// valid (pointers of Current() always do).
class SourceLocation {
public:
  /// Makes no location.
  SourceLocation() = default;
  /// Makes the location of a line, from 1.
  SourceLocation(const char *functionName, const char *fileName, unsigned lineNumber)
      : functionName_(functionName), fileName_(fileName), lineNumber_(lineNumber) {}

  /// Returns the function's name; null without a location.
  const char *getFunctionName() const { return functionName_; }
  /// Returns the file's name; null without a location.
  const char *getFileName() const { return fileName_; }
  /// Returns the line, from 1; 0 without a location.
  unsigned getLineNumber() const { return lineNumber_; }
  /// Returns true if there is a location.
  bool isValid() const { return fileName_ != nullptr; }

  /// Returns where it is called; as a default argument, where the function that has it is called.
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
