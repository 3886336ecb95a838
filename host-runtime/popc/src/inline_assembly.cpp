#include "inline_assembly.hpp"

#include "assembly_block.hpp"
#include "assembly_macros.hpp"
#include "assembly_operands.hpp"
#include "cycle_counting.hpp"
#include "entry_points.hpp"
#include "idle_assembly.hpp"
#include "llvm_text.hpp"

#include "popc/popc.hpp"
#include "wire/codelet_abi.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

namespace copse::popc {
namespace {

using std::string;
using std::string_view;
using Kind = wire::AssemblyOperand::Kind;

// A section of pointers, whose ends the linker knows.
constexpr const char *kBlocks = "copse_assembly";

string bytesOfStruct(const auto &value) {
  return {reinterpret_cast<const char *>(&value), sizeof value};
}

/// Returns a wire::AssemblyBlock and the data that follows it.
string blockBytes(const BoundAssembly &assembly, const AssembledBlock &code, const string &place,
                  bool isCounted) {
  wire::AssemblyBlock head;
  head.operands = static_cast<std::uint32_t>(assembly.operands.size());
  head.words = static_cast<std::uint32_t>(code.words.size());
  head.placeBytes = static_cast<std::uint32_t>(place.size());
  head.isSupervisor = code.isSupervisor ? 1 : 0;
  head.isCounted = isCounted ? 1 : 0;
  string symbols;
  for (const AssembledBlock::Symbol &symbol : code.symbols)
    symbols += std::to_string(symbol.word) + " " + symbol.name + "\n";
  head.symbolBytes = static_cast<std::uint32_t>(symbols.size());
  string bytes = bytesOfStruct(head);
  for (const BoundOperand &operand : assembly.operands)
    bytes += bytesOfStruct(operand.where);
  bytes.append(reinterpret_cast<const char *>(code.words.data()), 4 * code.words.size());
  return bytes + place + symbols;
}

/// Returns the first instruction of a statement, for a message: " (sync 2)".
string instructionIn(string_view text) {
  constexpr string_view kBlanks = " \t\n\r{";
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  const std::size_t end = std::min(text.find_first_of("\n;", begin), text.size());
  return " (" + string(text.substr(begin, end - begin)) + ")";
}

/// Returns the width of an integer or vector that does not fill a register, and 0 for other types.
/// \param type  type of the input or output
unsigned narrowBits(const BoundOperand &operand, string_view type) {
  if (operand.where.kind != Kind::Words || operand.where.count != 1)
    return 0;
  if (type == "<2 x i8>")
    return 16;
  unsigned bits = 0;
  if (type.starts_with('i'))
    std::from_chars(type.data() + 1, type.data() + type.size(), bits);
  return bits < 32 ? bits : 0;
}

/// Writes the function that replaces one statement.
class StatementFunction {
public:
  /// \param block  name of the block that it executes
  StatementFunction(const string &block, const AssemblyCall &call, const BoundAssembly &assembly)
      : block_(block), name_(block + ".run"), call_(call), assembly_(assembly) {}

  string call() const {
    string list;
    for (const BoundOperand &operand : assembly_.operands)
      if (operand.argument)
        list += (list.empty() ? "" : ", ") + operand.argumentType + " " +
                call_.arguments.at(*operand.argument).value;
    return call_.result + "call " + call_.type + " " + name_ + "(" + list + ")" + call_.rest;
  }

  string definition() const {
    string list, body;
    for (const BoundOperand &operand : assembly_.operands)
      if (operand.argument) {
        const string value = "%in" + slotOf(operand);
        list += (list.empty() ? "" : ", ") + operand.argumentType + " " + value;
        body += stored(operand, value);
      }
    const string slots = std::to_string(std::max<std::size_t>(1, assembly_.operands.size()));
    return "define internal " + call_.type + " " + name_ + "(" + list +
           ") alwaysinline nounwind {\n  %copse.values = alloca [" + slots +
           " x <4 x i32>], align 16\n" + body + "  %run = load ptr, ptr @" + wire::kAssemblySymbol +
           "\n  %block = load ptr, ptr " + block_ + ".at\n" +
           "  call void %run(ptr %block, ptr %copse.values, ptr @" + wire::kAccumulatorsSymbol +
           ")\n" + results() + "}\n";
  }

private:
  static string slotOf(const BoundOperand &operand) { return std::to_string(operand.where.slot); }
  static string place(const BoundOperand &operand, const string &name) {
    return "  " + name + " = getelementptr inbounds i8, ptr %copse.values, i64 " +
           std::to_string(16 * operand.where.slot) + "\n";
  }

