#include "types/progress_line.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace copse::types {
namespace {

using Clock = std::chrono::steady_clock;

// Short calls show nothing, and faster updates would be unreadable.
constexpr std::chrono::milliseconds kDelay{500}, kInterval{250};
constexpr std::size_t kColumns = 80; // for terminals of unknown width

/// A terminal has one line at a time, shared by all writers in this process.
struct Terminal {
  std::recursive_mutex mutex; ///< guards the output and the members below
  std::atomic<const void *> owner{nullptr};
  bool drawn = false;
};

Terminal &terminal() {
  static Terminal it;
  return it;
}

bool isWanted() {
  const char *const wish = std::getenv("COPSE_PROGRESS"), *const kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && (wish == nullptr || std::string_view(wish) != "0") &&
         (kind == nullptr || std::string_view(kind) != "dumb");
}

std::size_t columns() {
  winsize size{};
  const bool says = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return says ? size.ws_col : kColumns;
}

void write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
    if (count <= 0)
      return; // the line is only a convenience
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// Must be called with Terminal::mutex held.
void clearLocked(Terminal &on) {
  if (std::exchange(on.drawn, false))
    write("\r\x1b[K");
}

} // namespace

class ProgressLine::Shown {
public:
  explicit Shown(std::string title) : title_(std::move(title)), thread_([this] { loop(); }) {}
  ~Shown() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
    const std::lock_guard lock(terminal().mutex);
    clearLocked(terminal());
    terminal().owner = nullptr;
  }

  void say(std::string text) {
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
  }

private:
  void loop() {
    std::unique_lock lock(mutex_);
    const auto ends = [this] { return ending_; };
    for (auto pause = kDelay; !changed_.wait_for(lock, pause, ends); pause = kInterval) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_);
      std::string line = title_ + (text_.empty() ? "" : ": " + text_) + " (" +
                         std::to_string(seconds.count()) + " s)";
      const std::lock_guard hold(terminal().mutex);
      if (line == drawn_ && terminal().drawn)
        continue;
      drawn_ = line;
      line.resize(std::min(line.size(), columns() - 1));
      terminal().drawn = true;
      write("\r" + line + "\x1b[K");
    }
  }

  const std::string title_;
  const Clock::time_point begin_ = Clock::now();
  std::mutex mutex_; ///< guards the members below
  std::condition_variable changed_;
  std::string text_, drawn_;
  bool ending_ = false;
  std::thread thread_; ///< last: uses all other members
};

ProgressLine::ProgressLine(const std::string &title) {
  if (!isWanted())
    return;
  {
    const std::lock_guard lock(terminal().mutex);
    if (terminal().owner != nullptr)
      return;
    terminal().owner = this;
  }
  shown_ = std::make_unique<Shown>(title);
}

ProgressLine::~ProgressLine() = default;

void ProgressLine::say(std::string text) {
  if (shown_)
    shown_->say(std::move(text));
}

TerminalText::TerminalText() {
  Terminal &on = terminal();
  if (on.owner == nullptr)
    return;
  hold_ = std::unique_lock(on.mutex);
  clearLocked(on);
}

std::string shortNumber(double number) {
  constexpr std::array kUnits{"", " k", " M", " G", " T", " P"};
  std::size_t unit = 0;
  for (; number >= 1000 && unit + 1 < kUnits.size(); ++unit)
    number /= 1000;
  std::array<char, 32> text{};
  const int digits = unit == 0 ? 0 : number < 10 ? 2 : number < 100 ? 1 : 0;
  (void)std::snprintf(text.data(), text.size(), "%.*f%s", digits, number, kUnits[unit]);
  return text.data();
}

} // namespace copse::types
