#include "tile_arithmetic.hpp"

#include "llvm_text.hpp"

#include "wire/codelet_abi.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace copse::popc {
namespace {

using std::string;
using std::string_view;

// Own metadata is numbered from here on, as clang counts from 0.
constexpr const char *kModeTag = "!900000002";

/// A number or a vector of numbers, as LLVM's text writes it.
struct NumberType {
  string name;      ///< "half", "<4 x half>"
  string element;   ///< "half"
  int elements = 0; ///< 0: no vector

  bool isHalf() const { return element == "half"; }
  /// Returns the type with another element type.
  string of(const string &other) const {
    return elements == 0 ? other : "<" + std::to_string(elements) + " x " + other + ">";
  }
  /// Returns a constant with equal elements.
  string constant(const string &other, const string &value) const {
    if (elements == 0)
      return value;
    string list;
    for (int i = 0; i < elements; ++i)
      list += (i == 0 ? "" : ", ") + other + " " + value;
    return "<" + list + ">";
  }
  string tag() const { return element + (elements == 0 ? "" : std::to_string(elements)); }
};

std::optional<NumberType> typeAt(string_view text) {
  static constexpr std::array<string_view, 3> kElements{"half", "float", "double"};
  std::size_t at = text.starts_with('<') ? 1 : 0;
  int elements = 0;
  for (; at > 0 && at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
       ++at)
    elements = 10 * elements + (text[at] - '0');
  if (at > 0 && (elements == 0 || !text.substr(at).starts_with(" x ")))
    return std::nullopt;
  at += at > 0 ? 3 : 0;
  for (const string_view element : kElements) {
    if (!text.substr(at).starts_with(element))
      continue;
    const std::size_t end = at + element.size();
    if (elements > 0 && text.substr(end).starts_with('>'))
      return NumberType{string(text.substr(0, end + 1)), string(element), elements};
    if (elements == 0 && (end == text.size() || text[end] == ' ' || text[end] == ','))
      return NumberType{string(element), string(element)};
  }
  return std::nullopt;
}

/// One instruction to be replaced: "%r = fadd half %a, %b, !dbg !7".
struct Operation {
  string result;   ///< text before the operation: "  %r = "
  string name;     ///< "fadd"; for conversions with the operand's type: "sitofp i32"
  NumberType type; ///< type of the result
  string operands; ///< with types, as a call has them
  string rest;     ///< attached metadata: ", !dbg !7"
};

constexpr std::array<string_view, 5> kArithmetic{"fadd", "fsub", "fmul", "fdiv", "frem"};
constexpr std::array<string_view, 3> kConversions{"fptrunc", "sitofp", "uitofp"};

/// Removes flags of fast arithmetic, which a user may ask for.
string_view withoutFlags(string_view text) {
  static constexpr std::array<string_view, 8> kFlags{"nnan ", "ninf ", "nsz ",     "arcp ",
                                                     "afn ",  "fast ", "reassoc ", "contract "};
  for (bool found = true; found;) {
    found = false;
    for (const string_view flag : kFlags)
      if (text.starts_with(flag)) {
        text.remove_prefix(flag.size());
        found = true;
      }
  }
  return text;
}

std::optional<Operation> arithmeticIn(string_view result, string_view name, string_view rest) {
  rest = withoutFlags(rest);
  const auto type = typeAt(rest);
  if (!type || (!type->isHalf() && name != "fdiv"))
    return std::nullopt;
  rest.remove_prefix(type->name.size() + 1);
  const std::size_t first = commaIn(rest);
  const string a(rest.substr(0, first));
  const string_view behind = rest.substr(std::min(rest.size(), first + 2));
  const std::size_t second = commaIn(behind);
  if (!type->isHalf() && !behind.starts_with('%'))
    return std::nullopt; // a constant divisor raises no event
  const string operands =
      type->name + " " + a + ", " + type->name + " " + string(behind.substr(0, second));
  return Operation{string(result), string(name), *type, operands, string(behind.substr(second))};
}

std::optional<Operation> conversionIn(string_view result, string_view name, string_view rest) {
  const std::size_t to = rest.rfind(" to ");
  if (to == string_view::npos)
    return std::nullopt;
  const auto type = typeAt(rest.substr(to + 4));
  const std::size_t typeEnd = rest.starts_with('<') ? rest.find('>') + 1 : rest.find(' ');
  if (!type || !type->isHalf() || typeEnd >= to)
    return std::nullopt;
  return Operation{string(result), string(name) + " " + string(rest.substr(0, typeEnd)), *type,
                   string(rest.substr(0, to)), string(rest.substr(to + 4 + type->name.size()))};
}

std::optional<Operation> operationIn(string_view line) {
  const std::size_t equals = line.find(" = ");
  if (!line.starts_with("  %") || equals == string_view::npos)
    return std::nullopt;
  const string_view result = line.substr(0, equals + 3);
  string_view rest = line.substr(equals + 3);
  const string_view name = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  if (std::ranges::find(kArithmetic, name) != kArithmetic.end())
    return arithmeticIn(result, name, rest);
  if (std::ranges::find(kConversions, name) != kConversions.end())
    return conversionIn(result, name, rest);
  return std::nullopt;
}

string functionName(const Operation &operation) {
  string name = "@copse.";
  for (const char c : operation.name)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '.';
  return name + "." + operation.type.tag();
}

/// Writes the functions that the operations of a module call.
class Functions {
public:
  explicit Functions(TileArithmetic arithmetic) : arithmetic_(arithmetic) {}

