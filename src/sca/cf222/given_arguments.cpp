#include "sca/cf222/given_arguments.h"

#include <orbweaver/any.h>

#include <utility>
#include <vector>

#include "sca/runtime/property_any.h"

namespace orbweaver::sca {

namespace {

/// Counts what is kept.
class KeptBytes {
 public:
  void add(const std::string& text) { bytes_ += sizeof(text) + text.size(); }
  void add(const PropertyValue& value) {
    bytes_ += sizeof(value) - sizeof(value.text);
    add(value.text);
    for (const std::string& element : value.elements) add(element);
    for (const PropertyValue::Members& members : value.structs) {
      bytes_ += sizeof(members);
      for (const auto& [id, member] : members) {
        add(id);
        add(member);
      }
    }
  }
  void add(const DeclaredType& type) {
    bytes_ += sizeof(type);
    for (const MemberType& member : type.members) bytes_ += sizeof(member) + member.id.size();
  }
  void add(const Requirement& each) {
    add(each.id);
    add(each.value);
  }
  void add(const ExecutionAffinity& each) {
    add(each.component);
    add(each.process);
    bytes_ += sizeof(each.cores) + each.cores.size() * sizeof(each.cores[0]);
  }
  bool fit(std::size_t more = 0) const { return bytes_ <= kMaxKeptBytes && more <= kMaxKeptBytes - bytes_; }

 private:
  std::size_t bytes_ = 0;
};

/// Adds to both. False if that exceeds the limit.
template <class Item>
bool keep(std::vector<Item>& items, Item item, KeptBytes& bytes) {
  bytes.add(item);
  items.push_back(std::move(item));
  return bytes.fit();
}

/// False if they exceed the limit.
bool keep_all(Redeployment& redeployment, const CF::Properties& configuration,
              const CF::DeviceAssignmentSequence& assignments, const CallerPlacement& placement) {
  KeptBytes bytes;
  for (const CF::DataType& each : configuration) {
    // An encoded value is no larger than it is as data: one that is too large is not converted.
    if (!bytes.fit(any::Access::bound(each.value()))) return false;
    auto type = declared_type_of(each.value());
    auto value = value_of(each.value());
    if (!type || !value) continue;
    bytes.add(each.id());
    bytes.add(*type);
    bytes.add(*value);
    if (!bytes.fit()) return false;
    redeployment.properties.push_back({each.id(), std::move(*type), std::move(*value)});
  }
  for (const CF::DeviceAssignmentType& each : assignments)
    if (!keep(redeployment.assignments, {each.componentId(), each.assignedDeviceId()}, bytes)) return false;
  for (const Requirement& each : placement.dependencies)
    if (!keep(redeployment.dependencies, each, bytes)) return false;
  for (const ExecutionAffinity& each : placement.affinities)
    if (!keep(redeployment.affinities, each, bytes)) return false;
  return true;
}

}  // namespace

Redeployment redeployment_of(const CF::Properties& configuration,
                             const CF::DeviceAssignmentSequence& assignments,
                             const CallerPlacement& placement) {
  Redeployment redeployment;
  if (keep_all(redeployment, configuration, assignments, placement)) return redeployment;
  Redeployment none;
  none.has_arguments = false;
  return none;
}

CF::Properties configuration_of(const Redeployment& redeployment) {
  CF::Properties configuration;
  for (const GivenProperty& each : redeployment.properties)
    configuration.emplace_back(each.id, any_of(each.type, each.value));
  return configuration;
}

CF::DeviceAssignmentSequence assignments_of(const Redeployment& redeployment) {
  CF::DeviceAssignmentSequence assignments;
  for (const Requirement& each : redeployment.assignments) assignments.emplace_back(each.id, each.value);
  return assignments;
}

CallerPlacement placement_of(const Redeployment& redeployment) {
  return {redeployment.dependencies, redeployment.affinities};
}

}  // namespace orbweaver::sca
