#include "sca/domain/record_json.h"

#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace orbweaver::sca {

namespace {

constexpr std::pair<ApplicationState, const char*> kStates[] = {
    {ApplicationState::deploying, "deploying"}, {ApplicationState::stopped, "stopped"},
    {ApplicationState::started, "started"},     {ApplicationState::failed, "failed"},
    {ApplicationState::releasing, "releasing"}, {ApplicationState::orphaned, "orphaned"}};

}  // namespace

// NLOHMANN_JSON_SERIALIZE_ENUM would take an unknown state for the first one.
void to_json(nlohmann::json& json, ApplicationState state) {
  for (const auto& each : kStates)
    if (each.first == state) json = each.second;
}
void from_json(const nlohmann::json& json, ApplicationState& state) {
  const auto& text = json.get_ref<const std::string&>();
  for (const auto& each : kStates) {
    if (each.second != text) continue;
    state = each.first;
    return;
  }
  throw nlohmann::json::other_error::create(501, "unknown state '" + text + "'", &json);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Requirement, id, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Node, id, label, reference, profile)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Device, id, label, node, reference, profile, executes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Service, name, node, reference)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InstalledApplication, id, name, profile)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeployedComponent, id, instantiation, implementation, device, process,
                                   reference, binding, factory, is_factory, is_sca41)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeployedConnection, id, component, uses, provides, uses_port, provider,
                                   provides_port)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeployedLoad, device, file)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeployedDevice, id, reference)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExternalPort, name, component, port)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExternalProperty, id, component, property)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeployedAllocation, device, capacities)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Application, id, name, installed, profile, state, failure, controller,
                                   components, start_order, connections, loads, allocations, devices,
                                   external_ports, external_properties)

namespace {

template <class Record>
std::string text_of(const Record& record) {
  // Text of profiles and peers may be no UTF-8: such octets are replaced.
  return nlohmann::json(record).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <class Record>
Result<void> read(const std::string& text, Record& record) {
  try {
    nlohmann::json json = nlohmann::json::parse(text);
    // Records that were written before applications had the references of their devices.
    if constexpr (std::is_same_v<Record, Application>) json.emplace("devices", nlohmann::json::array());
    json.get_to(record);
    return {};
  } catch (const nlohmann::json::exception& problem) {
    return Error{ErrorKind::invalid, problem.what()};
  }
}

}  // namespace

bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

std::string to_json_text(const Node& record) { return text_of(record); }
std::string to_json_text(const Device& record) { return text_of(record); }
std::string to_json_text(const Service& record) { return text_of(record); }
std::string to_json_text(const InstalledApplication& record) { return text_of(record); }
std::string to_json_text(const Application& record) { return text_of(record); }

Result<void> from_json_text(const std::string& text, Node& record) { return read(text, record); }
Result<void> from_json_text(const std::string& text, Device& record) { return read(text, record); }
Result<void> from_json_text(const std::string& text, Service& record) { return read(text, record); }
Result<void> from_json_text(const std::string& text, InstalledApplication& record) {
  return read(text, record);
}
Result<void> from_json_text(const std::string& text, Application& record) { return read(text, record); }

}  // namespace orbweaver::sca
