#include "call/type_names.h"

#include <orbweaver/fixed.h>
#include <orbweaver/value.h>

#include <charconv>
#include <map>
#include <memory>
#include <utility>

#include "cdr/typecode_graph.h"

namespace orbweaver::call {

using CORBA::TCKind;
using CORBA::TypeCode;
using CORBA::typecode_reference;
using Fields = typecode::Access;
using typecode::Graph;

namespace {

constexpr int kMaxTypeDepth = 32;  // of a type's text

struct BasicName {
  std::string_view name;
  const TypeCode& type;
};
const BasicName kBasicNames[] = {
    {"void", typecode::k_void},
    {"boolean", typecode::k_boolean},
    {"char", typecode::k_char},
    {"wchar", typecode::k_wchar},
    {"octet", typecode::k_octet},
    {"int8", typecode::k_int8},
    {"short", typecode::k_short},
    {"unsigned short", typecode::k_ushort},
    {"long", typecode::k_long},
    {"unsigned long", typecode::k_ulong},
    {"long long", typecode::k_longlong},
    {"unsigned long long", typecode::k_ulonglong},
    {"float", typecode::k_float},
    {"double", typecode::k_double},
    {"long double", typecode::k_longdouble},
    {"string", typecode::k_string},
    {"wstring", typecode::k_wstring},
    {"any", typecode::k_any},
    {"Object", typecode::k_Object},
    {"CORBA::Object", typecode::k_Object},
    {"CORBA::TypeCode", typecode::k_TypeCode},
    {"ValueBase", typecode::k_ValueBase},
    {"CORBA::ValueBase", typecode::k_ValueBase},
    {"CORBA::StringValue", typecode::k_StringValue},
    {"CORBA::WStringValue", typecode::k_WStringValue},
    {"null", typecode::k_null},
    // Synonyms of IDL 4.2
    {"uint8", typecode::k_octet},
    {"int16", typecode::k_short},
    {"uint16", typecode::k_ushort},
    {"int32", typecode::k_long},
    {"uint32", typecode::k_ulong},
    {"int64", typecode::k_longlong},
    {"uint64", typecode::k_ulonglong},
};

std::string bounded(const char* name, const TypeCode& type) {
  return Fields::length(type) == 0 ? name : name + ("<" + std::to_string(Fields::length(type)) + ">");
}

std::string name_of(const TypeCode& type, const IdlTypes& types, int depth);

std::string name_of_sequence(const TypeCode& type, const IdlTypes& types, int depth) {
  const std::string bound = Fields::length(type) == 0 ? "" : ", " + std::to_string(Fields::length(type));
  return "sequence<" + name_of(*Fields::content(type), types, depth) + bound + ">";
}

std::string name_of_array(const TypeCode& type, const IdlTypes& types, int depth) {
  std::string dimensions;
  const TypeCode* element = &type;
  for (; element->kind() == TCKind::tk_array; element = Fields::content(*element))
    dimensions += "[" + std::to_string(Fields::length(*element)) + "]";
  return name_of(*element, types, depth) + dimensions;
}

std::string name_of(const TypeCode& type, const IdlTypes& types, int depth) {
  if (depth > kMaxTypeDepth) return "…";
  for (const BasicName& each : kBasicNames)
    if (&each.type == &type) return std::string(each.name);
  if (typecode::has_id(type.kind()) && *Fields::id(type) != '\0') {
    for (const BasicName& each : kBasicNames) {
      if (typecode::has_id(each.type.kind()) && Fields::id(type) == std::string_view(Fields::id(each.type)))
        return std::string(each.name);
    }
    const std::string name = types.name_of(Fields::id(type));
    return name.empty() ? Fields::id(type) : name;
  }
  switch (type.kind()) {
    case TCKind::tk_string: return bounded("string", type);
    case TCKind::tk_wstring: return bounded("wstring", type);
    case TCKind::tk_sequence: return name_of_sequence(type, types, depth + 1);
    case TCKind::tk_array: return name_of_array(type, types, depth + 1);
    case TCKind::tk_fixed:
      return "fixed<" + std::to_string(Fields::length(type)) + ", " + std::to_string(Fields::extra(type)) +
             ">";
    default: break;
  }
  // TypeCodes that were received are not the constants.
  for (const BasicName& each : kBasicNames) {
    const TCKind kind = each.type.kind();
    if (kind == type.kind() && (!typecode::has_id(kind) || kind == TCKind::tk_objref))
      return std::string(each.name);
  }
  return typecode::describe(type);
}

/// Reads a type, as the grammar of IDL has it.
class TypeNameParser {
 public:
  TypeNameParser(std::string_view text, const IdlTypes& types) : text_(text), types_(types) {}

