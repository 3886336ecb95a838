#include "poplar/CodeletFileType.hpp"
#include "poplar/Error.hpp"
#include "poplar/ProfilerVectorLayout.hpp"
#include "poplar/Quarter.hpp"
#include "poplar/TargetType.hpp"
#include "poplar/exceptions.hpp"

#include <array>
#include <filesystem>
#include <ostream>
#include <string>

namespace poplar {

std::string toString(TargetType type) {
  switch (type) {
  case TargetType::IPU:
    return "IPU";
  case TargetType::IPU_MODEL:
    return "IPU_MODEL";
  case TargetType::CPU:
    return "CPU";
  }
  return "unknown target type";
}
std::ostream &operator<<(std::ostream &out, TargetType type) { return out << toString(type); }

std::string QuarterMetadata::toString() const {
  return std::string(getFormat() == Format::F143 ? "F143" : "F152") + ", scale " +
         std::to_string(getScale());
}
std::ostream &operator<<(std::ostream &out, const QuarterMetadata &metadata) {
  return out << metadata.toString();
}

std::string toString(CodeletFileType type) {
  switch (type) {
  case CodeletFileType::PreprocessedAsmSource:
    return "PreprocessedAsmSource";
  case CodeletFileType::AsmSource:
    return "AsmSource";
  case CodeletFileType::CSource:
    return "CSource";
  case CodeletFileType::CppSource:
    return "CppSource";
  case CodeletFileType::IrSource:
    return "IrSource";
  case CodeletFileType::Object:
    return "Object";
  case CodeletFileType::Auto:
    return "Auto";
  }
  return "unknown codelet file type";
}

namespace {

struct NamedErrorCode {
  ErrorCode code;
  const char *name;
};
constexpr std::array kErrorCodes{
    NamedErrorCode{ErrorCode::NONE, "NONE"},
    NamedErrorCode{ErrorCode::UNKNOWN, "UNKNOWN"},
    NamedErrorCode{ErrorCode::TRAP, "TRAP"},
    NamedErrorCode{ErrorCode::FLOATING_POINT_INVALID_OPERATION, "FLOATING_POINT_INVALID_OPERATION"},
    NamedErrorCode{ErrorCode::FLOATING_POINT_DIVIDE_BY_ZERO, "FLOATING_POINT_DIVIDE_BY_ZERO"},
    NamedErrorCode{ErrorCode::FLOATING_POINT_OVERFLOW, "FLOATING_POINT_OVERFLOW"},
    NamedErrorCode{ErrorCode::TILE_MEMORY_BANK_CONFLICT, "TILE_MEMORY_BANK_CONFLICT"},
    NamedErrorCode{ErrorCode::INVALID_EXCHANGE_CONFIGURATION, "INVALID_EXCHANGE_CONFIGURATION"},
    NamedErrorCode{ErrorCode::INVALID_ADDRESS, "INVALID_ADDRESS"},
    NamedErrorCode{ErrorCode::INVALID_OPERAND, "INVALID_OPERAND"},
    NamedErrorCode{ErrorCode::INVALID_PROGRAM_COUNTER, "INVALID_PROGRAM_COUNTER"},
    NamedErrorCode{ErrorCode::INVALID_INSTRUCTION, "INVALID_INSTRUCTION"},
    NamedErrorCode{ErrorCode::EXCHANGE_ERROR, "EXCHANGE_ERROR"},
    NamedErrorCode{ErrorCode::MEMORY_ERROR, "MEMORY_ERROR"},
    NamedErrorCode{ErrorCode::IPUSOFTERR, "IPUSOFTERR"},
    NamedErrorCode{ErrorCode::LINK_DOWN, "LINK_DOWN"},
    NamedErrorCode{ErrorCode::HOST_LINK_DOWN, "HOST_LINK_DOWN"},
    NamedErrorCode{ErrorCode::HOST_SYNC_TIMEOUT, "HOST_SYNC_TIMEOUT"},
    NamedErrorCode{ErrorCode::IPU_MEMORY_FAILURE, "IPU_MEMORY_FAILURE"},
};

} // namespace

CodeletFileType getCodeletFileType(const char *path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  for (const auto type : {CodeletFileType::PreprocessedAsmSource, CodeletFileType::AsmSource,
                          CodeletFileType::CSource, CodeletFileType::CppSource,
                          CodeletFileType::IrSource, CodeletFileType::Object})
    if (getExtensionFromFileType(type) == extension)
      return type;
  return CodeletFileType::Auto;
}

StringRef getExtensionFromFileType(CodeletFileType type) {
  switch (type) {
  case CodeletFileType::PreprocessedAsmSource:
    return ".s";
  case CodeletFileType::AsmSource:
    return ".S";
  case CodeletFileType::CSource:
    return ".c";
  case CodeletFileType::CppSource:
    return ".cpp";
  case CodeletFileType::IrSource:
    return ".ll";
  case CodeletFileType::Object:
    return ".gp";
  case CodeletFileType::Auto:
    break;
  }
  return "";
}

StringRef getLanguageOption(CodeletFileType type) {
  switch (type) {
  case CodeletFileType::PreprocessedAsmSource:
    return "assembler";
  case CodeletFileType::AsmSource:
    return "assembler-with-cpp";
  case CodeletFileType::CSource:
    return "c";
  case CodeletFileType::CppSource:
    return "c++";
  case CodeletFileType::IrSource:
    return "ir";
  case CodeletFileType::Object:
  case CodeletFileType::Auto:
    break;
  }
  return "";
}

std::string toString(ErrorCode code) {
  for (const NamedErrorCode &known : kErrorCodes)
    if (known.code == code)
      return known.name;
  return "unknown error code";
}
std::string errorCodeToString(ErrorCode code) { return toString(code); }
ErrorCode errorCodeFromString(StringRef name) {
  for (const NamedErrorCode &known : kErrorCodes)
    if (name == known.name)
      return known.code;
  throw poplar_error("there is no error code '" + name + "'");
}
std::ostream &operator<<(std::ostream &out, ErrorCode code) { return out << toString(code); }

namespace layout {

std::string to_string(Vector layout) {
  switch (layout) {
  case Vector::NotAVector:
    return "NotAVector";
  case Vector::Span:
    return "Span";
  case Vector::ShortSpan:
    return "ShortSpan";
  case Vector::OnePtr:
    return "OnePtr";
  case Vector::ScaledPtr32:
    return "ScaledPtr32";
  case Vector::ScaledPtr64:
    return "ScaledPtr64";
  case Vector::ScaledPtr128:
    return "ScaledPtr128";
  }
  return "unknown vector layout";
}

std::string to_string(VectorList layout) {
  switch (layout) {
  case VectorList::NotAVector:
    return "NotAVector";
  case VectorList::OnePtr:
    return "OnePtr";
  case VectorList::ScaledPtr32:
    return "ScaledPtr32";
  case VectorList::ScaledPtr64:
    return "ScaledPtr64";
  case VectorList::ScaledPtr128:
    return "ScaledPtr128";
  case VectorList::DeltaN:
    return "DeltaN";
  case VectorList::DeltaNElements:
    return "DeltaNElements";
  }
  return "unknown vector list layout";
}

} // namespace layout
} // namespace poplar
