// A host program that prints the pids of its four ipuds and then runs a program that never ends: to
// be killed.
#include "images.hpp"
#include "machines.hpp"

#include <cstdio>

int main() {
  using namespace copse;
  auto machine = session::Machine::start(test::machineOptions(4, session::Transport::Ipc));
  if (!machine)
    return 1;
  session::Program program;
  program.replicas = 4;
  program.modules = test::codelets().bytes();
  test::ImageWriter writer(test::codelets().ref());
  writer.program({writer.vertex("never", {0}), test::step(wire::Op::Sync, 2)});
  program.images.push_back(writer.image);
  if (!(*machine)->load(std::move(program)).ok())
    return 1;
  for (const int pid : (*machine)->processes())
    std::printf("%d\n", pid);
  std::fflush(stdout);
  test::RecordingHandler handler;
  return (*machine)->run(0, handler).ok() ? 0 : 1;
}
