#include "tls/identity.h"

#include <cstdio>
#include <ctime>

namespace orbweaver::tls {
namespace {

std::string text_of(const X509_NAME* name) {
  const BioPtr memory(BIO_new(BIO_s_mem()));
  // Keeps characters beyond ASCII as UTF-8 instead of \xx.
  if (!memory ||
      X509_NAME_print_ex(memory.get(), name, 0,
                         XN_FLAG_RFC2253 & ~static_cast<unsigned long>(ASN1_STRFLGS_ESC_MSB)) < 0) {
    return {};
  }
  char* text = nullptr;
  const long bytes = BIO_get_mem_data(memory.get(), &text);
  return bytes > 0 ? std::string(text, static_cast<std::size_t>(bytes)) : std::string();
}

/// Escapes a name, which may have any bytes, including a zero: "good.example\0.evil".
std::string printable(const ASN1_STRING* string) {
  std::string text;
  const unsigned char* const data = ASN1_STRING_get0_data(string);
  for (int i = 0; i < ASN1_STRING_length(string); ++i) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped,
                  data[i] >= 0x20 && data[i] < 0x7f && data[i] != '\\' ? "%c" : "\\%02x", data[i]);
    text += escaped;
  }
  return text;
}

std::string ip_text(const ASN1_OCTET_STRING* address) {
  const unsigned char* const data = ASN1_STRING_get0_data(address);
  char text[64] = "";
  if (ASN1_STRING_length(address) == 4) {
    std::snprintf(text, sizeof text, "%u.%u.%u.%u", data[0], data[1], data[2], data[3]);
    return text;
  }
  std::string groups;
  for (int i = 0; i + 1 < ASN1_STRING_length(address); i += 2) {
    std::snprintf(text, sizeof text, "%s%x", i == 0 ? "" : ":", data[i] * 256U + data[i + 1]);
    groups += text;
  }
  return groups;
}

std::string time_text(const ASN1_TIME* time) {
  std::tm broken{};
  char text[64] = "an unreadable date";
  if (ASN1_TIME_to_tm(time, &broken) == 1) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &broken);
  return text;
}

}  // namespace

std::string subject_of(const X509& certificate) { return text_of(X509_get_subject_name(&certificate)); }
std::string issuer_of(const X509& certificate) { return text_of(X509_get_issuer_name(&certificate)); }
std::string end_of_validity(const X509& certificate) { return time_text(X509_get0_notAfter(&certificate)); }
std::string begin_of_validity(const X509& certificate) {
  return time_text(X509_get0_notBefore(&certificate));
}

std::vector<std::string> alternative_names_of(const X509& certificate) {
  std::vector<std::string> names;
  const std::unique_ptr<GENERAL_NAMES, Deleter<GENERAL_NAMES_free>> all(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(all.get(), i);
    switch (name->type) {
      case GEN_DNS: names.push_back("DNS:" + printable(name->d.dNSName)); break;
      case GEN_IPADD: names.push_back("IP:" + ip_text(name->d.iPAddress)); break;
      case GEN_URI: names.push_back("URI:" + printable(name->d.uniformResourceIdentifier)); break;
      case GEN_EMAIL: names.push_back("email:" + printable(name->d.rfc822Name)); break;
      default: break;
    }
  }
  return names;
}

}  // namespace orbweaver::tls
