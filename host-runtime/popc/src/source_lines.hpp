#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace copse::popc {

/// Maps instructions of a module to lines of the user's source, by the module's line tables.
class SourceLines {
public:
  /// \param module   LLVM's text; must outlive this object
  /// \param headers  folder of headers that are no sources of the user: an instruction that was
  ///   inlined from them gets the line of the call
  SourceLines(std::string_view module, std::string_view headers);

  /// Returns the place "/path/file.cpp:12" of an instruction or of a function's header; empty if
  /// unknown.
  std::string of(std::string_view instruction) const;

private:
  std::string_view node(std::string_view text, std::string_view key) const;
  std::string pathIn(std::string_view file) const;
  bool isOfUser(std::string_view path) const;

  std::string_view headers_;
  /// By "!12": the text after " = ".
  std::unordered_map<std::string_view, std::string_view> nodes_;
};

} // namespace copse::popc
