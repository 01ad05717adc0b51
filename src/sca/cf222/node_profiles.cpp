#include "sca/cf222/node_profiles.h"

#include "base/temporary_folder.h"
#include "sca/profile_copies/profile_copies.h"

namespace orbweaver::sca {

Result<NodeProfile> read_node_profile(const IDL::traits<CF::FileSystem>::ref_type& files, const Node& node,
                                      std::string& missing) {
  const TemporaryFolder folder("orbweaver-profile");
  if (folder.path().empty())
    return Error{ErrorKind::unavailable, "a temporary folder for its DCD cannot be made"};
  if (auto copied = copy_profiles(files, node.profile, folder.path(), &missing); !copied)
    return copied.take_error();
  auto read = load_node(path_of_copy(node.profile, folder.path()), folder.path().string());
  if (!read) return Error{read.error().kind, without_folder(read.error().message, folder.path())};
  NodeProfile profile{std::move(*read), {}};
  if (node.id.starts_with(profile.configuration.id))
    profile.suffix = node.id.substr(profile.configuration.id.size());
  return profile;
}

std::vector<Requirement> deployer_requires(const NodeProfile& profile, const std::string& device) {
  std::vector<Requirement> required;
  for (const NodeComponent& component : profile.configuration.components) {
    if (component.id != device && component.id + profile.suffix != device) continue;
    for (const DeviceRequirement& each : component.deployer_requires)
      required.push_back({each.id, each.value});
  }
  return required;
}

}  // namespace orbweaver::sca
