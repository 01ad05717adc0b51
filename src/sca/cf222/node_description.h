#pragma once

#include <orbweaver/result.h>

#include <string>
#include <vector>

#include "CFC.h"
#include "sca/cf222/device_profiles.h"
#include "sca/cf222/node_profiles.h"
#include "sca/domain/domain_records.h"

namespace orbweaver::sca {

/// A device as it and its profile describe it.
struct DeviceDescription {
  RegisteredDevice record;
  DeviceProfile profile;
};

/// A node as its device manager describes it, or as it has registered itself (SCA 4.1).
struct NodeDescription {
  Node record;
  IDL::traits<CF::FileSystem>::ref_type files;  ///< Nil: it has none, as nodes of SCA 4.1 may.
  std::vector<DeviceDescription> devices;
  std::vector<IDL::traits<CORBA::Object>::ref_type> registered;  ///< All devices, also those with a problem.
  std::vector<Service> services;
  NodeProfileRef profile;
  std::string missing_profile;  ///< The DCD, or a file that it names, that does not exist; empty: all do.
  /// Why the DCD could not be read, and devices not described.
  std::vector<std::string> problems;
};

/// Asks a device, and reads its profile from the file system of its node. Blocks. Any thread.
/// Errors: unavailable if one of them cannot be called; invalid with the first mistake in the profile.
Result<DeviceDescription> describe_device(const IDL::traits<CF::Device>::ref_type& device,
                                          const std::string& node,
                                          const IDL::traits<CF::FileSystem>::ref_type& files);

/// The same of a device of SCA 4.1, which has described itself: reads its profile, if it has one. `record` is
/// complete but for the node. Errors: invalid, also with the first mistake in the profile; unavailable if the
/// profile cannot be read.
Result<DeviceDescription> describe_registered(RegisteredDevice record, const std::string& node,
                                              const IDL::traits<CF::FileSystem>::ref_type& files);

/// Whether this can be the name of a service. Error: invalid.
Result<void> check_service_name(const std::string& name);

/// Checks what a node of SCA 4.1 has registered, and reads the profiles of its devices, and its DCD. Blocks.
/// Any thread. Error: invalid.
Result<void> complete_registered(NodeDescription& description);

/// Asks a device manager, and all of its devices. Blocks. Any thread.
/// Errors: unavailable if the device manager cannot be called; invalid if its id or label is.
Result<NodeDescription> describe_node(const IDL::traits<CF::DeviceManager>::ref_type& node);

}  // namespace orbweaver::sca
