#include "popc/objdump.hpp"

#include "assembler/disassembler.hpp"
#include "popc/arch.hpp"
#include "popc/popc.hpp"

#include <fstream>
#include <ostream>

namespace copse::popc {
namespace {

bool isWanted(const Module &module, const ObjdumpOptions &options) {
  return module.object &&
         (options.target.empty() || traitsOf(module.arch).name == options.target) &&
         (options.module.empty() || module.name == options.module);
}

} // namespace

void objdump(const ObjdumpOptions &options, std::ostream &out) {
  if (!options.target.empty() && !archNamed(options.target))
    throw FileError("unknown target '" + options.target + "'; there are " + targetList());
  std::ifstream in(options.path, std::ios::binary);
  if (!in)
    throw FileError(options.path + ": cannot be opened");
  bool isEmpty = true;
  for (const Module &module : readGp(in, options.path)) {
    if (!isWanted(module, options))
      continue;
    out << (isEmpty ? "" : "\n") << "# " << module.name << " for "
        << (module.variant.empty() ? traitsOf(module.arch).name : module.variant) << "\n"
        << assembler::disassemble(*module.object);
    isEmpty = false;
  }
  if (isEmpty)
    throw FileError(options.path +
                    ": there is no tile code in it for what was asked; codelets in "
                    "C++ are native code, which a disassembler of this machine shows");
}

} // namespace copse::popc
