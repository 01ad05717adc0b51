#pragma once

#include <orbweaver/detail/cdr/codec.h>
#include <orbweaver/typecode.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "call/json.h"
#include "call/json_to_value.h"

namespace orbweaver::call {

/// JSON of another type than that of its place. Thrown within the conversion.
struct Mismatch {
  std::string message;
};

/// Abbreviated text of a value that has another type than expected.
std::string found_text(const Json& json);

/// Writes values without components, and keeps the path of the present one for messages. Functions throw
/// Mismatch. `given`: the type with its aliases, for messages.
class ScalarWriter {
 public:
  ScalarWriter(cdr::Encoder& out, const ConversionContext& context) : out_(out), context_(context) {}
  ScalarWriter(const ScalarWriter&) = delete;
  ScalarWriter& operator=(const ScalarWriter&) = delete;

 protected:
  std::string name(const CORBA::TypeCode& type) const;
  [[noreturn]] void fail(const std::string& why) const;
  [[noreturn]] void mismatch(const Json& json, const std::string& expected,
                             const CORBA::TypeCode& type) const;

  template <class T>
  T checked_integer(const Json& json, const CORBA::TypeCode& type) const {
    using Limits = std::numeric_limits<T>;
    const auto range = std::to_string(Limits::min()) + " to " + std::to_string(Limits::max());
    if (!json.is_number_integer()) mismatch(json, "an integer", type);
    const bool fits = json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                                : std::in_range<T>(json.get<std::int64_t>());
    if (!fits) fail(json.dump() + " does not fit in " + name(type) + ": " + range);
    return json.is_number_unsigned() ? static_cast<T>(json.get<std::uint64_t>())
                                     : static_cast<T>(json.get<std::int64_t>());
  }
  template <class T>
  void integer(const Json& json, const CORBA::TypeCode& type) {
    out_.put(checked_integer<T>(json, type));
  }

  template <class T>
  void floating(const Json& json, const CORBA::TypeCode& type) {
    long double number = 0;
    if (json.is_number_unsigned()) {
      number = static_cast<long double>(json.get<std::uint64_t>());
    } else if (json.is_number_integer()) {
      number = static_cast<long double>(json.get<std::int64_t>());
    } else if (json.is_number()) {
      number = json.get<double>();
    } else if (!json.is_string() || !read_number(json.get_ref<const std::string&>(), number)) {
      mismatch(json, R"(a number, or "NaN", "Infinity" or "-Infinity")", type);
    }
    const T value = static_cast<T>(number);
    if (std::isfinite(number) && !std::isfinite(value))
      fail(found_text(json) + " does not fit in " + name(type));
    cdr::encode(out_, value);
  }
  /// Numbers in strings: for those that JSON has not, and for long doubles.
  static bool read_number(const std::string& text, long double& number);
  wchar_t one_character(const Json& json, const CORBA::TypeCode& type) const;
  void character(const Json& json, const CORBA::TypeCode& type);
  const std::string& text_of(const Json& json, const CORBA::TypeCode& type) const;
  void check_bound(std::size_t length, const CORBA::TypeCode& type, const CORBA::TypeCode& given,
                   const char* unit) const;
  void string(const Json& json, const CORBA::TypeCode& type, const CORBA::TypeCode& given);
  void wide_string(const Json& json, const CORBA::TypeCode& type, const CORBA::TypeCode& given);
  std::uint32_t enumerator(const Json& json, const CORBA::TypeCode& type, const CORBA::TypeCode& given) const;
  void fixed(const Json& json, const CORBA::TypeCode& type, const CORBA::TypeCode& given);
  CORBA::typecode_reference named_type(const Json& json, const CORBA::TypeCode& given) const;
  void reference(const Json& json, const CORBA::TypeCode& given);

  cdr::Encoder& out_;
  const ConversionContext& context_;
  std::string path_;
};

}  // namespace orbweaver::call
