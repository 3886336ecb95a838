#include "inline_assembly.hpp"

#include "assembly_block.hpp"
#include "assembly_macros.hpp"
#include "assembly_operands.hpp"
#include "idle_assembly.hpp"
#include "library_costs.hpp"

#include "popc/popc.hpp"
#include "wire/codelet_abi.hpp"

#include <algorithm>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
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
unsigned narrowBits(const BoundOperand &operand, const llvm::Type &type) {
  if (operand.where.kind != Kind::Words || operand.where.count != 1)
    return 0;
  const auto *const vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  const bool isPairOfBytes = vector != nullptr && vector->getNumElements() == 2 &&
                             vector->getElementType()->isIntegerTy(8);
  const unsigned bits =
      isPairOfBytes || type.isIntegerTy() ? type.getPrimitiveSizeInBits().getFixedValue() : 0;
  return bits < 32 ? bits : 0;
}

/// The variables through which code calls the interpreter, and those through which the interpreter
/// finds the blocks of a module. They are added when the first block needs them.
class Interpreter {
public:
  explicit Interpreter(llvm::Module &module) : module_(module) {}

  void declare() {
    if (function_ != nullptr)
      return;
    using Linkage = llvm::GlobalValue;
    llvm::Type *const pointer = llvm::PointerType::getUnqual(module_.getContext());
    function_ = variable(wire::kAssemblySymbol, pointer, Linkage::ExternalLinkage);
    if (accumulators_ = module_.getNamedGlobal(wire::kAccumulatorsSymbol); accumulators_ == nullptr)
      accumulators_ = newAccumulators();
    const string blocks = kBlocks;
    llvm::Constant *const begin =
        variable("__start_" + blocks, pointer, Linkage::ExternalWeakLinkage);
    llvm::Constant *const end = variable("__stop_" + blocks, pointer, Linkage::ExternalWeakLinkage);
    auto *const type = llvm::ArrayType::get(pointer, 2);
    if (module_.getNamedGlobal(wire::kAssemblyRangeSymbol) == nullptr)
      new llvm::GlobalVariable(module_, type, true, Linkage::WeakODRLinkage,
                               llvm::ConstantArray::get(type, {begin, end}),
                               wire::kAssemblyRangeSymbol);
  }

  /// Calls the interpreter for a block.
  /// \param block   the block's bytes
  /// \param values  memory with the operands' values
  void call(llvm::IRBuilder<> &builder, llvm::GlobalVariable &block, llvm::Value *values) {
    llvm::Type *const pointer = builder.getPtrTy();
    auto *const type =
        llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer, pointer}, false);
    llvm::Value *const function = builder.CreateLoad(pointer, function_);
    llvm::Value *const known = builder.CreateLoad(pointer, addressOf(block));
    builder.CreateCall(type, function, {known, values, accumulators_});
  }

private:
  llvm::GlobalVariable *variable(const string &name, llvm::Type *type,
                                 llvm::GlobalValue::LinkageTypes linkage) {
    if (auto *const known = module_.getNamedGlobal(name))
      return known;
    auto *const added = new llvm::GlobalVariable(module_, type, false, linkage, nullptr, name);
    if (linkage == llvm::GlobalValue::ExternalWeakLinkage)
      added->setVisibility(llvm::GlobalValue::HiddenVisibility);
    return added;
  }

  llvm::GlobalVariable *newAccumulators() {
    const char *const name = wire::kAccumulatorsSymbol;
    auto *const type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module_.getContext()),
                                            sizeof(wire::MatrixWords));
    auto *const added =
        new llvm::GlobalVariable(module_, type, false, llvm::GlobalValue::LinkOnceODRLinkage,
                                 llvm::ConstantAggregateZero::get(type), name, nullptr,
                                 llvm::GlobalValue::GeneralDynamicTLSModel);
    added->setVisibility(llvm::GlobalValue::HiddenVisibility);
    added->setComdat(module_.getOrInsertComdat(name));
    added->setAlignment(llvm::Align(4));
    return added;
  }

  /// Adds the variable with the address of a block to the section.
  llvm::GlobalVariable *addressOf(llvm::GlobalVariable &block) {
    auto *const address = new llvm::GlobalVariable(module_, block.getType(), false,
                                                   llvm::GlobalValue::InternalLinkage, &block,
                                                   block.getName() + ".at");
    address->setExternallyInitialized(true);
    address->setSection(kBlocks);
    address->setAlignment(llvm::Align(8));
    return address;
  }

  llvm::Module &module_;
  llvm::GlobalVariable *function_ = nullptr, *accumulators_ = nullptr;
};

