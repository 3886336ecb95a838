#include "program_loading.hpp"

#include "sync/groups.hpp"
#include "wire/envelope.hpp"
#include "wire/image_codec.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

namespace copse::session {
namespace {

namespace message = wire::session;
using wire::Code;
using wire::Status;

// Loading opens modules and writes initial data, which may take long.
constexpr std::chrono::seconds kLoadTimeout{120};

/// \param ipu  number in the partition of all host programs
std::vector<message::GroupMembers> syncGroups(const Program &program, std::uint32_t ipu) {
  const sync::Replication replication{std::max(program.replicas, program.allReplicas),
                                      static_cast<std::uint32_t>(program.images.size())};
  std::vector<message::GroupMembers> groups;
  auto all = sync::groupsOf(program.syncConfiguration);
  if (program.isShared())
    all.push_back(wire::SyncGroup::Hosts);
  for (const wire::SyncGroup group : all) {
    groups.push_back({group, {}});
    for (const wire::IpuId member :
         sync::membersOf(group, program.syncConfiguration, replication, {ipu}))
      groups.back().members.push_back(member.value);
  }
  return groups;
}

fabric::Payload copyOf(std::span<const std::byte> bytes) {
  fabric::Payload payload(bytes.size());
  std::copy(bytes.begin(), bytes.end(), payload.data());
  return payload;
}

} // namespace

wire::Result<ProgramLoading> ProgramLoading::of(const Program &program,
                                                const MachineOptions &options, Requests &requests) {
  ProgramLoading loading(program, options, requests);
  if (Status status = loading.encode(); !status.ok())
    return status;
  return loading;
}

/// Encodes each image once for all replicas; ZeroMQ shares the bytes between the messages. The
/// frame is the second copy of the image, after the one in Cap'n Proto's segments; the data are not
/// copied.
Status ProgramLoading::encode() {
  for (const auto &image : program_->images) {
    fabric::Payload frame;
    Status status = wire::encodeImage(*image, [&frame](std::size_t bytes) {
      frame = fabric::Payload(bytes);
      return frame.data();
    });
    if (!status.ok())
      return status;
    images_.push_back({std::move(frame), fabric::Payload(image->data, image)});
  }
  return Status::success();
}

std::vector<std::string> ProgramLoading::hashes() const {
  std::vector<std::string> all;
  all.reserve(images_.size());
  for (const EncodedImage &image : images_)
    all.push_back(std::to_string(wire::payloadHash(image.frame.bytes())) + "+" +
                  std::to_string(wire::payloadHash(image.data.bytes())));
  return all;
}

unsigned ProgramLoading::threadsOfAnIpu() const {
  return options_->threadsPerIpu != 0
             ? options_->threadsPerIpu
             : std::max(1U, std::thread::hardware_concurrency() / std::max(1U, options_->ipus));
}

Status ProgramLoading::configure(const message::RowStore &rows, PartitionEndpoints endpoints,
                                 std::uint32_t epoch) {
  message::Configure plan;
  plan.epoch = epoch;
  plan.replicas = std::max(program_->replicas, program_->allReplicas);
  plan.ipusPerReplica = static_cast<std::uint32_t>(program_->images.size());
  plan.topology = options_->topology;
  plan.machineModel = program_->isShared() ? program_->sharedMachineModel : options_->machineModel;
  plan.threads = threadsOfAnIpu();
  plan.syncTimeoutMs = static_cast<std::uint32_t>(std::min<std::int64_t>(
      program_->syncTimeout.value_or(options_->syncTimeout).count(), UINT32_MAX));
  plan.workerSeed = program_->workerSeed;
  plan.rowStore = rows;
  plan.links = std::move(endpoints.links);
  plan.syncs = std::move(endpoints.syncs);
  plan.names = std::move(endpoints.names);
  std::vector<Order> orders;
  groups_.clear();
  for (std::uint32_t ipu = 0; ipu < options_->ipus; ++ipu) {
    plan.self = program_->firstReplica * plan.ipusPerReplica + ipu;
    plan.replica = plan.self / plan.ipusPerReplica;
    plan.groups = syncGroups(*program_, plan.self);
    groups_.push_back(plan.groups);
    orders.push_back({ipu, plan, {}});
  }
  return requests_->ask(std::move(orders));
}

Status ProgramLoading::send(const std::function<void(std::uint64_t, std::uint64_t)> &loaded) {
  if (Status status = askForModules(); !status.ok())
    return status;
  if (Status status = sendModules(); !status.ok())
    return status;
  return sendImages(loaded);
}

Status ProgramLoading::askForModules() {
  std::vector<Order> queries;
  for (std::uint32_t ipu = 0; ipu < options_->ipus; ++ipu) {
    std::vector<std::string> hashes;
    for (const auto &module : program_->images[partOf(ipu)]->modules)
      hashes.push_back(module.sha256);
    queries.push_back({ipu, message::ModuleQuery{std::move(hashes)}, {}});
  }
  return requests_->ask(std::move(queries));
}

/// Sends the modules that the answers to askForModules() request.
Status ProgramLoading::sendModules() {
  std::vector<Order> orders;
  // By hash.
  std::map<std::string, fabric::Payload> contents;
  for (std::size_t i = 0; i < requests_->answers().size(); ++i) {
    const std::uint32_t ipu = requests_->ipuOf(i);
    const auto *needs =
        std::get_if<message::ModuleNeeds>(&requests_->answers()[i].message.header.body);
    if (needs == nullptr)
      return {Code::BadFrame,
              "ipu " + std::to_string(ipu) + " does not say which modules it needs"};
    for (const auto &module : program_->images[partOf(ipu)]->modules) {
      if (std::find(needs->sha256.begin(), needs->sha256.end(), module.sha256) ==
          needs->sha256.end())
        continue;
      const auto [content, isNew] = contents.try_emplace(module.sha256);
      if (isNew)
        content->second = copyOf(program_->modules(module.sha256));
      orders.push_back({ipu, message::ModuleBytes{module.sha256, module.name},
                        fabric::listOf(content->second.share())});
    }
  }
  return requests_->ask(std::move(orders), kLoadTimeout);
}

Status ProgramLoading::sendImages(const std::function<void(std::uint64_t, std::uint64_t)> &loaded) {
  std::vector<Order> orders;
  std::vector<std::uint64_t> bytes; ///< bytes of each IPU's image
  for (std::uint32_t ipu = 0; ipu < options_->ipus; ++ipu) {
    EncodedImage &image = images_[partOf(ipu)];
    Order order{ipu, message::Load{}, {}};
    order.payloads.push_back(image.frame.share());
    order.payloads.push_back(image.data.share());
    bytes.push_back(image.frame.size() + image.data.size());
    orders.push_back(std::move(order));
  }
  const auto tellLoaded = [&] {
    std::uint64_t done = 0, all = 0;
    for (std::size_t ipu = 0; ipu < bytes.size(); ++ipu) {
      all += bytes[ipu];
      done += requests_->answered(ipu) ? bytes[ipu] : 0;
    }
    loaded(done, all);
  };
  return requests_->ask(std::move(orders), kLoadTimeout,
                        loaded ? std::function<void()>(tellLoaded) : nullptr);
}

} // namespace copse::session