  Result<typecode_reference> parse() {
    typecode_reference type = read_type(0);
    skip_blanks();
    if (failure_.empty() && at_ < text_.size()) fail("text after the type");
    if (failure_.empty()) return type;
    return Error{ErrorKind::invalid, "'" + std::string(text_) + "' is not a type: " + failure_};
  }

 private:
  typecode_reference read_type(int depth) {
    if (depth > kMaxTypeDepth) return fail("it nests too deeply");
    typecode_reference type = read_element(depth);
    std::vector<std::uint32_t> dimensions;
    while (failure_.empty() && take('[')) {
      dimensions.push_back(read_number());
      if (!take(']')) return fail("there is no ']'");
    }
    for (auto each = dimensions.rbegin(); each != dimensions.rend() && failure_.empty(); ++each) {
      if (*each == 0) return fail("an array has at least one element");
      type = made(TCKind::tk_array, *each, type);
    }
    return type;
  }

  typecode_reference read_element(int depth) {
    const std::string name = read_name();
    if (name == "sequence") return read_sequence(depth);
    if (name == "fixed") return read_fixed();
    if ((name == "string" || name == "wstring") && take('<')) {
      const std::uint32_t bound = read_number();
      if (!take('>')) return fail("there is no '>'");
      return made(name == "string" ? TCKind::tk_string : TCKind::tk_wstring, bound, nullptr);
    }
    for (const BasicName& each : kBasicNames)
      if (each.name == name) return reference_to(each.type);
    if (typecode_reference declared = types_.find(name)) return declared;
    return fail(name.empty() ? "a name is missing" : "the IDL does not declare '" + name + "'");
  }

  typecode_reference read_sequence(int depth) {
    if (!take('<')) return fail("there is no '<' after sequence");
    const typecode_reference element = read_type(depth + 1);
    const std::uint32_t bound = failure_.empty() && take(',') ? read_number() : 0;
    if (failure_.empty() && !take('>')) return fail("there is no '>'");
    return failure_.empty() ? made(TCKind::tk_sequence, bound, element) : nullptr;
  }

  typecode_reference read_fixed() {
    if (!take('<')) return fail("there is no '<' after fixed");
    const std::uint32_t digits = read_number();
    if (failure_.empty() && !take(',')) return fail("there is no ',' between the digits and the scale");
    const std::uint32_t scale = failure_.empty() ? read_number() : 0;
    if (failure_.empty() && !take('>')) return fail("there is no '>'");
    if (failure_.empty() && (digits == 0 || digits > fixed::kMaxDigits || scale > digits))
      return fail("fixed has 1 to 31 digits, and a scale of at most these");
    return failure_.empty() ? made(TCKind::tk_fixed, digits, nullptr, scale) : nullptr;
  }

  static typecode_reference made(TCKind kind, std::uint32_t length, const typecode_reference& content,
                                 std::uint32_t scale = 0) {
    auto graph = std::make_unique<Graph>();
    TypeCode& node = graph->make(kind);
    Graph::numbers(node, length, static_cast<std::int32_t>(scale));
    if (content != nullptr) Graph::content(node, &graph->hold(content));
    return Graph::finish(std::move(graph), node);
  }

  typecode_reference fail(std::string why) {
    if (failure_.empty()) failure_ = std::move(why);
    return nullptr;
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  /// A scoped name, a repository id, or a built-in type of several words with single blanks.
  std::string read_name() {
    skip_blanks();
    const std::size_t end = std::min(text_.find_first_of("<>[],", at_), text_.size());
    std::string name;
    for (; at_ < end; ++at_) {
      if (text_[at_] != ' ' || (!name.empty() && name.back() != ' ')) name += text_[at_];
    }
    while (!name.empty() && name.back() == ' ') name.pop_back();
    return name;
  }
  std::uint32_t read_number() {
    skip_blanks();
    std::uint32_t number = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (error != std::errc()) fail("a number is missing or too large");
    at_ += static_cast<std::size_t>(end - begin);
    return number;
  }

  const std::string_view text_;
  const IdlTypes& types_;
  std::size_t at_ = 0;
  std::string failure_;
};

}  // namespace

std::string type_name(const TypeCode& type, const IdlTypes& types) { return name_of(type, types, 0); }

Result<typecode_reference> parse_type_name(std::string_view text, const IdlTypes& types) {
  return TypeNameParser(text, types).parse();
}

}  // namespace orbweaver::call
