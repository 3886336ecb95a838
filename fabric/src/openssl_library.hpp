#pragma once

#include "wire/result.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/ssl.h>

namespace copse::fabric {

/// The functions of OpenSSL under their own names, in libraries that are opened when the first link
/// has keys: a process without keys saves their 1.6 MiB.
struct OpenSsl {
// NOLINTBEGIN(bugprone-macro-parentheses): a declared name has no parentheses
#define CRYPTO(call) decltype(&::call) call = nullptr;
#define SSL(call) decltype(&::call) call = nullptr;
// NOLINTEND(bugprone-macro-parentheses)
#include "openssl_calls.def"
#undef CRYPTO
#undef SSL
};

/// Opens the two libraries by their file names, and never closes them.
/// \returns NotFound if a library cannot be opened, or lacks a function
wire::Result<OpenSsl> loadOpenSsl(const char *crypto, const char *ssl);

/// Returns the OpenSSL of the headers, and opens it in the first call. Throws std::runtime_error if
/// it is not installed.
///
/// Thread: any.
const OpenSsl &openSsl();

/// Deletes by one of OpenSSL's functions, such as `OpenSslFree<&OpenSsl::BIO_free>`.
template <auto kFree> struct OpenSslFree {
  template <class T> void operator()(T *one) const { (openSsl().*kFree)(one); }
};

} // namespace copse::fabric
