#include "communicators.hpp"

#include <atomic>
#include <dlfcn.h>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <popdist/backend.hpp>
#include <popdist/collectives.hpp>
#include <popdist/context.hpp>

namespace popdist {
namespace {

/// The one backend of the process, as MPI is one.
struct State {
  std::mutex mutex; // guards communicators
  std::map<std::string, std::vector<std::uint32_t>> communicators;
  const PopdistBackend *registered = nullptr;
  std::atomic<bool> initialized{false};
};

State &state() {
  static State instance;
  return instance;
}

thread_local std::vector<std::string> current; // what stands for the default communicator

void require(const char *who, const char *error) {
  if (error != nullptr)
    throw popdist_error(std::string(who) + ": " + error);
}

std::string defaultBackendPath() {
  Dl_info self{};
  if (::dladdr(reinterpret_cast<const void *>(&registerDefaultBackend), &self) == 0 ||
      self.dli_fname == nullptr)
    return "libpopdist_mpi.so";
  const std::string path = self.dli_fname;
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "libpopdist_mpi.so"
                                    : path.substr(0, slash + 1) + "libpopdist_mpi.so";
}

const PopdistBackend *loadBackend(const std::string &path, const std::string &hint) {
  // The backend stays loaded, because MPI cannot be unloaded. Open MPI's plugins look for its
  // symbols.
  void *const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    throw popdist_error("registerBackend: " + std::string(::dlerror()) + hint);
  const auto entry =
      reinterpret_cast<const PopdistBackend *(*)()>(::dlsym(library, "popdistBackend"));
  const PopdistBackend *const backend = entry == nullptr ? nullptr : entry();
  if (backend == nullptr || backend->version != kPopdistBackendVersion)
    throw popdist_error("registerBackend: " + path + " is no backend of this version of PopDist");
  return backend;
}

} // namespace

void registerDefaultBackend() {
  state().registered = loadBackend(defaultBackendPath(),
                                   "; Copse builds this backend where libopenmpi-dev is installed");
}

void registerBackend(const std::string &path) { state().registered = loadBackend(path, ""); }

void initializeBackend() {
  if (state().registered == nullptr)
    throw popdist_error("initializeBackend: no backend is registered; call "
                        "registerDefaultBackend() first");
  if (state().initialized)
    return;
  require("initializeBackend", state().registered->initialize());
  const std::uint32_t size = state().registered->size(), rank = state().registered->rank();
  if (size != getNumInstances() || rank != getInstanceIndex())
    throw popdist_error(
        "initializeBackend: this is instance " + std::to_string(getInstanceIndex()) + " of " +
        std::to_string(getNumInstances()) + ", but the backend has connected " +
        std::to_string(rank) + " of " + std::to_string(size) + "; start all instances with poprun");
  std::vector<std::uint32_t> all(size);
  std::iota(all.begin(), all.end(), 0U);
  const std::lock_guard lock(state().mutex);
  state().communicators[defaultCommunicatorId()] = all;
  state().initialized = true;
}

bool isBackendInitialized() { return state().initialized; }

void finalizeBackend() {
  if (!state().initialized || std::uncaught_exceptions() > 0)
    return;
  // MPI_Finalize() waits for all processes, and knows no deadline.
  signed char ready = 0;
  collectives::allReduceSum(&ready, 1, poplar::SIGNED_CHAR, "finalizeBackend");
  state().initialized = false;
  require("finalizeBackend", state().registered->finalize());
}

void registerCommunicator(const std::set<std::uint32_t> &participants, const std::string &id) {
  const PopdistBackend &backend = initializedBackend("registerCommunicator");
  if (participants.empty() || *participants.rbegin() >= backend.size())
    throw popdist_error("registerCommunicator: '" + id + "' needs instances from 0 to " +
                        std::to_string(backend.size() - 1));
  const std::vector<std::uint32_t> members(participants.begin(), participants.end());
  const std::lock_guard lock(state().mutex);
  const auto [there, isNew] = state().communicators.emplace(id, members);
  if (!isNew && there->second != members)
    throw popdist_error("registerCommunicator: '" + id + "' stands for other instances already");
}

const PopdistBackend &initializedBackend(const char *who) {
  if (!state().initialized)
    throw popdist_error(std::string(who) +
                        ": the backend is not initialized; call registerDefaultBackend() and "
                        "initializeBackend() on all instances first");
  return *state().registered;
}

std::vector<std::uint32_t> participantsOf(const std::string &asked) {
  const std::string &id =
      asked == defaultCommunicatorId() && !current.empty() ? current.back() : asked;
  const std::lock_guard lock(state().mutex);
  const auto found = state().communicators.find(id);
  if (found == state().communicators.end())
    throw popdist_error("there is no communicator '" + id + "'; call registerCommunicator() first");
  return found->second;
}

void pushCommunicator(const std::string &id) {
  (void)participantsOf(id);
  current.push_back(id);
}
void popCommunicator() {
  if (!current.empty())
    current.pop_back();
}

} // namespace popdist