  /// Returns false for divisions of floats that no program can turn into an event.
  bool mayReplace(const Operation &operation) const {
    return operation.type.isHalf() || arithmetic_ == TileArithmetic::OfProgram;
  }

  /// Returns the line that replaces \p operation.
  string callOf(const Operation &operation) {
    const string name = functionName(operation);
    operations_.emplace(name, operation);
    return operation.result + "call " + operation.type.name + " " + name + "(" +
           operation.operands + ")" + operation.rest;
  }

  /// Returns declarations that forbid optimisers to merge two calls or to execute a call earlier.
  string declarations() const {
    string all = operations_.empty() ? "" : "\n";
    for (const auto &[name, operation] : operations_)
      all += "declare " + operation.type.name + " " + name + "(" + parameters(operation, "", "") +
             ") nounwind willreturn memory(inaccessiblemem: readwrite)\n";
    return all;
  }

  string bodies() const {
    string all;
    for (const auto &[name, operation] : operations_)
      all += definition(name, operation);
    return all;
  }

  bool askTheTile() const {
    return !operations_.empty() && arithmetic_ != TileArithmetic::Saturating;
  }

private:
  static bool isConversion(const Operation &operation) {
    return operation.name.find(' ') != string::npos;
  }

  static string parameters(const Operation &operation, const string &a, const string &b) {
    return isConversion(operation) ? operation.name.substr(operation.name.find(' ') + 1) + a
                                   : operation.type.name + a + ", " + operation.type.name + b;
  }

  string modeTest() const {
    return arithmetic_ == TileArithmetic::Saturating
               ? ""
               : "  %mode = load i32, ptr @" + string(wire::kHalfMaskSymbol) + ", align 4, !tbaa " +
                     kModeTag +
                     "\n"
                     "  %plain = icmp ne i32 %mode, 0\n"
                     "  br i1 %plain, label %quick, label %asked\n"
                     "quick:\n";
  }

  string division(const string &name, const NumberType &type) const {
    return "define internal " + type.name + " " + name + "(" + type.name + " %a, " + type.name +
           " %b) alwaysinline nounwind {\n" + modeTest() + "  %q = fdiv " + type.name +
           " %a, %b\n  ret " + type.name + " %q\nasked:\n" +
           oneByOne(type, "@copse.divide." + type.element, {"a", "b"}, type.element) + "}\n";
  }

  string definition(const string &name, const Operation &operation) const {
    const NumberType &type = operation.type;
    if (!type.isHalf())
      return division(name, type);
    string text = "define internal " + type.name + " " + name + "(" +
                  parameters(operation, " %a", " %b") + ") alwaysinline nounwind {\n";
    text += modeTest();
    text += isConversion(operation) ? inFloat(operation, "%q") + "  %h = fptrunc " +
                                          type.of("float") + " %q to " + type.name + "\n"
                                    : "  %h = " + operation.name + " " + type.name + " %a, %b\n";
    text += saturated(type);
    if (arithmetic_ == TileArithmetic::OfProgram)
      text +=
          "asked:\n" + inFloat(operation, "%f") + oneByOne(type, "@copse.round", {"f"}, "float");
    return text + "}\n";
  }

  /// Computes the exact result, or the nearest float, in \p result.
  static string inFloat(const Operation &operation, const string &result) {
    const NumberType &type = operation.type;
    const string floats = type.of("float");
    if (!isConversion(operation)) {
      string text;
      for (const string operand : {"a", "b"})
        text +=
            "  %x" + operand + " = fpext " + type.name + " %" + operand + " to " + floats + "\n";
      return text + "  " + result + " = " + operation.name + " " + floats + " %xa, %xb\n";
    }
    const string from = operation.name.substr(operation.name.find(' ') + 1);
    if (from == floats)
      return "  " + result + " = freeze " + floats + " %a\n";
    return "  " + result + " = " + operation.name + " %a to " + floats + "\n";
  }

  /// Turns an infinity in %h into the largest half, whose code is the next lower one. It uses
  /// integers: at most three instructions for as many halves as a register holds.
  static string saturated(const NumberType &type) {
    const string bits = type.of("i16");
    return "  %bits = bitcast " + type.name + " %h to " + bits + "\n" +                     //
           "  %size = and " + bits + " %bits, " + type.constant("i16", "32767") + "\n" +    //
           "  %big = icmp eq " + bits + " %size, " + type.constant("i16", "31744") + "\n" + //
           "  %less = sext " + type.of("i1") + " %big to " + bits + "\n" +                  //
           "  %kept = add " + bits + " %bits, %less\n" +                                    //
           "  %r = bitcast " + bits + " %kept to " + type.name + "\n" +                     //
           "  ret " + type.name + " %r\n";
  }

