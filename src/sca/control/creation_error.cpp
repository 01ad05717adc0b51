#include "sca/control/creation_error.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/temporary_folder.h"
#include "sca/control/call_error.h"
#include "sca/control/nodes41.h"
#include "sca/deployment/property_access.h"
#include "sca/deployment/property_values.h"
#include "sca/profile/assembly.h"
#include "sca/profile/similar_name.h"
#include "sca/profile/xml.h"
#include "sca/profile_copies/profile_copies.h"

namespace orbweaver::sca {
namespace {

/// "; did you mean 'a'?", or "; there is a or b"
std::string suggestion(const std::string& wanted, const std::vector<std::string>& known) {
  if (known.empty()) return "; there is none";
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::string_view similar = similar_name(wanted, names);
  if (!similar.empty()) return "; did you mean '" + std::string(similar) + "'?";
  return "; there is " + some_of(known);
}

/// The assembly of an installed application; nullopt if its profiles cannot be read.
std::optional<Assembly> read_assembly(const DomainClient& client, const ReadFactory& factory) {
  const TemporaryFolder copies("orbweaver-app");
  const std::filesystem::path& folder = copies.path();
  const IDL::traits<CF::FileSystem>::ref_type files =
      client.for_action<CF::FileSystem>(client.domain()->fileMgr());
  if (folder.empty() || !files || !copy_profiles(files, factory.profile, folder)) return std::nullopt;
  auto assembly = load_assembly(path_of_copy(factory.profile, folder), folder.string(), AssemblyUse::domain,
                                ProfileScope::root);
  if (!assembly) return std::nullopt;
  return std::move(*assembly);
}

std::vector<ReadNode> all_nodes(const DomainClient& client) {
  auto nodes = read_nodes(client.domain());
  add_nodes41(nodes, client.find_in_domain("DomainManager41"));
  return nodes;
}

/// Why the component cannot be placed; empty: it can.
std::string problem_of_component(const Assembly& assembly, const std::string& id) {
  const auto component = assembly.find(id);
  if (component) {
    const auto& factory = assembly.components[*component].factory;
    if (!factory || assembly.loads_libraries(factory->factory)) return {};
    return "'" + id + "' is created by '" + factory->id + "': assign that";
  }
  if (assembly.find_factory(id)) return {};
  std::vector<std::string> known;
  for (const Instantiation& each : assembly.components)
    if (!each.factory || assembly.loads_libraries(each.factory->factory)) known.push_back(each.id);
  for (const Instantiation& each : assembly.factories) known.push_back(each.id);
  return "there is no component '" + id + "'" + suggestion(id, known);
}

/// Why there is no such device; empty: there is one.
std::string problem_of_device(const std::vector<ReadNode>& nodes, const std::string& id) {
  std::vector<std::string> ids, of_name;
  for (const ReadNode& node : nodes) {
    for (const ReadDevice& device : node.devices) {
      if (device.id == id) return {};
      ids.push_back(device.id);
      if (device.name == id || node.name == id) of_name.push_back(device.id);
    }
  }
  const std::string problem = "there is no device '" + id + "'";
  if (of_name.size() == 1) return problem + "; did you mean '" + of_name.front() + "'?";
  return problem + suggestion(id, of_name.empty() ? ids : of_name);
}

/// What is wrong with a value that create() has rejected.
std::string problem_of_value(const Assembly& assembly, const CF::DataType& given) {
  const AssemblyProperty target = assembly.property(given.id());
  const PropertyFile properties = properties_of(assembly.package_of(target.component), nullptr);
  const std::string component = "component '" + assembly.components[target.component].id + "'";
  if (properties.find_use(target.property) == nullptr) {
    std::vector<std::string> known;
    for (const SimpleProperty& each : properties.simple)
      if (each.can_be_set()) known.push_back(each.id);
    for (const AssemblyProperty& each : assembly.external_properties) known.push_back(each.id);
    return component + " has no property '" + given.id() + "'" + suggestion(given.id(), known);
  }
  const std::string problem =
      check_values(properties, {CF::DataType(target.property, given.value())}, ValueUse::initial).reasons;
  if (!problem.empty()) return problem + " (" + component + ")";
  return component + " has rejected " + any_text(given.value()) + " for '" + given.id() + "'";
}

std::string joined(const std::vector<std::string>& problems) {
  std::string text;
  for (const std::string& each : problems) text += (text.empty() ? "" : "; ") + each;
  return text;
}

}  // namespace

std::string describe(const CF::ApplicationFactory::CreateApplicationRequestError& error,
                     const DomainClient& client, const ReadFactory& factory) {
  const auto assembly = read_assembly(client, factory);
  if (!assembly) return describe(error);
  const auto nodes = all_nodes(client);
  std::vector<std::string> problems;
  for (const CF::DeviceAssignmentType& each : error.invalidAssignments()) {
    const std::string component = problem_of_component(*assembly, each.componentId());
    const std::string device = problem_of_device(nodes, each.assignedDeviceId());
    if (!component.empty()) problems.push_back(component);
    if (!device.empty()) problems.push_back(device);
    if (component.empty() && device.empty())
      problems.push_back("'" + each.componentId() + "' is assigned to more than one device");
  }
  return "the application cannot be created: " + joined(problems);
}

std::string describe(const CF::ApplicationFactory::InvalidInitConfiguration& error,
                     const DomainClient& client, const ReadFactory& factory) {
  const auto assembly = read_assembly(client, factory);
  if (!assembly) return describe(error);
  std::vector<std::string> problems;
  for (const CF::DataType& each : error.invalidProperties())
    problems.push_back(problem_of_value(*assembly, each));
  return "the application cannot be created: " + joined(problems);
}

}  // namespace orbweaver::sca
