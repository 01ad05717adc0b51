#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

/// Owning pointers and error texts of OpenSSL.
namespace orbweaver::tls {

template <auto free_function>
struct Deleter {
  template <class T>
  void operator()(T* object) const noexcept {
    free_function(object);
  }
};
using SslPtr = std::unique_ptr<SSL, Deleter<SSL_free>>;
using BioPtr = std::unique_ptr<BIO, Deleter<BIO_free_all>>;
using X509Ptr = std::unique_ptr<X509, Deleter<X509_free>>;
using PkeyPtr = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using ContextPtr = std::shared_ptr<SSL_CTX>;

/// SSL_R_RECORD_LAYER_FAILURE of OpenSSL 3.2 and later, which follows the error that gives the reason.
constexpr int kRecordLayerFailure = 313;

/// Returns the newest error of this thread that gives a reason, and clears its queue, which would otherwise
/// affect the next call's result.
inline unsigned long take_error_code() noexcept {
  unsigned long newest = 0;
  while (const unsigned long code = ERR_get_error()) {
    const bool gives_reason = ERR_GET_LIB(code) != ERR_LIB_SSL || ERR_GET_REASON(code) != kRecordLayerFailure;
    if (newest == 0 || gives_reason) newest = code;
  }
  return newest;
}

inline std::string reason_text(unsigned long code) {
  if (code == 0) return "no reason given";
  const char* const words = ERR_reason_error_string(code);
  return words != nullptr ? words : "OpenSSL error " + std::to_string(code);
}

}  // namespace orbweaver::tls