  static string stored(const BoundOperand &operand, const string &value) {
    const string to = "%to" + slotOf(operand);
    string text = place(operand, to), type = operand.argumentType, full = value;
    if (const unsigned bits = narrowBits(operand, type); bits != 0) {
      const string narrow = "i" + std::to_string(bits);
      text += "  " + to + ".narrow = bitcast " + type + " " + value + " to " + narrow + "\n";
      full = to + ".full";
      text += "  " + full + " = zext " + narrow + " " + to + ".narrow to i32\n";
      type = "i32";
    }
    return text + "  store " + type + " " + full + ", ptr " + to + ", align 16\n";
  }

  static string loaded(const BoundOperand &operand, const string &value) {
    const string from = "%from" + slotOf(operand);
    string text = place(operand, from);
    const unsigned bits = narrowBits(operand, operand.type);
    if (bits == 0)
      return text + "  " + value + " = load " + operand.type + ", ptr " + from + ", align 16\n";
    const string narrow = "i" + std::to_string(bits);
    return text + "  " + from + ".full = load i32, ptr " + from + ", align 16\n  " + from +
           ".narrow = trunc i32 " + from + ".full to " + narrow + "\n  " + value + " = bitcast " +
           narrow + " " + from + ".narrow to " + operand.type + "\n";
  }

  string results() const {
    string text, aggregate = "poison";
    for (const BoundOperand &operand : assembly_.operands) {
      if (!operand.output)
        continue;
      const string number = std::to_string(*operand.output), value = "%out" + number;
      text += loaded(operand, value);
      if (call_.outputs.size() == 1)
        return text + "  ret " + operand.type + " " + value + "\n";
      text += "  %all" + number + " = insertvalue " + call_.type + " " + aggregate + ", " +
              operand.type + " " + value + ", " + number + "\n";
      aggregate = "%all" + number;
    }
    return text + (call_.outputs.empty() ? "  ret void\n"
                                         : "  ret " + call_.type + " " + aggregate + "\n");
  }

  string block_, name_;
  const AssemblyCall &call_;
  const BoundAssembly &assembly_;
};

/// Returns the replacement of a statement whose instructions do nothing: it passes inputs to
/// outputs and accesses memory as its constraints say.
string withoutInstructions(const AssemblyCall &call, const BoundAssembly &assembly,
                           const string &name, unsigned cycles) {
  string text;
  if (cycles != 0)
    text += idleAssembly(cycles);
  if (std::ranges::find(call.constraints, "~{memory}") != call.constraints.end())
    text += "  call void asm sideeffect \"\", \"~{memory},~{dirflag},~{fpsr},~{flags}\"()\n";
  if (call.outputs.empty())
    return text;
  const bool isOne = call.outputs.size() == 1;
  string aggregate = "poison";
  for (const BoundOperand &operand : assembly.operands) {
    if (!operand.output)
      continue;
    const string number = std::to_string(*operand.output);
    string value = operand.argument ? call.arguments.at(*operand.argument).value : string("poison");
    if (operand.argument && operand.argumentType != operand.type) {
      const string wide = "%" + name.substr(1) + ".wide" + number;
      text += "  " + wide + " = zext " + operand.argumentType + " " + value + " to " +
              operand.type + "\n";
      value = wide;
    }
    const bool isLast = *operand.output + 1 == call.outputs.size();
    const string result = isLast ? call.result : "  %" + name.substr(1) + "." + number + " = ";
    text += isOne ? result + "freeze " + operand.type + " " + value
                  : result + "insertvalue " + call.type + " " + aggregate + ", " + operand.type +
                        " " + value + ", " + number + "\n";
    aggregate = "%" + name.substr(1) + "." + number;
  }
  return text;
}

/// Rewrites one module.
class StatementRewriter {
public:
  StatementRewriter(const string &module, const SourceWithAssembly &source,
                    isa::Architecture architecture)
      : module_(module), source_(source), architecture_(architecture), macros_(module),
        isOfSupervisor_(source.text.find(kSupervisorMark) != string::npos) {}