/// Adds the function that replaces one statement.
class StatementFunction {
public:
  StatementFunction(const llvm::CallInst &call, const BoundAssembly &assembly)
      : call_(call), assembly_(assembly), builder_(call.getContext()) {}

  /// \param block  the block that it executes
  llvm::Function &add(llvm::Module &module, Interpreter &interpreter, llvm::GlobalVariable &block) {
    std::vector<llvm::Type *> types;
    for (const llvm::Value *const argument : arguments())
      types.push_back(argument->getType());
    llvm::Function &function = *llvm::Function::Create(
        llvm::FunctionType::get(call_.getType(), types, false), llvm::GlobalValue::InternalLinkage,
        block.getName() + ".run", module);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
    function.addFnAttr(llvm::Attribute::NoUnwind);
    builder_.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", &function));
    addSlots();
    llvm::Argument *argument = function.arg_begin();
    for (const BoundOperand &operand : assembly_.operands)
      if (operand.argument != nullptr)
        store(operand, argument++);
    interpreter.call(builder_, block, slots_);
    addResult();
    return function;
  }

  /// Returns the arguments of a call of the function.
  std::vector<llvm::Value *> arguments() const {
    std::vector<llvm::Value *> list;
    for (const BoundOperand &operand : assembly_.operands)
      if (operand.argument != nullptr)
        list.push_back(operand.argument);
    return list;
  }

private:
  void addSlots() {
    auto *const slot = llvm::FixedVectorType::get(builder_.getInt32Ty(), 4);
    auto *const slots = builder_.CreateAlloca(
        llvm::ArrayType::get(slot, std::max<std::size_t>(1, assembly_.operands.size())), nullptr,
        "copse.values");
    slots->setAlignment(kSlotAlignment);
    slots_ = slots;
  }

  llvm::Value *slotOf(const BoundOperand &operand) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), slots_,
                                               std::uint64_t{16} * operand.where.slot);
  }

  void store(const BoundOperand &operand, llvm::Value *value) {
    llvm::Value *const to = slotOf(operand);
    if (const unsigned bits = narrowBits(operand, *value->getType()); bits != 0)
      value = builder_.CreateZExt(builder_.CreateBitCast(value, builder_.getIntNTy(bits)),
                                  builder_.getInt32Ty());
    builder_.CreateAlignedStore(value, to, kSlotAlignment);
  }

  llvm::Value *load(const BoundOperand &operand) {
    llvm::Value *const from = slotOf(operand);
    const unsigned bits = narrowBits(operand, *operand.type);
    if (bits == 0)
      return builder_.CreateAlignedLoad(operand.type, from, kSlotAlignment);
    llvm::Value *const full =
        builder_.CreateAlignedLoad(builder_.getInt32Ty(), from, kSlotAlignment);
    return builder_.CreateBitCast(builder_.CreateTrunc(full, builder_.getIntNTy(bits)),
                                  operand.type);
  }

  void addResult() {
    llvm::Type *const type = call_.getType();
    if (type->isVoidTy()) {
      builder_.CreateRetVoid();
      return;
    }
    llvm::Value *result = llvm::PoisonValue::get(type);
    for (const BoundOperand &operand : assembly_.operands)
      if (operand.output)
        result = type->isStructTy()
                     ? builder_.CreateInsertValue(result, load(operand), *operand.output)
                     : load(operand);
    builder_.CreateRet(result);
  }

  static constexpr llvm::Align kSlotAlignment = llvm::Align::Constant<16>();
  const llvm::CallInst &call_;
  const BoundAssembly &assembly_;
  llvm::IRBuilder<> builder_;
  llvm::Value *slots_ = nullptr;
};

