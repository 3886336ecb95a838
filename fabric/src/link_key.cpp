#include "openssl_library.hpp"

#include "fabric/keys.hpp"

#include <zmq.h>

#include <array>
#include <memory>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <strings.h>

namespace copse::fabric {
namespace {

constexpr std::size_t kX25519Bytes = 32; // sizes of X25519's public, secret and shared keys
constexpr char kSalt[] = "copse IPU-Link, TLS 1.3 with pre-shared key, 1";
using KeyBytes = std::array<unsigned char, kX25519Bytes>;

using Key = std::unique_ptr<EVP_PKEY, OpenSslFree<&OpenSsl::EVP_PKEY_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, OpenSslFree<&OpenSsl::EVP_PKEY_CTX_free>>;
using Kdf = std::unique_ptr<EVP_KDF, OpenSslFree<&OpenSsl::EVP_KDF_free>>;
using KdfContext = std::unique_ptr<EVP_KDF_CTX, OpenSslFree<&OpenSsl::EVP_KDF_CTX_free>>;

struct Secret {
  KeyBytes bytes{};
  ~Secret() { ::explicit_bzero(bytes.data(), bytes.size()); }
};

bool decode(const std::string &text, KeyBytes &bytes) {
  return text.size() == kX25519Bytes / 4 * 5 &&
         zmq_z85_decode(bytes.data(), text.c_str()) != nullptr;
}

/// Computes the shared secret. CURVE's keys are X25519 keys.
bool agree(const KeyBytes &secret, const KeyBytes &peer, KeyBytes &shared) {
  const OpenSsl &ssl = openSsl();
  const Key own(
      ssl.EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, secret.data(), kX25519Bytes));
  const Key others(
      ssl.EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, peer.data(), kX25519Bytes));
  if (!own || !others)
    return false;
  const KeyContext context(ssl.EVP_PKEY_CTX_new(own.get(), nullptr));
  std::size_t bytes = shared.size();
  return context && ssl.EVP_PKEY_derive_init(context.get()) == 1 &&
         ssl.EVP_PKEY_derive_set_peer(context.get(), others.get()) == 1 &&
         ssl.EVP_PKEY_derive(context.get(), shared.data(), &bytes) == 1 && bytes == kX25519Bytes;
}

bool expand(const KeyBytes &shared, std::string info, std::span<std::byte> key) {
  const OpenSsl &ssl = openSsl();
  const Kdf hkdf(ssl.EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  const KdfContext context(hkdf ? ssl.EVP_KDF_CTX_new(hkdf.get()) : nullptr);
  std::string digest = "SHA256", salt = kSalt;
  KeyBytes input = shared;
  const OSSL_PARAM parameters[] = {
      ssl.OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      ssl.OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, input.data(), input.size()),
      ssl.OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt.data(), salt.size()),
      ssl.OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info.data(), info.size()),
      ssl.OSSL_PARAM_construct_end()};
  const bool done =
      context && ssl.EVP_KDF_derive(context.get(), reinterpret_cast<unsigned char *>(key.data()),
                                    key.size(), parameters) == 1;
  ::explicit_bzero(input.data(), input.size());
  return done;
}

} // namespace

LinkKey::~LinkKey() { ::explicit_bzero(bytes_.data(), bytes_.size()); }

std::optional<LinkKey> Keyring::linkKey(const std::string &client,
                                        const std::string &server) const {
  const auto peer = publicKeys_.find(client == self_ ? server : client);
  if (peer == publicKeys_.end() || client == server || (client != self_ && server != self_))
    return {};
  Secret own, shared;
  KeyBytes peerKey{};
  if (!decode(own_.secretKey, own.bytes) || !decode(peer->second, peerKey) ||
      !agree(own.bytes, peerKey, shared.bytes))
    return {};
  const auto &clientKey = client == self_ ? own_.publicKey : peer->second;
  const auto &serverKey = client == self_ ? peer->second : own_.publicKey;
  // Each part ends with a 0, which occurs in no part, so two lists never make the same text.
  std::string info;
  for (const std::string *part : {&client, &server, &clientKey, &serverKey})
    (info += *part) += '\0';
  std::optional<LinkKey> key(std::in_place);
  if (!expand(shared.bytes, std::move(info), key->bytes()))
    key.reset();
  return key;
}

} // namespace copse::fabric