  ModuleWithAssembly run() {
    readPlaces();
    string text;
    text.reserve(module_.size());
    for (std::size_t at = 0; at < module_.size();) {
      std::size_t end = std::min(module_.find('\n', at), module_.size());
      if (string_view(module_).substr(at, end - at).find(" callbr ") != string_view::npos)
        end = std::min(module_.find('\n', end + 1), module_.size()); // a callbr takes two lines
      const string_view line = string_view(module_).substr(at, end - at);
      if (line.starts_with("module asm "))
        errors_ +=
            "error: assembly outside of functions belongs in a .S file: " + string(line) + "\n";
      if (line.starts_with("define "))
        isInBuiltin_ = isHeaderOfBuiltin(line);
      const auto call = assemblyCallIn(line);
      text += call ? replaced(*call) : string(line);
      text += '\n';
      macros_.read(line);
      at = end + 1;
    }
    if (!errors_.empty())
      throw CompileError(errors_);
    result_.text = definitions_.empty() ? text : text + declarations() + definitions_;
    return std::move(result_);
  }

private:
  /// Reads where the lines of statements' strings begin: "!19 = !{i64 497, i64 501}".
  void readPlaces() {
    for (std::size_t at = module_.find("\n!"); at != string::npos;
         at = module_.find("\n!", at + 1)) {
      const std::size_t end = std::min(module_.find('\n', at + 1), module_.size());
      const string_view line = string_view(module_).substr(at + 1, end - at - 1);
      const std::size_t equals = line.find(" = !{i64 ");
      if (equals == string_view::npos)
        continue;
      std::vector<std::size_t> offsets;
      for (const string_view element : listIn(line.substr(equals + 5, line.size() - equals - 6)))
        offsets.push_back(offsetOf(element));
      places_.emplace(line.substr(0, equals), std::move(offsets));
    }
  }

  /// Returns the offset of a place in the source. Clang numbers places in its only file from 2.
  static std::size_t offsetOf(string_view element) {
    constexpr std::size_t kFirst = 2;
    std::size_t number = 0;
    if (element.starts_with("i64 "))
      std::from_chars(element.data() + 4, element.data() + element.size(), number);
    return number < kFirst ? 0 : number - kFirst;
  }

  string replaced(const AssemblyCall &call) {
    std::vector<SourcePlace> lines;
    AssemblyStatement statement;
    statement.inputs = static_cast<unsigned>(call.arguments.size());
    if (const auto found = places_.find(call.places); found != places_.end()) {
      for (const std::size_t offset : found->second)
        lines.push_back(placeIn(source_.text, offset));
      if (const auto said = source_.statements.find(found->second.front());
          said != source_.statements.end())
        statement = said->second;
    }
    if (lines.empty())
      lines.push_back({"<unknown>", 1});
    try {
      return replaced(call, statement, lines);
    } catch (const AssemblyProblem &problem) {
      errors_ += lines.front().text() + ": error: inline assembly: " + problem.text + "\n";
    } catch (const CompileError &error) {
      if (errors_.find(error.what()) == string::npos) // once for all instances of a template
        errors_ += error.what();
    }
    return "";
  }

