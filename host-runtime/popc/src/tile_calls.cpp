#include "tile_calls.hpp"

#include "llvm_text.hpp"

#include "wire/codelet_abi.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace copse::popc {
namespace {

using std::size_t;
using std::string;
using std::string_view;
using std::to_string;

/// A declaration of a function: "declare float @f(ptr noundef, i32) #1".
struct Declaration {
  string_view name, result;
  std::vector<string_view> parameters; ///< types, followed by attributes
};

string_view typeIn(string_view parameter) { return parameter.substr(0, typeEndIn(parameter)); }

/// Returns the last word. Attributes of a result stand before its type.
string_view lastWordIn(string_view text) { return text.substr(text.find_last_of(' ') + 1); }

std::optional<Declaration> declarationIn(string_view line) {
  constexpr string_view kWord = "declare ";
  const size_t at = line.find('@'), open = line.find('(', at), close = line.rfind(')');
  if (!line.starts_with(kWord) || at == string_view::npos || open == string_view::npos ||
      close == string_view::npos || close < open)
    return std::nullopt;
  Declaration declaration;
  declaration.name = line.substr(at + 1, open - at - 1);
  declaration.result = lastWordIn(line.substr(kWord.size(), at - 1 - kWord.size()));
  declaration.parameters = listIn(line.substr(open + 1, close - open - 1));
  return declaration;
}

bool isInteger(string_view type) {
  constexpr std::array<string_view, 4> kTypes{"i1", "i8", "i16", "i32"};
  return std::ranges::find(kTypes, type) != kTypes.end();
}

bool isAux(string_view type) { return type == "float" || type == "half"; }

/// Writes one function's body, which stores the arguments into a wire::TileCall. Its words of 64
/// bits are first those for $m0 and up, then those for $a0 and up.
class Body {
public:
  std::optional<string> textOf(const Declaration &declaration) {
    for (const string_view parameter : declaration.parameters)
      if (!take(parameter))
        return std::nullopt;
    text_ += "  %f = load ptr, ptr @" + string(wire::kTileFunctionSymbol) +
             "\n  call void %f(ptr @name." + string(declaration.name) + ", ptr %r)\n";
    if (!give(declaration.result))
      return std::nullopt;
    string parameters;
    for (size_t i = 0; i < declaration.parameters.size(); ++i)
      parameters +=
          (i == 0 ? "" : ", ") + string(typeIn(declaration.parameters[i])) + " %p" + to_string(i);
    const string name(declaration.name), zero = name + "\\00";
    return "@name." + name + " = private constant [" + to_string(name.size() + 1) + " x i8] c\"" +
           zero + "\"\ndefine hidden " + string(declaration.result) + " @" + name + "(" +
           parameters + ") {\n  %r = alloca [" +
           to_string(wire::kMainArguments + wire::kAuxArguments) + " x i64], align 8\n  store [" +
           to_string(wire::kMainArguments + wire::kAuxArguments) +
           " x i64] zeroinitializer, ptr %r\n" + text_ + "}\n";
  }

private:
  bool take(string_view parameter) {
    const string_view type = typeIn(parameter);
    const bool isSigned = parameter.find(" signext") != string_view::npos;
    const string n = to_string(number_++), from = " %p" + n;
    if (type == "ptr")
      text_ += "  %w" + n + " = ptrtoint ptr" + from + " to i64\n";
    else if (isInteger(type) && isSigned)
      text_ += "  %s" + n + " = sext " + string(type) + from + " to i32\n  %w" + n +
               " = zext i32 %s" + n + " to i64\n";
    else if (isInteger(type))
      text_ += "  %w" + n + " = zext " + string(type) + from + " to i64\n";
    else if (isAux(type))
      text_ += "  %b" + n + " = bitcast " + string(type) + from + " to " + bitsOf(type) + "\n  %w" +
               n + " = zext " + bitsOf(type) + " %b" + n + " to i64\n";
    else
      return false;
    size_t &next = isAux(type) ? aux_ : main_;
    if (next == (isAux(type) ? wire::kAuxArguments : wire::kMainArguments))
      return false;
    const size_t place = next++ + (isAux(type) ? wire::kMainArguments : 0);
    text_ += "  %a" + n + " = getelementptr i64, ptr %r, i64 " + to_string(place) +
             "\n  store i64 %w" + n + ", ptr %a" + n + "\n";
    return true;
  }

  bool give(string_view type) {
    if (type == "void") {
      text_ += "  ret void\n";
      return true;
    }
    if (!isInteger(type) && !isAux(type))
      return false;
    const string bits = isAux(type) ? bitsOf(type) : string(type);
    text_ += "  %ra = getelementptr i64, ptr %r, i64 " +
             to_string(isAux(type) ? wire::kMainArguments : 0) + "\n  %rw = load i64, ptr %ra\n";
    text_ += "  %rb = trunc i64 %rw to " + bits + "\n";
    if (isAux(type))
      text_ += "  %rf = bitcast " + bits + " %rb to " + string(type) + "\n";
    text_ += "  ret " + string(type) + (isAux(type) ? " %rf\n" : " %rb\n");
    return true;
  }

  static string bitsOf(string_view type) { return type == "float" ? "i32" : "i16"; }

  string text_;
  size_t number_ = 0, main_ = 0, aux_ = 0;
};

} // namespace

std::optional<string> tileCalls(const std::vector<string> &symbols,
                                const std::vector<string> &declarations) {
  string text = "@" + string(wire::kTileFunctionSymbol) + " = external global ptr\n";
  for (const string &symbol : symbols) {
    std::optional<Declaration> found;
    for (const string &line : declarations)
      if (const auto declaration = declarationIn(line); declaration && declaration->name == symbol)
        found = declaration;
    const auto body = found ? Body().textOf(*found) : std::nullopt;
    if (!body)
      return std::nullopt;
    text += *body;
  }
  return text;
}

} // namespace copse::popc
