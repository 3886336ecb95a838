#pragma once

#include "record_cipher.hpp"

#include "fabric/keys.hpp"

#include <cstdint>
#include <memory>
#include <string>

struct ssl_ctx_st;

namespace copse::fabric {

struct TlsState;

/// The settings of all handshakes of a node: TLS 1.3, the cipher, the keys.
///
/// Thread: any.
class TlsContext {
public:
  /// Throws std::runtime_error if OpenSSL is not installed or lacks something.
  explicit TlsContext(std::shared_ptr<const Keyring> keys);

  const Keyring &keys() const { return *keys_; }
  ssl_ctx_st *forClients() const { return client_.get(); }
  ssl_ctx_st *forServers() const { return server_.get(); }

private:
  struct Free {
    void operator()(ssl_ctx_st *context) const;
  };
  std::shared_ptr<const Keyring> keys_;
  std::unique_ptr<ssl_ctx_st, Free> client_, server_;
};

/// One end of the TLS 1.3 handshake that opens a connection. Both ends prove their names with a key
/// that only they can compute (Keyring::linkKey()), and agree on a fresh one for the records that
/// follow. The client is the end that connects; a server accepts only IPUs.
///
/// Life: construct once the socket is connected; step() until Done, again whenever the socket is
/// readable or writable, as its result says; key(); destroy. No byte after the handshake has been
/// read from the socket then.
///
/// Thread: one at a time.
class TlsHandshake {
public:
  enum class Step : std::uint8_t {
    Done,
    WantRead,
    WantWrite,
    Ended,   ///< the other end or the network has closed the connection
    Refused, ///< the other end does not accept this one
    Broken,  ///< the bytes are not a handshake, or the peer is not the expected one
  };

  /// \param socket  a descriptor that stays the caller's and outlives the handshake
  static TlsHandshake client(const TlsContext &context, int socket, const std::string &server);
  static TlsHandshake server(const TlsContext &context, int socket);
  TlsHandshake(TlsHandshake &&) noexcept;
  TlsHandshake &operator=(TlsHandshake &&) noexcept;
  ~TlsHandshake();

  Step step();
  /// Returns the name of the other end, once step() is Done.
  const std::string &peer() const;
  /// Returns the key of the records from the client to the server, once step() is Done (RFC 8446,
  /// 7.5).
  RecordKey key() const;

private:
  TlsHandshake(const TlsContext &context, int socket, ssl_ctx_st *side);

  std::unique_ptr<TlsState> state_; ///< OpenSSL's callbacks get its address
};

} // namespace copse::fabric
