#pragma once

#include <type_traits>
#include <utility>

// Declares the public headers a second time: a signature that changes does not compile here.
// (C++11, as users compile.)

namespace declares {
template <typename F> struct Function {
  using type = F;
};
} // namespace declares

/// `MEMBER(Graph, addVertex, VertexRef(ComputeSet, StringRef))`: there is such a member function.
#define MEMBER(Class, name, ...)                                                                   \
  static_assert(                                                                                   \
      sizeof(static_cast<declares::Function<__VA_ARGS__>::type Class::*>(&Class::name)) > 0,       \
      #Class "::" #name)

/// Checks free and static functions in the same way.
#define FUNCTION(name, ...)                                                                        \
  static_assert(sizeof(static_cast<declares::Function<__VA_ARGS__>::type *>(&name)) > 0, #name)

/// A data member of this type.
#define FIELD(Class, name, ...)                                                                    \
  static_assert(std::is_same<decltype(Class::name), __VA_ARGS__>::value, #Class "::" #name)

/// An expression has this type: `GIVES(Tensor, graph.addVariable(FLOAT, {}))`. Names in it come
/// from declarations.
#define GIVES(Type, ...)                                                                           \
  static_assert(std::is_same<decltype(__VA_ARGS__), Type>::value, #__VA_ARGS__)

#define CONVERTS(From, To) static_assert(std::is_convertible<From, To>::value, #From " to " #To)
#define MADE_FROM(Class, ...)                                                                      \
  static_assert(std::is_constructible<Class, __VA_ARGS__>::value, #Class "(" #__VA_ARGS__ ")")
#define BELOW(Derived, Base) static_assert(std::is_base_of<Base, Derived>::value, #Derived)

/// Copied and assigned like a value.
#define VALUE(Class)                                                                               \
  static_assert(                                                                                   \
      std::is_default_constructible<Class>::value && std::is_copy_constructible<Class>::value &&   \
          std::is_copy_assignable<Class>::value && std::is_move_constructible<Class>::value,       \
      #Class " is a value")
/// Has one owner, and may lie in a std::vector.
#define MOVE_ONLY(Class)                                                                           \
  static_assert(!std::is_copy_constructible<Class>::value &&                                       \
                    !std::is_copy_assignable<Class>::value &&                                      \
                    std::is_nothrow_move_constructible<Class>::value &&                            \
                    std::is_nothrow_move_assignable<Class>::value,                                 \
                #Class " is only moved")
