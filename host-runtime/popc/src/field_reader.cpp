#include "field_reader.hpp"

#include "clang_names.hpp"
#include "names.hpp"
#include "type_names.hpp"

#include "popc/arch.hpp"

#include <algorithm>

namespace copse::popc {
namespace {

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

ElementType elementTypeOf(CXType type) {
  switch (type.kind) {
  case CXType_Bool:
    return ElementType::Bool;
  case CXType_Char_S:
  case CXType_Char_U:
    return ElementType::Char;
  case CXType_SChar:
    return ElementType::SignedChar;
  case CXType_UChar:
    return ElementType::UnsignedChar;
  case CXType_Short:
    return ElementType::Short;
  case CXType_UShort:
    return ElementType::UnsignedShort;
  case CXType_Int:
    return ElementType::Int;
  case CXType_UInt:
    return ElementType::UnsignedInt;
  case CXType_Long: // has 8 bytes in native code, as a tile's long long
  case CXType_LongLong:
    return ElementType::LongLong;
  case CXType_ULong:
  case CXType_ULongLong:
    return ElementType::UnsignedLongLong;
  case CXType_Float:
    return ElementType::Float;
  case CXType_Enum:
    return elementTypeOf(
        clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type))));
  default:
    return classTypeOf(canonicalName(taken(clang_getTypeSpelling(clang_getUnqualifiedType(type)))));
  }
}

/// The arguments of a poplar::Vector or VectorList.
struct VectorArguments {
  CXType element;
  int layout;
  std::uint32_t align; ///< alignment of elements, at least the natural one [bytes]
  bool interleaved;

  explicit VectorArguments(CXType type)
      : element(clang_getCanonicalType(clang_Type_getTemplateArgumentAsType(type, 0))) {
    const CXCursor declaration = clang_getTypeDeclaration(type);
    const auto number = [&](unsigned i) {
      return clang_Cursor_getTemplateArgumentValue(declaration, i);
    };
    layout = static_cast<int>(number(1));
    align = std::max(static_cast<std::uint32_t>(number(2)),
                     static_cast<std::uint32_t>(clang_Type_getAlignOf(element)));
    interleaved = number(3) != 0;
  }
};

void setElement(Field &field, CXType element) {
  element = clang_getUnqualifiedType(element);
  field.type = elementTypeOf(element);
  field.typeName = canonicalName(fullTypeName(element));
  field.elementBytes = static_cast<std::uint32_t>(clang_Type_getSizeOf(element));
  field.minAlign = static_cast<std::uint32_t>(clang_Type_getAlignOf(element));
}

/// Sets what the innermost vector of a field decides.
Layout setVector(Field &field, const VectorArguments &vector, Architecture arch) {
  setElement(field, vector.element);
  const Layout layout = resolveVector(arch, vector.layout, vector.align);
  field.minAlign = std::max(vector.align, alignOf(layout));
  field.interleaved = vector.interleaved;
  return layout;
}

void setList(Field &field, const VectorArguments &list, Architecture arch) {
  setElement(field, list.element);
  field.minAlign = list.align;
  field.interleaved = list.interleaved;
  const Layout layout = resolveList(arch, list.layout);
  field.kind = layout == Layout::NotAVector ? FieldKind::VectorOfVectors : FieldKind::VectorList;
  field.outer = layout == Layout::NotAVector ? Layout::Span : layout;
  field.inner = layout == Layout::NotAVector ? Layout::Span : Layout::NotAVector;
}

/// Sets a field that is itself an Input<T>, Output<T> or InOut<T>.
void setEdge(Field &field, CXType edge, Architecture arch) {
  const CXType target = clang_getCanonicalType(clang_Type_getTemplateArgumentAsType(edge, 0));
  const std::string name = poplarClass(target);
  if (name == "VectorList") {
    setList(field, VectorArguments(target), arch);
  } else if (name == "Vector") {
    field.kind = FieldKind::Vector;
    field.outer = setVector(field, VectorArguments(target), arch);
  } else {
    setElement(field, target);
  }
}

/// Sets a field that is itself a Vector<T>, Vector<Vector<T>>, Vector<Input<T>> or
/// Vector<Input<Vector<T>>>.
void setVectorField(Field &field, CXType type, Architecture arch) {
  const VectorArguments vector(type);
  field.direction = directionOf(poplarClass(vector.element));
  const bool ofVectors = poplarClass(vector.element) == "Vector";
  if (field.direction == FieldDirection::State && !ofVectors) {
    field.kind = FieldKind::Vector;
    field.outer = setVector(field, vector, arch);
    return;
  }
  field.outer = resolveVector(arch, vector.layout, vector.align);
  if (ofVectors) {
    field.kind = FieldKind::VectorOfVectors;
    field.inner = setVector(field, VectorArguments(vector.element), arch);
    return;
  }
  const CXType target =
      clang_getCanonicalType(clang_Type_getTemplateArgumentAsType(vector.element, 0));
  if (poplarClass(target) == "Vector") {
    field.kind = FieldKind::VectorOfVectors;
    field.inner = setVector(field, VectorArguments(target), arch);
  } else {
    field.kind = FieldKind::VectorOfScalars;
    setElement(field, target);
  }
}

void setState(Field &field, CXType type) {
  if (type.kind == CXType_ConstantArray) {
    field.arrayLength = static_cast<std::uint32_t>(clang_getArraySize(type));
    type = clang_getCanonicalType(clang_getArrayElementType(type));
  }
  setElement(field, type);
}

} // namespace

Field readField(CXCursor declaration, Architecture arch) {
  const CXType type = canonicalType(declaration);
  Field field;
  field.name = taken(clang_getCursorSpelling(declaration));
  field.bytes = static_cast<std::uint32_t>(clang_Type_getSizeOf(type));
  const std::string name = poplarClass(type);
  field.direction = directionOf(name);
  if (field.direction != FieldDirection::State)
    setEdge(field, type, arch);
  else if (name == "Vector")
    setVectorField(field, type, arch);
  else
    setState(field, type);
  return field;
}

} // namespace copse::popc
