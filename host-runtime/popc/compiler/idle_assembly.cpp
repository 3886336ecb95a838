#include "idle_assembly.hpp"

#include <string>

namespace copse::popc {
namespace {

constexpr llvm::StringLiteral kComment("# copse: cycles "); // the statement's only text

} // namespace

void addIdleAssembly(llvm::IRBuilderBase &builder, unsigned cycles) {
  builder.CreateCall(llvm::InlineAsm::get(llvm::FunctionType::get(builder.getVoidTy(), false),
                                          kComment.str() + std::to_string(cycles),
                                          "~{dirflag},~{fpsr},~{flags}", true));
}

unsigned cyclesOfAssembly(const llvm::InlineAsm &assembly) {
  llvm::StringRef text = assembly.getAsmString();
  unsigned cycles = 0;
  if (text.consume_front(kComment))
    text.consumeInteger(10, cycles);
  return cycles;
}

} // namespace copse::popc
