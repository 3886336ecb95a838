#include "field_reader.hpp"

#include "names.hpp"
#include "type_names.hpp"

#include "popc/arch.hpp"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>

namespace copse::popc {
namespace {

using clang::QualType;

FieldDirection directionOf(const std::string &poplarName) {
  if (poplarName == "Input")
    return FieldDirection::Input;
  if (poplarName == "Output")
    return FieldDirection::Output;
  if (poplarName == "InOut")
    return FieldDirection::InOut;
  return FieldDirection::State;
}

/// Returns the element type of a class of the headers that stands for a type that C++ lacks.
ElementType classTypeOf(const std::string &name) {
  if (name == "half")
    return ElementType::Half;
  if (name == "quarter")
    return ElementType::Quarter;
  return name == "poplar::QuarterMetadata" ? ElementType::QuarterMetadata : ElementType::Other;
}

ElementType elementTypeOf(QualType type, const clang::ASTContext &ast) {
  if (const auto *enumeration = type->getAs<clang::EnumType>())
    type = enumeration->getDecl()->getIntegerType().getCanonicalType();
  const auto *const builtin = type->getAs<clang::BuiltinType>();
  switch (builtin == nullptr ? clang::BuiltinType::Void : builtin->getKind()) {
  case clang::BuiltinType::Bool:
    return ElementType::Bool;
  case clang::BuiltinType::Char_S:
  case clang::BuiltinType::Char_U:
    return ElementType::Char;
  case clang::BuiltinType::SChar:
    return ElementType::SignedChar;
  case clang::BuiltinType::UChar:
    return ElementType::UnsignedChar;
  case clang::BuiltinType::Short:
    return ElementType::Short;
  case clang::BuiltinType::UShort:
    return ElementType::UnsignedShort;
  case clang::BuiltinType::Int:
    return ElementType::Int;
  case clang::BuiltinType::UInt:
    return ElementType::UnsignedInt;
  case clang::BuiltinType::Long: // has 8 bytes in native code, as a tile's long long
  case clang::BuiltinType::LongLong:
    return ElementType::LongLong;
  case clang::BuiltinType::ULong:
  case clang::BuiltinType::ULongLong:
    return ElementType::UnsignedLongLong;
  case clang::BuiltinType::Float:
    return ElementType::Float;
  default:
    return classTypeOf(canonicalName(spellingOf(type.getUnqualifiedType(), ast)));
  }
}

std::uint32_t sizeOf(QualType type, const clang::ASTContext &ast) {
  return static_cast<std::uint32_t>(ast.getTypeSizeInChars(type).getQuantity());
}

std::uint32_t alignmentOf(QualType type, const clang::ASTContext &ast) {
  return static_cast<std::uint32_t>(ast.getTypeAlignInChars(type).getQuantity());
}

/// Returns the arguments of an instantiation.
const clang::TemplateArgumentList &argumentsOf(QualType type) {
  return llvm::cast<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl())
      ->getTemplateArgs();
}

/// Returns the type that is the first argument of an instantiation.
QualType typeIn(QualType type) { return argumentsOf(type)[0].getAsType().getCanonicalType(); }

/// The arguments of a poplar::Vector or VectorList.
struct VectorArguments {
  QualType element;
  int layout;
  std::uint32_t align; ///< alignment of elements, at least the natural one [bytes]
  bool interleaved;

  VectorArguments(QualType type, const clang::ASTContext &ast) : element(typeIn(type)) {
    const auto number = [&](unsigned i) {
      return argumentsOf(type)[i].getAsIntegral().getExtValue();
    };
    layout = static_cast<int>(number(1));
    align = std::max(static_cast<std::uint32_t>(number(2)), alignmentOf(element, ast));
    interleaved = number(3) != 0;
  }
};

/// Sets what the type of a field says. `offset` stays 0, because it depends on the class.
class FieldReader {
public:
  FieldReader(const clang::ASTContext &ast, Architecture arch) : ast_(ast), arch_(arch) {}

