// Calls of PopDist by one of several instances that poprun has started: popdist_program CASE.
// Prints what the functions return, or why they throw, one line each.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <popdist/popdist_poplar.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace popdist;

void connect() {
  registerDefaultBackend();
  initializeBackend();
}

void printContext() {
  std::printf("instance %u of %u, replicas %u to %u of %u, %u IPUs each, local %u\n",
              getInstanceIndex(), getNumInstances(), getReplicaIndexOffset(),
              getReplicaIndexOffset() + getNumLocalReplicas() - 1, getNumTotalReplicas(),
              getNumIpusPerReplica(), getLocalInstanceIndex());
}

template <class T> void print(const char *what, const std::vector<T> &values) {
  std::string line = what;
  for (const T value : values)
    line += " " + std::to_string(value);
  std::puts(line.c_str());
}

void collect() {
  connect();
  const unsigned self = getInstanceIndex(), count = getNumInstances();
  std::vector<float> floats{1.5F + static_cast<float>(self), -1};
  collectives::allReduceSum(floats.data(), floats.size(), poplar::FLOAT, "floats");
  print("sum", floats);
  std::vector<int> ints{static_cast<int>(10 * self), 7};
  collectives::broadcast(ints.data(), ints.size(), poplar::INT, 2, "ints");
  print("broadcast", ints);
  const unsigned short own[2] = {static_cast<unsigned short>(self), 9};
  std::vector<unsigned short> all(2 * count);
  collectives::allGather(own, all.data(), 2, poplar::UNSIGNED_SHORT);
  print("gathered", all);
  std::vector<std::uint64_t> large(std::size_t{1} << 18,
                                   self); // 2 MiB: MPI sends it in another way
  collectives::sequential::allReduceSum(large.data(), large.size(), poplar::UNSIGNED_LONGLONG);
  print("large", std::vector<std::uint64_t>{large.front(), large.back()});
  registerCommunicator({1, 3}, "odd");
  if (self % 2 == 1) {
    int value = static_cast<int>(self);
    collectives::allReduceSum(&value, 1, poplar::INT, "", "odd");
    print("odd", std::vector<int>{value});
  }
  finalizeBackend();
}

/// Calls of different names may come in any order, from any threads.
void collectInAnyOrder() {
  connect();
  std::vector<std::thread> threads;
  std::vector<int> values(8, 1);
  for (unsigned i = 0; i < values.size(); ++i) {
    const unsigned name = getInstanceIndex() % 2 == 0 ? i : 7 - i;
    threads.emplace_back([&values, name] {
      values[name] = static_cast<int>(name);
      collectives::parallel::allReduceSum(&values[name], 1, poplar::INT,
                                          "n" + std::to_string(name));
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  print("sums", values);
  finalizeBackend();
}

template <class Call> void expectError(const Call &call) {
  try {
    call();
    std::puts("no error");
  } catch (const popdist_error &error) {
    std::printf("error: %s\n", error.what());
  }
}

void makeMistakes() {
  expectError([] { initializeBackend(); });
  expectError([] { registerBackend("/no/such/backend.so"); });
  int value = 0;
  expectError([&] { collectives::allReduceSum(&value, 1, poplar::INT); });
  connect();
  expectError([&] { collectives::allReduceSum(&value, 1, poplar::BOOL); });
  expectError([&] { collectives::allReduceSum(&value, 1, poplar::INT, "", "unheard of"); });
  expectError([] { registerCommunicator({9}, "nine"); });
  // One instance has another number of values.
  std::vector<int> values(2);
  expectError([&] {
    collectives::allReduceSum(values.data(), getInstanceIndex() == 2 ? 2 : 1, poplar::INT, "count");
  });
  finalizeBackend();
}

/// Calls \p call on all instances but the last one, for which the others wait in vain. The first
/// one says why, and ends the job: MPI would wait for the messages that never came.
template <class Call> void waitForTheLast(const Call &call) {
  connect();
  if (getInstanceIndex() == 0)
    expectError(call);
  else if (getInstanceIndex() + 1 < getNumInstances())
    try {
      call();
    } catch (const popdist_error &) { // the same message as on the first one
    }
  std::fflush(stdout);
  if (getInstanceIndex() > 0)
    std::this_thread::sleep_for(std::chrono::seconds(60)); // mpirun ends it with the first one
  std::_Exit(0);
}

void waitInVain() {
  int value = 0;
  waitForTheLast([&] { collectives::allReduceSum(&value, 1, poplar::INT, "late"); });
}

void finalizeInVain() {
  waitForTheLast([] { finalizeBackend(); });
}

struct Finalizer {
  ~Finalizer() { finalizeBackend(); }
};

/// Instance 1 fails, and its destructors close the connections; the others wait for it.
void failBetweenCollectives() {
  connect();
  const Finalizer finalizer;
  if (getInstanceIndex() == 1)
    throw std::runtime_error("its own fault");
  int value = 0;
  collectives::allReduceSum(&value, 1, poplar::INT, "in vain");
}

} // namespace

int main(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  try {
    what == "collect"            ? collect()
    : what == "any-order"        ? collectInAnyOrder()
    : what == "mistakes"         ? makeMistakes()
    : what == "wait-in-vain"     ? waitInVain()
    : what == "fail"             ? failBetweenCollectives()
    : what == "finalize-in-vain" ? finalizeInVain()
    : what == "device"           ? void(std::printf("device %u\n", getDeviceId()))
                                 : printContext();
  } catch (const std::exception &error) {
    std::printf("error: %s\n", error.what());
    return 1;
  }
  return 0;
}
