#pragma once

#include <clang/Basic/Diagnostic.h>
#include <memory>
#include <string>
#include <vector>

namespace clang {
class CompilerInvocation;
}

namespace copse::popc {

using Diagnostics = llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine>;

/// Returns diagnostics that go to the standard error, with the `-W` flags among \p arguments.
Diagnostics diagnosticsWith(const std::vector<std::string> &arguments);

/// Returns what clang's driver makes of a command line.
/// \param arguments  without clang's name
/// \throws std::runtime_error  if clang refuses them
std::unique_ptr<clang::CompilerInvocation> invocationOf(const std::vector<std::string> &arguments,
                                                        clang::DiagnosticsEngine &diagnostics);

/// Sets the options that follow -mllvm, which hold for the whole process from then on.
void setProcessOptions(const clang::CompilerInvocation &invocation);

} // namespace copse::popc
