#include "call/json_to_value.h"

#include <orbweaver/detail/stub.h>
#include <orbweaver/limits.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base64/base64.h"
#include "call/json_scalars.h"
#include "call/octet_types.h"
#include "call/path_step.h"
#include "call/type_names.h"
#include "call/value_types.h"
#include "cdr/typecode_graph.h"
#include "cdr/value_copy.h"
#include "cdr/value_writer.h"

namespace orbweaver::call {

using CORBA::TCKind;
using CORBA::TypeCode;
using CORBA::typecode_reference;
using Fields = typecode::Access;

namespace {

class ValueWriter : public ScalarWriter {
 public:
  using ScalarWriter::ScalarWriter;

  void value(const Json& json, const TypeCode& given) {
    if (is_int8(given)) return integer<std::int8_t>(json, given);
    const TypeCode& type = typecode::resolved(given);
    switch (type.kind()) {
      case TCKind::tk_boolean:
        if (!json.is_boolean()) mismatch(json, "true or false", given);
        return out_.put(static_cast<std::uint8_t>(json.get<bool>()));
      case TCKind::tk_octet: return integer<std::uint8_t>(json, given);
      case TCKind::tk_short: return integer<std::int16_t>(json, given);
      case TCKind::tk_ushort: return integer<std::uint16_t>(json, given);
      case TCKind::tk_long: return integer<std::int32_t>(json, given);
      case TCKind::tk_ulong: return integer<std::uint32_t>(json, given);
      case TCKind::tk_longlong: return integer<std::int64_t>(json, given);
      case TCKind::tk_ulonglong: return integer<std::uint64_t>(json, given);
      case TCKind::tk_float: return floating<float>(json, given);
      case TCKind::tk_double: return floating<double>(json, given);
      case TCKind::tk_longdouble: return floating<long double>(json, given);
      case TCKind::tk_char: return character(json, given);
      case TCKind::tk_wchar: return cdr::encode(out_, one_character(json, given));
      case TCKind::tk_string: return string(json, type, given);
      case TCKind::tk_wstring: return wide_string(json, type, given);
      case TCKind::tk_enum: return out_.put(enumerator(json, type, given));
      case TCKind::tk_fixed: return fixed(json, type, given);
      case TCKind::tk_TypeCode: return cdr::encode(out_, named_type(json, given));
      case TCKind::tk_objref:
      case TCKind::tk_component:
      case TCKind::tk_home: return reference(json, given);
      case TCKind::tk_value:
      case TCKind::tk_value_box:
      case TCKind::tk_event: return value_type(json, type, given);
      default: break;
    }
    if (++depth_ > limits::kMaxNesting)
      fail("nested more than " + std::to_string(limits::kMaxNesting) + " deep");
    constructed(json, type, given);
    --depth_;
  }

 private:
  void constructed(const Json& json, const TypeCode& type, const TypeCode& given) {
    switch (type.kind()) {
      case TCKind::tk_any: return any(json);
      case TCKind::tk_except:
      case TCKind::tk_struct: return members(json, type, given);
      case TCKind::tk_union: return union_value(json, type, given);
      case TCKind::tk_array: return elements(json, type, given);
      case TCKind::tk_sequence: return elements(json, type, given);
      case TCKind::tk_abstract_interface:
        if (!json.is_null() && !json.is_object()) {
          out_.put(std::uint8_t{1});
          return reference(json, given);
        }
        out_.put(std::uint8_t{0});
        return value_type(json, type, given);
      default: fail("values of the type " + name(given) + " cannot be sent");
    }
  }

