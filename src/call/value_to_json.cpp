#include "call/value_to_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base64/base64.h"
#include "call/fixed_text.h"
#include "call/octet_types.h"
#include "call/path_step.h"
#include "call/type_names.h"
#include "call/value_types.h"
#include "cdr/typecode_graph.h"
#include "cdr/utf8.h"
#include "cdr/value_copy.h"
#include "cdr/value_reader.h"
#include "giop/ior.h"

namespace orbweaver::call {

using cdr::Fault;
using CORBA::TCKind;
using CORBA::TypeCode;
using Fields = typecode::Access;

namespace {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(text_of_special(value)); }
/// As the shortest text that is read as the same float: 0.1, not 0.10000000149011612.
Json number(float value) {
  if (!std::isfinite(value)) return text_of_special(value);
  char text[32];
  *std::to_chars(text, text + sizeof text - 1, value).ptr = '\0';
  return std::strtod(text, nullptr);
}
/// As a string if a double has not the same value.
Json number(long double value) {
  if (!std::isfinite(value)) return text_of_special(value);
  const auto rounded = static_cast<double>(value);
  if (static_cast<long double>(rounded) == value) return rounded;
  char text[64];
  std::snprintf(text, sizeof text, "%.21Lg", value);
  return text;
}

class ValueReader {
 public:
  ValueReader(cdr::Decoder& in, const IdlTypes& types, OctetsAs octets)
      : in_(in), types_(types), octets_(octets) {}

  Json value(const TypeCode& given) {
    if (!in_.count_steps()) return {};
    if (is_int8(given)) return in_.get<std::int8_t>();
    const TypeCode& type = typecode::resolved(given);
    switch (type.kind()) {
      case TCKind::tk_null:
      case TCKind::tk_void: return {};
      case TCKind::tk_boolean: return in_.get_boolean();
      case TCKind::tk_char: return cdr::wide_to_utf8(std::wstring(1, in_.get<std::uint8_t>()));
      case TCKind::tk_octet: return in_.get<std::uint8_t>();
      case TCKind::tk_short: return in_.get<std::int16_t>();
      case TCKind::tk_ushort: return in_.get<std::uint16_t>();
      case TCKind::tk_long: return in_.get<std::int32_t>();
      case TCKind::tk_ulong: return in_.get<std::uint32_t>();
      case TCKind::tk_longlong: return in_.get<std::int64_t>();
      case TCKind::tk_ulonglong: return in_.get<std::uint64_t>();
      case TCKind::tk_float: return number(in_.get<float>());
      case TCKind::tk_double: return number(in_.get<double>());
      case TCKind::tk_longdouble: return number(decoded<long double>());
      case TCKind::tk_wchar: return cdr::wide_to_utf8(std::wstring(1, decoded<wchar_t>()));
      case TCKind::tk_string: return std::string(in_.get_string_view());
      case TCKind::tk_wstring: return cdr::wide_to_utf8(decoded<std::wstring>());
      case TCKind::tk_enum: return enumerator(type, in_.get<std::uint32_t>());
      case TCKind::tk_fixed: return fixed(type);
      case TCKind::tk_TypeCode: return name(*decoded<CORBA::typecode_reference>());
      case TCKind::tk_objref:
      case TCKind::tk_component:
      case TCKind::tk_home: return reference();
      case TCKind::tk_value:
      case TCKind::tk_value_box:
      case TCKind::tk_event: return value_type(type);
      default: break;
    }
    if (!in_.enter()) return {};
    Json json = constructed(type);
    in_.leave();
    return json;
  }

 private:
  template <class T>
  T decoded() {
    T value{};
    cdr::decode(in_, value);
    return value;
  }

  Json constructed(const TypeCode& type) {
    switch (type.kind()) {
      case TCKind::tk_any: return any();
      case TCKind::tk_except: in_.get_string_view(); return members(type);
      case TCKind::tk_struct:
        if (Fields::count(type) == 0) in_.skip(1);  // as the codecs of generated code encode it
        return members(type);
      case TCKind::tk_union: return union_value(type);
      case TCKind::tk_array: return elements(*Fields::content(type), Fields::length(type));
      case TCKind::tk_sequence: {
        const TypeCode& element = *Fields::content(type);
        return elements(element, in_.get_length(typecode::min_encoded_bytes(element)));
      }
      case TCKind::tk_abstract_interface: return in_.get_boolean() ? reference() : value_type(type);
      default: in_.fail(Fault::unsupported_type); return {};
    }
  }

