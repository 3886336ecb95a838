// Stands in for ipud: starts it with the same arguments, and says that its IPU-Links are to be
// found behind a wire that loses, repeats, swaps, delays and damages what its neighbours send to
// it.
//   COPSE_BAD_WIRE_SEED     what happens when; default 1
//   COPSE_BAD_WIRE_CHANCES  one message in so many meets each misfortune; default 14
//   COPSE_BAD_WIRE_CUT      a prefix: nothing passes to "ipu N" while there is a file of this name
//   + N
#include "bad_wire.hpp"

#include <zmq.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

std::string environmentOr(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

/// "3" of --name "ipu 3".
std::string numberOf(const std::vector<char *> &arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
    if (std::strcmp(arguments[i], "--name") == 0)
      return std::string(arguments[i + 1]).substr(4);
  return "0";
}

/// Starts the real one, which ends with this process.
/// \returns what it writes to its stdout
std::FILE *startIpud(std::vector<char *> arguments, pid_t &pid) {
  int output[2];
  if (::pipe(output) != 0)
    return nullptr;
  pid = ::fork();
  if (pid != 0) {
    ::close(output[1]);
    return ::fdopen(output[0], "r");
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(output[1], STDOUT_FILENO);
  char program[] = COPSE_IPUD_PATH, check[] = "--check-payloads";
  arguments[0] = program;
  arguments.push_back(check);
  arguments.push_back(nullptr);
  ::execv(program, arguments.data());
  ::_exit(127);
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<char *> arguments(argv, argv + argc);
  const std::string number = numberOf(arguments);
  pid_t ipud = -1;
  std::FILE *const output = startIpud(arguments, ipud);
  char line[4096];
  if (output == nullptr || std::fgets(line, sizeof line, output) == nullptr)
    return 1;
  auto ready = nlohmann::json::parse(line);

  zmq::context_t context(1);
  copse::test::BadWire::Options options;
  options.seed = static_cast<unsigned>(std::stoul(environmentOr("COPSE_BAD_WIRE_SEED", "1")) * 64 +
                                       std::stoul(number));
  options.chances =
      static_cast<unsigned>(std::stoul(environmentOr("COPSE_BAD_WIRE_CHANCES", "14")));
  if (const std::string prefix = environmentOr("COPSE_BAD_WIRE_CUT", ""); !prefix.empty())
    options.cutWhile = prefix + number;
  const copse::test::BadWire wire(context, ready["link"], options);
  ready["link"] = wire.endpoint();
  std::cout << ready << std::endl;
  int status = 0;
  ::waitpid(ipud, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
