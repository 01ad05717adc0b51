#include "sca/device/domain_name.h"

#include "CosNamingC.h"
#include "sca/device/call_limit.h"
#include "services/naming/name_text.h"

namespace orbweaver::sca {

IDL::traits<CORBA::Object>::ref_type find_in_context(const IDL::traits<CORBA::ORB>::ref_type& orb,
                                                     const DomainContext& domain, const std::string& name,
                                                     int limit_ms) {
  const auto naming =
      with_call_limit<CosNaming::NamingContext>(orb, orb->string_to_object(domain.naming), limit_ms);
  if (!naming) throw CORBA::OBJECT_NOT_EXIST();
  CosNaming::Name path = naming::to_name(domain.context);
  path.emplace_back(name, "");
  return naming->resolve(path);
}

}  // namespace orbweaver::sca