  /// Counts the bytes of a name; false beyond the limit.
  bool count_name(std::size_t bytes) {
    name_bytes_ += bytes;
    if (name_bytes_ <= kMaxNameBytes) return true;
    in_.fail(Fault::too_many_steps);
    return false;
  }
  Json name(const TypeCode& type) {
    if (!in_.ok()) return {};
    std::string text = type_name(type, types_);
    return count_name(text.size()) ? Json(std::move(text)) : Json();
  }

  Json enumerator(const TypeCode& type, std::uint32_t position) {
    if (position >= Fields::count(type)) in_.fail(Fault::bad_enum);
    if (!in_.ok()) return {};
    const char* const text = Fields::members(type)[position].name;
    return count_name(std::char_traits<char>::length(text)) ? Json(text) : Json();
  }

  Json fixed(const TypeCode& type) {
    const std::uint8_t* const octets = in_.get_bytes((Fields::length(type) + 2) / 2);
    if (octets == nullptr) return {};
    std::string text = fixed_to_text(octets, Fields::length(type), Fields::extra(type));
    if (text.empty()) in_.fail(Fault::bad_string);
    return text;
  }

  Json reference() {
    giop::Ior ior;
    if (!giop::decode(in_, ior) || ior.is_nil()) return {};
    return giop::stringify(ior);
  }

  /// A value of a value type; one that was shown before as a reference to its place.
  Json value_type(const TypeCode& declared) {
    using Kind = cdr::ValueReader::Header::Kind;
    if (!reader_) reader_.emplace(in_, cdr::ValueReader::Earlier::none);
    const cdr::ValueReader::Header header = reader_->read_header();
    if (!in_.ok() || header.kind == Kind::null) return {};
    if (header.kind == Kind::indirection) return value_reference(header.at);
    const TypeCode* const type =
        header.ids.empty() ? &declared : any::find_value_type(header.ids[0], declared);
    if (type == nullptr || any::is_custom(*type)) return in_.fail(Fault::unsupported_type), Json();
    if (!count_name(path_.size()) || !reader_->enter()) return {};
    places_.emplace(header.at, path_.empty() ? kWholePath : path_);
    reader_->begin_state(header);
    Json json =
        state(*type, &declared == type || std::string_view(Fields::id(declared)) == Fields::id(*type));
    reader_->end_state(header, false);
    reader_->leave();
    return json;
  }
  /// The state of a value, with its type unless that is the declared one.
  Json state(const TypeCode& type, bool is_declared) {
    Json json = Json::object();
    if (!is_declared) json[kTypeKey] = name(type);
    if (type.kind() == TCKind::tk_value_box) {
      Json boxed = value(*Fields::content(type));
      if (is_declared) return boxed;
      json[kBoxedKey] = std::move(boxed);
      return json;
    }
    for (const TypeCode* each : any::value_chain(type)) {
      for (std::uint32_t i = 0; i < Fields::count(*each) && in_.ok(); ++i)
        add_member(json, Fields::members(*each)[i]);
    }
    return json;
  }
  Json value_reference(std::size_t at) {
    const auto known = places_.find(at);
    if (known == places_.end()) return in_.fail(Fault::bad_value), Json();
    if (!count_name(known->second.size())) return {};
    Json json = Json::object();
    json[kReferenceKey] = known->second;
    return json;
  }

  Json any() {
    const auto type = decoded<CORBA::typecode_reference>();
    if (!in_.ok() || type == nullptr || type->kind() == TCKind::tk_null) return {};
    Json json = Json::object();
    json["type"] = name(*type);
    const PathStep step(path_, "value");
    if (in_.ok()) json["value"] = value(*type);
    return json;
  }

  Json members(const TypeCode& type) {
    Json json = Json::object();
    for (std::uint32_t i = 0; i < Fields::count(type) && in_.ok(); ++i)
      add_member(json, Fields::members(type)[i]);
    return json;
  }
  void add_member(Json& json, const TypeCode::Member& member) {
    if (!count_name(std::char_traits<char>::length(member.name))) return;
    const PathStep step(path_, member.name);
    // Appended without a search: a hostile type may have many members, or two of one name.
    json.get_ref<Json::object_t&>().push_back({member.name, value(*member.type)});
  }

