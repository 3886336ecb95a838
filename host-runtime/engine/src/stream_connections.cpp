#include "stream_connections.hpp"

#include "host_function_call.hpp"
#include "print_tensor.hpp"

#include "graph/host_function.hpp"
#include "ipud/step_names.hpp"
#include "poplar/exceptions.hpp"
#include "types/nearest_name.hpp"
#include "types/progress_line.hpp"
#include "types/trace.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <string_view>
#include <utility>

namespace copse::engine {

using poplar::stream_connection_error;
using poplar::StreamCallback;

namespace {

/// Returns true if \p at is aligned for any element type.
bool isAligned(const std::byte *at) {
  return reinterpret_cast<std::uintptr_t>(at) % sizeof(std::uint64_t) == 0;
}

/// Returns a hint that lists streams which may be meant instead.
std::string streamsBeside(const std::string &handle, const compiler::CompiledProgram &executable) {
  std::vector<std::string_view> known;
  for (const compiler::Stream &stream : executable.streams)
    if (std::find(known.begin(), known.end(), stream.definition.handle) == known.end())
      known.emplace_back(stream.definition.handle);
  return types::suggestionOrList(handle, known);
}

} // namespace

std::byte *StreamConnections::End::nextRow() {
  std::byte *const row = firstRow + next * rowStride;
  next = (next + 1) % rows;
  return row;
}

StreamConnections::StreamConnections(const compiler::CompiledProgram &executable,
                                     types::RuntimeReplicas replicas)
    : executable_(executable), replicas_(replicas), print_(&std::cerr) {
  for (const compiler::Stream &stream : executable.streams) {
    ends_.emplace_back(stream.definition.broadcast ? 1 : replicas.number);
    for (EndPtr &end : ends_.back())
      end = std::make_shared<End>();
  }
}

std::vector<std::uint32_t> StreamConnections::numbersOf(const std::string &handle) const {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t stream = 0; stream < executable_.streams.size(); ++stream)
    if (executable_.streams[stream].definition.handle == handle)
      numbers.push_back(stream);
  if (numbers.empty()) {
    const bool isBuffer =
        std::any_of(executable_.remoteBuffers.begin(), executable_.remoteBuffers.end(),
                    [&](const auto &buffer) { return buffer.definition.handle == handle; });
    throw stream_connection_error(
        isBuffer ? "'" + handle +
                       "' is a remote buffer, whose rows need no connection; see "
                       "Engine::copyToRemoteBuffer and copyFromRemoteBuffer"
                 : "there is no stream '" + handle + "' in this program" +
                       streamsBeside(handle, executable_));
  }
  return numbers;
}

std::vector<StreamConnections::EndPtr *> StreamConnections::endsOf(const std::string &handle) {
  std::vector<EndPtr *> ends;
  for (const std::uint32_t stream : numbersOf(handle))
    for (EndPtr &end : ends_[stream])
      ends.push_back(&end);
  return ends;
}

std::string StreamConnections::describe(std::uint32_t stream, std::uint32_t replica) const {
  const std::string &handle = executable_.streams[stream].definition.handle;
  std::size_t ends = 0;
  for (const std::uint32_t other : numbersOf(handle)) {
    replica += other < stream ? static_cast<std::uint32_t>(ends_[other].size()) : 0;
    ends += ends_[other].size();
  }
  return "stream '" + handle + "', replica " + std::to_string(replica) + " of " +
         std::to_string(ends);
}

void StreamConnections::connectBuffer(const std::string &handle, std::byte *begin,
                                      std::optional<std::size_t> bytes) {
  const std::vector<EndPtr *> ends = endsOf(handle);
  const std::size_t rowBytes = executable_.streams[numbersOf(handle).front()].rowBytes;
  const std::size_t transfer = rowBytes * ends.size();
  if (bytes && (*bytes == 0 ? transfer != 0 : transfer == 0 || *bytes % transfer != 0))
    throw stream_connection_error(
        "stream '" + handle + "': the buffer has " + std::to_string(*bytes) +
        " bytes, but one transfer over all replicas has " + std::to_string(transfer) +
        "; connect a whole number of transfers");
  const std::size_t rows = bytes && transfer > 0 ? *bytes / transfer : 1;
  for (std::size_t replica = 0; replica < ends.size(); ++replica) {
    auto end = std::make_shared<End>();
    end->firstRow = begin + replica * rowBytes;
    end->rows = rows;
    end->rowStride = transfer;
    const std::lock_guard lock(mutex_);
    *ends[replica] = std::move(end);
  }
}

