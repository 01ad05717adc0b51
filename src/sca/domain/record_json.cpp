#include "sca/domain/record_json.h"

#include <algorithm>
#include <concepts>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace orbweaver::sca {

namespace {

constexpr std::pair<PropertyForm, const char*> kForms[] = {
    {PropertyForm::simple, "simple"},
    {PropertyForm::sequence, "simplesequence"},
    {PropertyForm::structure, "struct"},
    {PropertyForm::structure_sequence, "structsequence"}};
constexpr std::pair<ApplicationState, const char*> kStates[] = {
    {ApplicationState::deploying, "deploying"}, {ApplicationState::stopped, "stopped"},
    {ApplicationState::started, "started"},     {ApplicationState::failed, "failed"},
    {ApplicationState::releasing, "releasing"}, {ApplicationState::orphaned, "orphaned"}};

// The members of each record, by their names in JSON: visit(name, member) for each.

template <class T, class Record>
concept Of = std::same_as<std::remove_const_t<T>, Record>;

template <class Visit>
void visit_members(Of<Requirement> auto& record, Visit visit) {
  visit("id", record.id);
  visit("value", record.value);
}
template <class Visit>
void visit_members(Of<AllocationProperty> auto& record, Visit visit) {
  visit("id", record.id);
  visit("name", record.name);
  visit("type", record.type);
  visit("action", record.action);
  visit("value", record.value);
  visit("more_values", record.more_values);
}
template <class Visit>
void visit_members(Of<Execution41> auto& record, Visit visit) {
  visit("thread", record.thread);
  visit("collocation", record.collocation);
  visit("cores", record.cores);
}
template <class Visit>
void visit_members(Of<Node> auto& record, Visit visit) {
  visit("id", record.id);
  visit("label", record.label);
  visit("reference", record.reference);
  visit("profile", record.profile);
  visit("is_sca41", record.is_sca41);
  visit("files", record.files);
  visit("sca41_object", record.sca41_object);
  visit("registrant", record.registrant);
}
template <class Visit>
void visit_members(Of<RegisteredDevice> auto& record, Visit visit) {
  visit("id", record.id);
  visit("label", record.label);
  visit("node", record.node);
  visit("reference", record.reference);
  visit("profile", record.profile);
  visit("executes", record.executes);
  visit("is_sca41", record.is_sca41);
  visit("properties", record.properties);
  visit("sca41_object", record.sca41_object);
  visit("registrant", record.registrant);
}
template <class Visit>
void visit_members(Of<Service> auto& record, Visit visit) {
  visit("name", record.name);
  visit("node", record.node);
  visit("reference", record.reference);
  visit("order", record.order);
  visit("registrant", record.registrant);
}
template <class Visit>
void visit_members(Of<InstalledApplication> auto& record, Visit visit) {
  visit("id", record.id);
  visit("name", record.name);
  visit("profile", record.profile);
}
template <class Visit>
void visit_members(Of<DeployedComponent> auto& record, Visit visit) {
  visit("id", record.id);
  visit("instantiation", record.instantiation);
  visit("implementation", record.implementation);
  visit("device", record.device);
  visit("process", record.process);
  visit("reference", record.reference);
  visit("binding", record.binding);
  visit("factory", record.factory);
  visit("is_factory", record.is_factory);
  visit("is_sca41", record.is_sca41);
  visit("unconfirmed", record.unconfirmed);
  visit("execution", record.execution);
}
template <class Visit>
void visit_members(Of<DeployedConnection> auto& record, Visit visit) {
  visit("id", record.id);
  visit("component", record.component);
  visit("uses", record.uses);
  visit("provides", record.provides);
  visit("uses_port", record.uses_port);
  visit("provider", record.provider);
  visit("provides_port", record.provides_port);
}
template <class Visit>
void visit_members(Of<DeployedLoad> auto& record, Visit visit) {
  visit("device", record.device);
  visit("file", record.file);
  visit("unconfirmed", record.unconfirmed);
}
template <class Visit>
void visit_members(Of<DeployedDevice> auto& record, Visit visit) {
  visit("id", record.id);
  visit("reference", record.reference);
}
template <class Visit>
void visit_members(Of<ExternalPort> auto& record, Visit visit) {
  visit("name", record.name);
  visit("component", record.component);
  visit("port", record.port);
}
template <class Visit>
void visit_members(Of<ExternalProperty> auto& record, Visit visit) {
  visit("id", record.id);
  visit("component", record.component);
  visit("property", record.property);
}
template <class Visit>
void visit_members(Of<DeployedAllocation> auto& record, Visit visit) {
  visit("device", record.device);
  visit("capacities", record.capacities);
  visit("unconfirmed", record.unconfirmed);
}
template <class Visit>
void visit_members(Of<SimpleType> auto& record, Visit visit) {
  visit("name", record.name);
  visit("is_complex", record.is_complex);
}
template <class Visit>
void visit_members(Of<MemberType> auto& record, Visit visit) {
  visit("id", record.id);
  visit("type", record.type);
  visit("is_sequence", record.is_sequence);
}
template <class Visit>
void visit_members(Of<DeclaredType> auto& record, Visit visit) {
  visit("form", record.form);
  visit("type", record.type);
  visit("members", record.members);
}
template <class Visit>
void visit_members(Of<PropertyValue> auto& record, Visit visit) {
  visit("form", record.form);
  visit("text", record.text);
  visit("elements", record.elements);
  visit("structs", record.structs);
}
template <class Visit>
void visit_members(Of<PropertyValue::Members::value_type> auto& record, Visit visit) {
  visit("id", record.first);
  visit("value", record.second);
}
template <class Visit>
void visit_members(Of<GivenProperty> auto& record, Visit visit) {
  visit("id", record.id);
  visit("type", record.type);
  visit("value", record.value);
}
template <class Visit>
void visit_members(Of<ExecutionAffinity> auto& record, Visit visit) {
  visit("component", record.component);
  visit("process", record.process);
  visit("cores", record.cores);
}
template <class Visit>
void visit_members(Of<Redeployment> auto& record, Visit visit) {
  visit("enabled", record.enabled);
  visit("lost", record.lost);
  visit("start", record.start);
  visit("reason", record.reason);
  visit("properties", record.properties);
  visit("assignments", record.assignments);
  visit("dependencies", record.dependencies);
  visit("affinities", record.affinities);
  visit("has_arguments", record.has_arguments);
  visit("again_s", record.again_s);
  visit("losses", record.losses);
  visit("pause_until_s", record.pause_until_s);
}
template <class Visit>
void visit_members(Of<Application> auto& record, Visit visit) {
  visit("id", record.id);
  visit("name", record.name);
  visit("installed", record.installed);
  visit("profile", record.profile);
  visit("state", record.state);
  visit("failure", record.failure);
  visit("controller", record.controller);
  visit("components", record.components);
  visit("start_order", record.start_order);
  visit("connections", record.connections);
  visit("loads", record.loads);
  visit("allocations", record.allocations);
  visit("devices", record.devices);
  visit("external_ports", record.external_ports);
  visit("external_properties", record.external_properties);
  visit("orphaned_s", record.orphaned_s);
  visit("redeployment", record.redeployment);
}

// Writing appends to a text: a deployment stores its record after each step, and most of it is references.

void write(std::string& json, const std::string& text) {
  const auto is_plain = [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; };
  if (std::all_of(text.begin(), text.end(), is_plain)) {
    json.append(1, '"').append(text).append(1, '"');
  } else {
    // Text of profiles and peers may be no UTF-8: such octets are replaced.
    json += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}
void write(std::string& json, bool value) { json += value ? "true" : "false"; }
void write(std::string& json, std::int64_t value) { json += std::to_string(value); }
void write(std::string& json, std::uint64_t value) { json += std::to_string(value); }
void write(std::string& json, std::uint32_t value) { json += std::to_string(value); }
void write(std::string& json, MatchAction action) { write(json, name_of(action)); }
template <class Value>
void write_name(std::string& json, Value value, const auto& names) {
  for (const auto& each : names)
    if (each.first == value) json.append(1, '"').append(each.second).append(1, '"');
}
void write(std::string& json, ApplicationState state) { write_name(json, state, kStates); }
void write(std::string& json, PropertyForm form) { write_name(json, form, kForms); }
template <class Record>
requires std::is_class_v<Record>
void write(std::string& json, const Record& record);
template <class Item>
void write(std::string& json, const std::vector<Item>& items) {
  char before = '[';
  for (const Item& item : items) {
    json += std::exchange(before, ',');
    write(json, item);
  }
  json += items.empty() ? "[]" : "]";
}
template <class Record>
requires std::is_class_v<Record>
void write(std::string& json, const Record& record) {
  char before = '{';
  visit_members(record, [&](const char* name, const auto& value) {
    json.append(1, std::exchange(before, ',')).append(1, '"').append(name).append("\":");
    write(json, value);
  });
  json += '}';
}

template <class Record>
std::string text_of(const Record& record) {
  std::string json;
  write(json, record);
  return json;
}

template <class Value>
void read_name(const nlohmann::json& json, Value& value, const auto& names, const char* what) {
  const auto& text = json.get_ref<const std::string&>();
  for (const auto& each : names) {
    if (each.second != text) continue;
    value = each.first;
    return;
  }
  throw nlohmann::json::other_error::create(501, "unknown " + std::string(what) + " '" + text + "'", &json);
}
void read(const nlohmann::json& json, ApplicationState& state) { read_name(json, state, kStates, "state"); }
void read(const nlohmann::json& json, PropertyForm& form) { read_name(json, form, kForms, "form"); }
void read(const nlohmann::json& json, MatchAction& action) {
  const auto& text = json.get_ref<const std::string&>();
  const auto found = match_action_of_name(text);
  if (!found) throw nlohmann::json::other_error::create(501, "unknown action '" + text + "'", &json);
  action = *found;
}
void read(const nlohmann::json& json, std::string& value) { json.get_to(value); }
void read(const nlohmann::json& json, bool& value) { json.get_to(value); }
void read(const nlohmann::json& json, std::int64_t& value) { json.get_to(value); }
void read(const nlohmann::json& json, std::uint64_t& value) { json.get_to(value); }
void read(const nlohmann::json& json, std::uint32_t& value) { json.get_to(value); }
template <class Record>
requires std::is_class_v<Record>
void read(const nlohmann::json& json, Record& record);
template <class Item>
void read(const nlohmann::json& json, std::vector<Item>& items) {
  for (const auto& each : json.get_ref<const nlohmann::json::array_t&>()) read(each, items.emplace_back());
}
template <class Record>
requires std::is_class_v<Record>
void read(const nlohmann::json& json, Record& record) {
  visit_members(record, [&](const char* name, auto& value) { read(json.at(name), value); });
}

/// Adds a member with its default to the objects of a list of a record.
void complete_list(nlohmann::json& record, const char* list, const char* member,
                   const nlohmann::json& value) {
  const auto found = record.find(list);
  if (found == record.end() || !found->is_array()) return;
  for (auto& each : *found)
    if (each.is_object()) each.emplace(member, value);
}

/// Adds the members that records did not have when they were written.
template <class Record>
void add_missing(nlohmann::json& json) {
  if constexpr (std::is_same_v<Record, Node> || std::is_same_v<Record, RegisteredDevice>) {
    json.emplace("is_sca41", false);
    json.emplace("sca41_object", "");
  }
  if constexpr (std::is_same_v<Record, Node>) json.emplace("files", "");
  if constexpr (std::is_same_v<Record, Node> || std::is_same_v<Record, RegisteredDevice> ||
                std::is_same_v<Record, Service>)
    json.emplace("registrant", "");
  if constexpr (std::is_same_v<Record, RegisteredDevice>) json.emplace("properties", nlohmann::json::array());
  if constexpr (std::is_same_v<Record, Service>) json.emplace("order", 0);
  if constexpr (std::is_same_v<Record, Application>) {
    json.emplace("devices", nlohmann::json::array());
    json.emplace("orphaned_s", 0);
    json.emplace("redeployment", nlohmann::json::parse(text_of(Redeployment())));
    if (auto& redeployment = json["redeployment"]; redeployment.is_object()) {
      redeployment.emplace("has_arguments", true);
      for (const char* const number : {"again_s", "losses", "pause_until_s"}) redeployment.emplace(number, 0);
    }
    for (const char* const list : {"components", "loads", "allocations"})
      complete_list(json, list, "unconfirmed", 0);
    complete_list(json, "components", "execution",
                  {{"thread", 0}, {"collocation", ""}, {"cores", nlohmann::json::array()}});
  }
}

template <class Record>
Result<void> parse(const std::string& text, Record& record) {
  try {
    nlohmann::json json = nlohmann::json::parse(text);
    add_missing<Record>(json);
    Record now;
    read(json, now);
    record = std::move(now);
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
std::string to_json_text(const RegisteredDevice& record) { return text_of(record); }
std::string to_json_text(const Service& record) { return text_of(record); }
std::string to_json_text(const InstalledApplication& record) { return text_of(record); }
std::string to_json_text(const Application& record) { return text_of(record); }

Result<void> from_json_text(const std::string& text, Node& record) { return parse(text, record); }
Result<void> from_json_text(const std::string& text, RegisteredDevice& record) { return parse(text, record); }
Result<void> from_json_text(const std::string& text, Service& record) { return parse(text, record); }
Result<void> from_json_text(const std::string& text, InstalledApplication& record) {
  return parse(text, record);
}
Result<void> from_json_text(const std::string& text, Application& record) { return parse(text, record); }

}  // namespace orbweaver::sca
