#include "poplar/DebugContext.hpp"
#include "poplar/ProfileValue.hpp"
#include "types/debug_streamer.hpp"
#include "types/engine_options.hpp"
#include "types/log.hpp"
#include "types/profile_json.hpp"

#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

namespace copse::types {
namespace {

std::optional<DebugLocation> copied(const poplar::SourceLocation &location) {
  if (!location.isValid())
    return std::nullopt;
  return DebugLocation{location.getFileName(), location.getFunctionName(),
                       location.getLineNumber()};
}

} // namespace

/// The members of one context. The members are written once: by the destructor of the DebugInfo, or
/// when the file is closed.
class DebugRecord {
public:
  DebugRecord(poplar::DebugId id, std::string layer, const poplar::DebugContext &debugContext)
      : id_(id), parentId_(debugContext.getParentId()), layer_(std::move(layer)),
        name_(debugContext.getPathName()), location_(copied(debugContext.getLocation())) {}

  poplar::DebugId id() const { return id_; }

  bool set(std::string name, const poplar::ProfileValue &value) {
    const std::lock_guard lock(mutex_);
    if (!written_)
      values_.insert_or_assign(std::move(name), value);
    return !written_;
  }

  void write(DebugStreamer &streamer) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(written_, true))
      return;
    nlohmann::json context = nlohmann::json::object();
    for (const auto &[name, value] : values_)
      context[name] = toJson(value);
    context["id"] = id_;
    context["parentId"] = parentId_;
    context["layer"] = layer_;
    streamer.write(std::move(context), name_, location_);
  }

private:
  const poplar::DebugId id_, parentId_;
  const std::string layer_, name_;
  const std::optional<DebugLocation> location_;
  std::mutex mutex_; // guards the members below: another thread may close the file
  std::map<std::string, poplar::ProfileValue> values_;
  bool written_ = false;
};

namespace {

/// The debug file of this process and the records of existing objects. Poplar's interface allows
/// one file per process.
class DebugFile {
public:
  DebugFile() { openAsEnvironmentSays(); }

  /// Returns true if a file is open. Cheap, because it is called for millions of objects.
  bool isOpen() const { return open_.load(std::memory_order_acquire); }

  void open(std::unique_ptr<DebugStreamer> streamer) {
    close();
    const std::lock_guard lock(mutex_);
    streamer_ = std::move(streamer);
    open_.store(true, std::memory_order_release);
  }

  /// \returns false if the file was closed meanwhile
  bool add(const std::shared_ptr<DebugRecord> &record) {
    const std::lock_guard lock(mutex_);
    if (streamer_)
      alive_.emplace(record->id(), record);
    return streamer_ != nullptr;
  }

  void finish(const std::shared_ptr<DebugRecord> &record) {
    const std::lock_guard lock(mutex_);
    if (alive_.erase(record->id()) != 0)
      record->write(*streamer_);
  }

  void close() {
    const std::lock_guard lock(mutex_);
    open_.store(false, std::memory_order_release);
    if (!streamer_)
      return;
    for (const auto &[id, record] : alive_)
      record->write(*streamer_);
    alive_.clear();
    streamer_->close();
    streamer_.reset();
  }

private:
  /// Opens the file for autoReport.outputDebugInfo. Graphs are built before any engine has options,
  /// so only the environment can request the file. Errors there are reported when an engine is
  /// created.
  void openAsEnvironmentSays() {
    try {
      const ReportFiles files = parseEngineOptions({}).reports;
      if (!files.debugInfo)
        return;
      std::filesystem::create_directories(files.directory);
      const auto path = std::filesystem::path(files.directory) / "debug.cbor";
      open(std::make_unique<DebugStreamer>(path.string(), poplar::DebugSerializationFormat::CBOR));
    } catch (const std::exception &error) {
      logOf(LogModule::Engine).warn("autoReport.outputDebugInfo: {}", error.what());
    }
  }

  std::atomic<bool> open_{false};
  std::mutex mutex_; // guards the members below
  std::unique_ptr<DebugStreamer> streamer_;
  std::map<poplar::DebugId, std::shared_ptr<DebugRecord>>
      alive_; // ordered by id, so that files are reproducible
};

DebugFile &debugFile() {
  static DebugFile file; // its streamer's destructor completes a file that is still open
  return file;
}

std::atomic<poplar::DebugId> lastId{0};

} // namespace

bool hasDebugInfo() { return lastId.load(std::memory_order_relaxed) != 0; }

} // namespace copse::types

namespace poplar {

using copse::types::debugFile;

DebugInfo::DebugInfo(const DebugContext &debugContext, std::string layer)
    : id_(copse::types::lastId.fetch_add(1, std::memory_order_relaxed) + 1),
      path_(debugContext.getPathName()) {
  if (!debugFile().isOpen())
    return;
  auto record = std::make_shared<copse::types::DebugRecord>(id_, std::move(layer), debugContext);
  if (debugFile().add(record))
    record_ = std::move(record);
}

DebugInfo::~DebugInfo() {
  if (record_)
    debugFile().finish(record_);
}

bool DebugInfo::setValue(std::string name, const ProfileValue &value) {
  return record_ && record_->set(std::move(name), value);
}

void DebugInfo::initializeStreamer(const std::string &fileName,
                                   const DebugSerializationFormat &format) {
  debugFile().open(std::make_unique<copse::types::DebugStreamer>(fileName, format));
}

void DebugInfo::closeStreamer() { debugFile().close(); }

} // namespace poplar
