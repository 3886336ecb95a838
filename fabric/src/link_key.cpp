#include "fabric/keys.hpp"

#include <zmq.h>

#include <array>
#include <memory>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

namespace copse::fabric {
namespace {

constexpr std::size_t kX25519Bytes = 32; // of X25519, public, secret and shared
constexpr char kSalt[] = "copse IPU-Link, TLS 1.3 with pre-shared key, 1";
using KeyBytes = std::array<unsigned char, kX25519Bytes>;

template <auto kFree> struct Free {
  template <class T> void operator()(T *one) const { kFree(one); }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Free<EVP_PKEY_CTX_free>>;
using Kdf = std::unique_ptr<EVP_KDF, Free<EVP_KDF_free>>;
using KdfContext = std::unique_ptr<EVP_KDF_CTX, Free<EVP_KDF_CTX_free>>;

struct Secret {
  KeyBytes bytes{};
  ~Secret() { OPENSSL_cleanse(bytes.data(), bytes.size()); }
};

bool decode(const std::string &text, KeyBytes &bytes) {
  return text.size() == kX25519Bytes / 4 * 5 &&
         zmq_z85_decode(bytes.data(), text.c_str()) != nullptr;
}

/// CURVE's pairs are pairs of X25519.
bool agree(const KeyBytes &secret, const KeyBytes &peer, KeyBytes &shared) {
  const Key own(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, secret.data(), kX25519Bytes));
  const Key others(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, peer.data(), kX25519Bytes));
  if (!own || !others)
    return false;
  const KeyContext context(EVP_PKEY_CTX_new(own.get(), nullptr));
  std::size_t bytes = shared.size();
  return context && EVP_PKEY_derive_init(context.get()) == 1 &&
         EVP_PKEY_derive_set_peer(context.get(), others.get()) == 1 &&
         EVP_PKEY_derive(context.get(), shared.data(), &bytes) == 1 && bytes == kX25519Bytes;
}

bool expand(const KeyBytes &shared, std::string info, std::span<std::byte> key) {
  const Kdf hkdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  const KdfContext context(hkdf ? EVP_KDF_CTX_new(hkdf.get()) : nullptr);
  std::string digest = "SHA256", salt = kSalt;
  KeyBytes input = shared;
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, input.data(), input.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt.data(), salt.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info.data(), info.size()),
      OSSL_PARAM_construct_end()};
  const bool done =
      context && EVP_KDF_derive(context.get(), reinterpret_cast<unsigned char *>(key.data()),
                                key.size(), parameters) == 1;
  OPENSSL_cleanse(input.data(), input.size());
  return done;
}

} // namespace

LinkKey::~LinkKey() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

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
  // Each part ends with a 0, which is in none of them, so two lists never make the same text.
  std::string info;
  for (const std::string *part : {&client, &server, &clientKey, &serverKey})
    (info += *part) += '\0';
  std::optional<LinkKey> key(std::in_place);
  if (!expand(shared.bytes, std::move(info), key->bytes()))
    key.reset();
  return key;
}

} // namespace copse::fabric
