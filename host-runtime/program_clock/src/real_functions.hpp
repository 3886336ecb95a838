#pragma once

#include <dlfcn.h>

namespace copse::program_clock {

/// The original of a C library function that this library replaces.
template <class Function> class RealFunction {
public:
  explicit constexpr RealFunction(const char *name) : name_(name) {}
  template <class... Arguments> auto operator()(Arguments... arguments) {
    // Looks the function up. Two threads find the same one. The first call may come before any
    // constructor has run.
    Function *found = __atomic_load_n(&found_, __ATOMIC_RELAXED);
    if (found == nullptr) {
      found = reinterpret_cast<Function *>(::dlsym(RTLD_NEXT, name_));
      __atomic_store_n(&found_, found, __ATOMIC_RELAXED);
    }
    return found(arguments...);
  }

private:
  const char *name_;
  Function *found_ = nullptr;
};

} // namespace copse::program_clock

/// Defines `real`, the original of the function \p name.
#define COPSE_REAL(name) /* NOLINT(cppcoreguidelines-macro-usage): the name twice */               \
  static constinit copse::program_clock::RealFunction<decltype(::name)> real(#name)
