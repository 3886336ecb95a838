#include "tls_handshake.hpp"

#include "openssl_library.hpp"
#include "socket_bio.hpp"

#include <stdexcept>
#include <string_view>
#include <utility>

namespace copse::fabric {
namespace {

constexpr const char *kCipher = "TLS_AES_128_GCM_SHA256";
constexpr unsigned char kCipherNumber[] = {0x13, 0x01}; // RFC 8446, B.4
constexpr const char *kGroup = "X25519";
constexpr std::string_view kKeyLabel = "EXPORTER-copse-link-records";
// Reasons of errors from here on are alerts of the other end.
constexpr int kFirstAlert = SSL_AD_REASON_OFFSET;

void mustWork(bool worked, const char *what) {
  if (!worked)
    throw std::runtime_error(std::string("OpenSSL cannot ") + what);
}

void mustBeAllowed(bool worked, const char *what) {
  if (!worked)
    throw std::runtime_error(std::string("OpenSSL cannot ") + what +
                             "; see whether a system-wide configuration of OpenSSL forbids it");
}

using Session = std::unique_ptr<SSL_SESSION, OpenSslFree<&OpenSsl::SSL_SESSION_free>>;

/// Returns a session with the pre-shared key: with it, neither end needs a certificate.
Session sessionWith(SSL *ssl, const LinkKey &key) {
  Session session(openSsl().SSL_SESSION_new());
  const SSL_CIPHER *const cipher = openSsl().SSL_CIPHER_find(ssl, kCipherNumber);
  const bool made = session != nullptr && cipher != nullptr &&
                    openSsl().SSL_SESSION_set1_master_key(
                        session.get(), reinterpret_cast<const unsigned char *>(key.bytes().data()),
                        key.bytes().size()) == 1 &&
                    openSsl().SSL_SESSION_set_cipher(session.get(), cipher) == 1 &&
                    openSsl().SSL_SESSION_set_protocol_version(session.get(), TLS1_3_VERSION) == 1;
  if (!made)
    session.reset();
  return session;
}

} // namespace

struct TlsState {
  const Keyring *keys = nullptr;
  std::string peer; ///< set on a server: the name that the other end claims
  std::unique_ptr<SSL, OpenSslFree<&OpenSsl::SSL_free>> ssl;
};

namespace {

TlsState &stateOf(SSL *ssl) { return *static_cast<TlsState *>(openSsl().SSL_get_ex_data(ssl, 0)); }

/// Sends the client's name, and uses the key that it shares with the server.
int useKey(SSL *ssl, const EVP_MD *, const unsigned char **identity, std::size_t *bytes,
           SSL_SESSION **session) {
  const auto &state = stateOf(ssl);
  const auto key = state.keys->linkKey(state.keys->self(), state.peer);
  Session made = key ? sessionWith(ssl, *key) : Session();
  if (!made)
    return 0;
  const std::string &self = state.keys->self();
  *identity = reinterpret_cast<const unsigned char *>(self.data());
  *bytes = self.size();
  *session = made.release();
  return 1;
}

/// Finds the key of the client. An unknown client, or one that may not enter, gets no session, and
/// the handshake fails.
int findKey(SSL *ssl, const unsigned char *identity, std::size_t bytes, SSL_SESSION **session) {
  *session = nullptr;
  auto &state = stateOf(ssl);
  const std::string name(reinterpret_cast<const char *>(identity), bytes);
  if (roleOf(name) != Role::Ipu)
    return 1;
  const auto key = state.keys->linkKey(name, state.keys->self());
  if (!key)
    return 1;
  *session = sessionWith(ssl, *key).release();
  state.peer = name;
  return *session != nullptr ? 1 : 0;
}

SSL_CTX *newContext(const SSL_METHOD *method) {
  SSL_CTX *const context = openSsl().SSL_CTX_new(method);
  mustWork(context != nullptr, "make a context");
  mustBeAllowed(openSsl().SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 &&
                    openSsl().SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1,
                "speak TLS 1.3");
  mustBeAllowed(openSsl().SSL_CTX_set_ciphersuites(context, kCipher) == 1, "encrypt with AES-GCM");
  mustBeAllowed(openSsl().SSL_CTX_set1_groups_list(context, kGroup) == 1,
                "agree on keys with X25519");
  mustBeAllowed(openSsl().SSL_CTX_set_num_tickets(context, 0) == 1, "do without tickets");
  openSsl().SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  // No read-ahead and no compatibility mode: the bytes after the handshake must be the first
  // record.
  openSsl().SSL_CTX_set_read_ahead(context, 0);
  openSsl().SSL_CTX_clear_options(context, SSL_OP_ENABLE_MIDDLEBOX_COMPAT);
  return context;
}

} // namespace

void TlsContext::Free::operator()(ssl_ctx_st *context) const { openSsl().SSL_CTX_free(context); }

TlsContext::TlsContext(std::shared_ptr<const Keyring> keys)
    : keys_(std::move(keys)), client_(newContext(openSsl().TLS_client_method())),
      server_(newContext(openSsl().TLS_server_method())) {
  openSsl().SSL_CTX_set_psk_use_session_callback(client_.get(), useKey);
  // No authority is trusted, so a server that offers a certificate in place of the key is refused.
  openSsl().SSL_CTX_set_verify(client_.get(), SSL_VERIFY_PEER, nullptr);
  openSsl().SSL_CTX_set_psk_find_session_callback(server_.get(), findKey);
}

TlsHandshake::TlsHandshake(const TlsContext &context, int socket, ssl_ctx_st *side)
    : state_(std::make_unique<TlsState>()) {
  state_->keys = &context.keys();
  state_->ssl.reset(openSsl().SSL_new(side));
  BIO *const bio = newSocketBio(socket);
  mustWork(state_->ssl != nullptr && bio != nullptr, "make a session");
  openSsl().SSL_set_bio(state_->ssl.get(), bio, bio);
  openSsl().SSL_set_ex_data(state_->ssl.get(), 0, state_.get());
}

TlsHandshake TlsHandshake::client(const TlsContext &context, int socket,
                                  const std::string &server) {
  TlsHandshake handshake(context, socket, context.forClients());
  handshake.state_->peer = server;
  openSsl().SSL_set_connect_state(handshake.state_->ssl.get());
  return handshake;
}

TlsHandshake TlsHandshake::server(const TlsContext &context, int socket) {
  TlsHandshake handshake(context, socket, context.forServers());
  openSsl().SSL_set_accept_state(handshake.state_->ssl.get());
  return handshake;
}

TlsHandshake::TlsHandshake(TlsHandshake &&) noexcept = default;
TlsHandshake &TlsHandshake::operator=(TlsHandshake &&) noexcept = default;
TlsHandshake::~TlsHandshake() = default;

const std::string &TlsHandshake::peer() const { return state_->peer; }

TlsHandshake::Step TlsHandshake::step() {
  openSsl().ERR_clear_error();
  SSL *const ssl = state_->ssl.get();
  const int result = openSsl().SSL_do_handshake(ssl);
  if (result == 1) // only the key proves who the peer is
    return openSsl().SSL_session_reused(ssl) == 1 ? Step::Done : Step::Broken;
  switch (openSsl().SSL_get_error(ssl, result)) {
  case SSL_ERROR_WANT_READ:
    return Step::WantRead;
  case SSL_ERROR_WANT_WRITE:
    return Step::WantWrite;
  case SSL_ERROR_SSL:
    break;
  default:
    return Step::Ended;
  }
  const int reason = ERR_GET_REASON(openSsl().ERR_peek_error());
  if (reason == SSL_R_UNEXPECTED_EOF_WHILE_READING)
    return Step::Ended;
  return reason >= kFirstAlert ? Step::Refused : Step::Broken;
}

RecordKey TlsHandshake::key() const {
  RecordKey key;
  mustWork(openSsl().SSL_export_keying_material(
               state_->ssl.get(), reinterpret_cast<unsigned char *>(key.bytes().data()),
               key.bytes().size(), kKeyLabel.data(), kKeyLabel.size(), nullptr, 0, 0) == 1,
           "export a key");
  return key;
}

} // namespace copse::fabric
