#include "ipud/daemon.hpp"

#include "control_socket.hpp"
#include "host_mailbox.hpp"
#include "log.hpp"
#include "run_thread.hpp"

#include "fabric/keys.hpp"
#include "fabric/link_node.hpp"
#include "fabric/reactor.hpp"
#include "sync/barrier.hpp"
#include "wire/overloaded.hpp"

#include <exception>
#include <fstream>
#include <optional>
#include <unistd.h>
#include <utility>

namespace copse::ipud {
namespace {

namespace session = wire::session;
using wire::Code;
using wire::Status;

// The time from a stop until the run has ended, unless a codelet does not return.
constexpr std::chrono::milliseconds kStopping{300};

std::uint64_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

Status cannotListen(const std::string &endpoint, const Status &why) {
  return {why.code, "cannot listen at '" + endpoint + "': " + why.message};
}

} // namespace

class Daemon::Impl {
public:
  Impl(zmq::context_t &context, const std::string &name, HostWatch watch,
       std::shared_ptr<const fabric::Keyring> keys)
      : log_(makeLogger(name)), context_(context), watch_(watch), keys_(std::move(keys)),
        reactor_("ipud-io"), mailbox_(reactor_) {}

  ~Impl() {
    stop({Code::Cancelled, "the ipud ends"});
    reactor_.stop(); // the run thread gets no more requests
    run_.reset();    // its later messages are never sent
  }

  Status start(const Endpoints &listen, fabric::LinkOptions behaviour) {
    const auto link = fabric::Endpoint::parse(listen.link);
    const auto sync = fabric::Endpoint::parse(listen.sync);
    if (!link || !sync)
      return cannotListen(link ? listen.sync : listen.link, link ? sync.status() : link.status());
    auto links = fabric::LinkNode::bind(fabric::linkTransports(context_, keys_, refusals_), *link,
                                        behaviour, [this](const Status &why) { stopRun(why); });
    if (!links)
      return links.status();
    links_ = std::move(*links);
    auto syncs = sync::SyncPort::bind(context_, *sync, keys_, refusals_);
    if (!syncs)
      return syncs.status();
    syncs_ = std::move(*syncs);
    return reactor_.call([&] { return open(listen.control); });
  }

  void drain(std::chrono::milliseconds timeout) {
    run_->awaitIdle(timeout);
    reactor_.call([this] {
      // The other IPUs learn the reason only from here, unless the host stops them all.
      const Status why{Code::Disconnected, "it was told to end"};
      control_->sayEnding(why);
      stop(why);
    });
    run_->awaitIdle(kStopping);
  }

  Figures figures() {
    Figures figures = run_->figures();
    figures.dropped = control_->dropped() + links_->malformed() + syncs_->malformed();
    figures.refused = refusals_->total();
    figures.residentBytes = residentBytes();
    reactor_.call([&] {
      figures.held = control_->held();
      figures.holder = control_->holder();
      figures.sessions = control_->session() + (figures.held ? 1 : 0);
    });
    return figures;
  }

  const Endpoints &endpoints() const { return endpoints_; }

private:
  Status open(const std::string &control) {
    control_.emplace(reactor_, context_, log_, refusals_);
    if (keys_)
      control_->useKeys(keys_);
    auto real = control_->bind(control);
    if (!real)
      return real.status();
    endpoints_ = {std::move(*real), links_->endpoint().text(), syncs_->endpoint().text()};
    run_ = std::make_unique<RunThread>(reactor_, *control_, mailbox_, *links_, *syncs_, keys_);
    control_->open({[this](SessionMessage message) { dispatch(std::move(message)); },
                    [this](const Status &why) {
                      stop(why);
                      run_->forget();
                    },
                    [this] { return state(); }, [this] { run_->memoryErrors().clear(); },
                    [this] { return run_->progress(); },
                    [this](session::InjectError error) { inject(error); }},
                   watch_);
    return Status::success();
  }

