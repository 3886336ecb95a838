// libpopdist_mpi.so: messages between instances over MPI.
#include <algorithm>
#include <chrono>
#include <mpi.h>
#include <popdist/backend_interface.hpp>
#include <string>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

// MPI counts in int.
constexpr std::size_t kMaxPart = std::size_t{1} << 30;
// A wait polls so often at first; then it sleeps, so that the IPUs of this machine get the
// processor.
constexpr int kLooksBeforeSleep = 50;
constexpr auto kLongestSleep = std::chrono::microseconds(1000);

thread_local std::string lastError;
MPI_Comm world = MPI_COMM_NULL; // communicator of this library alone
bool ownsMpi = false;

const char *errorOf(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  lastError.assign(text, static_cast<std::size_t>(length));
  return lastError.c_str();
}

/// Waits until \p request is done; MPI's own wait would burn a processor, and know no deadline.
const char *await(MPI_Request request, Clock::time_point deadline) {
  auto sleep = std::chrono::microseconds(20);
  for (int looks = 0;; ++looks) {
    int done = 0;
    if (const int code = MPI_Test(&request, &done, MPI_STATUS_IGNORE); code != MPI_SUCCESS)
      return errorOf(code);
    if (done != 0)
      return nullptr;
    if (Clock::now() >= deadline) {
      MPI_Cancel(&request);
      MPI_Request_free(&request);
      return "no answer in time; it does not call this collective, or is stuck (POPDIST_TIMEOUT is "
             "the longest wait in seconds)";
    }
    if (looks < kLooksBeforeSleep) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(sleep);
      sleep = std::min(2 * sleep, std::chrono::microseconds(kLongestSleep));
    }
  }
}

Clock::time_point deadlineIn(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(seconds, 1e7)));
}

/// Calls \p start(part, bytes, request) for each part, and waits for each.
template <class Start> const char *inParts(std::size_t bytes, double seconds, const Start &start) {
  const auto deadline = deadlineIn(seconds);
  std::size_t done = 0;
  do {
    const std::size_t part = std::min(bytes - done, kMaxPart);
    MPI_Request request = MPI_REQUEST_NULL;
    if (const int code = start(done, static_cast<int>(part), &request); code != MPI_SUCCESS)
      return errorOf(code);
    if (const char *const why = await(request, deadline))
      return why;
    done += part;
  } while (done < bytes);
  return nullptr;
}

const char *initialize() {
  int there = 0, provided = 0;
  MPI_Initialized(&there); // by Horovod or mpi4py, for instance
  if (there == 0) {
    if (const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
        code != MPI_SUCCESS)
      return errorOf(code);
    ownsMpi = true;
  } else {
    MPI_Query_thread(&provided);
  }
  if (provided != MPI_THREAD_MULTIPLE)
    return "MPI was initialized without MPI_THREAD_MULTIPLE, which PopDist needs";
  if (const int code = MPI_Comm_dup(MPI_COMM_WORLD, &world); code != MPI_SUCCESS)
    return errorOf(code);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  return nullptr;
}

const char *finalize() {
  if (const int code = MPI_Comm_free(&world); code != MPI_SUCCESS)
    return errorOf(code);
  if (ownsMpi)
    if (const int code = MPI_Finalize(); code != MPI_SUCCESS)
      return errorOf(code);
  return nullptr;
}

std::uint32_t rank() {
  int number = 0;
  MPI_Comm_rank(world, &number);
  return static_cast<std::uint32_t>(number);
}

std::uint32_t size() {
  int number = 0;
  MPI_Comm_size(world, &number);
  return static_cast<std::uint32_t>(number);
}

const char *send(std::uint32_t to, std::uint32_t tag, const void *data, std::size_t bytes,
                 double seconds) {
  return inParts(bytes, seconds, [=](std::size_t from, int part, MPI_Request *request) {
    return MPI_Isend(static_cast<const char *>(data) + from, part, MPI_BYTE, static_cast<int>(to),
                     static_cast<int>(tag), world, request);
  });
}

const char *receive(std::uint32_t from, std::uint32_t tag, void *data, std::size_t bytes,
                    double seconds) {
  return inParts(bytes, seconds, [=](std::size_t at, int part, MPI_Request *request) {
    return MPI_Irecv(static_cast<char *>(data) + at, part, MPI_BYTE, static_cast<int>(from),
                     static_cast<int>(tag), world, request);
  });
}

} // namespace

extern "C" const PopdistBackend *popdistBackend() {
  static const PopdistBackend backend{
      kPopdistBackendVersion, initialize, finalize, rank, size, send, receive};
  return &backend;
}
