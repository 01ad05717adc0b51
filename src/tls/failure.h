#pragma once

#include <string>

#include "tls/context.h"

/// What went wrong between two ends, in words that say what to do.
namespace orbweaver::tls {

/// Of the peer's certificate; `store` has judged it. `expected` is the name that a server should have.
std::string explain_certificate(X509_STORE_CTX* store, Role role, const std::string& expected);

/// Does one end not accept the other's certificate? Of an error from OpenSSL's queue.
bool is_about_trust(unsigned long code);

/// Of an error from OpenSSL's queue. `judgement` is what explain_certificate said; empty: nothing.
std::string explain(unsigned long code, Role role, const std::string& judgement);

}  // namespace orbweaver::tls
