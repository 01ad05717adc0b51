#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <orbweaver/sca/property_value.h>

namespace orbweaver::sca {

/// How a requirement is compared with an allocation property of a device: the attribute `type` of <action> in
/// a PRF (SCA 2.2.2 D.4.1.1.7).
enum class MatchAction {
  external,  ///< The device decides, in allocateCapacity().
  equal,
  not_equal,
  greater,
  greater_equal,
  less,
  less_equal,
};

/// The action with this name in PRFs ("ge"); nullopt if there is none.
std::optional<MatchAction> match_action_of_name(std::string_view name);

/// The name of an action in PRFs.
std::string name_of(MatchAction action);

/// A property of kind allocation of a device, with its present value.
struct AllocationProperty {
  std::string id;
  std::string name;  ///< Profiles may refer to the property by its name, too.
  std::string type;  ///< PRF type name ("ulong").
  MatchAction action = MatchAction::external;
  std::string value;  ///< Without meaning if the action is external.
  /// Further values of a device of SCA 4.1: a requirement that one of them meets is met.
  std::vector<std::string> more_values = {};
  /// Its type unless it is simple: `type` is then empty, and `value` JSON (property_json.h), in which simple
  /// values are texts. Not stored.
  std::shared_ptr<const DeclaredType> structure = nullptr;
  PropertyForm form() const { return structure ? structure->form : PropertyForm::simple; }
  friend bool operator==(const AllocationProperty&, const AllocationProperty&) = default;
};

/// What an implementation or a usesdevice element requires of a device: a <propertyref> of a dependency, or
/// for REDHAWK a reference to a property of another form.
struct Requirement {
  std::string id;                            ///< Id or name of the device's allocation property.
  std::string value;                         ///< As AllocationProperty::value.
  PropertyForm form = PropertyForm::simple;  ///< Not stored: that of the property.
  friend bool operator==(const Requirement&, const Requirement&) = default;
};

/// Returns why the value of the device's property does not meet the requirement ("memory_mb is 256, and has
/// to be at least 512"), or nullopt if it does. The device's value is the left operand of the comparison.
/// Numbers are compared as numbers, booleans only for equality, other types by their characters; a value that
/// the type does not have meets nothing. Structs and sequences are compared for equality only.
/// `offered.action` is not external.
std::optional<std::string> unmet(const AllocationProperty& offered, const Requirement& required);

}  // namespace orbweaver::sca
