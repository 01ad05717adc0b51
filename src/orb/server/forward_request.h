#pragma once

#include <orbweaver/forward_request.h>

#include <string_view>

namespace orbweaver::orb {

/// Raises INV_OBJREF if a servant forwards a request of `operation` to nil or to a local object.
void check_forward(std::string_view operation, const PortableServer::ForwardRequest& forward);

}  // namespace orbweaver::orb
