#pragma once

#include <nlohmann/json.hpp>

#include "giop/ior.h"
#include "orb/options.h"

/// What `orbweaver ior` tells of a reference. Any thread.
namespace orbweaver::tools {

/// type_id, profiles (with their components) and roads, in the order in which they are read.
nlohmann::ordered_json describe(const giop::Ior& ior, const orb::Options& options);

/// The same for people: a line a value, indented; "-" begins an element of a list.
std::string to_text(const nlohmann::ordered_json& report);

}  // namespace orbweaver::tools
