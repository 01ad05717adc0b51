#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <orbweaver/sca/property.h>

namespace orbweaver::sca {

class Component;

/// A value was given to a test that does not know it or cannot use it. The caller gets CF::UnknownProperties.
class InvalidTestValue : public std::invalid_argument {
 public:
  /// `id` is that of the value.
  InvalidTestValue(std::string id, const std::string& message)
      : std::invalid_argument(message), id_(std::move(id)) {}
  /// Id of the value.
  const std::string& id() const { return id_; }

 private:
  std::string id_;
};

/// The values that a test is given, and its results. Types are those of a Property.
class TestValues {
 public:
  /// A value as text.
  struct Value {
    std::string id;    ///< In the PRF.
    std::string type;  ///< PRF type name: "ulong". Empty for an input.
    std::string text;  ///< The value.
  };

  /// `inputs` are what the caller has given.
  explicit TestValues(std::vector<Value> inputs) : inputs_(std::move(inputs)) {}

  /// The value that the caller has given; `otherwise` if there is none. Throws InvalidTestValue if it is no
  /// value of the type.
  template <class T>
  T get(std::string_view id, T otherwise) const {
    for (const Value& each : inputs_) {
      if (each.id != id) continue;
      try {
        return detail::parse_property<T>("the value of '" + each.id + "'", each.text);
      } catch (const std::invalid_argument& e) {
        throw InvalidTestValue(each.id, e.what());
      }
    }
    return otherwise;
  }
  /// Adds a result, or replaces the one with this id.
  template <class T>
  void set(std::string_view id, const T& value) {
    set_text(std::string(id), detail::property_type_word<T>(), detail::property_text<T>(value));
  }

  /// What the caller has given.
  const std::vector<Value>& inputs() const { return inputs_; }
  /// The results, in the order in which they were added.
  const std::vector<Value>& results() const { return results_; }

 private:
  void set_text(std::string id, std::string type, std::string text) {
    for (Value& each : results_) {
      if (each.id != id) continue;
      each.type = std::move(type);
      each.text = std::move(text);
      return;
    }
    results_.push_back({std::move(id), std::move(type), std::move(text)});
  }

  std::vector<Value> inputs_;
  std::vector<Value> results_;
};

/// A test that a component has built in (CF::TestableObject::runTest, SCA 2.2.2 3.1.3.1.3): a member of the
/// component, with the id and the values of a `test` element in its PRF.
///
///     BuiltInTest loopback_{*this, 1, {"packets", "errors"}, [this](TestValues& values) {
///                             values.set("errors", loop(values.get<std::uint32_t>("packets", 100)));
///                           }};
///
/// It runs between two packets, on the component's own thread while that runs, otherwise on the caller's, for
/// which start() and configure() wait. So it needs no locks.
class BuiltInTest {
 public:
  /// What the test does. May throw InvalidTestValue.
  using Function = std::function<void(TestValues& values)>;

  /// `values` are the ids of all inputs and results; others are rejected before the test runs. `owner` must
  /// outlive the test. Throws std::invalid_argument for a number in use.
  BuiltInTest(Component& owner, std::uint32_t id, std::initializer_list<std::string_view> values,
              Function function);
  BuiltInTest(const BuiltInTest&) = delete;
  BuiltInTest& operator=(const BuiltInTest&) = delete;

  /// Id in the PRF.
  std::uint32_t id() const { return id_; }
  /// Whether the test has an input or a result of this id.
  bool has(std::string_view value) const;
  /// Throws InvalidTestValue for a value that the test does not have.
  void check(const TestValues& values) const;
  /// Runs the test. For Component::run_test.
  void run(TestValues& values) const { function_(values); }

 private:
  std::uint32_t id_;
  std::vector<std::string> values_;
  Function function_;
};

}  // namespace orbweaver::sca
