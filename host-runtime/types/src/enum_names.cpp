#include "poplar/CodeletFileType.hpp"
#include "poplar/Error.hpp"
#include "poplar/ProfilerVectorLayout.hpp"
#include "poplar/Quarter.hpp"
#include "poplar/TargetType.hpp"

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

std::string toString(ErrorCode code) {
  switch (code) {
  case ErrorCode::NONE:
    return "NONE";
  case ErrorCode::UNKNOWN:
    return "UNKNOWN";
  case ErrorCode::TRAP:
    return "TRAP";
  case ErrorCode::INVALID_INSTRUCTION:
    return "INVALID_INSTRUCTION";
  case ErrorCode::FP_INVALID_OPERATION:
    return "FP_INVALID_OPERATION";
  case ErrorCode::FP_DIVISION_BY_ZERO:
    return "FP_DIVISION_BY_ZERO";
  case ErrorCode::FP_OVERFLOW:
    return "FP_OVERFLOW";
  case ErrorCode::MEMORY:
    return "MEMORY";
  case ErrorCode::EXCHANGE:
    return "EXCHANGE";
  case ErrorCode::HOST_SYNC_TIMEOUT:
    return "HOST_SYNC_TIMEOUT";
  }
  return "unknown error code";
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
