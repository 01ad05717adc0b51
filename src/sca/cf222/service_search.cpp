#include "sca/cf222/service_search.h"

#include <algorithm>
#include <vector>

#include "sca/cf222/remote_calls.h"
#include "sca/deployment/concurrently.h"

namespace orbweaver::sca {
namespace {

/// Services that are asked at a time.
constexpr std::size_t kAtATime = 16;

bool is_of_type(const IDL::traits<CORBA::Object>::ref_type& service, const std::string& repid) noexcept {
  try {
    return service && (service->_repository_id() == repid || service->_is_a(repid));
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

std::optional<Service> find_service_of_type(const DomainModel& model,
                                            const IDL::traits<CORBA::ORB>::ref_type& orb,
                                            const std::string& repid) {
  if (repid.empty()) return std::nullopt;
  std::vector<Service> services = model.services();  // sorted by name
  std::stable_sort(services.begin(), services.end(),
                   [](const Service& a, const Service& b) { return a.order < b.order; });
  for (std::size_t begin = 0; begin < services.size(); begin += kAtATime) {
    std::vector<char> fits(std::min(kAtATime, services.size() - begin));
    run_concurrently(fits.size(), [&](std::size_t i) {
      fits[i] =
          is_of_type(limited<CORBA::Object>(orb, services[begin + i].reference, kAttributeLimit), repid);
    });
    const auto first = std::find(fits.begin(), fits.end(), 1);
    if (first != fits.end()) return services[begin + static_cast<std::size_t>(first - fits.begin())];
  }
  return std::nullopt;
}

}  // namespace orbweaver::sca
