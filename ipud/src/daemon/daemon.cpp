#include "ipud/daemon.hpp"

#include "control_socket.hpp"
#include "host_mailbox.hpp"
#include "log.hpp"
#include "run_thread.hpp"

#include "fabric/link_node.hpp"
#include "fabric/reactor.hpp"
#include "sync/barrier.hpp"

#include <exception>
#include <optional>
#include <unistd.h>
#include <utility>

namespace copse::ipud {
namespace {

namespace session = wire::session;
using wire::Code;
using wire::Status;

template <class... Cases> struct Overloaded : Cases... { using Cases::operator()...; };
template <class... Cases> Overloaded(Cases...) -> Overloaded<Cases...>;

} // namespace

class Daemon::Impl {
public:
  Impl(zmq::context_t &context, const std::string &name, HostWatch watch)
      : log_(makeLogger(name)), context_(context), watch_(watch), reactor_("ipud-io") {}

  ~Impl() {
    stop({Code::Cancelled, "the ipud ends"});
    reactor_.stop(); // nobody hands the run thread a request any more
    run_.reset();    // what it still posts is never sent
  }

  Status start(const Endpoints &listen) {
    auto links = fabric::LinkNode::bind(context_, listen.link);
    if (!links)
      return links.status();
    links_ = std::move(*links);
    auto syncs = sync::SyncPort::bind(context_, listen.sync);
    if (!syncs)
      return syncs.status();
    syncs_ = std::move(*syncs);
    return reactor_.call([&] { return open(listen.control); });
  }

  const Endpoints &endpoints() const { return endpoints_; }

private:
  Status open(const std::string &control) {
    control_.emplace(reactor_, context_, log_);
    auto real = control_->bind(control);
    if (!real)
      return real.status();
    endpoints_ = {std::move(*real), links_->endpoint(), syncs_->endpoint()};
    run_ = std::make_unique<RunThread>(*control_, mailbox_, *links_, *syncs_);
    control_->open({::getpid(), cpuLevel(), endpoints_.link, endpoints_.sync},
                   {[this](SessionMessage message) { dispatch(std::move(message)); },
                    [this](const Status &why) { stop(why); }},
                   watch_);
    return Status::success();
  }

  /// On the reactor: what a running program waits for goes to its mailbox, all else to the run
  /// thread in order.
  void dispatch(SessionMessage message) {
    auto payload = [&message] {
      return message.payloads.empty() ? fabric::Payload{} : std::move(message.payloads.front());
    };
    const std::uint64_t request = message.header.request;
    std::visit(Overloaded{
                   [&](const session::StreamRow &row) {
                     mailbox_.putRow(row.stream, {payload(), row.sequence, row.prefetched});
                   },
                   [&](const session::StreamDrop &drop) { mailbox_.dropRows(drop.stream); },
                   [&](const session::TransferTaken &) { mailbox_.returnCredit(); },
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

  void stop(const Status &why) {
    const Status status = why.ok() ? Status{Code::Cancelled, "stopped"} : why;
    mailbox_.stop(status);
    if (links_)
      links_->stop(status);
    if (syncs_)
      syncs_->stop(status);
  }

  std::shared_ptr<spdlog::logger> log_;
  zmq::context_t &context_;
  HostWatch watch_;
  Endpoints endpoints_;
  HostMailbox mailbox_;
  std::unique_ptr<fabric::LinkNode> links_;
  std::unique_ptr<sync::SyncPort> syncs_;
  fabric::Reactor reactor_;
  std::optional<ControlSocket> control_; ///< lives on the reactor; destroyed when that has stopped
  std::unique_ptr<RunThread> run_;
};

Daemon::Daemon(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Daemon::~Daemon() = default;

wire::Result<std::unique_ptr<Daemon>> Daemon::start(zmq::context_t &context,
                                                    const Endpoints &listen,
                                                    const std::string &name, HostWatch watch) {
  try {
    auto impl = std::make_unique<Impl>(context, name, watch);
    if (Status status = impl->start(listen); !status.ok())
      return status;
    return std::unique_ptr<Daemon>(new Daemon(std::move(impl)));
  } catch (const std::exception &error) { // of Asio and ZeroMQ: no thread or descriptor is left
    return Status{Code::OutOfMemory, "cannot start: " + std::string(error.what())};
  }
}

const Endpoints &Daemon::endpoints() const { return impl_->endpoints(); }

} // namespace copse::ipud
