#pragma once

#include <orbweaver/orb.h>

#include <optional>
#include <string>

#include "sca/domain/domain_model.h"

namespace orbweaver::sca {

/// The service of an interface that was registered first; empty if there is none. A service has the interface
/// of its reference, and those that it says to have (`_is_a`). Services that cannot be called within
/// kAttributeLimit are left out. Any thread.
std::optional<Service> find_service_of_type(const DomainModel& model,
                                            const IDL::traits<CORBA::ORB>::ref_type& orb,
                                            const std::string& repid);

}  // namespace orbweaver::sca
