#pragma once

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace orbweaver::sca {

class Component;

namespace detail {
/// The exec param of the component that is being made, or null.
const std::string* parameter(Component& owner, std::string_view id);
}  // namespace detail

/// A property that is set when the component is started: a member of it, named as its PRF names it.
///
///   Property<double> gain_{*this, "gain", 1.0};
///
/// The PRF's default and range have been checked by then; the default here is for a component that is
/// started without. Throws std::invalid_argument where the text is no value of the type.
template <class T>
class Property {
 public:
  Property(Component& owner, std::string_view id, T value_if_not_given)
      : value_(std::move(value_if_not_given)) {
    if (const std::string* text = detail::parameter(owner, id)) value_ = parse(id, *text);
  }
  const T& value() const { return value_; }
  operator const T&() const { return value_; }

 private:
  static T parse(std::string_view id, const std::string& text) {
    if constexpr (std::is_same_v<T, std::string>) {
      return text;
    } else if constexpr (std::is_same_v<T, bool>) {
      if (text == "true" || text == "TRUE") return true;
      if (text == "false" || text == "FALSE") return false;
      throw std::invalid_argument("property '" + std::string(id) + "' must be true or false, not '" + text +
                                  "'");
    } else {
      T value{};
      const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
      if (read.ec == std::errc{} && read.ptr == text.data() + text.size()) return value;
      throw std::invalid_argument("property '" + std::string(id) + "' cannot be '" + text +
                                  "': it must be a number that fits");
    }
  }

  T value_;
};

}  // namespace orbweaver::sca