/// Replaces a statement whose instructions do nothing: passes inputs to outputs, and accesses
/// memory as the constraints say.
/// \returns the statement's result; null if it has none
llvm::Value *passThrough(llvm::CallInst &call, const BoundAssembly &assembly, unsigned cycles) {
  llvm::IRBuilder<> builder(&call);
  builder.SetCurrentDebugLocation({});
  if (cycles != 0)
    addIdleAssembly(builder, cycles);
  const std::vector<string> constraints = assemblyConstraints(call);
  if (std::ranges::find(constraints, "~{memory}") != constraints.end())
    builder.CreateCall(llvm::InlineAsm::get(llvm::FunctionType::get(builder.getVoidTy(), false), "",
                                            "~{memory},~{dirflag},~{fpsr},~{flags}", true));
  llvm::Type *const type = call.getType();
  if (type->isVoidTy())
    return nullptr;
  llvm::Value *result = llvm::PoisonValue::get(type);
  for (const BoundOperand &operand : assembly.operands) {
    if (!operand.output)
      continue;
    llvm::Value *const value = operand.argument == nullptr
                                   ? llvm::PoisonValue::get(operand.type)
                                   : builder.CreateZExt(operand.argument, operand.type);
    result = type->isStructTy() ? builder.CreateInsertValue(result, value, *operand.output)
                                : builder.CreateFreeze(value);
  }
  return result;
}

/// Returns where the lines of a statement's strings begin in the source.
std::vector<std::size_t> offsetsOf(const llvm::CallBase &call) {
  constexpr std::uint64_t kFirst = 2; // clang's number of the first place in its only file
  std::vector<std::size_t> offsets;
  if (const llvm::MDNode *const places = call.getMetadata("srcloc"))
    for (const llvm::MDOperand &place : places->operands())
      if (const auto *const number = llvm::mdconst::dyn_extract<llvm::ConstantInt>(place))
        offsets.push_back(std::max(number->getZExtValue(), kFirst) - kFirst);
  return offsets;
}

/// Rewrites one module.
class StatementRewriter {
public:
  StatementRewriter(llvm::Module &module, const AssemblySource &source, InlineAssemblyUse &use)
      : module_(module), source_(source), use_(use), macros_(module), interpreter_(module) {}

  void run() {
    refuseAssemblyOutsideOfFunctions();
    for (llvm::Function &function : module_) {
      isInBuiltin_ = standsForInstruction(function.getName());
      macros_.enterFunction();
      for (llvm::Instruction &instruction :
           llvm::make_early_inc_range(llvm::instructions(function)))
        if (auto *const call = llvm::dyn_cast<llvm::CallBase>(&instruction))
          visit(*call);
    }
  }

private:
  void refuseAssemblyOutsideOfFunctions() {
    llvm::SmallVector<llvm::StringRef, 4> lines;
    llvm::StringRef(module_.getModuleInlineAsm()).split(lines, '\n', -1, false);
    llvm::raw_string_ostream errors(use_.errors);
    for (const llvm::StringRef line : lines) {
      errors << "error: assembly outside of functions belongs in a .S file: module asm \"";
      llvm::printEscapedString(line, errors);
      errors << "\"\n";
    }
  }

  void visit(llvm::CallBase &call) {
    const bool isReplaced = call.isInlineAsm() && replace(call);
    macros_.read(call);
    if (isReplaced)
      call.eraseFromParent();
  }

