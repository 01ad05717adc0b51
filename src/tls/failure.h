#pragma once

#include <string>

#include "tls/context.h"

/// Error texts of TLS, with the user's next step.
namespace orbweaver::tls {

/// Explains the verification error in `store`. `expected` is the name that the server's certificate must
/// have.
std::string explain_certificate(X509_STORE_CTX* store, Role role, const std::string& expected);

/// True if the OpenSSL error means that one end rejected the other's certificate.
bool is_about_trust(unsigned long code);

/// Explains an error of OpenSSL's queue. `verification_error` is the result of explain_certificate; empty:
/// none.
std::string explain(unsigned long code, Role role, const std::string& verification_error);

}  // namespace orbweaver::tls
