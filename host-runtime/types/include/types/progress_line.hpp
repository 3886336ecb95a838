#pragma once

#include <memory>
#include <mutex>
#include <string>

namespace copse::types {

/// A long call, which says on one line of the terminal how far it is. The line is on stderr; it
/// appears after half a second, changes a few times a second, and is gone when the object is. There
/// is none, and no thread, if stderr is no terminal, or if COPSE_PROGRESS is 0. Of several objects
/// at a time the first one has the line.
///
/// Thread: say() on any.
class ProgressLine {
public:
  /// \param title  what is going on: "compiling"
  explicit ProgressLine(const std::string &title);
  ~ProgressLine();
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  /// Whether say() has an effect: else a caller need not know how far it is.
  bool isShown() const { return shown_ != nullptr; }
  void say(std::string text);

private:
  class Shown;
  std::unique_ptr<Shown> shown_; ///< null: there is no line
};

/// Room for other text on the terminal: the line goes before the text is written, and comes back a
/// moment after the object is gone. Costs nothing if there is no line.
///
/// Thread: any; other threads' text waits.
class TerminalText {
public:
  TerminalText();

private:
  std::unique_lock<std::recursive_mutex> hold_; ///< recursive: a user's stream may compile a graph
};

/// A large number for people: 1234567 is "1.23 M".
std::string shortNumber(double number);

} // namespace copse::types
