#include "fabric/zmtp_inbox.hpp"

#include <utility>

namespace copse::fabric {

ZmtpInbox::ZmtpInbox(StreamLoop loop, Options options)
    : mostBytes_(options.mostBytes), refusals_(options.refusals),
      listener_(std::move(loop), {std::move(options.keys),
                                  {Role::Ipu},
                                  "PULL",
                                  {"PUSH"},
                                  options.mostBytes,
                                  std::move(options.refusals)}) {}

void ZmtpInbox::watch(OnMessage onMessage, OnBad onBad) {
  onMessage_ = std::move(onMessage);
  onBad_ = std::move(onBad);
  listener_.watch([this](std::unique_ptr<ZmtpSocket> socket, const std::string &origin) {
    add(std::move(socket), origin);
  });
}

void ZmtpInbox::limit(std::uint64_t mostBytes) {
  mostBytes_ = mostBytes;
  peers_.forEach([mostBytes](ZmtpSocket &peer) { peer.limit(mostBytes); });
}

void ZmtpInbox::add(std::unique_ptr<ZmtpSocket> socket, const std::string &origin) {
  const std::shared_ptr<ZmtpSocket> peer(std::move(socket));
  if (peers_.add(peer, origin))
    refusals_->count(origin, "too many connections");
  peer->limit(mostBytes_);
  peer->watch({[this, key = peer.get()](Frames frames) {
                 peers_.use(key);
                 onMessage_(std::move(frames), key->name());
               },
               [] {},
               [this, key = peer.get()](const wire::Status &why) {
                 peers_.remove(key);
                 if (why.code != wire::Code::Disconnected)
                   onBad_("the connection of a peer has ended: " + why.message);
               }});
}

} // namespace copse::fabric
