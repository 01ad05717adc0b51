#pragma once

#include "sca/cf222/domain.h"

namespace orbweaver::sca {

/// The objects of a domain for clients of SCA 4.1 (3.1.3.3): its domain manager, application factories and
/// application managers. They have no state of their own: what one edition changes, the other one shows.
DomainFacade facade_of_sca41();

}  // namespace orbweaver::sca