  /// Routes a message on the reactor: answers for the running program go to its mailbox, requests
  /// to the run thread in order.
  void dispatch(SessionMessage message) {
    auto payload = [&message] {
      return message.payloads.empty() ? fabric::Payload{} : std::move(message.payloads.front());
    };
    const std::uint64_t request = message.header.request;
    std::visit(wire::Overloaded{
                   [&](const session::StreamRow &row) {
                     if (row.taken > 0)
                       mailbox_.returnCredits(row.taken);
                     mailbox_.putRow(row.stream, {payload(), row.sequence, row.prefetched});
                   },
                   [&](const session::StreamDrop &drop) { mailbox_.dropRows(drop.stream); },
                   [&](const session::TransferTaken &taken) { mailbox_.returnCredits(taken.rows); },
                   [&](const session::Rows &) { mailbox_.putAnswer(request, {}, payload()); },
                   [&](const session::Ok &) { mailbox_.putAnswer(request, {}, {}); },
                   [&](const session::Fault &fault) {
                     if (!fault.status.ok())
                       mailbox_.putAnswer(request, fault.status, {});
                   },
                   [&](const session::Stop &order) { stop(order.status); },
                   [&](const session::Run &) {
                     mailbox_.beginRun();
                     run_->submit(std::move(message));
                   },
                   [&](const auto &) { run_->submit(std::move(message)); },
               },
               message.header.body);
  }

  void inject(session::InjectError error) {
    log_->warn("tile {}: the word at {:#x} gets a parity error", error.tile, error.address);
    run_->memoryErrors().add({error.tile, error.address});
  }

  session::State state() {
    session::State state;
    state.pid = ::getpid();
    state.running = run_->busy();
    state.links = trafficOf(links_->counters());
    run_->describe(state);
    return state;
  }

  void stop(const Status &why) {
    const Status status = why.ok() ? Status{Code::Cancelled, "stopped"} : why;
    if (links_)
      links_->stop(status);
    stopRun(status);
  }

  /// Ends all waits of a run except those for links, which detect a stop themselves.
  void stopRun(const Status &why) {
    mailbox_.stop(why);
    if (syncs_)
      syncs_->stop(why);
  }

  std::shared_ptr<spdlog::logger> log_;
  zmq::context_t &context_;
  HostWatch watch_;
  std::shared_ptr<const fabric::Keyring> keys_;
  std::shared_ptr<fabric::Refusals> refusals_ = std::make_shared<fabric::Refusals>();
  Endpoints endpoints_;
  fabric::Reactor reactor_;
  HostMailbox mailbox_;
  std::unique_ptr<fabric::LinkNode> links_;
  std::unique_ptr<sync::SyncPort> syncs_;
  /// Lives on the reactor; destroyed once that has stopped.
  std::optional<ControlSocket> control_;
  std::unique_ptr<RunThread> run_;
};

Daemon::Daemon(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Daemon::~Daemon() = default;

wire::Result<std::unique_ptr<Daemon>> Daemon::start(zmq::context_t &context,
                                                    const Endpoints &listen,
                                                    const std::string &name, HostWatch watch,
                                                    std::shared_ptr<const fabric::Keyring> keys,
                                                    fabric::LinkOptions links) {
  try {
    auto impl = std::make_unique<Impl>(context, name, watch, std::move(keys));
    if (Status status = impl->start(listen, links); !status.ok())
      return status;
    return std::unique_ptr<Daemon>(new Daemon(std::move(impl)));
    // Asio and ZeroMQ throw if no thread or descriptor is left.
  } catch (const std::exception &error) {
    return Status{Code::OutOfMemory, "cannot start: " + std::string(error.what())};
  }
}

void Daemon::drain(std::chrono::milliseconds timeout) { impl_->drain(timeout); }
Figures Daemon::figures() { return impl_->figures(); }
const Endpoints &Daemon::endpoints() const { return impl_->endpoints(); }

} // namespace copse::ipud
