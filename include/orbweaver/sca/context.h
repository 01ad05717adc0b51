#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orbweaver::sca {

/// What a component is given when it is made: its exec params, in pairs of id and value as SCA 2.2.2 puts
/// them on the command line (3.1.3.3.3.2.5). Used by one thread, while the component is constructed.
class Context {
 public:
  Context() = default;
  /// For tests: Context::with({{"COMPONENT_IDENTIFIER", "gain_1"}, {"gain", "2"}}).
  static Context with(std::map<std::string, std::string, std::less<>> values) {
    Context context;
    context.values_ = std::move(values);
    return context;
  }
  /// Throws std::invalid_argument where the arguments are not pairs or give an id twice.
  static Context from_arguments(const std::vector<std::string>& arguments);

  /// Null where the id was not given. Remembers that it was asked for.
  const std::string* find(std::string_view id);
  /// The value; throws std::invalid_argument where it was not given.
  const std::string& required(std::string_view id);
  /// The component's id in the assembly; "component" where none was given, in tests.
  std::string identifier();
  /// How many streams the assembly leads into an input: STREAMS_EXPECTED="in=1,reference=2". 1 where it
  /// does not say, so that a component on its own waits for one.
  std::size_t streams_expected(std::string_view port);

  /// Ids that nobody asked for: the PRF declares them, the component does not know them.
  std::vector<std::string> unknown() const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> asked_;
};

}  // namespace orbweaver::sca