  string replaced(const AssemblyCall &call, const AssemblyStatement &statement,
                  const std::vector<SourcePlace> &lines) {
    if (call.isGoto)
      throw AssemblyProblem{"labels of C++ are out of its reach"};
    const string name = "@copse.assembly." + std::to_string(count_);
    const BoundAssembly assembly = bound(call, statement, count_);
    const AssembledBlock code = assembledWithMacros(assembly.text, lines);
    note(code, lines.front());
    ++count_;
    const auto idleCycles = idleCyclesOf(code.words, architecture_);
    if (code.words.empty() || (idleCycles && !isOfSupervisor_))
      return withoutInstructions(call, assembly, name, isInBuiltin_ ? 0 : *idleCycles);
    const string bytes = blockBytes(
        assembly, code, lines.front().text() + instructionIn(assembly.text), isInBuiltin_);
    definitions_ += name + " = internal constant [" + std::to_string(bytes.size()) + " x i8] c\"" +
                    escaped(bytes) + "\", align 8\n" + name +
                    ".at = internal externally_initialized global ptr " + name + ", section \"" +
                    kBlocks + "\", align 8\n";
    const StatementFunction function(name, call, assembly);
    definitions_ += function.definition();
    return function.call();
  }

  AssembledBlock assembledWithMacros(const string &text, std::vector<SourcePlace> lines) const {
    const auto before = std::ranges::count(macros_.known(), '\n');
    lines.insert(lines.begin(), static_cast<std::size_t>(before), lines.front());
    return assembledBlock(macros_.known() + text, lines, architecture_);
  }

  void note(const AssembledBlock &code, const SourcePlace &place) {
    if (result_.warnings.find(code.warnings) == string::npos)
      result_.warnings += code.warnings;
    for (const AssembledBlock::Symbol &symbol : code.symbols)
      result_.uses.add({symbol.name, place.file, static_cast<std::uint32_t>(place.line)});
    if (!code.isSupervisor)
      return;
    result_.uses.bySupervisor = true;
    addOnce(result_.supervisorPlaces, place.text());
  }
  static void addOnce(std::vector<string> &list, const string &text) {
    if (std::ranges::find(list, text) == list.end())
      list.push_back(text);
  }

  string declared(const string &name, const string &declaration) const {
    const string start = "@" + name + " =";
    const bool isThere = module_.starts_with(start) || module_.find("\n" + start) != string::npos;
    return isThere ? "" : "@" + name + " = " + declaration + "\n";
  }

  string declarations() const {
    const string blocks = kBlocks;
    const string bytes = std::to_string(sizeof(wire::MatrixWords));
    const string comdat = "$" + string(wire::kAccumulatorsSymbol) + " = comdat any\n";
    const bool hasAccumulators =
        module_.find("\n@" + string(wire::kAccumulatorsSymbol) + " =") != string::npos;
    return declared(wire::kAssemblySymbol, "external global ptr") +
           (hasAccumulators ? "" : comdat) +
           declared(wire::kAccumulatorsSymbol, "linkonce_odr hidden thread_local global [" + bytes +
                                                   " x i8] zeroinitializer, comdat, align 4") +
           declared("__start_" + blocks, "extern_weak hidden global ptr") +
           declared("__stop_" + blocks, "extern_weak hidden global ptr") +
           declared(wire::kAssemblyRangeSymbol, "weak_odr constant [2 x ptr] [ptr @__start_" +
                                                    blocks + ", ptr @__stop_" + blocks + "]");
  }

  const string &module_;
  const SourceWithAssembly &source_;
  const isa::Architecture architecture_;
  std::map<string, std::vector<std::size_t>, std::less<>> places_;
  unsigned count_ = 0;
  AssemblyMacros macros_;
  const bool isOfSupervisor_; ///< C++ code of supervisors takes no time
  bool isInBuiltin_ = false;  ///< callers count the cycles of builtins
  string definitions_, errors_;
  ModuleWithAssembly result_;
};

} // namespace

ModuleWithAssembly withInlineAssembly(const string &module, const SourceWithAssembly &source,
                                      isa::Architecture architecture) {
  return module.find(" asm ") == string::npos
             ? ModuleWithAssembly{module, {}, {}, {}}
             : StatementRewriter(module, source, architecture).run();
}

} // namespace copse::popc
