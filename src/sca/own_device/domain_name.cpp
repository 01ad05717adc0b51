#include "sca/own_device/domain_name.h"

#include <cstddef>
#include <exception>
#include <vector>

#include "CosNamingC.h"
#include "sca/own_device/call_limit.h"
#include "services/naming/name_text.h"
#include "services/naming/service_addresses.h"

namespace orbweaver::sca {

IDL::traits<CORBA::Object>::ref_type find_in_context(const IDL::traits<CORBA::ORB>::ref_type& orb,
                                                     const DomainContext& domain, const std::string& name,
                                                     int limit_ms) {
  CosNaming::Name path = naming::to_name(domain.context);
  path.emplace_back(name, "");
  const std::vector<std::string> services = naming::service_addresses(domain.naming);
  for (std::size_t i = 0;; ++i) {
    try {
      const auto service =
          with_call_limit<CosNaming::NamingContext>(orb, orb->string_to_object(services[i]), limit_ms);
      if (!service) throw CORBA::OBJECT_NOT_EXIST();
      return service->resolve(path);
    } catch (const std::exception&) {
      if (i + 1 == services.size()) throw;
    }
  }
}

}  // namespace orbweaver::sca