  /// Calls \p function for each element of \p operands, whose elements are \p taken, and returns a
  /// vector of its results.
  static string oneByOne(const NumberType &type, const string &function,
                         const std::vector<string> &operands, const string &taken) {
    if (type.elements == 0) {
      string arguments;
      for (const string &operand : operands)
        arguments += (arguments.empty() ? "" : ", ") + taken + " %" + operand;
      return "  %s = call " + type.name + " " + function + "(" + arguments + ")\n  ret " +
             type.name + " %s\n";
    }
    string text, vector = "poison";
    for (int i = 0; i < type.elements; ++i) {
      const string n = std::to_string(i);
      string arguments;
      for (const string &operand : operands) {
        const string element = "%" + operand + "." + n;
        text += "  " + element + " = extractelement " + type.of(taken) + " %" + operand + ", i32 " +
                n + "\n";
        arguments += (arguments.empty() ? "" : ", ") + taken + " " + element;
      }
      text += "  %s." + n + " = call " + type.element + " " + function + "(" + arguments + ")\n";
      text += "  %v." + n + " = insertelement " + type.name + " " + vector + ", " + type.element +
              " %s." + n + ", i32 " + n + "\n";
      vector = "%v." + n;
    }
    return text + "  ret " + type.name + " " + vector + "\n";
  }

  TileArithmetic arithmetic_;
  std::map<string, Operation> operations_; ///< by name of the function
};

string declared(const string &module, const char *symbol, const char *type) {
  const string name = string("@") + symbol + " =";
  const bool isThere = module.starts_with(name) || module.find("\n" + name) != string::npos;
  return isThere ? "" : name + " external global " + type + "\n";
}

/// Defines functions that are called only if the program has changed the rules. Two calls are never
/// merged, because the tile may draw random numbers, and no call is executed early. But calls
/// change nothing that the module can see, so that loops need not reload their pointers.
string whatTheTileDoes(const string &module) {
  const string attributes = "cold noinline nounwind willreturn memory(inaccessiblemem: "
                            "readwrite) {\n";
  string text = declared(module, wire::kHalfMaskSymbol, "i32") +
                declared(module, wire::kRoundToHalfSymbol, "ptr") +
                "define internal half @copse.round(float %x) " + attributes +
                "  %f = load ptr, ptr @" + wire::kRoundToHalfSymbol +
                "\n"
                "  %bits = call zeroext i16 %f(float %x)\n"
                "  %h = bitcast i16 %bits to half\n"
                "  ret half %h\n}\n";
  for (const string type : {"float", "double"})
    text += "define internal " + type + " @copse.divide." + type + "(" + type + " %a, " + type +
            " %b) " + attributes + "  %q = fdiv " + type + " %a, %b\n  ret " + type + " %q\n}\n";
  return text +
         "!900000000 = !{!\"Simple C++ TBAA\"}\n"
         "!900000001 = !{!\"what the program says of arithmetic\", !900000000, i64 0}\n" +
         kModeTag + " = !{!900000001, !900000001, i64 0}\n";
}

bool declaresOperation(string_view line) {
  return line.starts_with("declare ") && line.find(" @copse.") != string_view::npos;
}

} // namespace

ModuleOfTile::ModuleOfTile(const string &module, TileArithmetic arithmetic) {
  Functions functions(arithmetic);
  text_.reserve(module.size() + module.size() / 8);
  for (std::size_t at = 0; at < module.size();) {
    const std::size_t end = std::min(module.find('\n', at), module.size());
    const string_view line = string_view(module).substr(at, end - at);
    const auto operation = operationIn(line);
    text_ +=
        operation && functions.mayReplace(*operation) ? functions.callOf(*operation) : string(line);
    text_ += '\n';
    at = end + 1;
  }
  text_ += functions.declarations();
  bodies_ = functions.bodies();
  if (functions.askTheTile())
    bodies_ += whatTheTileDoes(module);
}

string ModuleOfTile::withBodies(const string &module) const {
  string text;
  text.reserve(module.size() + bodies_.size());
  for (std::size_t at = 0; at < module.size();) {
    const std::size_t end = std::min(module.find('\n', at), module.size());
    const string_view line = string_view(module).substr(at, end - at);
    if (!declaresOperation(line)) {
      text += line;
      text += '\n';
    }
    at = end + 1;
  }
  return text + bodies_;
}

string withTileArithmetic(const string &module, TileArithmetic arithmetic) {
  const ModuleOfTile tile(module, arithmetic);
  return tile.withBodies(tile.text());
}

} // namespace copse::popc
