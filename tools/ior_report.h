#pragma once

#include <nlohmann/json.hpp>

#include "giop/ior.h"
#include "orb/options.h"

/// The report of `orbweaver ior` on a reference. Any thread.
namespace orbweaver::tools {

/// Returns type_id, profiles (with their components) and endpoints, in the order of the reference.
nlohmann::ordered_json describe(const giop::Ior& ior, const orb::Options& options);

/// Formats the report as indented text, one value a line; "-" begins an element of a list.
std::string to_text(const nlohmann::ordered_json& report);

}  // namespace orbweaver::tools
