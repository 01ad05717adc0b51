#pragma once

#include <orbweaver/result.h>

#include <memory>
#include <string>

#include "CFC.h"
#include "sca/domain/domain_records.h"
#include "sca/profile/node_configuration.h"

namespace orbweaver::sca {

/// The DCD of a registered node.
struct NodeProfile {
  NodeConfiguration configuration;
  /// What follows the ids of the DCD in those of the node and its devices (`orbweaver node --name`).
  std::string suffix;
};

/// The <deployerrequires> (REDHAWK) of a device of the node.
std::vector<Requirement> deployer_requires(const NodeProfile& profile, const std::string& device);

/// Null: the DCD could not be read.
using NodeProfileRef = std::shared_ptr<const NodeProfile>;

/// Reads the DCD of a node, with what it names, from the file system of the node. Blocks while the node is
/// called. Any thread. Errors: unavailable if it cannot be read from the file system; invalid with the first
/// mistake in it. `missing` becomes the first file of these that the file system does not have.
Result<NodeProfile> read_node_profile(const IDL::traits<CF::FileSystem>::ref_type& files, const Node& node,
                                      std::string& missing);

}  // namespace orbweaver::sca
