#include "entry_points.hpp"

#include "wire/codelet_abi.hpp"

namespace copse::popc {
namespace {

// Weak symbols: each source that is linked into a module has them, and the linker keeps one copy.
constexpr const char *kExportInC = "__attribute__((visibility(\"default\"), used, weak)) ";
constexpr const char *kExport =
    "extern \"C\" __attribute__((visibility(\"default\"), used, weak)) ";
// An entry jumps to the compute() that an explicit instantiation makes anyway: a second copy in the
// entry would double the compile time. Compilers have no attribute of a call against inlining, but
// they never inline a function that may use more of the processor than its caller.
#if defined(__x86_64__)
constexpr const char *kLesser = "__attribute__((target(\"no-mmx\"))) ";
#else
constexpr const char *kLesser = "";
#endif

// In `compute(), Done()`, a value that compute() returns goes through the overloaded operator; a
// void expression does not.
std::string prologue() {
  const std::string operation = kLesser + std::string("inline ");
  return R"(
# 1 "<entry points of the codelets>" 3
namespace copse_entry {
struct Done {
  )" + operation +
         R"(operator bool() const { return true; }
};
template <class R> )" +
         operation + R"(bool operator,(const R &result, Done) { return static_cast<bool>(result); }
template <class V> V &vertex();
template <class V> auto takesWorker(int) -> decltype((void)vertex<V>().compute(0u), char());
template <class V> long takesWorker(...);
template <class V> auto takesNothing(int) -> decltype((void)vertex<V>().compute(), char());
template <class V> long takesNothing(...);
}
)";
}

std::string checks(const std::string &alias, const VertexType &type) {
  const std::string says = ", \"the state of " + type.name + " is laid out differently here\");\n";
  std::string text =
      "static_assert(sizeof(" + alias + ") == " + std::to_string(type.stateBytes) + says;
  for (const Field &field : type.fields)
    text.append("static_assert(__builtin_offsetof(")
        .append(alias)
        .append(", ")
        .append(field.name)
        .append(") == ")
        .append(std::to_string(field.offset))
        .append(says);
  return text;
}

std::string entry(const FoundVertex &vertex, std::size_t number) {
  const std::string alias = "CopseVertex" + std::to_string(number);
  std::string text = "typedef ::" + vertex.cppName + " " + alias + ";\n";
  text += checks(alias, vertex.type);
  if (vertex.type.external)
    return text;
  const bool multi = vertex.type.multiVertex;
  text +=
      "static_assert(sizeof(::copse_entry::" +
      std::string(multi ? "takesWorker<" : "takesNothing<") + alias +
      ">(0)) == 1, \"compute() of '" + vertex.cppName +
      (multi
           ? "' must take one argument: a MultiVertex gets the number of its worker"
           : "' must take no arguments: derive from MultiVertex to get the number of the worker") +
      "\");\n";
  text += kExport + std::string(vertex.isComputeInstantiated ? kLesser : "") + "bool " +
          vertex.type.symbol + "(void *state, unsigned " + (multi ? "worker" : "") +
          ") {\n  return (static_cast<" + alias + " *>(state)->compute(" + (multi ? "worker" : "") +
          "), ::copse_entry::Done());\n}\n";
  return text;
}

} // namespace

std::string entryPoints(const std::vector<FoundVertex> &vertices) {
  std::string text = prologue();
  for (std::size_t i = 0; i < vertices.size(); ++i)
    text += entry(vertices[i], i);
  return text;
}

std::string runtimeSymbols(const std::string &moduleInfo, bool isC) {
  const std::string exported = isC ? kExportInC : kExport;
  std::string text = "\n# 1 \"<what runs the codelets>\" 3\n";
  const auto pointer = [&](const char *result, const char *name, const char *parameters) {
    text += exported + result + " (*" + name + ")(" + parameters + ") = 0;\n";
  };
  pointer("unsigned", wire::kTileIdSymbol, "void");
  pointer("unsigned long", wire::kTileSlotSymbol, "void");
  pointer("unsigned short", wire::kRoundToHalfSymbol, "float");
  text += std::string(isC ? "" : "extern \"C\" ") +
          "__attribute__((visibility(\"protected\"), used, weak)) unsigned " +
          wire::kHalfMaskSymbol + " = " + std::to_string(wire::kHalfMask) + ";\n";
  pointer("unsigned long long *", wire::kGeneratorSymbol, "void");
  text += exported + "long " + wire::kCycleOffsetSymbol + " = 0;\n";
  pointer("unsigned", wire::kReadRegisterSymbol, "unsigned");
  pointer("void", wire::kWriteRegisterSymbol, "unsigned, unsigned");
  pointer("void", wire::kMatrixSymbol, "unsigned, void *");
  pointer("void", wire::kLoadWeightsSymbol, "unsigned, unsigned");
  pointer("void", wire::kAssemblySymbol, "const void *, void *, void *");
  pointer("void", wire::kTileFunctionSymbol, "const char *, void *");
  pointer("void", wire::kCheckAccessSymbol, "const void *, unsigned long, unsigned, const char *");
  text += exported + "const char " + wire::kModuleInfoSymbol + "[] = \"" + moduleInfo + "\";\n";
  return text;
}

} // namespace copse::popc
