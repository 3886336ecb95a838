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
  /// Throws std::runtime_error if OpenSSL is not installed or cannot do what it takes.
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

/// One end of the TLS 1.3 handshake that opens a connection. Both ends prove who they are with a
/// key that only the two of them can compute (Keyring::linkKey()), and agree on a fresh one for the
/// records that follow. The client is the end that dialled; only IPUs get into a server.
///
/// Life: make it once the socket is connected; step() until Done, again whenever the socket is
/// readable or writable, as it says; key(); destroy. Not a byte behind the handshake has been read
/// from the socket then.
///
/// Thread: one at a time.
class TlsHandshake {
public:
  enum class Step : std::uint8_t {
    Done,
    WantRead,
    WantWrite,
    Ended,   ///< the connection is over, by the other end or the network
    Refused, ///< the other end says that it does not accept this one
    Broken,  ///< what came is no handshake, or whoever is there is not who should be
  };

  /// \param socket  a descriptor of the caller's, which outlives the handshake
  static TlsHandshake client(const TlsContext &context, int socket, const std::string &server);
  static TlsHandshake server(const TlsContext &context, int socket);
  TlsHandshake(TlsHandshake &&) noexcept;
  TlsHandshake &operator=(TlsHandshake &&) noexcept;
  ~TlsHandshake();

  Step step();
  /// Who is at the other end, once step() is Done.
  const std::string &peer() const;
  /// Of the records from the client to the server, once step() is Done (RFC 8446, 7.5).
  RecordKey key() const;

private:
  TlsHandshake(const TlsContext &context, int socket, ssl_ctx_st *side);

  std::unique_ptr<TlsState> state_; ///< OpenSSL's callbacks get its address
};

} // namespace copse::fabric
