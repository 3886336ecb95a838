#include "remote_buffers/daemon.hpp"

#include "metrics/metrics.hpp"
#include "service.hpp"
#include "service_metrics.hpp"

#include "fabric/frames.hpp"
#include "fabric/keys.hpp"
#include "fabric/log_lines.hpp"
#include "fabric/peer_sockets.hpp"
#include "fabric/reactor.hpp"

#include <asio/steady_timer.hpp>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <random>
#include <utility>

namespace copse::remote_buffers {
namespace {

namespace rows = wire::rows;
using wire::Code;
using wire::Status;

spdlog::logger makeLogger(const std::string &level) {
  spdlog::logger log("rbufd", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  log.set_formatter(fabric::logLines());
  log.set_level(spdlog::level::from_str(level));
  return log;
}

// The limit for an open request, which describes all buffers of a store.
constexpr std::uint64_t kMostBytesToOpen = 1 << 20;

std::uint64_t randomNumber() {
  std::random_device device;
  return std::uniform_int_distribution<std::uint64_t>()(device);
}

} // namespace

class Daemon::Impl {
public:
  Impl(std::unique_ptr<Storage> storage, const DaemonOptions &options)
      : maxMessageBytes_(options.maxMessageBytes), keys_(options.keys),
        log_(makeLogger(options.logLevel)),
        service_(std::move(storage), randomNumber(), options.maxMessageBytes), reactor_("rbufd") {}

  ~Impl() {
    metrics_.reset(); // the metrics server calls the reactor
    reactor_.call([this] {
      socket_.reset();
      expiry_.reset();
    });
  }

  Status listen(zmq::context_t &context, const std::string &endpoint) {
    return reactor_.call([&] {
      socket_.emplace(
          reactor_, context,
          fabric::PeerSockets::Limits{kMostBytesToOpen, maxMessageBytes_ + rows::kMaxHeaderBytes},
          refusals_);
      if (keys_)
        socket_->useKeys(keys_, {fabric::Role::Host, fabric::Role::Ipu});
      auto bound = socket_->bind(endpoint);
      if (!bound)
        return bound.status();
      endpoint_ = std::move(*bound);
      socket_->watch([this](fabric::Frames frames) { receive(std::move(frames)); }, [] {},
                     [this](const std::string &why) { drop(why); });
      expiry_.emplace(reactor_.io());
      expireSoon();
      return Status::success();
    });
  }

  const std::string &endpoint() const { return endpoint_; }

  Status serveMetrics(const std::string &listen) {
    auto server = metrics::MetricsServer::start(listen, [this] {
      return reactor_.call([this] { return metricsOf(service_, refusals_->total()); });
    });
    if (!server)
      return server.status();
    metrics_ = std::move(*server);
    return Status::success();
  }
  std::string metricsAddress() const { return metrics_ ? metrics_->address() : ""; }

private:
  void expireSoon() {
    expiry_->expires_after(std::chrono::minutes(1));
    expiry_->async_wait([this](const std::error_code &stopped) {
      if (stopped)
        return;
      service_.expire(Service::Clock::now());
      expireSoon();
    });
  }

  /// \param frames  the sender's identity, the header, and the raw frame if there is one
  void receive(fabric::Frames frames) {
    if (frames.size() < 2 || frames.size() > 3)
      return drop("a message of " + std::to_string(frames.size() - 1) + " frames");
    auto header = rows::decode(fabric::bytesOf(frames[1]));
    if (!header)
      return drop(header.status().message);
    const auto payload =
        frames.size() == 3 ? fabric::bytesOf(frames[2]) : std::span<const std::byte>();
    if (payload.size() != header->payloadBytes)
      return drop("a raw frame of another size than was announced");
    Reply reply = service_.serve(header->body, payload,
                                 [this, peer = frames[0].to_string()](std::size_t bytes) {
                                   return socket_->payloadTo(peer, bytes);
                                 });
    if (const auto *fault = std::get_if<rows::Fault>(&reply.body))
      log_.warn("{}", fault->status.message);
    if (std::holds_alternative<rows::Opened>(reply.body))
      socket_->allow(frames[0].to_string(), true);
    answer(std::move(frames[0]), header->request, std::move(reply));
  }

  void answer(zmq::message_t peer, std::uint64_t request, Reply reply) {
    const auto header = rows::encode({request, reply.payload.size(), std::move(reply.body)});
    fabric::Frames frames;
    frames.push_back(std::move(peer));
    frames.emplace_back(header.data(), header.size());
    if (reply.payload.size() > 0)
      frames.push_back(std::move(reply.payload).toFrame());
    // A host has one request at a time, so a full queue means that the peer is not a host of ours.
    if (socket_->send(frames) != fabric::Sent::Ok)
      drop("an answer that the peer does not take");
  }

  void drop(const std::string &why) {
    service_.countDropped();
    // Every dropped message is counted, but few are logged, so that a flood does not fill the log.
    if (std::has_single_bit(service_.counts().dropped))
      log_.warn("dropped {} messages so far, the last one: {}", service_.counts().dropped, why);
  }

  std::uint64_t maxMessageBytes_;
  std::shared_ptr<const fabric::Keyring> keys_;
  std::shared_ptr<fabric::Refusals> refusals_ = std::make_shared<fabric::Refusals>(
      [this](const std::string &line) { log_.warn("{}", line); });
  spdlog::logger log_;
  Service service_;
  std::string endpoint_;
  std::optional<fabric::PeerSockets> socket_;
  std::optional<asio::steady_timer> expiry_; ///< expiry of temporary stores
  fabric::Reactor reactor_;                  ///< destroyed before the members that it uses
  std::unique_ptr<metrics::MetricsServer> metrics_;
};

Daemon::Daemon(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Daemon::~Daemon() = default;

wire::Result<std::unique_ptr<Daemon>> Daemon::start(zmq::context_t &context,
                                                    const DaemonOptions &options) {
  auto storage = options.directory.empty()
                     ? wire::Result<std::unique_ptr<Storage>>(Storage::inMemory())
                     : Storage::inDirectory(options.directory);
  if (!storage)
    return storage.status();
  auto impl = std::make_unique<Impl>(std::move(*storage), options);
  if (Status status = impl->listen(context, options.listen); !status.ok())
    return status;
  if (!options.metrics.empty())
    if (Status status = impl->serveMetrics(options.metrics); !status.ok())
      return status;
  return std::unique_ptr<Daemon>(new Daemon(std::move(impl)));
}

const std::string &Daemon::endpoint() const { return impl_->endpoint(); }
std::string Daemon::metricsAddress() const { return impl_->metricsAddress(); }

} // namespace copse::remote_buffers
