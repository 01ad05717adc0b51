#pragma once

#include <string>
#include <vector>

#include "tls/openssl.h"

/// Names in certificates, escaped for output.
namespace orbweaver::tls {

/// "CN=radio-7,O=Navy", in the format of RFC 2253; UTF-8, control characters escaped.
std::string subject_of(const X509& certificate);
std::string issuer_of(const X509& certificate);
/// "DNS:radio-7.example", "IP:10.0.0.7", "URI:…", "email:…"; other kinds of names are omitted.
std::vector<std::string> alternative_names_of(const X509& certificate);
/// "2026-11-21 18:15:00 UTC"
std::string end_of_validity(const X509& certificate);
std::string begin_of_validity(const X509& certificate);

}  // namespace orbweaver::tls