  void any(const Json& json) {
    if (json.is_null()) return cdr::encode(out_, typecode_reference());
    if (!json.is_object()) {
      const TypeCode* const type = type_of_scalar(json);
      if (type == nullptr) fail(R"(expected an any, {"type": …, "value": …}, found )" + found_text(json));
      cdr::encode(out_, reference_to(*type));
      return value(json, *type);
    }
    if (json.size() != 2 || !json.contains("type") || !json.contains("value"))
      fail(R"(expected an any with the members "type" and "value")");
    typecode_reference type;
    {
      const PathStep step(path_, "type");
      type = named_type(json["type"], typecode::k_TypeCode);
    }
    cdr::encode(out_, type);
    const PathStep step(path_, "value");
    value(json["value"], *type);
  }
  /// The type of a value in an any without one; null: there is none.
  static const TypeCode* type_of_scalar(const Json& json) {
    if (json.is_boolean()) return &typecode::k_boolean;
    if (json.is_string()) return &typecode::k_string;
    if (json.is_number_float()) return &typecode::k_double;
    if (!json.is_number_integer()) return nullptr;
    const bool is_large = json.is_number_unsigned();
    if (is_large && json.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
      return &typecode::k_ulonglong;
    return std::in_range<std::int32_t>(json.get<std::int64_t>()) ? &typecode::k_long : &typecode::k_longlong;
  }

  void members(const Json& json, const TypeCode& type, const TypeCode& given) {
    if (!json.is_object()) mismatch(json, "an object", given);
    const std::uint32_t count = Fields::count(type);
    if (type.kind() == TCKind::tk_except) {
      out_.put_string(Fields::id(type));
    } else if (count == 0) {
      out_.put(std::uint8_t{0});  // as the codecs of generated code encode it
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const TypeCode::Member& member = Fields::members(type)[i];
      const auto at = json.find(member.name);
      if (at == json.end())
        fail("the member '" + std::string(member.name) + "' of " + name(given) + " is missing");
      const PathStep step(path_, member.name);
      value(*at, *member.type);
    }
    if (json.size() == count) return;
    for (const auto& each : json.items()) {
      const auto is = [&](const TypeCode::Member& member) { return each.key() == member.name; };
      if (std::none_of(Fields::members(type), Fields::members(type) + count, is))
        fail(name(given) + " has no member '" + printable(each.key(), 40) + "'");
    }
  }

  /// null, {"_ref": path of an earlier value}, the state, or {"_type": name, …} with a derived type.
  void value_type(const Json& json, const TypeCode& declared, const TypeCode& given) {
    if (!values_) values_.emplace(out_);
    if (json.is_null()) return values_->put_null();
    if (json.is_object() && json.size() == 1 && json.contains(kReferenceKey))
      return value_reference(json[kReferenceKey]);
    const bool is_typed = json.is_object() && json.contains(kTypeKey);
    typecode_reference named;
    if (is_typed) {
      const PathStep step(path_, kTypeKey);
      named = named_type(json[kTypeKey], typecode::k_TypeCode);
      if (!is_value_kind(typecode::resolved(*named).kind()) || !accepts(declared, typecode::resolved(*named)))
        fail(name(*named) + " is no value type derived from " + name(given));
    }
    const TypeCode& type = is_typed ? typecode::resolved(*named) : declared;
    if (!has_values(type))
      fail(name(type) + " has no values of its own: the type of the value must be in \"_type\"");
    if (any::is_custom(type)) fail("values of " + name(type) + " are marshalled by their program only");
    values_->enter();
    cdr::ValueWriter::Header header;
    header.ids = sent_ids(type);
    header.is_list = header.ids.size() > 1;
    header.is_chunked = header.is_list || values_->in_chunks();
    places_[path_] = values_->begin_value(header);
    state(json, type, is_typed);
    values_->end_value(header.is_chunked);
    values_->leave();
  }
  void state(const Json& json, const TypeCode& type, bool is_typed) {
    if (type.kind() == TCKind::tk_value_box) {
      if (is_typed && !json.contains(kBoxedKey)) fail("expected the value in the box as \"_value\"");
      return value(is_typed ? json[kBoxedKey] : json, *Fields::content(type));
    }
    if (!json.is_object()) mismatch(json, "an object", type);
    std::size_t count = is_typed ? 1 : 0;
    for (const TypeCode* each : any::value_chain(type)) {
      for (std::uint32_t i = 0; i < Fields::count(*each); ++i, ++count) {
        const TypeCode::Member& member = Fields::members(*each)[i];
        const auto at = json.find(member.name);
        if (at == json.end())
          fail("the member '" + std::string(member.name) + "' of " + name(type) + " is missing");
        const PathStep step(path_, member.name);
        value(*at, *member.type);
      }
    }
    if (json.size() == count) return;
    for (const auto& each : json.items()) {
      if (!(is_typed && each.key() == kTypeKey) && !has_member(type, each.key()))
        fail(name(type) + " has no member '" + printable(each.key(), 40) + "'");
    }
  }
  static bool has_member(const TypeCode& type, const std::string& key) {
    for (const TypeCode* each : any::value_chain(type)) {
      for (std::uint32_t i = 0; i < Fields::count(*each); ++i) {
        if (key == Fields::members(*each)[i].name) return true;
      }
    }
    return false;
  }
  void value_reference(const Json& json) {
    const std::string path = json.is_string() ? json.get<std::string>() : "";
    const auto earlier = places_.find(path == kWholePath ? "" : path);
    if (path.empty() || earlier == places_.end())
      fail("expected the path of an earlier value as \"_ref\", found " + found_text(json));
    values_->put_indirection(earlier->second);
  }

  void elements(const Json& json, const TypeCode& type, const TypeCode& given) {
    const TypeCode& element = *Fields::content(type);
    const bool is_array = type.kind() == TCKind::tk_array;
    if (json.is_string() && is_octet(element)) {
      const auto octets = from_base64(json.get_ref<const std::string&>());
      if (!octets) mismatch(json, "an array or base64", given);
      begin_elements(octets->size(), is_array, type, given);
      return out_.put_bytes(octets->data(), octets->size());
    }
    if (!json.is_array()) mismatch(json, is_octet(element) ? "an array or base64" : "an array", given);
    begin_elements(json.size(), is_array, type, given);
    for (std::size_t i = 0; i < json.size(); ++i) {
      const PathStep step(path_, "[" + std::to_string(i) + "]");
      value(json[i], element);
    }
  }
  void begin_elements(std::size_t n, bool is_array, const TypeCode& type, const TypeCode& given) {
    if (!is_array) {
      check_bound(n, type, given, "elements");
      return out_.put(static_cast<std::uint32_t>(n));
    }
    if (n != Fields::length(type))
      fail("expected " + std::to_string(Fields::length(type)) + " elements (" + name(given) + "), found " +
           std::to_string(n));
  }

  /// {"member": value}, with the discriminator in "_d" if the member does not determine it.
  void union_value(const Json& json, const TypeCode& type, const TypeCode& given) {
    if (!json.is_object()) mismatch(json, "an object", given);
    const TypeCode& switched = *Fields::content(type);
    const auto given_d = json.find("_d");
    const std::size_t others = json.size() - (given_d == json.end() ? 0 : 1);
    if (others > 1) fail(name(given) + " has one member at a time");
    std::string key;
    const Json* member = nullptr;
    for (const auto& [each, json_of_each] : json.items()) {
      if (each == "_d") continue;
      key = each;
      member = &json_of_each;
    }
    std::int64_t d = 0;
    if (given_d != json.end()) {
      const PathStep step(path_, "_d");
      d = discriminator(*given_d, switched);
    } else if (others == 1) {
      d = label_of(key, type, given);
    } else {
      fail(R"(expected a member, or the discriminator "_d", of )" + name(given));
    }
    any::write_discriminator(out_, typecode::resolved(switched), d);
    const TypeCode::Member* const selected = any::find_case(type, d);
    if (selected == nullptr && others == 0) return;
    if (selected == nullptr) fail("the discriminator selects no member of " + name(given));
    if (member == nullptr || key != selected->name)
      fail("the discriminator selects the member '" + std::string(selected->name) + "' of " + name(given));
    const PathStep step(path_, selected->name);
    value(*member, *selected->type);
  }

  std::int64_t discriminator(const Json& json, const TypeCode& given) const {
    const TypeCode& type = typecode::resolved(given);
    switch (type.kind()) {
      case TCKind::tk_boolean:
        if (!json.is_boolean()) mismatch(json, "true or false", given);
        return json.get<bool>();
      case TCKind::tk_char:
      case TCKind::tk_wchar: return static_cast<std::int64_t>(one_character(json, given));
      case TCKind::tk_enum: return enumerator(json, type, given);
      case TCKind::tk_octet:
        return is_int8(given) ? static_cast<std::uint8_t>(checked_integer<std::int8_t>(json, given))
                              : checked_integer<std::uint8_t>(json, given);
      case TCKind::tk_short: return checked_integer<std::int16_t>(json, given);
      case TCKind::tk_ushort: return checked_integer<std::uint16_t>(json, given);
      case TCKind::tk_long: return checked_integer<std::int32_t>(json, given);
      case TCKind::tk_ulong: return checked_integer<std::uint32_t>(json, given);
      case TCKind::tk_ulonglong:
        return static_cast<std::int64_t>(checked_integer<std::uint64_t>(json, given));
      default: return checked_integer<std::int64_t>(json, given);
    }
  }

  /// The label of the member; for the default case, the lowest number that no other case has.
  std::int64_t label_of(const std::string& key, const TypeCode& type, const TypeCode& given) const {
    const TypeCode::Member* const cases = Fields::members(type);
    const std::uint32_t count = Fields::count(type);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (key != cases[i].name) continue;
      if (static_cast<std::int64_t>(i) != Fields::extra(type)) return cases[i].label;
      std::int64_t unused = 0;
      while (any::find_case(type, unused) != cases + i) ++unused;
      return unused;
    }
    fail(name(given) + " has no member '" + printable(key, 40) + "'");
  }

  int depth_ = 0;
  std::optional<cdr::ValueWriter> values_;     // if there are values
  std::map<std::string, std::size_t> places_;  // of the values written: their offsets, by path
};

}  // namespace

Result<CORBA::Any> json_to_value(const Json& json, const TypeCode& type, const ConversionContext& context) {
  std::vector<std::uint8_t> bytes;
  cdr::Encoder out(bytes);
  try {
    ValueWriter(out, context).value(json, type);
  } catch (const Mismatch& found) {
    return Error{ErrorKind::invalid, found.message};
  } catch (const CORBA::SystemException& e) {
    return Error{ErrorKind::invalid, e.detail().empty() ? e.what() : e.detail()};
  }
  out.finish();
  CORBA::Any any;
  any::Access::put(any, type, out, std::move(bytes));
  return any;
}

}  // namespace orbweaver::call
