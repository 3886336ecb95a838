#include "conditions.hpp"

#include "assembler/diagnostics.hpp"

namespace copse::assembler {

bool Conditions::wantsElseCondition() const {
  return !blocks_.empty() && !blocks_.back().isOuterOff && !blocks_.back().wasActive;
}

void Conditions::open(bool condition) {
  const bool isOff = isSkipping();
  const bool isActive = !isOff && condition;
  blocks_.push_back({isActive, isActive, isOff});
}

Conditions::Block &Conditions::innermost(const char *directive) {
  if (blocks_.empty())
    throw StatementError(nullptr, std::string(directive) + " without an .if");
  return blocks_.back();
}

void Conditions::elseIf(bool condition) {
  Block &block = innermost(".elseif");
  if (block.hasElse)
    throw StatementError(nullptr, ".elseif behind .else");
  block.isActive = !block.isOuterOff && !block.wasActive && condition;
  block.wasActive = block.wasActive || block.isActive;
}

void Conditions::otherwise() {
  Block &block = innermost(".else");
  if (block.hasElse)
    throw StatementError(nullptr, "a second .else");
  block.hasElse = true;
  block.isActive = !block.isOuterOff && !block.wasActive;
  block.wasActive = true;
}

void Conditions::close() {
  innermost(".endif");
  blocks_.pop_back();
}

} // namespace copse::assembler
