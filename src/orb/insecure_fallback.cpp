#include "orb/insecure_fallback.h"

#include "base/log.h"

namespace orbweaver::orb {
namespace {

bool is_in_the_clear(const Road& endpoint) {
  return !endpoint.transport->secure() && endpoint.transport->reach() == transport::Reach::anywhere;
}

std::string name(const Road& endpoint) { return std::string(endpoint.transport->name()) + " " + endpoint.address; }

}  // namespace

bool InsecureFallback::permits(const Road& endpoint, std::string& failures) const {
  if (secure_failure_.empty() || !is_in_the_clear(endpoint)) return true;
  if (permitted_ && !distrusted_) return true;
  failures += "; " + name(endpoint) +
              (distrusted_ ? ": not tried: where a certificate is not accepted, nothing is sent in the clear"
                           : ": not tried: it is in the clear, and the secure endpoint before it failed. If calls may "
                             "go in the clear, say -ORBInsecureFallback on, or leave tls out of -ORBTransportPreference");
  return false;
}

void InsecureFallback::note_failure(const Road& endpoint, const Error& error) {
  const bool denied = error.remedy == Remedy::permission_denied;
  denied_ |= denied;
  failed_otherwise_ |= !denied;
  if (!endpoint.transport->secure()) return;
  if (secure_failure_.empty()) secure_failure_ = name(endpoint) + ": " + error.message;
  distrusted_ |= denied;
}

void InsecureFallback::warn(const Road& endpoint, const std::string& type_id) const {
  if (secure_failure_.empty() || !is_in_the_clear(endpoint)) return;
  log::write_limited(log::Level::warn, "insecure fallback", endpoint.address, [&] {
    return "calls to " + type_id + " go in the clear by " + name(endpoint) + " (-ORBInsecureFallback on), because " +
           secure_failure_;
  });
}

}  // namespace orbweaver::orb
