#include "call/text_to_value.h"

#include "base/printable.h"
#include "call/octet_types.h"
#include "call/type_names.h"
#include "cdr/typecode_graph.h"

namespace orbweaver::call {

using CORBA::TCKind;
using CORBA::TypeCode;
using Fields = typecode::Access;

namespace {

/// Whether `text` is meant as JSON rather than as a string without its quotes.
bool has_quotes(const std::string& text) {
  return text.size() > 1 && text.front() == '"' && text.back() == '"';
}

/// What a text has to be for a type whose values are numbers or truth values; null for other types.
const char* kind_of(const TypeCode& type) {
  switch (type.kind()) {
    case TCKind::tk_float:
    case TCKind::tk_double:
    case TCKind::tk_longdouble: return "a number";
    case TCKind::tk_boolean: return "true or false";
    case TCKind::tk_octet:
    case TCKind::tk_short:
    case TCKind::tk_ushort:
    case TCKind::tk_long:
    case TCKind::tk_ulong:
    case TCKind::tk_longlong:
    case TCKind::tk_ulonglong: return "an integer";
    default: return nullptr;
  }
}

/// The JSON of an argument whose quotes may be missing.
Result<Json> json_of(const std::string& text, const TypeCode& given) {
  const TypeCode& type = typecode::resolved(given);
  bool is_plain = false;
  switch (type.kind()) {
    case TCKind::tk_string:
    case TCKind::tk_wstring:
    case TCKind::tk_char:
    case TCKind::tk_wchar:
    case TCKind::tk_enum:
    case TCKind::tk_fixed:
    case TCKind::tk_TypeCode: is_plain = !has_quotes(text); break;
    case TCKind::tk_objref:
    case TCKind::tk_abstract_interface:
      if (text == "nil") return Json();
      is_plain = !has_quotes(text) && text != "null" && !text.starts_with('{');
      break;
    case TCKind::tk_value_box:
      if (text == "nil" || text == "null") return Json();
      return json_of(text, *Fields::content(type));
    case TCKind::tk_float:
    case TCKind::tk_double:
    case TCKind::tk_longdouble: is_plain = special_number(text).has_value(); break;
    case TCKind::tk_sequence:
    case TCKind::tk_array:
      is_plain = is_octet(*Fields::content(type)) && !text.starts_with('[') && !has_quotes(text);
      break;
    default: break;
  }
  if (is_plain) return Json(text);
  return parse_json(text);
}

}  // namespace

Result<CORBA::Any> text_to_value(const std::string& text, const TypeCode& type,
                                 const ConversionContext& context) {
  auto json = json_of(text, type);
  if (json) return json_to_value(*json, type, context);
  const std::string name = printable(type_name(type, context.types), 200);
  const char* const kind = kind_of(typecode::resolved(type));
  if (kind != nullptr)
    return Error{ErrorKind::invalid,
                 std::string("expected ") + kind + " (" + name + "), found '" + printable(text, 200) + "'"};
  Error error = json.take_error();
  error.message = "expected " + name + ", found " + error.message;
  return error;
}

}  // namespace orbweaver::call
