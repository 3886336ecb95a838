#include "tls_transport.hpp"

#include "link_message.hpp"
#include "tls_inbound.hpp"
#include "tls_outbound.hpp"

#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

namespace copse::fabric {
namespace {

class TlsTransport : public Transport {
public:
  TlsTransport(Reactor &reactor, std::shared_ptr<const Keyring> keys, const TlsOptions &options,
               std::shared_ptr<Refusals> refusals)
      : reactor_(reactor), keys_(std::move(keys)), options_(options),
        refusals_(std::move(refusals)) {}
  // NOLINTNEXTLINE(bugprone-exception-escape): to cancel a timer does not fail
  ~TlsTransport() override { disconnectAll(); }
  TlsTransport(const TlsTransport &) = delete;
  TlsTransport &operator=(const TlsTransport &) = delete;

  wire::Result<Endpoint> bind(const Endpoint &endpoint) override {
    try {
      context_ = std::make_shared<TlsContext>(keys_);
    } catch (const std::runtime_error &error) {
      return wire::Status{wire::Code::InvalidOption,
                          "cannot use keys: " + std::string(error.what())};
    }
    inbound_.emplace(reactor_, context_, options_, refusals_);
    return inbound_->bind(endpoint);
  }

  void watch(Handlers handlers) override {
    handlers_ = std::move(handlers);
    inbound_->watch(handlers_);
  }

  wire::Status connect(const Neighbour &neighbour) override {
    if (!keys_->knows(neighbour.name))
      return noKeyOf(neighbour.name);
    if (neighbour.endpoint.transport() != TransportKind::Tcp)
      return {wire::Code::InvalidOption, "cannot connect to '" + neighbour.endpoint.text() +
                                             "': links with keys that listen over tcp connect "
                                             "over tcp; give all IPUs the same kind of endpoint"};
    auto outbound = std::make_shared<TlsOutbound>(
        reactor_.io(), context_, options_, neighbour.endpoint, neighbour.name,
        TlsOutbound::Handlers{[this, ipu = neighbour.ipu] { handlers_.onWritable(ipu); },
                              handlers_.onBad});
    outbound->start();
    if (auto old = std::exchange(outbound_[neighbour.ipu], std::move(outbound)))
      old->close();
    return wire::Status::success();
  }

  /// Neighbours stay connected to this node: the links judge what they send.
  void disconnectAll() override {
    for (const auto &[neighbour, outbound] : outbound_)
      outbound->close();
    outbound_.clear();
  }

  Sent send(wire::IpuId neighbour, const wire::Envelope &envelope,
            const Payload &payload) override {
    const auto outbound = outbound_.find(neighbour);
    if (outbound == outbound_.end())
      return Sent::Unreachable;
    Frames frames = framesOf(envelope, payload);
    return outbound->second->send(frames);
  }

private:
  Reactor &reactor_;
  std::shared_ptr<const Keyring> keys_;
  TlsOptions options_;
  std::shared_ptr<Refusals> refusals_;
  Handlers handlers_;
  std::shared_ptr<const TlsContext> context_; ///< once bound
  std::optional<TlsInbound> inbound_;         ///< likewise
  std::map<wire::IpuId, std::shared_ptr<TlsOutbound>> outbound_;
};

} // namespace

std::unique_ptr<Transport> makeTlsTransport(Reactor &reactor, std::shared_ptr<const Keyring> keys,
                                            const TlsOptions &options,
                                            std::shared_ptr<Refusals> refusals) {
  return std::make_unique<TlsTransport>(reactor, std::move(keys), options, std::move(refusals));
}

} // namespace copse::fabric
