#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

/// OpenSSL's objects with owners, and its words.
namespace orbweaver::tls {

template <auto free_it>
struct Freed {
  template <class T>
  void operator()(T* object) const noexcept {
    free_it(object);
  }
};
using SslPtr = std::unique_ptr<SSL, Freed<SSL_free>>;
using BioPtr = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using X509Ptr = std::unique_ptr<X509, Freed<X509_free>>;
using PkeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using ContextPtr = std::shared_ptr<SSL_CTX>;

/// The reason of the newest error of this thread, and no more errors in its queue: OpenSSL judges the next call
/// by what lies there.
inline unsigned long take_error_code() noexcept {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  return code;
}

inline std::string words_for(unsigned long code) {
  if (code == 0) return "no reason given";
  const char* const words = ERR_reason_error_string(code);
  return words != nullptr ? words : "OpenSSL error " + std::to_string(code);
}

}  // namespace orbweaver::tls
