#pragma once

#include <orbweaver/result.h>

#include <map>
#include <string>
#include <vector>

#include "platform/process.h"
#include "sca/profile/node_configuration.h"

namespace orbweaver::sca {

/// How the processes of a node are started.
struct NodeProcessOptions {
  std::string manager;           ///< IOR of the device manager.
  std::string registry;          ///< IOR of the same as the component registry of SCA 4.1.
  std::string naming, domain;    ///< As in DomainAddress; of `domain`, the context.
  std::string root;              ///< Folder of the node's file system.
  std::string program_folder;    ///< Where orbweaver-device is.
  std::vector<std::string> orb;  ///< ORB options.
};

/// The implementation of a device or service that runs on this machine.
struct ChosenImplementation {
  std::string id;
  std::string program;               ///< Absolute path.
  platform::ProcessLimits limits{};  ///< <stacksize> and <priority> of its code.
};
/// Errors: invalid, with the place in the SPD, if there is none, its program is missing, or its limits cannot
/// be applied to a process.
Result<ChosenImplementation> choose_implementation(const SoftwarePackage& package,
                                                   const std::string& program_folder);

/// The name of a file in the file system of the node, whose root is `folder`: "/devices/gpp.spd.xml". Errors:
/// invalid if it is not in that folder.
Result<std::string> name_in_folder(const std::string& path, const std::string& folder);

/// The command line of a device or service (SCA 2.2.2 3.1.3.2.4.1): ORB options, the exec params of the
/// standard that its SCD is of, and the properties of kind execparam. `id` is that of the component, `parent`
/// the IOR of the AggregateDevice that it is a part of.
Result<std::vector<std::string>> arguments_of(const NodeConfiguration& node, const NodeComponent& component,
                                              const std::string& id, const std::string& parent,
                                              const NodeProcessOptions& options);

}  // namespace orbweaver::sca