void StreamConnections::connectCallback(const std::string &handle, std::optional<unsigned> replica,
                                        poplar::StreamCallbackHandle callback) {
  const std::vector<EndPtr *> ends = endsOf(handle);
  if (replica && *replica >= ends.size())
    throw stream_connection_error("stream '" + handle + "': there is no replica " +
                                  std::to_string(*replica) + " of " + std::to_string(ends.size()));
  if (!replica && ends.size() > 1 && !callback.servesAllReplicas())
    throw stream_connection_error("stream '" + handle + "' has an end on each of " +
                                  std::to_string(ends.size()) +
                                  " replicas; connect a callback for each, with its index");
  const std::shared_ptr<poplar::StreamCallback> shared = callback.release();
  const std::size_t first = replica.value_or(0), last = replica ? first + 1 : ends.size();
  for (std::size_t r = first; r < last; ++r) {
    auto end = std::make_shared<End>();
    end->callback = shared;
    end->fetchOnly = dynamic_cast<poplar::LegacyStreamCallback *>(shared.get()) != nullptr;
    end->resumes = dynamic_cast<poplar::ResumableStreamCallback *>(shared.get()) != nullptr;
    const std::lock_guard lock(mutex_);
    *ends[r] = std::move(end);
  }
}

bool StreamConnections::hasStream(const std::string &handle) const {
  return std::any_of(executable_.streams.begin(), executable_.streams.end(),
                     [&](const auto &stream) { return stream.definition.handle == handle; });
}

std::vector<std::size_t>
StreamConnections::argumentBytes(const std::string &function,
                                 std::string (*streamOf)(const std::string &, std::size_t)) const {
  std::vector<std::size_t> bytes;
  while (hasStream(streamOf(function, bytes.size())))
    bytes.push_back(
        executable_.streams[numbersOf(streamOf(function, bytes.size())).front()].rowBytes);
  return bytes;
}

void StreamConnections::connectHostFunction(const std::string &function,
                                            std::optional<unsigned> replica,
                                            const poplar::HostCallbackHandle &callback) {
  const auto inputs = argumentBytes(function, graph::hostFunctionInput);
  const auto outputs = argumentBytes(function, graph::hostFunctionOutput);
  const bool isWithoutArguments = hasStream(graph::hostFunctionCall(function));
  if (inputs.empty() && outputs.empty() && !isWithoutArguments)
    throw stream_connection_error("there is no host function '" + function + "' in this program");
  const std::string first = isWithoutArguments ? graph::hostFunctionCall(function)
                            : inputs.empty()   ? graph::hostFunctionOutput(function, 0)
                                               : graph::hostFunctionInput(function, 0);
  const auto replicas = static_cast<unsigned>(endsOf(first).size());
  for (unsigned r = replica.value_or(0); r < (replica ? *replica + 1 : replicas); ++r) {
    const auto call = std::make_shared<HostFunctionCall>(callback, inputs, outputs);
    if (isWithoutArguments)
      connectCallback(first, r, [call](void *) { call->call(); });
    for (std::size_t i = 0; i < inputs.size(); ++i)
      connectCallback(graph::hostFunctionInput(function, i), r,
                      [call, i](void *row) { call->take(i, row); });
    for (std::size_t i = 0; i < outputs.size(); ++i)
      connectCallback(graph::hostFunctionOutput(function, i), r,
                      [call, i](void *row) { call->give(i, row); });
  }
}

void StreamConnections::requireConnected(std::span<const compiler::StreamUse> uses) const {
  for (const auto &[stream, step] : uses)
    for (std::uint32_t replica = 0; replica < ends_[stream].size(); ++replica) {
      const End &end = *ends_[stream][replica];
      if (end.connected() && !(end.busy && end.left))
        continue;
      const std::string who = describe(stream, replica) + ": ",
                        used = "; used first at " +
                               ipud::describeStep(executable_.images.front(), step);
      if (!end.connected())
        throw stream_connection_error(who + "nothing is connected; call Engine::connectStream('" +
                                      executable_.streams[stream].definition.handle +
                                      "', ...) before run()" + used);
      throw stream_connection_error(
          who + "its callback has not returned from an earlier run; connect another one" + used);
    }
}

void StreamConnections::invalidateAllPrefetched() {
  for (std::uint32_t stream = 0; stream < ends_.size(); ++stream)
    for (std::uint32_t replica = 0; replica < ends_[stream].size(); ++replica)
      if (!executable_.streams[stream].definition.toHost)
        invalidatePrefetched(stream, replica);
}

namespace {

/// The program's time of the next call on this thread [ns].
thread_local std::optional<std::int64_t> timeOfCall;

} // namespace

