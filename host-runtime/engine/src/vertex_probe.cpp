#include "vertex_probe.hpp"

#include <algorithm>
#include <utility>

namespace copse::engine {

using session::StreamDescription;
using wire::Op;

namespace {

/// A host that supplies only zeros.
class Zeros : public session::StreamHandler {
public:
  bool mayWait(Call /*call*/, std::uint32_t /*stream*/, std::uint32_t /*replica*/) const override {
    return false;
  }
  void fetch(std::uint32_t /*stream*/, std::uint32_t /*replica*/,
             std::span<std::byte> row) override {
    std::ranges::fill(row, std::byte{0});
  }
  bool prefetch(std::uint32_t /*stream*/, std::uint32_t /*replica*/,
                std::span<std::byte> /*row*/) override {
    return false;
  }
  void complete(std::uint32_t /*stream*/, std::uint32_t /*replica*/) override {}
  void take(std::uint32_t /*stream*/, std::uint32_t /*replica*/,
            std::span<std::byte> /*row*/) override {}
  void invalidatePrefetched(std::uint32_t /*stream*/, std::uint32_t /*replica*/) override {}
  void print(std::uint32_t /*tensor*/, std::uint32_t /*replica*/,
             std::span<const std::byte> /*row*/) override {}
};

/// Returns the program's streams, and another one for the rows of each remote copy. Streams replace
/// the remote buffers because those may belong to another process, and outlive this one.
std::vector<StreamDescription> streamsOf(const session::Program &program) {
  std::vector<StreamDescription> streams = program.streams;
  for (const wire::RemoteCopy &copy : program.images.front()->remoteCopies)
    streams.push_back({copy.name, copy.direction, copy.view.rowBytes, false, 1, false});
  return streams;
}

void replaceRemoteCopies(wire::Image &image, std::size_t streams) {
  const auto first = static_cast<std::uint32_t>(image.hostExchanges.size());
  for (const wire::RemoteCopy &copy : image.remoteCopies) {
    wire::HostExchange &added = image.hostExchanges.emplace_back();
    added.name = copy.name;
    added.transfers = {{static_cast<std::uint32_t>(streams++), copy.direction, copy.view}};
    const bool toDevice = copy.direction == wire::Direction::ToDevice;
    (toDevice ? added.replicaBytesToDevice : added.replicaBytesToHost) = copy.replicaBytes;
  }
  image.remoteCopies.clear();
  for (wire::Step &step : image.steps)
    if (step.op == Op::RemoteCopy)
      step = {.op = Op::HostExchange, .index = first + step.index};
}

/// Returns the image of a single replica, whose loops make one turn.
wire::Image aloneFor(const wire::Image &image, std::size_t streams) {
  wire::Image alone = image;
  replaceRemoteCopies(alone, streams);
  for (wire::Exchange &exchange : alone.exchanges)
    if (!exchange.replicaMap.empty())
      exchange.replicaMap = {0};
  for (wire::Step &step : alone.steps)
    if (step.op == Op::Repeat)
      step.count = std::min(step.count, 1U);
  return alone;
}

session::Program aloneFor(const session::Program &program) {
  session::Program alone = program;
  alone.replicas = alone.allReplicas = 1;
  alone.streams = streamsOf(program);
  alone.remoteBuffers.clear();
  alone.prefetch = false;
  alone.callbacksSideBySide = 0;
  alone.streamsOfPrograms.clear();
  for (auto &image : alone.images)
    image = std::make_shared<const wire::Image>(aloneFor(*image, program.streams.size()));
  return alone;
}

} // namespace

wire::Result<std::unique_ptr<VertexProbe>> VertexProbe::start(session::MachineOptions options,
                                                              const session::Program &program) {
  options.ipus = static_cast<std::uint32_t>(program.images.size());
  options.transport = session::Transport::Inproc;
  auto machine = session::Machine::start(std::move(options));
  if (!machine)
    return machine.status();
  if (wire::Status status = (*machine)->load(aloneFor(program)); !status.ok())
    return status;
  return std::unique_ptr<VertexProbe>(new VertexProbe(std::move(*machine)));
}

wire::Result<std::vector<wire::MeasuredCycles>> VertexProbe::run(std::uint32_t index) {
  Zeros host;
  if (auto report = machine_->run(index, host); !report)
    return report.status();
  return machine_->vertexCycles();
}

wire::Status VertexProbe::write(std::uint32_t view, std::span<const std::byte> row) {
  return machine_->write(view, row);
}

} // namespace copse::engine
