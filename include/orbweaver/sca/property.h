#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace orbweaver::sca {

class Component;

namespace detail {
/// Exec param `id` of the component that is being constructed, or null.
const std::string* parameter(Component& owner, std::string_view id);

/// PRF type name of a C++ type: "ulong" for std::uint32_t. Types that SCA 2.2.2 does not have are named
/// "longlong", "ulonglong" and "int8".
template <class T>
constexpr const char* property_type_word() {
  if constexpr (std::is_same_v<T, std::string>)
    return "string";
  else if constexpr (std::is_same_v<T, bool>)
    return "boolean";
  else if constexpr (std::is_same_v<T, char>)
    return "char";
  else if constexpr (std::is_same_v<T, float>)
    return "float";
  else if constexpr (std::is_same_v<T, double>)
    return "double";
  else {
    static_assert(std::is_integral_v<T>,
                  "a property is bool, char, an integer, float, double or std::string");
    constexpr std::array<const char*, 4> kSigned{"int8", "short", "long", "longlong"};
    constexpr std::array<const char*, 4> kUnsigned{"octet", "ushort", "ulong", "ulonglong"};
    constexpr std::size_t kIndex = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? kSigned[kIndex] : kUnsigned[kIndex];
  }
}

/// Reads a value. Throws std::invalid_argument with a message that begins with `subject`: "property 'gain'".
template <class T>
T parse_property(const std::string& subject, const std::string& text) {
  if constexpr (std::is_same_v<T, std::string>) {
    return text;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (text == "true" || text == "TRUE") return true;
    if (text == "false" || text == "FALSE") return false;
    throw std::invalid_argument(subject + " must be true or false, not '" + text + "'");
  } else if constexpr (std::is_same_v<T, char>) {
    if (text.size() == 1) return text[0];
    throw std::invalid_argument(subject + " must be one character, not '" + text + "'");
  } else {
    T value{};
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec == std::errc{} && read.ptr == text.data() + text.size()) return value;
    throw std::invalid_argument(subject + " cannot be '" + text + "': it must be a number that fits");
  }
}

/// The value as text.
template <class T>
std::string property_text(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, char>) {
    return std::string(1, value);
  } else {
    std::array<char, 64> text{};
    const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), written.ptr};
  }
}
}  // namespace detail

/// Base of a component's properties, of any type. Values are transferred as text.
class PropertyBase {
 public:
  virtual ~PropertyBase() = default;
  PropertyBase(const PropertyBase&) = delete;
  PropertyBase& operator=(const PropertyBase&) = delete;

  /// Id in the PRF.
  const std::string& id() const { return id_; }
  /// PRF type name of its C++ type: "ulong", "double".
  virtual const char* type() const = 0;
  /// Throws std::invalid_argument with a message if `text` is not a value of the type.
  virtual void check(const std::string& text) const = 0;
  /// Sets the value; throws as check.
  virtual void set(const std::string& text) = 0;
  /// The value as text.
  virtual std::string text() const = 0;

 protected:
  /// Throws std::invalid_argument if the component already has a property of that id.
  PropertyBase(Component& owner, std::string_view id);

 private:
  std::string id_;
};

/// Property of a component: a member of it, with the property's id in the PRF.
///
///     Property<double> gain_{*this, "gain", 1.0};
///
/// A property of kind `execparam` has its value when the member is constructed. A property of kind
/// `configure` is set after initialize() and before the component is started, and may be set again while it
/// runs: between two packets, on the component's own thread, so that reading it needs no lock
/// (Component::on_configure). The default applies if no value is given. The constructor throws
/// std::invalid_argument if the text is not a value of the type.
template <class T>
class Property final : public PropertyBase {
 public:
  /// `owner` must outlive the property. Throws std::invalid_argument for an id in use.
  Property(Component& owner, std::string_view id, T default_value)
      : PropertyBase(owner, id), value_(std::move(default_value)) {
    if (const std::string* text = detail::parameter(owner, id)) value_ = parse(*text);
  }
  /// The present value. By the component's own thread.
  const T& value() const { return value_; }
  /// As value().
  operator const T&() const { return value_; }

  const char* type() const override { return detail::property_type_word<T>(); }
  void check(const std::string& text) const override { (void)parse(text); }
  void set(const std::string& text) override { value_ = parse(text); }
  std::string text() const override { return detail::property_text<T>(value_); }

 private:
  T parse(const std::string& text) const {
    return detail::parse_property<T>("property '" + id() + "'", text);
  }

  T value_;
};

}  // namespace orbweaver::sca
