#include "module_parts.hpp"

#include <algorithm>
#include <functional>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/IntEqClasses.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <map>
#include <set>
#include <utility>

namespace copse::popc {
namespace {

using namespace llvm;

constexpr std::size_t kMostParts = 8;
constexpr StringRef kLists[] = {"llvm.used", "llvm.compiler.used"};

/// Each source has these variables, which may be unused in the module.
bool isOfPopc(const GlobalValue &value) {
  return isa<GlobalVariable>(value) && value.getName().starts_with("__copse");
}

/// Returns true if a part may have its own copy of a definition, or none if the part does not use
/// it.
bool mayBeCopied(const GlobalValue &value) {
  const bool isMergedByLinker = value.hasLinkOnceLinkage() || value.hasAvailableExternallyLinkage();
  const auto *const variable = dyn_cast<GlobalVariable>(&value);
  const bool isSameEverywhere =
      value.hasLocalLinkage() &&
      (variable == nullptr
           ? value.hasAtLeastLocalUnnamedAddr() || value.getName().starts_with("copse.")
           : variable->isConstant() && value.hasAtLeastLocalUnnamedAddr());
  return isOfPopc(value) || isMergedByLinker || isSameEverywhere;
}

/// Returns true if a module must not be divided. Debug information describes a whole module;
/// aliases, constructors and assembly outside of functions are too rare to divide them.
bool isIndivisible(const llvm::Module &module) {
  return !module.getModuleInlineAsm().empty() || !module.alias_empty() || !module.ifunc_empty() ||
         module.debug_compile_units_begin() != module.debug_compile_units_end() ||
         any_of(module.globals(), [](const GlobalVariable &variable) {
           return variable.getName().starts_with("llvm.") &&
                  !is_contained(kLists, variable.getName());
         });
}

/// A function or a variable that the module defines.
struct Definition {
  const GlobalValue *value;
  bool mayBeCopied;
  std::size_t instructions = 0;
  std::vector<std::size_t> uses = {}; ///< other definitions
};

/// The definitions of a module, each with those that it uses.
class Definitions {
public:
  explicit Definitions(const llvm::Module &module) {
    SmallPtrSet<const GlobalValue *, 8> listed;
    for (const StringRef name : kLists)
      if (const GlobalVariable *const list = module.getGlobalVariable(name, true))
        for (const Value *const entry : list->getInitializer()->operands())
          listed.insert(cast<GlobalValue>(entry->stripPointerCasts()));
    for (const GlobalValue &value : module.global_values())
      if (!value.isDeclaration() && !is_contained(kLists, value.getName())) {
        numbers_[&value] = all_.size();
        const bool mayBeUnused = !listed.contains(&value) || isOfPopc(value);
        all_.push_back({&value, mayBeUnused && mayBeCopied(value)});
      }
    for (Definition &definition : all_)
      findUses(definition);
  }

  const std::vector<Definition> &all() const { return all_; }

  /// Returns the definitions that one needs, including itself.
  std::set<std::size_t> neededBy(std::size_t first) const {
    std::set<std::size_t> needed{first};
    std::vector<std::size_t> open{first};
    while (!open.empty()) {
      const Definition &definition = all_[open.back()];
      open.pop_back();
      for (const std::size_t other : definition.uses)
        if (needed.insert(other).second)
          open.push_back(other);
    }
    return needed;
  }

private:
  void findUses(Definition &definition) {
    SmallPtrSet<const Value *, 16> seen;
    addOperands(*definition.value, definition, seen);
    if (const auto *const function = dyn_cast<Function>(definition.value))
      for (const Instruction &instruction : instructions(*function)) {
        ++definition.instructions;
        addOperands(instruction, definition, seen);
      }
  }
  void addOperands(const User &user, Definition &definition, SmallPtrSetImpl<const Value *> &seen) {
    for (const Value *const operand : user.operands()) {
      const auto *const constant = dyn_cast<Constant>(operand);
      if (constant == nullptr || !seen.insert(constant).second)
        continue;
      const auto *const value = dyn_cast<GlobalValue>(constant);
      if (value == nullptr)
        addOperands(*constant, definition, seen);
      else if (const auto found = numbers_.find(value); found != numbers_.end())
        definition.uses.push_back(found->second);
    }
  }

