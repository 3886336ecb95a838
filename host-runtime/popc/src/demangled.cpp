#include "popc/demangled.hpp"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace copse::popc {

std::string demangled(const std::string &symbol) {
  if (!symbol.starts_with("_Z")) // names of C may be types' codes: `n` is __int128
    return symbol;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr), &std::free);
  return name ? name.get() : symbol;
}

} // namespace copse::popc
