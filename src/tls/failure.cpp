#include "tls/failure.h"

#include "tls/identity.h"

namespace orbweaver::tls {
namespace {

/// Alerts of the peer, which OpenSSL reports as reasons from 1000 on.
constexpr int kAlert = SSL_AD_REASON_OFFSET;

std::string explain_alert(int alert, Role role) {
  const std::string alert_text =
      std::string("it ended the handshake with the alert '") + SSL_alert_desc_string_long(alert) + "'";
  switch (alert) {
    case SSL_AD_CERTIFICATE_REQUIRED:
      return alert_text + ": it requires a client certificate: give tls.certificate";
    case SSL_AD_UNKNOWN_CA:
      return alert_text +
             ": it does not trust the authority of this end's certificate: add that to the peer's "
             "tls.ca, or use a certificate of an authority that it trusts";
    case SSL_AD_CERTIFICATE_EXPIRED:
      return alert_text + ": this end's certificate has expired, or the peer's clock is wrong";
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_REVOKED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_ACCESS_DENIED:
      return alert_text + ": it does not accept this end's certificate; its log may say why";
    case SSL_AD_HANDSHAKE_FAILURE:
      return alert_text + (role == Role::client
                               ? ": it wants another cipher, or a client certificate (tls.certificate)"
                               : ": it wants another cipher, or does not accept this end's certificate");
    case SSL_AD_PROTOCOL_VERSION:
    case SSL_AD_INSUFFICIENT_SECURITY:
      return alert_text + ": the two have no version of TLS, or no cipher, in common";
    default: return alert_text;
  }
}

/// The clause about a certificate that is for another host than `expected`.
std::string other_host(const X509& certificate, const std::string& expected) {
  std::string names;
  for (const std::string& each : alternative_names_of(certificate))
    names += (names.empty() ? "" : ", ") + each;
  return " is for " + (names.empty() ? "no host" : names) + ", and not for '" + expected +
         "': it needs that name, or set tls.peer-name to another";
}

/// The clause about a certificate whose key usages do not permit the peer's role.
std::string wrong_purpose(Role role) {
  return std::string(" is not meant for ") + (role == Role::client ? "servers" : "clients") + ": it needs " +
         (role == Role::client ? "serverAuth" : "clientAuth") + " among its extended key usages";
}

/// Whether OpenSSL fails with this reason for bytes that are not TLS.
bool is_not_tls(int reason) {
  switch (reason) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_UNEXPECTED_MESSAGE:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_BAD_RECORD_TYPE: return true;
    default: return false;
  }
}

}  // namespace

std::string explain_certificate(X509_STORE_CTX* store, Role role, const std::string& expected) {
  const int code = X509_STORE_CTX_get_error(store);
  const X509* const certificate = X509_STORE_CTX_get_current_cert(store);
  if (certificate == nullptr) return std::string("its certificate: ") + X509_verify_cert_error_string(code);
  const bool own = X509_STORE_CTX_get_error_depth(store) == 0;
  const std::string named = std::string(own ? "its certificate (" : "a certificate above its own (") +
                            subject_of(*certificate) + ")";
  switch (code) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return named + " expired on " + end_of_validity(*certificate) +
             ": it must be renewed, or this machine's clock is wrong";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return named + " is not valid before " + begin_of_validity(*certificate) +
             ": this machine's clock may be wrong";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_UNTRUSTED:
      return named + " was issued by '" + issuer_of(*certificate) +
             "', which is not a trusted authority: add its certificate to tls.ca to trust it";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return named + other_host(*certificate, expected);
    case X509_V_ERR_INVALID_PURPOSE: return named + wrong_purpose(role);
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return named + " is not signed by '" + issuer_of(*certificate) + "', as it says";
    default: return named + ": " + X509_verify_cert_error_string(code);
  }
}

bool is_about_trust(unsigned long code) {
  if (ERR_GET_LIB(code) != ERR_LIB_SSL) return false;
  switch (ERR_GET_REASON(code)) {
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
    case kAlert + SSL_AD_CERTIFICATE_REQUIRED:
    case kAlert + SSL_AD_UNKNOWN_CA:
    case kAlert + SSL_AD_CERTIFICATE_EXPIRED:
    case kAlert + SSL_AD_BAD_CERTIFICATE:
    case kAlert + SSL_AD_UNSUPPORTED_CERTIFICATE:
    case kAlert + SSL_AD_CERTIFICATE_REVOKED:
    case kAlert + SSL_AD_CERTIFICATE_UNKNOWN:
    case kAlert + SSL_AD_ACCESS_DENIED: return true;
    default: return false;
  }
}

std::string explain(unsigned long code, Role role, const std::string& verification_error) {
  if (ERR_GET_LIB(code) != ERR_LIB_SSL) return reason_text(code);
  const int reason = ERR_GET_REASON(code);
  if (reason > kAlert && reason < kAlert + 256) return explain_alert(reason - kAlert, role);
  if (is_not_tls(reason)) return "its data is not TLS";
  switch (reason) {
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      return verification_error.empty() ? "its certificate is not trusted" : verification_error;
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return "it presented no certificate, and tls.verify=required requires one";
    case SSL_R_UNSUPPORTED_PROTOCOL:  // either end may have the older versions
    case SSL_R_UNKNOWN_PROTOCOL:
      return "the two have no version of TLS in common (tls.min-version, tls.max-version of both ends)";
    case SSL_R_VERSION_TOO_LOW: return "it supports only versions of TLS that are too old (tls.min-version)";
    case SSL_R_NO_SHARED_CIPHER: return "the two have no cipher in common (tls.ciphers, tls.ciphersuites)";
    case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC:
      return "record authentication failed: bytes were changed in transit";
    default: return reason_text(code);
  }
}

}  // namespace orbweaver::tls
