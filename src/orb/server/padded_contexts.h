#pragma once

#include <span>
#include <vector>

#include "giop/message.h"
#include "giop/service_context.h"

namespace orbweaver::orb {

/// The service contexts of a reply whose results have been encoded as from a multiple of 8. Before GIOP 1.2
/// the results follow the contexts without padding: an additional context, which receivers skip, moves them
/// to one. Views of `contexts`.
std::vector<giop::ServiceContext> padded_contexts(giop::Version version,
                                                  std::span<const giop::ServiceContext> contexts);

}  // namespace orbweaver::orb
