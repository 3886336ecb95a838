#include "run_thread.hpp"

#include "clock/wiring.hpp"
#include "log.hpp"

#include "fabric/file_limit.hpp"
#include "ipud/open_files.hpp"
#include "ipud/step_names.hpp"
#include "wire/environment.hpp"
#include "wire/image_codec.hpp"
#include "wire/overloaded.hpp"

#include <cstring>
#include <exception>
#include <pthread.h>
#include <sched.h>
#include <system_error>
#include <utility>

namespace copse::ipud {
namespace {

namespace session = wire::session;
using wire::Code;
using wire::Status;

/// The longest delay before another IPU that missed the end of a run's last sync point gets an
/// answer.
constexpr std::chrono::milliseconds kAnswerInterval{100};
/// The longest delay before a stranger at the sync socket is refused while there are no sync
/// points.
constexpr std::chrono::milliseconds kIdleInterval{500};
/// More than a program requests on any machine.
constexpr std::uint32_t kMostThreads = 1024;

const Status kNotConfigured{Code::NotFound, "this ipud is not configured"};
const Status kNotLoaded{Code::NotFound, "no program is loaded; call Engine::load() first"};

Status checkPlan(const session::Configure &plan, const std::string &nameAmongKeys) {
  const auto bad = [](const char *why) {
    return Status{Code::InvalidOption, std::string("bad configuration: ") + why};
  };
  const std::uint64_t ipus = std::uint64_t{plan.replicas} * plan.ipusPerReplica;
  if (plan.replicas == 0 || plan.ipusPerReplica == 0)
    return bad("the number of replicas or of IPUs per replica is 0");
  if (plan.links.size() != ipus || plan.syncs.size() != ipus)
    return bad("the number of endpoints is not the number of IPUs");
  if (plan.threads > kMostThreads)
    return bad("more than 1024 threads");
  if (plan.self >= ipus || plan.replica != plan.self / plan.ipusPerReplica)
    return bad("IPU and replica do not fit together");
  if (!nameAmongKeys.empty() &&
      (plan.names.size() != ipus || plan.names[plan.self] != nameAmongKeys))
    return bad(
        "the names of the IPUs do not match the keys; use the same cluster file on all nodes");
  for (const auto &group : plan.groups) {
    if (!std::is_sorted(group.members.begin(), group.members.end()) || group.members.empty() ||
        group.members.back() >= ipus)
      return bad("members of a sync group are not sorted IPUs of the partition");
    if (!std::binary_search(group.members.begin(), group.members.end(), plan.self))
      return bad("this IPU is not in its own sync group");
  }
  return Status::success();
}

std::map<wire::IpuId, std::string> byIpu(const std::vector<std::string> &texts) {
  std::map<wire::IpuId, std::string> all;
  for (std::uint32_t ipu = 0; ipu < texts.size(); ++ipu)
    all.emplace(wire::IpuId{ipu}, texts[ipu]);
  return all;
}

using EndpointsByIpu = std::map<wire::IpuId, fabric::Endpoint>;

wire::Result<EndpointsByIpu> endpointsOf(const std::vector<std::string> &texts) {
  EndpointsByIpu all;
  for (std::uint32_t ipu = 0; ipu < texts.size(); ++ipu) {
    auto endpoint = fabric::Endpoint::parse(texts[ipu]);
    if (!endpoint)
      return Status{endpoint.status().code, "the endpoint '" + texts[ipu] + "' of ipu " +
                                                std::to_string(ipu) +
                                                " is not valid: " + endpoint.status().message};
    all.emplace(wire::IpuId{ipu}, std::move(*endpoint));
  }
  return all;
}

std::vector<wire::IpuId> asIds(const std::vector<std::uint32_t> &numbers) {
  std::vector<wire::IpuId> all;
  all.reserve(numbers.size());
  for (const std::uint32_t number : numbers)
    all.push_back({number});
  return all;
}

/// Returns the number of the place where IPUs of several host programs meet: each program has two
/// places.
std::uint32_t numberOfMeeting(std::uint32_t program, bool atEnd) { return 2 * program + atEnd; }

std::string nameOfMeeting(std::uint32_t number) {
  return std::string(number % 2 == 0 ? "the start" : "the end") + " of program " +
         std::to_string(number / 2);
}

/// Makes the scheduler let this thread finish its time slices. A compute set takes long; otherwise
/// an IPU that is woken by the host or another IPU may preempt it at once, and the IPUs that this
/// thread would wake next have to wait.
void finishTimeSlices() {
  const sched_param none{};
  // Applies to this thread and the threads that it starts.
  (void)::sched_setscheduler(0, SCHED_BATCH, &none);
}

/// Parses $COPSE_TILE_TRACE.
wire::Result<TileTraceOptions> traceOptions() {
  const std::string given = wire::environmentVariable("COPSE_TILE_TRACE");
  if (given.empty())
    return TileTraceOptions{};
  auto options = parseTileTrace(given);
  if (!options)
    return Status{Code::InvalidOption, "COPSE_TILE_TRACE: " + options.status().message};
  return options;
}

/// Returns the directory for modules. A debugger opens modules by path; otherwise no files are
/// needed. configure() reports invalid options.
std::filesystem::path moduleDirectory() {
  const auto options = debugOptionsOfEnvironment();
  return options.ok() ? options->directory : std::filesystem::path();
}

/// Returns whether $COPSE_TILE_CODE allows hot loops of tile instructions to be translated.
wire::Result<bool> translatesTileCode() {
  const auto how =
      wire::wordOfEnvironment("COPSE_TILE_CODE", {"translated", "interpreted"}, "translated");
  if (!how)
    return how.status();
  return *how == "translated";
}

} // namespace

RunThread::RunThread(fabric::Reactor &reactor, ControlSocket &host, HostMailbox &mailbox,
                     fabric::LinkNode &links, sync::SyncPort &syncs,
                     std::shared_ptr<const fabric::Keyring> keys)
    : reactor_(reactor), host_(host), mailbox_(mailbox), links_(links), syncs_(syncs),
      keys_(std::move(keys)), modules_(ModuleStore::kDefaultLimit, moduleDirectory()),
      thread_([this] { loop(); }) {
  pthread_setname_np(thread_.native_handle(), "ipu-run");
}

RunThread::~RunThread() {
  {
    const locks::Lock lock(mutex_);
    ending_ = true;
    requests_.clear();
  }
  changed_.notify_all();
  thread_.join();
}

void RunThread::submit(SessionMessage request) {
  {
    const locks::Lock lock(mutex_);
    requests_.push_back({host_.session(), std::move(request)});
  }
  changed_.notify_all();
}

void RunThread::forget() {
  {
    const locks::Lock lock(mutex_);
    requests_.clear();
    requests_.push_back({});
  }
  changed_.notify_all();
}

bool RunThread::busy() const {
  const locks::Lock lock(mutex_);
  return busy_;
}

void RunThread::awaitIdle(std::chrono::milliseconds time) {
  locks::Lock lock(mutex_);
  changed_.wait_for(lock, time,
                    [this]() COPSE_REQUIRES(mutex_) { return !busy_ && requests_.empty(); });
}

std::optional<RunThread::Request> RunThread::next() {
  using Clock = fabric::Reactor::Clock;
  {
    const locks::Lock lock(mutex_);
    busy_ = false;
  }
  changed_.notify_all();
  while (!awaitRequest(Clock::now() + (barriers_.empty() ? kIdleInterval : kAnswerInterval)))
    syncs_.answer();
  const locks::Lock lock(mutex_);
  if (ending_)
    return {};
  Request request = std::move(requests_.front());
  requests_.pop_front();
  busy_ = true;
  return request;
}

bool RunThread::awaitRequest(fabric::Reactor::Clock::time_point deadline) {
  const auto called = [this]() COPSE_REQUIRES(mutex_) { return ending_ || !requests_.empty(); };
  if (reactor_.restUntil(deadline, [&] {
        const locks::Lock lock(mutex_);
        return called();
      }))
    return true;
  // If the deadline has not passed, the reactor has ended, and this thread will end soon.
  locks::Lock lock(mutex_);
  return changed_.wait_until(lock, deadline, called);
}

void RunThread::loop() {
  finishTimeSlices();
  while (auto request = next()) {
    if (!request->message) {
      unload();
      leaveOthers();
    } else if (request->session == host_.session()) {
      serve(std::move(*request));
    }
  }
  // The barriers use the sync port's sockets, which belong to this thread.
  environment_.reset();
  barriers_.clear();
}

void RunThread::serve(Request request) {
  host_.answerTo(request.session);
  Answer answer;
  try {
    answer = handle(*request.message);
  } catch (const std::bad_alloc &) {
    answer = {session::Fault{{Code::OutOfMemory, "this ipud has no memory left"}}, {}};
  } catch (const std::exception &error) {
    answer = {session::Fault{{Code::Internal, std::string("unexpected: ") + error.what()}}, {}};
  }
  if (std::holds_alternative<session::Fault>(answer.body))
    ++counters_.faults;
  host_.post({request.message->header.request, {}, std::move(answer.body)},
             std::move(answer.payloads));
}

void RunThread::unload() {
  environment_.reset();
  rows_.reset();
  barriers_.clear();
  ipu_.reset();
  mailbox_.clear();
}

RunThread::Answer RunThread::handle(SessionMessage &request) {
  const auto outcome = [](Status status) {
    return status.ok() ? Answer{session::Ok{}, {}} : Answer{session::Fault{std::move(status)}, {}};
  };
  return std::visit(
      wire::Overloaded{
          [&](const session::Configure &plan) { return configure(plan); },
          [&](const session::ModuleQuery &query) {
            return Answer{session::ModuleNeeds{modules_.missing(query.sha256)}, {}};
          },
          [&](const session::ModuleBytes &module) {
            if (request.payloads.size() != 1)
              return outcome({Code::BadFrame, "a module without its bytes"});
            return outcome(modules_.add(module.sha256, module.name, request.payloads[0].bytes()));
          },
          [&](const session::Load &) { return load(request.payloads); },
          [&](const session::LinkQuery &) { return links(); },
          [&](const session::CyclesQuery &) { return vertexCycles(); },
          [&](const session::TimesQuery &) { return stepTimes(); },
          [&](const session::Run &order) { return run(order); },
          [&](const session::ResetMemory &) {
            memoryErrors_->clear();
            return outcome(Status::success());
          },
          [&](const session::ViewRead &order) {
            if (!environment_)
              return outcome(kNotLoaded);
            auto bytes = ipu_->readView(order.view);
            if (!bytes)
              return outcome(bytes.status());
            Answer answer{session::View{}, {}};
            answer.payloads.push_back(std::move(*bytes));
            return answer;
          },
          [&](const session::ViewWrite &order) {
            if (!environment_)
              return outcome(kNotLoaded);
            if (request.payloads.size() != 1)
              return outcome({Code::BadFrame, "a view without its bytes"});
            return outcome(ipu_->writeView(order.view, request.payloads[0].bytes()));
          },
          [&](const auto &) {
            return outcome({Code::BadFrame, "not a request"});
          },
      },
      request.header.body);
}

RunThread::Answer RunThread::configure(const session::Configure &plan) {
  unload();
  if (Status status = checkPlan(plan, keys_ ? keys_->self() : ""); !status.ok())
    return {session::Fault{std::move(status)}, {}};
  auto machine = clock::parseMachineModel(plan.machineModel);
  if (!machine)
    return {session::Fault{machine.status()}, {}};
  const std::uint32_t ipus = plan.replicas * plan.ipusPerReplica;
  const clock::TimingModel timing(std::move(*machine), plan.topology, ipus);
  if (Status status = joinOthers(plan, timing); !status.ok())
    return {session::Fault{std::move(status)}, {}};
  rows_ = RemoteRows::open(plan, keys_, mailbox_);
  placement_ = {{plan.self}, {plan.replica}, plan.replicas, plan.ipusPerReplica, plan.topology};
  timeout_ = std::chrono::milliseconds(plan.syncTimeoutMs);
  auto trace = traceOptions();
  if (!trace)
    return {session::Fault{trace.status()}, {}};
  auto debug = debugOptionsOfEnvironment();
  if (!debug)
    return {session::Fault{debug.status()}, {}};
  const auto translates = translatesTileCode();
  if (!translates)
    return {session::Fault{translates.status()}, {}};
  IpuOptions options;
  options.debug = std::move(*debug);
  options.trace = std::move(*trace);
  options.checkDirectory = wire::environmentVariable("COPSE_CHECK");
  options.translatesTileCode = *translates;
  options.threads = std::max(1U, plan.threads);
  // Shorter than the sync timeout, so that an endless codelet is reported before other IPUs give up
  // waiting for it.
  options.vertexTimeout = timeout_ - timeout_ / 8;
  options.workerSeed = plan.workerSeed;
  options.memoryErrors = memoryErrors_;
  options.progress = progress_;
  try {
    ipu_ = std::make_unique<Ipu>(timing, options);
  } catch (const std::system_error &error) {
    return {session::Fault{{Code::OutOfMemory, error.what()}}, {}};
  }
  return {session::Ok{}, {}};
}

/// Checks the limit of open files. A partition of at most the size of an earlier one needs no more
/// files.
Status RunThread::checkRoomFor(std::size_t ipus) {
  if (ipus <= mostIpus_)
    return Status::success();
  const std::size_t peers = ipus - std::max<std::size_t>(mostIpus_, 1);
  if (Status status = fabric::checkFileLimit(
          peers * kFilesOfPeer, "its connections to " + std::to_string(peers) + " IPUs");
      !status.ok())
    return status;
  mostIpus_ = ipus;
  return Status::success();
}

Status RunThread::joinOthers(const session::Configure &plan, const clock::TimingModel &timing) {
  auto linkEndpoints = endpointsOf(plan.links), syncEndpoints = endpointsOf(plan.syncs);
  if (!linkEndpoints || !syncEndpoints)
    return linkEndpoints ? syncEndpoints.status() : linkEndpoints.status();
  if (Status status = checkRoomFor(plan.links.size()); !status.ok())
    return status;
  fabric::LinkPlan links;
  const auto ipus = static_cast<std::uint32_t>(plan.links.size());
  const fabric::Wiring wiring = clock::wiringOf(timing.machine(), plan.topology, ipus);
  links.topology = wiring.topology;
  links.ipus = wiring.ipus;
  links.domain = wiring.domain;
  links.switched = wiring.switched;
  links.self = {plan.self};
  links.endpoints = std::move(*linkEndpoints);
  links.names = byIpu(plan.names);
  links.epoch = plan.epoch;
  keepLinkCounters();
  links_.reset(plan.epoch);
  if (Status status = links_.connect(std::move(links)); !status.ok())
    return status;
  syncs_.reset(plan.epoch);
  syncs_.connect({plan.self}, *syncEndpoints, plan.epoch, byIpu(plan.names));
  for (const auto &group : plan.groups) {
    auto members = asIds(group.members);
    // The group of host programs is not a part of programs, so it takes no modelled time.
    const bool modelled = group.group != wire::SyncGroup::Hosts;
    const wire::Cycles latency = modelled ? timing.syncLatency(members) : wire::Cycles{};
    barriers_[group.group] = std::make_unique<sync::Barrier>(
        syncs_, group.group, std::move(members), latency,
        std::chrono::milliseconds(plan.syncTimeoutMs), namesFor(plan, group.group));
  }
  return Status::success();
}

/// Resets the links, whose windows have packets of the last host.
void RunThread::leaveOthers() {
  keepLinkCounters();
  syncs_.connect({}, {}, 0);
}

void addTo(fabric::LinkCounters &sum, const fabric::LinkCounters &more) {
  using Counters = fabric::LinkCounters;
  for (const auto field : {&Counters::packetsSent, &Counters::bytesSent, &Counters::packetsReceived,
                           &Counters::bytesReceived, &Counters::forwarded, &Counters::resent,
                           &Counters::repeats, &Counters::refused})
    sum.*field += more.*field;
  sum.neighbour = more.neighbour;
  sum.queued = more.queued;
}

void RunThread::keepLinkCounters() {
  const locks::Lock lock(linksMutex_);
  for (const fabric::LinkCounters &link : links_.counters())
    addTo(linksBefore_[link.neighbour.value], link);
  for (auto &[neighbour, link] : linksBefore_)
    link.queued = 0;
  // A partition of one cannot fail, and has no links whose counters would be reported twice.
  (void)links_.connect(fabric::LinkPlan{});
}

Figures RunThread::figures() {
  Figures figures;
  figures.running = busy();
  figures.loads = counters_.loads;
  figures.runs = counters_.runs;
  figures.faults = counters_.faults;
  figures.supersteps = counters_.supersteps;
  figures.syncWaitSeconds = static_cast<double>(counters_.syncWaitNanoseconds) * 1e-9;
  figures.modelledCycles = counters_.modelledCycles;
  figures.rowsFromHost = counters_.rowsFromHost;
  figures.bytesFromHost = counters_.bytesFromHost;
  figures.rowsToHost = counters_.rowsToHost;
  figures.bytesToHost = counters_.bytesToHost;
  const locks::Lock lock(linksMutex_);
  auto all = linksBefore_;
  for (const fabric::LinkCounters &link : links_.counters())
    addTo(all[link.neighbour.value], link);
  for (const auto &[neighbour, link] : all)
    figures.links.push_back(link);
  return figures;
}

void RunThread::describe(session::State &state) const {
  state.runs = counters_.runs;
  state.steps = progress_->steps;
  state.modelledCycles = counters_.modelledCycles;
  state.bytesFromHost = counters_.bytesFromHost;
  state.bytesToHost = counters_.bytesToHost;
}

std::optional<session::Progress> RunThread::progress() const {
  if (!tells_)
    return std::nullopt;
  return session::Progress{
      progress_->steps - stepsBefore_, {progress_->cycles}, progress_->trip, progress_->trips};
}

RunThread::Answer RunThread::links() { return {session::Links{trafficOf(links_.counters())}, {}}; }

RunThread::Answer RunThread::vertexCycles() {
  if (!environment_)
    return {session::Fault{kNotLoaded}, {}};
  session::VertexCycles sets;
  std::vector<std::uint64_t> all;
  for (const auto &[set, cycles] : ipu_->measuredCycles()) {
    sets.computeSets.push_back(set);
    all.insert(all.end(), cycles.begin(), cycles.end());
  }
  fabric::Payload payload(all.size() * sizeof(std::uint64_t));
  if (payload.size() > 0)
    std::memcpy(payload.data(), all.data(), payload.size());
  Answer answer{std::move(sets), {}};
  answer.payloads.push_back(std::move(payload));
  return answer;
}

RunThread::Answer RunThread::stepTimes() const {
  const auto bytes = std::as_bytes(std::span(times_.steps));
  fabric::Payload payload(bytes.size());
  if (!bytes.empty())
    std::memcpy(payload.data(), bytes.data(), bytes.size());
  Answer answer{session::StepTimes{times_.complete}, {}};
  answer.payloads.push_back(std::move(payload));
  return answer;
}

std::vector<session::LinkTraffic> trafficOf(const std::vector<fabric::LinkCounters> &links) {
  std::vector<session::LinkTraffic> all;
  all.reserve(links.size());
  for (const fabric::LinkCounters &link : links)
    all.push_back({link.neighbour.value, link.packetsSent, link.bytesSent, link.packetsReceived,
                   link.bytesReceived, link.forwarded, link.resent, link.repeats, link.refused});
  return all;
}

sync::BarrierNames RunThread::namesFor(const session::Configure &plan, wire::SyncGroup group) {
  sync::BarrierNames names;
  if (plan.replicas > 1)
    names.member = [perReplica = plan.ipusPerReplica](wire::IpuId ipu) {
      return "replica " + std::to_string(ipu.value / perReplica) + " (ipu " +
             std::to_string(ipu.value) + ")";
    };
  if (group == wire::SyncGroup::Hosts)
    names.step = nameOfMeeting;
  else
    names.step = [this](std::uint32_t step) { return describeStep(ipu_->image(), step); };
  return names;
}

RunThread::Answer RunThread::load(const std::vector<fabric::Payload> &frames) {
  if (!ipu_)
    return {session::Fault{kNotConfigured}, {}};
  if (frames.size() != 2)
    return {session::Fault{{Code::BadFrame, "an image without its data"}}, {}};
  environment_.reset();
  auto image = wire::decodeImage(frames[0].bytes(), frames[1].bytes());
  if (!image)
    return {session::Fault{image.status()}, {}};
  Status status = ipu_->load(std::move(*image), placement_, [this](const wire::ModuleRef &module) {
    return modules_.find(module);
  });
  if (status.ok())
    status = links_.openDirectChannels(ipu_->peers());
  if (!status.ok())
    return {session::Fault{std::move(status)}, {}};
  environment_ =
      std::make_unique<SessionEnvironment>(ipu_->image(), host_, mailbox_, links_, barriers_,
                                           timeout_, counters_, rows_ ? &*rows_ : nullptr);
  ++counters_.loads;
  return {session::Ok{}, {}};
}

RunThread::Answer RunThread::run(const session::Run &order) {
  if (!environment_)
    return {session::Fault{kNotLoaded}, {}};
  if (mailbox_.stopped())
    return {session::Fault{mailbox_.whyStopped()}, {}};
  environment_->beginRun();
  // A lost neighbour normally ends the run, whatever it waits for. Neighbours of another host
  // program are an exception, because they need not exist yet.
  const bool isShared = barriers_.contains(wire::SyncGroup::Hosts);
  links_.watch(order.meets || !isShared);
  ++counters_.runs;
  stepsBefore_ = progress_->steps.load();
  tells_ = order.tells;
  Answer answer = runWatched(order);
  tells_ = false;
  noteStepForLog(-1);
  links_.watch(false);
  if (const auto *fault = std::get_if<session::Fault>(&answer.body); fault != nullptr && isShared)
    failBarriers(fault->status);
  return answer;
}

RunThread::Answer RunThread::runWatched(const session::Run &order) {
  const auto failed = [](Status why) { return Answer{session::Fault{std::move(why)}, {}}; };
  wire::Cycles start = order.start;
  if (order.meets) {
    auto together = meet(numberOfMeeting(order.program, false), start);
    if (!together)
      return failed(together.status());
    start = *together;
    if (Status status = agreeOnProgramTime(order, start); !status.ok())
      return failed(std::move(status));
  }
  times_ = {};
  auto report = ipu_->run(order.program, *environment_, start, order.times);
  if (!report) {
    // The host stops serving when it receives a fault, so earlier prints must arrive first.
    if (report.status().code == Code::VertexFault || report.status().code == Code::MemoryError)
      environment_->awaitAllTaken();
    return failed(report.status());
  }
  counters_.modelledCycles += report->end.value - report->start.value;
  times_ = std::move(report->times);
  session::Done done = doneAt(report->start, report->end);
  if (order.meets) {
    host_.post({0, {}, done});
    auto together = meet(numberOfMeeting(order.program, true), report->end);
    if (!together)
      return failed(together.status());
    done.endOfAll = *together;
  }
  return {done, {}};
}

/// Tells the host the latest time of all host programs, if their clocks are modelled. A barrier
/// leaves at the latest of any numbers, so one that adds no latency finds this time, too.
Status RunThread::agreeOnProgramTime(const session::Run &order, wire::Cycles start) {
  if (order.programTime == 0)
    return Status::success();
  const auto latest = meet(numberOfMeeting(order.program, false), {order.programTime});
  if (!latest)
    return latest.status();
  host_.post({0, {}, session::Began{start, latest->value}});
  return Status::success();
}

wire::Result<wire::Cycles> RunThread::meet(std::uint32_t number, wire::Cycles now) {
  const auto hosts = barriers_.find(wire::SyncGroup::Hosts);
  if (hosts == barriers_.end())
    return Status{Code::InvalidOption, "no other host program shares this partition"};
  hosts->second->arrive(now, number);
  return hosts->second->wait();
}

session::Done RunThread::doneAt(wire::Cycles start, wire::Cycles end) const {
  const auto passed = [this](wire::SyncGroup group) {
    const auto barrier = barriers_.find(group);
    return barrier == barriers_.end() ? 0 : barrier->second->passed();
  };
  return {start, end, passed(wire::SyncGroup::GS1), passed(wire::SyncGroup::GS2),
          passed(wire::SyncGroup::All)};
}

void RunThread::failBarriers(const Status &why) {
  for (const auto &[group, barrier] : barriers_)
    barrier->fail(why);
}

} // namespace copse::ipud