void StreamConnections::setRun(RunTime run) {
  const std::lock_guard lock(mutex_);
  run_ = run;
}

std::int64_t StreamConnections::timeAt(wire::Cycles moment) const {
  const std::lock_guard lock(mutex_);
  return run_.at(moment);
}

void StreamConnections::calledAt(wire::Cycles moment) {
  if (isProgramClockModelled())
    timeOfCall = timeAt(moment);
}

std::uint64_t StreamConnections::programTime() const {
  if (!isProgramClockModelled())
    return 0;
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint64_t>(dateOfProgramBegin() + run_.begin);
}

void StreamConnections::began(wire::Cycles start, std::uint64_t programTime) {
  const std::lock_guard lock(mutex_);
  run_.start = start;
  run_.begin = static_cast<std::int64_t>(programTime) - dateOfProgramBegin();
}

template <class F> auto StreamConnections::callBack(const EndPtr &end, const F &work) {
  struct Busy {
    explicit Busy(EndPtr of) : end(std::move(of)) { end->busy = true; }
    ~Busy() { end->busy = false; }
    EndPtr end;
  } busy(end);
  const CallbackTime time(std::exchange(timeOfCall, std::nullopt));
  (void)types::TerminalText(); // the program may write to the terminal
  return work(*busy.end->callback);
}

StreamConnections::EndPtr StreamConnections::endOf(std::uint32_t stream,
                                                   std::uint32_t replica) const {
  const std::lock_guard lock(mutex_);
  return ends_[stream][replica];
}

bool StreamConnections::mayWait(Call call, std::uint32_t stream, std::uint32_t replica) const {
  const EndPtr end = endOf(stream, replica);
  return end->callback && (!end->fetchOnly || call == Call::Fetch || call == Call::Take);
}

bool StreamConnections::yields(std::uint32_t stream, std::uint32_t replica) const {
  return endOf(stream, replica)->resumes;
}

void StreamConnections::abandoned(std::uint32_t stream, std::uint32_t replica) {
  endOf(stream, replica)->left = true;
}

void StreamConnections::fetch(std::uint32_t stream, std::uint32_t replica,
                              std::span<std::byte> row) {
  const EndPtr end = endOf(stream, replica);
  if (end->callback) {
    const types::TraceSpan span("callback", [&] { return "fetch: " + describe(stream, replica); });
    callBack(end, [&](StreamCallback &callback) { callback.fetch(row.data()); });
  } else if (!row.empty())
    std::memcpy(row.data(), end->nextRow(), row.size());
}

bool StreamConnections::prefetch(std::uint32_t stream, std::uint32_t replica,
                                 std::span<std::byte> row) {
  // Copy a buffer only at the moment of the transfer, because the host program may still be writing
  // it before.
  const EndPtr end = endOf(stream, replica);
  if (!end->callback)
    return false;
  const types::TraceSpan span("callback", [&] { return "prefetch: " + describe(stream, replica); });
  return callBack(end, [&](StreamCallback &callback) {
    return callback.prefetch(row.data()) == StreamCallback::Success;
  });
}

void StreamConnections::complete(std::uint32_t stream, std::uint32_t replica) {
  if (const EndPtr end = endOf(stream, replica); end->callback)
    callBack(end, [](StreamCallback &callback) { callback.complete(); });
}

void StreamConnections::take(std::uint32_t stream, std::uint32_t replica,
                             std::span<std::byte> row) {
  const EndPtr end = endOf(stream, replica);
  if (!end->callback) {
    if (!row.empty())
      std::memcpy(end->nextRow(), row.data(), row.size());
    return;
  }
  if (!isAligned(row.data())) {
    end->aligned.assign(row.begin(), row.end());
    row = end->aligned;
  }
  const types::TraceSpan span("callback", [&] { return "take: " + describe(stream, replica); });
  callBack(end, [&](StreamCallback &callback) {
    callback.fetch(row.data());
    callback.complete();
  });
}

void StreamConnections::invalidatePrefetched(std::uint32_t stream, std::uint32_t replica) {
  if (const EndPtr end = endOf(stream, replica); end->callback && !end->busy)
    callBack(end, [](StreamCallback &callback) { callback.invalidatePrefetched(); });
}

void StreamConnections::print(std::uint32_t tensor, std::uint32_t replica,
                              std::span<const std::byte> row) {
  const types::TerminalText text;
  if (executable_.replicas > 1)
    *print_ << "[replica " << replicas_.first + replica << "] ";
  printTensor(*print_, executable_.printed[tensor], row);
}

} // namespace copse::engine
