// CF::PropertySet operations of a component, and runTest().
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "sca/component/exception_text.h"
#include "sca/runtime/component_core.h"
#include "sca/runtime/property_any.h"

namespace orbweaver::sca {
namespace {

/// Limits of the message of an exception: the reasons in it, and the octets of each.
constexpr std::size_t kMaxReasons = 16, kMaxReasonBytes = 256;

/// Ids of properties that are rejected, and the reasons for the first of them.
class Rejections {
 public:
  void add(const std::string& id, const std::string& reason) {
    ids_.insert(id);
    if (++reasons_ > kMaxReasons) return;
    message_ += (message_.empty() ? "" : "; ") + printable(reason, kMaxReasonBytes);
  }
  bool empty() const { return ids_.empty(); }
  /// The values of these properties, each of them once.
  CF::Properties of(const CF::Properties& given) const {
    CF::Properties invalid;
    std::copy_if(given.begin(), given.end(), std::back_inserter(invalid),
                 [&](const CF::DataType& each) { return ids_.contains(each.id()); });
    return invalid;
  }
  std::string message() const {
    if (reasons_ <= kMaxReasons) return message_;
    return message_ + "; and " + std::to_string(reasons_ - kMaxReasons) + " more";
  }

 private:
  std::set<std::string> ids_;
  std::size_t reasons_ = 0;
  std::string message_;
};

}  // namespace

void ComponentCore::configure(const CF::Properties& properties) {
  using CF::PropertySet;
  Component::Values values;
  Rejections rejections;
  for (const CF::DataType& property : properties) {
    if (auto value = value_of(property.value()))
      values.emplace_back(property.id(), std::move(*value));
    else
      rejections.add(property.id(), "property '" + printable(property.id(), kMaxReasonBytes / 2) +
                                        "': the value is of a type that no property has");
  }
  try {
    if (rejections.empty()) component_.configure(values);
  } catch (const InvalidProperties& e) {
    for (const auto& [id, reason] : e.reasons()) rejections.add(id, reason);
  } catch (...) {
    throw PropertySet::InvalidConfiguration(current_exception_text(), properties);
  }
  if (!rejections.empty())
    throw PropertySet::InvalidConfiguration(rejections.message(), rejections.of(properties));
}

void ComponentCore::query(CF::Properties& properties) {
  if (properties.empty()) {
    for (const PropertyBase* property : component_.properties())
      if (property->mode() != PropertyMode::writeonly) properties.emplace_back(property->id(), CORBA::Any());
  }
  CF::Properties unknown;
  for (CF::DataType& property : properties) {
    const PropertyBase* const known = component_.find_property(property.id());
    if (known != nullptr && known->mode() != PropertyMode::writeonly) {
      property.value(any_of(known->declared_type(), component_.query(property.id())));
    } else {
      unknown.push_back(property);
    }
  }
  if (!unknown.empty()) throw CF::UnknownProperties(unknown);
}

bool ComponentCore::run_test(std::uint32_t id, CF::Properties& values) {
  const auto& tests = component_.tests();
  const auto found = std::find_if(tests.begin(), tests.end(), [&](auto* test) { return test->id() == id; });
  if (found == tests.end()) return false;
  std::vector<TestValues::Value> inputs;
  CF::Properties unknown;
  for (const CF::DataType& each : values) {
    const bool is_place_of_result = each.value().type()->kind() == CORBA::TCKind::tk_null;
    const auto text = is_place_of_result ? std::nullopt : text_of(each.value());
    if (!(*found)->has(each.id()) || (!text && !is_place_of_result)) {
      unknown.push_back(each);
    } else if (text) {
      inputs.push_back({each.id(), {}, *text});
    }
  }
  if (!unknown.empty()) throw CF::UnknownProperties(unknown);
  TestValues test(std::move(inputs));
  try {
    if (!component_.run_test(id, test)) return false;
  } catch (const InvalidTestValue& e) {
    CF::Properties invalid;
    for (const CF::DataType& each : values)
      if (each.id() == e.id()) invalid.push_back(each);
    throw CF::UnknownProperties(invalid);
  }
  for (const TestValues::Value& result : test.results()) {
    const CORBA::Any value = any_of(result.type, result.text);
    const auto given =
        std::find_if(values.begin(), values.end(), [&](const auto& each) { return each.id() == result.id; });
    if (given == values.end()) {
      values.emplace_back(result.id, value);
    } else {
      given->value(value);
    }
  }
  return true;
}

}  // namespace orbweaver::sca
