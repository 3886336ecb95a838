#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace copse::popc {

/// The lines of a user's source that instructions of a module come from, by the module's line tables.
class SourceLines {
public:
  /// \param module   LLVM's text; must outlive this object
  /// \param headers  folder whose files are no source of the user: an instruction that was inlined from them has the
  ///                 line of the call
  SourceLines(std::string_view module, std::string_view headers);

  /// "/path/file.cpp:12" of an instruction, or of a function's header; empty if it has none.
  std::string of(std::string_view instruction) const;

private:
  std::string_view node(std::string_view text, std::string_view key) const;
  std::string pathIn(std::string_view file) const;
  bool isOfUser(std::string_view path) const;

  std::string_view headers_;
  std::unordered_map<std::string_view, std::string_view> nodes_; ///< "!12": what follows " = "
};

} // namespace copse::popc
