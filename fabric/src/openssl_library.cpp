#include "openssl_library.hpp"

#include <dlfcn.h>
#include <openssl/opensslv.h>
#include <stdexcept>
#include <string>

namespace copse::fabric {
namespace {

#define COPSE_TEXT_OF(number) COPSE_TEXT(number)
#define COPSE_TEXT(token) #token
constexpr const char *kCrypto = "libcrypto.so." COPSE_TEXT_OF(OPENSSL_SHLIB_VERSION);
constexpr const char *kSsl = "libssl.so." COPSE_TEXT_OF(OPENSSL_SHLIB_VERSION);
#undef COPSE_TEXT
#undef COPSE_TEXT_OF

wire::Status unusable() {
  const std::string why = ::dlerror(); // NOLINT(concurrency-mt-unsafe): each thread has its own
  return {wire::Code::NotFound, "OpenSSL cannot be opened: " + why +
                                    "; links with keys need it, so install OpenSSL " +
                                    std::to_string(OPENSSL_VERSION_MAJOR)};
}

template <class Call> bool find(void *library, const char *name, Call &call) {
  call = reinterpret_cast<Call>(::dlsym(library, name));
  return call != nullptr;
}

} // namespace

wire::Result<OpenSsl> loadOpenSsl(const char *crypto, const char *ssl) {
  void *const cryptoLibrary = ::dlopen(crypto, RTLD_NOW | RTLD_LOCAL);
  void *const sslLibrary =
      cryptoLibrary == nullptr ? nullptr : ::dlopen(ssl, RTLD_NOW | RTLD_LOCAL);
  if (sslLibrary == nullptr)
    return unusable();
  OpenSsl all;
#define CRYPTO(call)                                                                               \
  if (!find(cryptoLibrary, #call, all.call))                                                       \
    return unusable();
#define SSL(call)                                                                                  \
  if (!find(sslLibrary, #call, all.call))                                                          \
    return unusable();
#include "openssl_calls.def"
#undef CRYPTO
#undef SSL
  return all;
}

const OpenSsl &openSsl() {
  static const wire::Result<OpenSsl> loaded = loadOpenSsl(kCrypto, kSsl);
  if (!loaded)
    throw std::runtime_error(loaded.status().message);
  return *loaded;
}

} // namespace copse::fabric
