#include "sca/deployment/domain_finder.h"

namespace orbweaver::sca {

DeploymentDomain::ObjectRef find_in_domain(DeploymentDomain& domain, const std::string& type,
                                           const std::string& name) {
  if (type == "filemanager" || type == "filesystem") return domain.files();
  if (type == "log") return domain.find_log(name);
  if (type == "eventchannel") return domain.event_channel(name);
  if (type == "namingservice") return domain.naming_service();
  if (type == "application") return domain.find_application(name);
  if (type == "domainmanager") return domain.domain_manager();
  if (type == "devicemanager") return domain.find_device_manager(name);
  if (type == "servicename") return domain.find_service(name);
  if (type == "servicetype") return domain.find_service_of_type(name);
  return nullptr;
}

}  // namespace orbweaver::sca
