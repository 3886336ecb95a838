// A host program that prints the pids of its four ipuds and then runs a program that never ends, so
// that a test can kill it. With an argument it first forks a child that outlives it; that pid comes
// after the others.
#include "images.hpp"
#include "machines.hpp"

#include <cstdio>
#include <unistd.h>

int main(int argc, char **) {
  using namespace copse;
  auto machine = session::Machine::start(test::machineOptions(4, session::Transport::Shm));
  if (!machine)
    return 1;
  session::Program program;
  program.replicas = 4;
  program.modules = test::codelets().bytes();
  test::ImageWriter writer(test::codelets().ref());
  writer.program({writer.vertex("never", {0}), test::step(wire::Op::Sync, 2)});
  program.images.push_back(writer.shared());
  if (!(*machine)->load(std::move(program)).ok())
    return 1;
  for (const int pid : (*machine)->processes())
    std::printf("%d\n", pid);
  if (argc > 1) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::sleep(60);
      ::_exit(0);
    }
    std::printf("%d\n", child);
  }
  std::fflush(stdout);
  test::RecordingHandler handler;
  return (*machine)->run(0, handler).ok() ? 0 : 1;
}