  Field read(const clang::FieldDecl &declaration) {
    const QualType type = declaration.getType().getCanonicalType();
    field_.name = declaration.getNameAsString();
    field_.bytes = sizeOf(type.getNonReferenceType(), ast_);
    const std::string name = poplarClass(type);
    field_.direction = directionOf(name);
    if (field_.direction != FieldDirection::State)
      setEdge(type);
    else if (name == "Vector")
      setVectorField(type);
    else
      setState(type);
    return field_;
  }

private:
  void setElement(QualType element) {
    element = element.getUnqualifiedType();
    field_.type = elementTypeOf(element, ast_);
    field_.typeName = canonicalName(fullTypeName(element, ast_));
    field_.elementBytes = sizeOf(element.getNonReferenceType(), ast_);
    field_.minAlign = alignmentOf(element.getNonReferenceType(), ast_);
  }

  /// Sets what the innermost vector of a field decides.
  Layout setVector(const VectorArguments &vector) {
    setElement(vector.element);
    const Layout layout = resolveVector(arch_, vector.layout, vector.align);
    field_.minAlign = std::max(vector.align, alignOf(layout));
    field_.interleaved = vector.interleaved;
    return layout;
  }

  void setList(const VectorArguments &list) {
    setElement(list.element);
    field_.minAlign = list.align;
    field_.interleaved = list.interleaved;
    const Layout layout = resolveList(arch_, list.layout);
    const bool isOfSpans = layout == Layout::NotAVector;
    field_.kind = isOfSpans ? FieldKind::VectorOfVectors : FieldKind::VectorList;
    field_.outer = isOfSpans ? Layout::Span : layout;
    field_.inner = isOfSpans ? Layout::Span : Layout::NotAVector;
  }

  /// Sets a field that is itself an Input<T>, Output<T> or InOut<T>.
  void setEdge(QualType edge) {
    const QualType target = typeIn(edge);
    const std::string name = poplarClass(target);
    if (name == "VectorList") {
      setList(VectorArguments(target, ast_));
    } else if (name == "Vector") {
      field_.kind = FieldKind::Vector;
      field_.outer = setVector(VectorArguments(target, ast_));
    } else {
      setElement(target);
    }
  }

  /// Sets a field that is itself a Vector<T>, Vector<Vector<T>>, Vector<Input<T>> or
  /// Vector<Input<Vector<T>>>.
  void setVectorField(QualType type) {
    const VectorArguments vector(type, ast_);
    field_.direction = directionOf(poplarClass(vector.element));
    const bool ofVectors = poplarClass(vector.element) == "Vector";
    if (field_.direction == FieldDirection::State && !ofVectors) {
      field_.kind = FieldKind::Vector;
      field_.outer = setVector(vector);
      return;
    }
    field_.outer = resolveVector(arch_, vector.layout, vector.align);
    const QualType target = ofVectors ? vector.element : typeIn(vector.element);
    if (poplarClass(target) == "Vector") {
      field_.kind = FieldKind::VectorOfVectors;
      field_.inner = setVector(VectorArguments(target, ast_));
    } else {
      field_.kind = FieldKind::VectorOfScalars;
      setElement(target);
    }
  }

  void setState(QualType type) {
    if (const auto *array = llvm::dyn_cast<clang::ConstantArrayType>(type.getTypePtr())) {
      field_.arrayLength = static_cast<std::uint32_t>(array->getSize().getZExtValue());
      type = array->getElementType().getCanonicalType();
    }
    setElement(type);
  }

  const clang::ASTContext &ast_;
  const Architecture arch_;
  Field field_;
};

} // namespace

Field readField(const clang::FieldDecl &declaration, Architecture arch) {
  return FieldReader(declaration.getASTContext(), arch).read(declaration);
}

} // namespace copse::popc
