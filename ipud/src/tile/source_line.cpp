#include "tile/source_line.hpp"

#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <memory>

namespace copse::ipud {
namespace {

/// Finds no file of debug information: only what the module itself contains is read.
int findNothing(Dwfl_Module *, void **, const char *, Dwarf_Addr, const char *, const char *,
                GElf_Word, char **) {
  return -1;
}

constexpr Dwfl_Callbacks kCallbacks{.find_elf = dwfl_build_id_find_elf,
                                    .find_debuginfo = findNothing,
                                    .section_address = dwfl_offline_section_address,
                                    .debuginfo_path = nullptr};

/// Returns the line of \p instruction in the unit that covers it. All units are tried, because
/// clang writes no table of which unit covers which addresses.
Dwarf_Line *lineOf(Dwfl_Module *module, Dwarf_Addr instruction) {
  Dwarf_Addr bias = 0;
  for (Dwarf_Die *unit = nullptr; (unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr;)
    if (Dwarf_Line *const line = dwarf_getsrc_die(unit, instruction - bias))
      return line;
  return nullptr;
}

} // namespace

std::optional<std::string> sourceLine(const void *instruction) {
  Dl_info loaded;
  if (::dladdr(instruction, &loaded) == 0)
    return {};
  const std::unique_ptr<Dwfl, decltype(&dwfl_end)> session(dwfl_begin(&kCallbacks), dwfl_end);
  if (!session)
    return {};
  dwfl_report_begin(session.get());
  Dwfl_Module *const module = dwfl_report_elf(session.get(), "codelets", loaded.dli_fname, -1,
                                              reinterpret_cast<GElf_Addr>(loaded.dli_fbase), false);
  dwfl_report_end(session.get(), nullptr, nullptr);
  if (module == nullptr)
    return {};
  Dwarf_Line *const line = lineOf(module, reinterpret_cast<Dwarf_Addr>(instruction));
  int number = 0;
  const char *const file = line == nullptr ? nullptr : dwarf_linesrc(line, nullptr, nullptr);
  if (file == nullptr || dwarf_lineno(line, &number) != 0 || number == 0)
    return {};
  return std::string(file) + ":" + std::to_string(number);
}

} // namespace copse::ipud
