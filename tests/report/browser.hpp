#pragma once

#include "temporary_folder.hpp"

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/types.h>

namespace copse::test {

/// A web browser without a window: chromium, which Copse itself does not need. It is controlled by
/// the DevTools protocol, through a pipe.
class Browser {
public:
  /// \returns null if there is no chromium
  static std::unique_ptr<Browser> start();
  /// Ends the process, by its own id.
  ~Browser();
  Browser(const Browser &) = delete;
  Browser &operator=(const Browser &) = delete;

  /// Opens \p page at \p place (the part of the address behind #), waits until the page has shown
  /// its figures, and evaluates
  /// \p expression there.
  /// \returns its value; an error of the page or of the expression fails the test
  nlohmann::json evaluate(const std::string &page, const std::string &place,
                          const std::string &expression);

  /// Writes a picture of the page as PNG. \param height  of the window [pixels]; it is 1440 wide
  void screenshot(const std::string &page, const std::string &place, const std::string &file,
                  unsigned height);

private:
  explicit Browser(const std::string &program);

  void open(const std::string &page, const std::string &place);
  nlohmann::json valueOf(const std::string &expression);
  /// Sends a command and waits for its answer.
  /// \throws std::runtime_error if there is no answer, or if it is an error
  nlohmann::json call(const std::string &method, nlohmann::json parameters);
  nlohmann::json nextMessage(std::chrono::steady_clock::time_point deadline);

  TemporaryFolder folder_; ///< holds the browser's own files
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1; ///< its pipes
  std::string received_;
  std::string session_; ///< session of the one page
  int lastCall_ = 0;
};

} // namespace copse::test
