#include "sca/cf41/facade.h"

#include "sca/cf41/application_factory_servant41.h"
#include "sca/cf41/application_manager_servant.h"
#include "sca/cf41/component_types.h"
#include "sca/cf41/domain_manager_servant41.h"

namespace orbweaver::sca {

DomainFacade facade_of_sca41() {
  DomainFacade facade;
  facade.name = kFacade41;
  facade.manager = [](Domain& domain) { return CORBA::make_reference<DomainManagerServant41>(domain); };
  facade.factory = [](Domain& domain, const std::string& id) {
    return CORBA::make_reference<ApplicationFactoryServant41>(domain, id);
  };
  facade.application = [](Domain& domain, const std::string& id) {
    return CORBA::make_reference<ApplicationManagerServant>(domain, id);
  };
  return facade;
}

}  // namespace orbweaver::sca