  Json union_value(const TypeCode& type) {
    const TypeCode& given = *Fields::content(type);
    const TypeCode& switched = typecode::resolved(given);
    const std::int64_t d = any::read_discriminator(in_, switched);
    if (!in_.ok()) return {};
    Json json = Json::object();
    json["_d"] = discriminator(d, given, switched);
    if (const TypeCode::Member* const member = any::find_case(type, d)) add_member(json, *member);
    return json;
  }
  Json discriminator(std::int64_t d, const TypeCode& given, const TypeCode& type) {
    switch (type.kind()) {
      case TCKind::tk_boolean: return d != 0;
      case TCKind::tk_char:
      case TCKind::tk_wchar: return cdr::wide_to_utf8(std::wstring(1, static_cast<wchar_t>(d)));
      case TCKind::tk_enum: return enumerator(type, static_cast<std::uint32_t>(d));
      case TCKind::tk_ulonglong: return static_cast<std::uint64_t>(d);
      default: return is_int8(given) ? static_cast<std::int8_t>(d) : d;
    }
  }

  Json elements(const TypeCode& element, std::uint32_t n) {
    if (octets_ == OctetsAs::base64 && is_octet(element)) {
      const std::uint8_t* const octets = in_.get_bytes(n);
      return octets == nullptr ? Json() : Json(to_base64({reinterpret_cast<const char*>(octets), n}));
    }
    Json json = Json::array();
    for (std::uint32_t i = 0; i < n && in_.ok(); ++i) {
      const PathStep step(path_, "[" + std::to_string(i) + "]");
      json.push_back(value(element));
    }
    return json;
  }

  cdr::Decoder& in_;
  const IdlTypes& types_;
  const OctetsAs octets_;
  std::size_t name_bytes_ = 0;
  std::string path_;
  std::map<std::size_t, std::string> places_;  // of the values shown, by offset
  std::optional<cdr::ValueReader> reader_;     // if there are values
};

constexpr std::size_t kLineBytes = 100;

std::string ascii(const Json& scalar) { return scalar.dump(-1, ' ', true, Json::error_handler_t::replace); }

/// Whether the text of `json` in one line has at most `room` bytes; reduces that by them.
bool fits(const Json& json, std::ptrdiff_t& room) {
  const bool is_long = json.is_string() && json.get_ref<const std::string&>().size() > kLineBytes;
  if (is_long || room < 0) return false;
  room -= json.is_structured() ? 2 : static_cast<std::ptrdiff_t>(ascii(json).size());
  if (!json.is_structured()) return room >= 0;
  for (const auto& each : json.items()) {
    room -= 2;
    if (json.is_object()) room -= static_cast<std::ptrdiff_t>(each.key().size()) + 4;
    if (!fits(each.value(), room)) return false;
  }
  return room >= 0;
}

bool is_list_of_scalars(const Json& json) {
  if (!json.is_array()) return false;
  for (const Json& each : json)
    if (each.is_structured() || each.is_string()) return false;
  return true;
}

void print(std::string& text, const Json& json, int indent) {
  std::ptrdiff_t room = static_cast<std::ptrdiff_t>(kLineBytes) - indent;
  if (!json.is_structured() || json.empty() || is_list_of_scalars(json) || fits(json, room)) {
    if (!json.is_structured() || json.empty()) {
      text += ascii(json);
      return;
    }
    text += json.is_array() ? "[" : "{";
    const char* between = "";
    for (const auto& each : json.items()) {
      text += between;
      if (json.is_object()) text += ascii(each.key()) + ": ";
      print(text, each.value(), 0);
      between = ", ";
    }
    text += json.is_array() ? "]" : "}";
    return;
  }
  text += json.is_array() ? "[\n" : "{\n";
  const char* between = "";
  for (const auto& each : json.items()) {
    text += between + std::string(static_cast<std::size_t>(indent) + 2, ' ');
    if (json.is_object()) text += ascii(each.key()) + ": ";
    print(text, each.value(), indent + 2);
    between = ",\n";
  }
  text += "\n" + std::string(static_cast<std::size_t>(indent), ' ') + (json.is_array() ? "]" : "}");
}

}  // namespace

Result<Json> value_to_json(const CORBA::Any& value, const IdlTypes& types, OctetsAs octets) {
  const CORBA::typecode_reference type = value.type();
  const auto* const bytes = any::Access::find(value, *type);
  cdr::Decoder in(bytes == nullptr ? nullptr : bytes->data(), bytes == nullptr ? 0 : bytes->size(), false);
  Json json = ValueReader(in, types, octets).value(*type);
  if (in.ok()) return json;
  return Error{ErrorKind::invalid, std::string("cannot be shown: ") + cdr::describe(in.fault()) +
                                       ", at byte " + std::to_string(in.fault_offset())};
}

std::string json_text(const Json& json) {
  std::string text;
  print(text, json, 0);
  return text;
}

std::string json_line(const Json& json) { return ascii(json); }

}  // namespace orbweaver::call