  /// Inserts what replaces a statement, before it.
  /// \returns true if this was possible
  bool replace(llvm::CallBase &call) {
    std::vector<SourcePlace> lines;
    AssemblyStatement statement;
    statement.inputs = call.arg_size();
    if (const auto offsets = offsetsOf(call); !offsets.empty()) {
      for (const std::size_t offset : offsets)
        lines.push_back(placeIn(source_.expanded.text, offset));
      if (const auto said = source_.expanded.statements.find(offsets.front());
          said != source_.expanded.statements.end())
        statement = said->second;
    }
    if (lines.empty())
      lines.push_back({"<unknown>", 1});
    try {
      auto *const plain = llvm::dyn_cast<llvm::CallInst>(&call);
      if (plain == nullptr)
        throw AssemblyProblem{"labels of C++ are out of its reach"};
      if (llvm::Value *const result = replacement(*plain, statement, lines))
        call.replaceAllUsesWith(result);
      return true;
    } catch (const AssemblyProblem &problem) {
      use_.errors += lines.front().text() + ": error: inline assembly: " + problem.text + "\n";
    } catch (const CompileError &error) {
      if (use_.errors.find(error.what()) == string::npos) // once for all instances of a template
        use_.errors += error.what();
    }
    return false;
  }

  /// \returns the statement's result; null if it has none
  llvm::Value *replacement(llvm::CallInst &call, const AssemblyStatement &statement,
                           const std::vector<SourcePlace> &lines) {
    const string name = "copse.assembly." + std::to_string(count_);
    const BoundAssembly assembly = bound(call, statement, count_);
    const AssembledBlock code = assembledWithMacros(assembly.text, lines);
    note(code, lines.front());
    ++count_;
    const auto idleCycles = idleCyclesOf(code.words, source_.architecture);
    if (code.words.empty() || (idleCycles && !source_.hasSupervisors))
      return passThrough(call, assembly, isInBuiltin_ ? 0 : *idleCycles);
    interpreter_.declare();
    llvm::Constant *const bytes = llvm::ConstantDataArray::getString(
        module_.getContext(),
        blockBytes(assembly, code, lines.front().text() + instructionIn(assembly.text),
                   isInBuiltin_),
        false);
    auto *const block = new llvm::GlobalVariable(module_, bytes->getType(), true,
                                                 llvm::GlobalValue::InternalLinkage, bytes, name);
    block->setAlignment(llvm::Align(8));
    StatementFunction function(call, assembly);
    llvm::CallInst *const run = llvm::CallInst::Create(&function.add(module_, interpreter_, *block),
                                                       function.arguments(), "", &call);
    run->setDebugLoc(call.getDebugLoc());
    return run;
  }

  AssembledBlock assembledWithMacros(const string &text, std::vector<SourcePlace> lines) const {
    const auto before = std::ranges::count(macros_.known(), '\n');
    lines.insert(lines.begin(), static_cast<std::size_t>(before), lines.front());
    return assembledBlock(macros_.known() + text, lines, source_.architecture);
  }

  void note(const AssembledBlock &code, const SourcePlace &place) {
    if (use_.warnings.find(code.warnings) == string::npos)
      use_.warnings += code.warnings;
    for (const AssembledBlock::Symbol &symbol : code.symbols)
      use_.tileCode.add({symbol.name, place.file, static_cast<std::uint32_t>(place.line)});
    if (!code.isSupervisor)
      return;
    use_.tileCode.bySupervisor = true;
    addOnce(use_.supervisorPlaces, place.text());
  }
  static void addOnce(std::vector<string> &list, const string &text) {
    if (std::ranges::find(list, text) == list.end())
      list.push_back(text);
  }

  llvm::Module &module_;
  const AssemblySource &source_;
  InlineAssemblyUse &use_;
  AssemblyMacros macros_;
  Interpreter interpreter_;
  unsigned count_ = 0;
  bool isInBuiltin_ = false; ///< callers count the cycles of builtins
};

} // namespace

llvm::PreservedAnalyses InlineAssemblyPass::run(llvm::Module &module,
                                                llvm::ModuleAnalysisManager &) {
  StatementRewriter(module, source_, use_).run();
  return llvm::PreservedAnalyses::none();
}

} // namespace copse::popc
