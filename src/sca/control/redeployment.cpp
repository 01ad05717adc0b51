#include "sca/control/redeployment.h"

#include "DomainC.h"
#include "sca/control/domain_client.h"

namespace orbweaver::sca {

void set_redeploy(const IDL::traits<CF::Application>::ref_type& application, bool redeploy) {
  const auto ours = IDL::traits<framework::DomainApplication>::narrow(application);
  if (!ours)
    throw Error{
        ErrorKind::unavailable,
        "the domain manager is not Orbweaver's, and does not create applications of lost nodes again"};
  ours->redeploy(redeploy);
}

void set_redeploy_of_created(const IDL::traits<CF::Application>::ref_type& application,
                             const std::string& name, const std::string& id) {
  const auto set = execute([&] {
    set_redeploy(application, true);
    return std::string();
  });
  if (!set)
    throw Error{set.error().kind,
                "application '" + name + "' (" + id +
                    ") is created, and is not created again when a node is lost: " + set.error().message};
}

}  // namespace orbweaver::sca
