#pragma once

#include <string>
#include <vector>

#include "tls/openssl.h"

/// Names in certificates, as text that is safe to show.
namespace orbweaver::tls {

/// "CN=radio-7,O=Navy", as RFC 2253 writes it; UTF-8, control characters escaped.
std::string subject_of(const X509& certificate);
std::string issuer_of(const X509& certificate);
/// "DNS:radio-7.example", "IP:10.0.0.7", "URI:…", "email:…"; other kinds of names are left out.
std::vector<std::string> alternative_names_of(const X509& certificate);
/// "2026-11-21 18:15:00 UTC"
std::string end_of_validity(const X509& certificate);
std::string begin_of_validity(const X509& certificate);

}  // namespace orbweaver::tls