  std::vector<Definition> all_;
  DenseMap<const GlobalValue *, std::size_t> numbers_;
};

/// Returns the definitions of each group that has to be in one part, including copies.
std::vector<std::set<std::size_t>> groupsOf(const Definitions &definitions) {
  const std::vector<Definition> &all = definitions.all();
  IntEqClasses classes(static_cast<unsigned>(all.size()));
  std::map<std::size_t, std::set<std::size_t>> needs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].mayBeCopied)
      continue;
    needs[i] = definitions.neededBy(i);
    for (const std::size_t other : needs[i])
      if (!all[other].mayBeCopied)
        classes.join(static_cast<unsigned>(i), static_cast<unsigned>(other));
  }
  classes.compress();
  std::map<unsigned, std::set<std::size_t>> members;
  for (const auto &[i, needed] : needs)
    members[classes[static_cast<unsigned>(i)]].insert(needed.begin(), needed.end());
  std::vector<std::set<std::size_t>> groups;
  groups.reserve(members.size());
  for (auto &[group, definitionsOfGroup] : members)
    groups.push_back(std::move(definitionsOfGroup));
  return groups;
}

/// Puts groups into parts of about the same size.
std::vector<std::set<std::size_t>> partsOf(std::vector<std::set<std::size_t>> groups,
                                           const std::vector<Definition> &all,
                                           std::size_t instructions) {
  std::size_t total = 0;
  std::vector<std::pair<std::size_t, std::set<std::size_t>>> bySize;
  for (std::set<std::size_t> &group : groups) {
    std::size_t size = 0;
    for (const std::size_t i : group)
      size += all[i].instructions;
    total += size;
    bySize.emplace_back(size, std::move(group));
  }
  const std::size_t count = std::min({kMostParts, total / instructions, bySize.size()});
  if (count < 2)
    return {};
  std::ranges::stable_sort(bySize, std::greater(), [](const auto &group) { return group.first; });
  std::vector<std::set<std::size_t>> parts(count);
  std::vector<std::size_t> sizes(count);
  for (const auto &[size, group] : bySize) {
    const auto smallest = std::ranges::min_element(sizes) - sizes.begin();
    parts[static_cast<std::size_t>(smallest)].insert(group.begin(), group.end());
    sizes[static_cast<std::size_t>(smallest)] += size;
  }
  // They may be unused in the module, but the program that loads it uses them.
  for (std::size_t i = 0; i < all.size(); ++i)
    if (isOfPopc(*all[i].value))
      parts.front().insert(i);
  return parts;
}

std::string bitcodeOf(const llvm::Module &whole,
                      const SmallPtrSetImpl<const GlobalValue *> &defined) {
  ValueToValueMapTy copies;
  const std::unique_ptr<llvm::Module> part =
      CloneModule(whole, copies, [&](const GlobalValue *value) {
        return defined.contains(value) || is_contained(kLists, value->getName());
      });
  // A list of definitions that must stay although they are unused has those of the part.
  removeFromUsedLists(*part, [](Constant *entry) {
    return cast<GlobalValue>(entry->stripPointerCasts())->isDeclaration();
  });
  const auto isUnused = [](const GlobalValue &value) {
    return value.isDeclaration() && value.use_empty();
  };
  for (Function &function : make_early_inc_range(*part))
    if (isUnused(function))
      function.eraseFromParent();
  for (GlobalVariable &variable : make_early_inc_range(part->globals()))
    if (isUnused(variable))
      variable.eraseFromParent();
  std::string bitcode;
  raw_string_ostream out(bitcode);
  WriteBitcodeToFile(*part, out);
  return bitcode;
}

} // namespace

std::vector<std::string> partsOf(const llvm::Module &module, std::size_t instructions) {
  if (isIndivisible(module) || module.getInstructionCount() < 2 * instructions)
    return {};
  const Definitions definitions(module);
  std::vector<std::string> bitcode;
  for (const auto &part : partsOf(groupsOf(definitions), definitions.all(), instructions)) {
    SmallPtrSet<const GlobalValue *, 32> defined;
    for (const std::size_t i : part)
      defined.insert(definitions.all()[i].value);
    bitcode.push_back(bitcodeOf(module, defined));
  }
  return bitcode;
}

} // namespace copse::popc
