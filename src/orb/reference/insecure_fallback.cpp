#include "orb/reference/insecure_fallback.h"

#include "base/log.h"

namespace orbweaver::orb {
namespace {

bool is_in_the_clear(const Endpoint& endpoint) {
  return !endpoint.transport->traits().secure &&
         endpoint.transport->traits().reach == transport::Reach::anywhere;
}

std::string name(const Endpoint& endpoint) {
  return std::string(endpoint.transport->name()) + " " + endpoint.address;
}

}  // namespace

bool InsecureFallback::permits(const Endpoint& endpoint, std::string& failures) const {
  if (secure_failure_.empty() || !is_in_the_clear(endpoint)) return true;
  if (permitted_ && !distrusted_) return true;
  failures += "; " + name(endpoint) +
              (distrusted_ ? ": not tried: unprotected, and a certificate was rejected"
                           : ": not tried: unprotected, and a TLS endpoint failed before. To permit "
                             "unprotected calls, set -ORBInsecureFallback on or omit tls from "
                             "-ORBTransportPreference");
  return false;
}

void InsecureFallback::note_failure(const Endpoint& endpoint, const Error& error) {
  const bool denied = error.kind == ErrorKind::permission_denied;
  denied_ |= denied;
  failed_otherwise_ |= !denied;
  if (!endpoint.transport->traits().secure) return;
  if (secure_failure_.empty()) secure_failure_ = name(endpoint) + ": " + error.message;
  distrusted_ |= denied;
}

void InsecureFallback::warn(const Endpoint& endpoint, const std::string& type_id) const {
  if (secure_failure_.empty() || !is_in_the_clear(endpoint)) return;
  log::write_limited(log::Level::warn, "insecure fallback", endpoint.address, [&] {
    return "unprotected calls to " + type_id + " over " + name(endpoint) +
           " (-ORBInsecureFallback on): " + secure_failure_;
  });
}

}  // namespace orbweaver::orb
