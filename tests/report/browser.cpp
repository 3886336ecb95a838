#include "browser.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <openssl/evp.h>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr auto kTimeout = 120s;

std::string chromium() {
  std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(path, folder, ':');)
    if (const std::string file = folder + "/chromium"; std::filesystem::exists(file))
      return file;
  return {};
}

std::string decoded(const std::string &base64) {
  std::vector<unsigned char> bytes(base64.size());
  const int size =
      EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char *>(base64.data()),
                      static_cast<int>(base64.size()));
  return {bytes.begin(), bytes.begin() + std::max(size, 0)};
}

struct Pipe {
  int read = -1, write = -1;
};

Pipe makePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error("pipe: " + std::string(std::strerror(errno)));
  return {ends[0], ends[1]};
}

} // namespace

std::unique_ptr<Browser> Browser::start() {
  const std::string program = chromium();
  return program.empty() ? nullptr : std::unique_ptr<Browser>(new Browser(program));
}

Browser::Browser(const std::string &program) {
  ::signal(SIGPIPE, SIG_IGN); // a browser that has died is reported by the next call
  const Pipe commands = makePipe(), answers = makePipe();
  to_ = commands.write;
  from_ = answers.read;
  // Without a sandbox, which root and containers cannot have; the pages are our own.
  std::vector<std::string> arguments{program,
                                     "--headless",
                                     "--no-sandbox",
                                     "--disable-gpu",
                                     "--disable-dev-shm-usage",
                                     "--hide-scrollbars",
                                     "--no-first-run",
                                     "--remote-debugging-pipe",
                                     "--user-data-dir=" + folder_.file("profile"),
                                     "about:blank"};
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, commands.read,
                                   3); // the numbers that the browser expects
  posix_spawn_file_actions_adddup2(&files, answers.write, 4);
  const std::string log = folder_.file("log");
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT, 0600);
  const int failed =
      ::posix_spawn(&pid_, program.c_str(), &files, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  ::close(commands.read);
  ::close(answers.write);
  if (failed != 0)
    throw std::runtime_error(program + ": " + std::strerror(failed));
  const json target = call("Target.createTarget", {{"url", "about:blank"}});
  const json session =
      call("Target.attachToTarget", {{"targetId", target["targetId"]}, {"flatten", true}});
  session_ = session["sessionId"];
}

Browser::~Browser() {
  ::close(to_); // it ends with its pipe
  ::close(from_);
  const auto deadline = Clock::now() + 10s;
  while (::waitpid(pid_, nullptr, WNOHANG) == 0) {
    if (Clock::now() > deadline)
      ::kill(pid_, SIGKILL);
    std::this_thread::sleep_for(10ms);
  }
}

json Browser::nextMessage(Clock::time_point deadline) {
  std::size_t end;
  while ((end = received_.find('\0')) == std::string::npos) {
    pollfd here{from_, POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 || ::poll(&here, 1, static_cast<int>(left.count())) == 0)
      throw std::runtime_error("the browser does not answer");
    char bytes[65536];
    const ssize_t got = ::read(from_, bytes, sizeof bytes);
    if (got <= 0)
      throw std::runtime_error("the browser has ended");
    received_.append(bytes, static_cast<std::size_t>(got));
  }
  json message = json::parse(received_.substr(0, end));
  received_.erase(0, end + 1);
  return message;
}

json Browser::call(const std::string &method, json parameters) {
  const int id = ++lastCall_;
  json command{{"id", id}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty())
    command["sessionId"] = session_;
  const std::string text = command.dump() + '\0';
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t written = ::write(to_, text.data() + sent, text.size() - sent);
    if (written < 0)
      throw std::runtime_error("the browser has ended");
    sent += static_cast<std::size_t>(written);
  }
  const auto deadline = Clock::now() + kTimeout;
  for (;;) {
    json message = nextMessage(deadline); // others are events
    if (message.value("id", 0) != id)
      continue;
    if (message.contains("error"))
      throw std::runtime_error(method + ": " + message["error"].dump());
    return message["result"];
  }
}

json Browser::valueOf(const std::string &expression) {
  const json answer =
      call("Runtime.evaluate",
           {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
  if (answer.contains("exceptionDetails"))
    ADD_FAILURE() << expression << "\n" << answer["exceptionDetails"].dump(2);
  return answer["result"].value("value", json());
}

void Browser::open(const std::string &page, const std::string &place) {
  call("Page.navigate", {{"url", "about:blank"}}); // another place of a page is no new page
  call("Page.navigate", {{"url", "file://" + page + "#" + place}});
  const auto deadline = Clock::now() + kTimeout;
  const std::string state = "(({ ready = '', error = '' }) => ({ ready, error "
                            "}))(document.documentElement?.dataset ?? {})";
  for (;;) {
    const json now = valueOf(state);
    if (now["error"] != "")
      ADD_FAILURE() << page << "#" << place << ": " << now["error"];
    if (now["error"] != "" || now["ready"] != "")
      return;
    if (Clock::now() > deadline)
      throw std::runtime_error("the page '" + page + "' does not show its figures");
    std::this_thread::sleep_for(20ms);
  }
}

json Browser::evaluate(const std::string &page, const std::string &place,
                       const std::string &expression) {
  open(page, place);
  const json value = valueOf(expression);
  EXPECT_EQ(valueOf("document.documentElement.dataset.error ?? ''"), "");
  return value;
}

void Browser::screenshot(const std::string &page, const std::string &place, const std::string &file,
                         unsigned height) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", 1440}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  open(page, place);
  valueOf("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
  const std::string picture =
      decoded(call("Page.captureScreenshot", {{"format", "png"}})["data"].get<std::string>());
  EXPECT_GT(picture.size(), 10'000u) << file;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path());
  std::ofstream(file, std::ios::binary) << picture;
}

} // namespace copse::test
