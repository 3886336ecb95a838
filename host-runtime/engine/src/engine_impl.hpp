#pragma once

#include "device_impl.hpp"
#include "host_transfers.hpp"
#include "simulated_errors.hpp"
#include "stream_connections.hpp"

#include "compiler/executable_impl.hpp"
#include "poplar/Engine.hpp"
#include "profile/profile_recorder.hpp"
#include "types/engine_options.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace poplar {

class Engine::Impl {
public:
  Impl(std::shared_ptr<const Executable::Impl> executable, copse::types::EngineOptions options);
  ~Impl();

  void prepare(const Device &device);
  /// Sets the options of later loads.
  /// \throws invalid_option if they name other replicas or another report, which are fixed for an
  ///   engine
  void setOptions(copse::types::EngineOptions options);
  /// \throws poplar_error if rows of the remote buffer have a size other than \p bytes
  void requireRowSize(const std::string &handle, std::size_t bytes) const;
  void deploy();
  void stop();
  /// \param name  name of the run in reports
  void run(unsigned program, const std::string &name);
  /// \param bytes  size of the data; empty: the caller guarantees it
  void writeTensor(const std::string &handle, const void *begin, std::optional<std::size_t> bytes);
  void readTensor(const std::string &handle, void *begin, std::optional<std::size_t> bytes);
  /// Access the metadata of the tensor with this host write or read handle.
  /// \throws tensor_metadata_error if the tensor has no metadata, or has different constant
  ///   metadata
  void writeMetadata(const std::string &handle, QuarterMetadata metadata);
  QuarterMetadata readMetadata(const std::string &handle, bool ofWrite);
  void copyToRemoteBuffer(const std::string &handle, const void *from, std::uint64_t row,
                          unsigned replica);
  void copyFromRemoteBuffer(const std::string &handle, void *to, std::uint64_t row,
                            unsigned replica);

  void connectBuffer(const std::string &handle, void *begin, std::optional<std::size_t> bytes);
  void connectCallback(const std::string &handle, std::optional<unsigned> replica,
                       StreamCallbackHandle callback);
  void connectHostFunction(const std::string &handle, std::optional<unsigned> replica,
                           const HostCallbackHandle &callback) {
    streams_.connectHostFunction(handle, replica, callback);
  }
  void setPrintStream(std::ostream &stream) { streams_.setPrintStream(stream); }
  std::ostream &printStream() { return streams_.printStream(); }

  copse::profile::ProfileRecorder &recorder() { return recorder_; }
  const Executable::Impl &executable() const { return *executable_; }

  OptionFlags flags; ///< as the user gave them
  copse::engine::SimulatedErrors simulatedErrors;

private:
  const copse::compiler::CompiledProgram &program() const { return executable_->program; }
  /// The machine that the engine is loaded on, with the right to use it.
  struct LoadedMachine {
    LoadedMachine(std::shared_ptr<Device::Impl> on, Device::Impl::Turn::Kind kind, const char *who)
        : device(std::move(on)), turn(device, kind, who) {}
    std::shared_ptr<Device::Impl> device;
    Device::Impl::Turn turn;
    copse::session::Machine *operator->() const { return &device->machine(); }
  };
  /// Returns the machine, and loads the program again if another engine has displaced it.
  /// \param who  name of the call, for messages
  LoadedMachine loadedMachine(const char *who);
  /// Returns the machine like loadedMachine(), for readRow() and writeRow(), which several threads
  /// may call at once.
  LoadedMachine loadedRows(const char *who);
  void requireDevice() const;
  void loadOn(Device::Impl &device);
  bool isLoaded() const;
  static void requireTimedDevice(const Device::Impl &device);
  void requireSyncConfiguration(const Device::Impl &device) const;
  void requireMemory(const Device::Impl &device) const;
  void requireIpus(const Device::Impl &device) const;
  void dropPrefetchedRows();
  /// Returns for each stream whether its rows are prefetched.
  std::vector<bool> prefetchedStreams() const;
  void invalidatePrefetched(const std::string &handle);
  copse::session::Program makeProgram(const Device::Impl &device) const;
  /// Writes the HTML report as copse.report requests.
  /// \throws file_load_error
  void writeReportPage() const;
  const copse::compiler::HostAccess &access(const std::string &handle, bool write) const;
  /// Returns null if there is no such access.
  const copse::compiler::HostAccess *findAccess(const std::string &handle, bool write) const;
  /// A remote buffer of the executable, and the replica of this host program that owns it.
  struct ReplicaBuffer {
    std::uint32_t buffer = 0, replica = 0;
  };
  ReplicaBuffer remoteBuffer(const std::string &handle, std::uint64_t row, unsigned replica) const;

  std::shared_ptr<const Executable::Impl>
      executable_; // shared with the machine, which requests modules later
  copse::types::EngineOptions options_;
  copse::types::RuntimeReplicas replicas_; ///< the replicas that this host program runs
  copse::engine::StreamConnections streams_;
  copse::profile::ProfileRecorder recorder_;
  /// The device for the next deploy(), and the device that the engine is loaded on.
  std::shared_ptr<Device::Impl> prepared_, device_;
  std::uint64_t rows_; ///< process-wide number of the engine's remote buffers
  std::uint64_t loadNumber_ = 0;
  std::uint64_t runs_ = 0; ///< number of runs started
  /// The transfer times of the loaded program, if the host program's clocks are modelled.
  std::optional<copse::engine::HostTransfers> hostTransfers_;
  copse::wire::Cycles deviceTime_; ///< at the end of the last run
  /// Guards isLoaded() and loadOn() against concurrent readRow() and writeRow() calls.
  std::unique_ptr<std::mutex> loadingForRows_ = std::make_unique<std::mutex>();
};

} // namespace poplar
