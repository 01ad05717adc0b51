#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <orbweaver/sca/property_value.h>

namespace orbweaver::sca {

/// Exec params of a component, as pairs of id and value on the command line (SCA 2.2.2, 3.1.3.3.3.2.5), or
/// the qualifiers of a factory. Used by one thread, during the component's construction.
class Context {
 public:
  Context() = default;
  /// For tests: Context::with({{"COMPONENT_IDENTIFIER", "gain_1"}, {"gain", "2"}}).
  static Context with(std::map<std::string, std::string, std::less<>> values) {
    Context context;
    for (auto& [id, value] : values) context.values_.emplace(id, std::move(value));
    return context;
  }
  /// Creates a context from a command line. Throws std::invalid_argument if the arguments are not pairs, or
  /// repeat an id.
  static Context from_arguments(const std::vector<std::string>& arguments);

  /// Adds a value, of any form: of a qualifier that a factory has been given. Replaces one of this id.
  void set(std::string id, PropertyValue value);

  /// Returns the simple value of `id`, valid as long as the context; null if not given. Marks the id as used.
  const std::string* find(std::string_view id);
  /// As find, of any form.
  const PropertyValue* value(std::string_view id);
  /// As find; throws std::invalid_argument if not given.
  const std::string& required(std::string_view id);
  /// Returns the component's id in the assembly; "component" if not given, as in tests.
  std::string identifier();
  /// Returns the number of streams that the assembly connects to an input:
  /// STREAMS_EXPECTED="in=1,reference=2". 1 if not given, so that a component outside of an assembly expects
  /// one.
  std::size_t streams_expected(std::string_view port);
  /// Whether packets of an input are handled by direct calls: DIRECT_INPUTS="in,reference".
  bool is_direct_input(std::string_view port);

  /// Ids that have not been used: the PRF declares them, but the component has no such property.
  std::vector<std::string> unknown() const;

 private:
  std::map<std::string, PropertyValue, std::less<>> values_;
  std::vector<std::string> requested_;
};

}  // namespace orbweaver::sca
