#include "parsed_source.hpp"

#include "popc/popc.hpp"

namespace copse::popc {

ParsedSource::ParsedSource(const std::string &source, const std::string &path,
                           const std::vector<std::string> &arguments, Depth depth) {
  std::vector<const char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  // The handlers of its crash recovery would catch the process's signals, including those of
  // faulting vertices.
  clang_toggleCrashRecovery(0);
  CXUnsavedFile file{path.c_str(), source.data(), source.size()};
  CXTranslationUnit unit = nullptr;
  const unsigned options =
      depth == Depth::Declarations ? CXTranslationUnit_SkipFunctionBodies : CXTranslationUnit_None;
  clang_parseTranslationUnit2(index_.get(), path.c_str(), argv.data(),
                              static_cast<int>(argv.size()), &file, 1, options, &unit);
  if (unit == nullptr)
    throw CompileError(path + ": libclang cannot parse this file");
  unit_.reset(unit);
}

} // namespace copse::popc
