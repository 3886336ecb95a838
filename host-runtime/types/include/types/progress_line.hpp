#pragma once

#include <memory>
#include <mutex>
#include <string>

namespace copse::types {

/// Shows the progress of a long call on one line of the terminal (stderr). The line appears after
/// half a second, changes a few times per second, and disappears with the object. If stderr is not
/// a terminal, or COPSE_PROGRESS is 0, there is neither a line nor a thread. If there are several
/// objects, the first one has the line.
///
/// Thread: any may call say().
class ProgressLine {
public:
  /// \param title  the activity: "compiling"
  explicit ProgressLine(const std::string &title);
  ~ProgressLine();
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  /// Returns true if say() has an effect; otherwise the caller need not compute the progress.
  bool isShown() const { return shown_ != nullptr; }
  void say(std::string text);

private:
  class Shown;
  std::unique_ptr<Shown> shown_; ///< null: there is no line
};

/// Makes room for other text on the terminal: the line disappears before the text is written, and
/// returns shortly after the object is destroyed. Costs nothing if there is no line.
///
/// Thread: any; text of other threads waits.
class TerminalText {
public:
  TerminalText();

private:
  std::unique_lock<std::recursive_mutex> hold_; ///< recursive: a user's stream may compile a graph
};

/// Returns a large number in short form: 1234567 is "1.23 M".
std::string shortNumber(double number);

} // namespace copse::types
