#include "gccs/StackTrace.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <memory>
#include <sstream>
#include <vector>

namespace gccs {
namespace {

std::string demangled(const char *symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void *)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : symbol;
}

/// \param address  address of the instruction after a call
std::string describe(const void *address) {
  // The last byte of the call instruction.
  const auto call = reinterpret_cast<std::uintptr_t>(address) - 1;
  Dl_info where{};
  std::ostringstream text;
  if (dladdr(reinterpret_cast<const void *>(call), &where) == 0) {
    text << address;
    return text.str();
  }
  if (where.dli_sname != nullptr)
    return demangled(where.dli_sname);
  text << where.dli_fname << "+0x" << std::hex
       << call - reinterpret_cast<std::uintptr_t>(where.dli_fbase);
  return text.str();
}

} // namespace

__attribute__((noinline)) std::string getStackTrace(std::size_t skip, std::size_t max) {
  constexpr std::size_t kMost = 4096;
  std::vector<void *> calls(std::min(skip, kMost) + std::min(max, kMost));
  const auto count =
      static_cast<std::size_t>(backtrace(calls.data(), static_cast<int>(calls.size())));
  std::ostringstream lines;
  for (std::size_t i = skip; i < count; ++i)
    lines << '[' << i - skip << "] " << describe(calls[i]) << '\n';
  return lines.str();
}

} // namespace gccs
