// Reads the description of a new component, and finds its mistakes.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "base/printable.h"
#include "sca/profile/similar_name.h"
#include "sca/project/new_project.h"

namespace orbweaver::sca {
namespace {

constexpr std::size_t kMaxName = 64;
/// Of ports and of properties.
constexpr std::size_t kMaxMembers = 100;

/// Targets and files that CMake makes itself.
constexpr std::array<std::string_view, 15> kCMakeNames = {
    "all",           "clean", "depend",  "edit_cache",     "help",       "install",  "package", "preinstall",
    "rebuild_cache", "test",  "Testing", "package_source", "CMakeFiles", "Makefile", "bin"};
/// Words that no member of a C++ struct can have as its name.
constexpr std::array<std::string_view, 97> kKeywords = {
    "alignas",      "alignof",      "and",           "and_eq",
    "asm",          "auto",         "bitand",        "bitor",
    "bool",         "break",        "case",          "catch",
    "char",         "char16_t",     "char32_t",      "char8_t",
    "class",        "co_await",     "co_return",     "co_yield",
    "compl",        "concept",      "const",         "const_cast",
    "consteval",    "constexpr",    "constinit",     "continue",
    "decltype",     "default",      "delete",        "do",
    "double",       "dynamic_cast", "else",          "enum",
    "explicit",     "export",       "extern",        "false",
    "float",        "for",          "friend",        "goto",
    "if",           "inline",       "int",           "long",
    "members",      "mutable",      "namespace",     "new",
    "noexcept",     "not",          "not_eq",        "nullptr",
    "operator",     "or",           "or_eq",         "private",
    "protected",    "public",       "register",      "reinterpret_cast",
    "requires",     "return",       "short",         "signed",
    "sizeof",       "static",       "static_assert", "static_cast",
    "struct",       "switch",       "template",      "this",
    "thread_local", "throw",        "true",          "try",
    "typedef",      "typeid",       "typename",      "union",
    "unsigned",     "using",        "virtual",       "void",
    "volatile",     "wchar_t",      "while",         "xor",
    "xor_eq",       "std",          "sca",           "tuple",
    "Member"};
/// Properties that the core framework sets.
constexpr std::array<std::string_view, 9> kFrameworkProperties = {
    "NAMING_CONTEXT_IOR",    "NAME_BINDING",        "COMPONENT_IDENTIFIER",
    "STREAMS_EXPECTED",      "DIRECT_INPUTS",       "COMPONENT_LIBRARY",
    "COMPONENT_ENTRY_POINT", "COMPONENT_LIBRARIES", "COMPONENT_REGISTRY_IOR"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_letter_or_digit(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

bool is_name(std::string_view text, std::string_view others) {
  return !text.empty() && text.size() <= kMaxName && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return is_letter_or_digit(c) || others.find(c) != std::string_view::npos;
         });
}

std::string in_quotes(std::string_view text) { return "'" + printable(text, 80) + "'"; }

/// "; did you mean 'float'?", or all of them.
std::string hint(std::string_view word, const std::vector<std::string_view>& names) {
  const std::string_view similar = similar_name(word, names);
  if (!similar.empty()) return "; did you mean '" + std::string(similar) + "'?";
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "; it can be " : ", ") + std::string(name);
  return all;
}

class Reader {
 public:
  explicit Reader(std::vector<std::string>& mistakes) : mistakes_(mistakes) {}

  void read_port(const std::string& text, NewComponent& component) {
    const std::size_t first = text.find(':'), last = text.rfind(':');
    const std::string direction = text.substr(0, first);
    if (first == std::string::npos || text.find(':', first + 1) < last) {
      return add(
          "a port is DIRECTION:TYPE or DIRECTION:NAME:TYPE, such as in:float or out:left:complex, not " +
          in_quotes(text));
    }
    if (direction != "in" && direction != "out")
      return add("port " + in_quotes(text) + ": the direction is " + in_quotes(direction) +
                 hint(direction, {"in", "out"}));
    NewPort port;
    port.is_input = direction == "in";
    port.name = first == last ? direction : text.substr(first + 1, last - first - 1);
    port.type = text.substr(last + 1);
    if (find_port_type(port.type) == nullptr) {
      std::vector<std::string_view> types;
      for (const PortType& each : kPortTypes) types.push_back(each.name);
      add("port " + in_quotes(text) + ": there is no type " + in_quotes(port.type) + " of samples" +
          hint(port.type, types));
    }
    take_name(port.name, "port");
    component.ports.push_back(std::move(port));
  }

  void read_property(const std::string& text, NewComponent& component) {
    const auto property = read_declaration(text, true);
    if (!property) return;
    if (std::find(kFrameworkProperties.begin(), kFrameworkProperties.end(), property->id) !=
        kFrameworkProperties.end())
      add("property " + in_quotes(property->id) + " is set by the core framework: choose another id");
    else
      take_name(property->id, "property");
    component.properties.push_back(*property);
  }

  /// Checks the name of a port or property, which becomes that of a member of the class.
  void take_name(const std::string& name, const char* kind) {
    if (!is_name(name, "_")) {
      return add(std::string(kind) + " " + in_quotes(name) +
                 ": a name is a letter, and then letters, digits and '_', at most 64 in all");
    }
    const auto [earlier, is_new] = names_.emplace(name, kind);
    if (is_new) return;
    add(earlier->second == kind
            ? "there are two " +
                  (earlier->second == "port" ? std::string("ports") : std::string("properties")) + " " +
                  in_quotes(name) + ": give one another name" +
                  (earlier->second == "port" ? ", as in in:left:float" : "")
            : in_quotes(name) + " is a " + earlier->second + " and a " + kind + ": give one another name");
  }

  void reserve(const std::string& name, const char* kind) { names_.emplace(name, kind); }
  void add(std::string mistake) { mistakes_.push_back(std::move(mistake)); }

 private:
  /// Reads ID:TYPE or ID:TYPE=VALUE, of a property or of a member of a struct; nullopt if it has no such
  /// form.
  std::optional<NewProperty> read_declaration(const std::string& text, bool may_be_struct) {
    const std::size_t colon = text.find(':');
    const std::size_t brace = may_be_struct ? text.find('{') : std::string::npos;
    const bool is_struct = brace != std::string::npos && brace == colon + 1;
    const std::size_t equals = is_struct ? std::string::npos : text.find('=');
    if (colon == std::string::npos || colon > equals) {
      add("a property is ID:TYPE or ID:TYPE=VALUE, such as gain_db:double=0, not " + in_quotes(text));
      return std::nullopt;
    }
    NewProperty property;
    property.id = text.substr(0, colon);
    std::string type = text.substr(colon + 1, equals == std::string::npos ? equals : equals - colon - 1);
    if (type.ends_with("[]")) {
      property.is_sequence = true;
      type.resize(type.size() - 2);
    }
    if (is_struct) {
      read_members(property, type);
    } else {
      read_type(property, type, equals == std::string::npos ? nullptr : &text[equals + 1]);
    }
    return property;
  }

  /// `type`: "{gain:float=1;taps:float[]}".
  void read_members(NewProperty& property, const std::string& type) {
    if (!type.ends_with('}') || type.size() < 3)
      return add("property " + in_quotes(property.id) +
                 ": a struct is {MEMBER;MEMBER}, such as {gain:float=1;taps:float[]}, not " +
                 in_quotes(type));
    std::set<std::string> ids;
    for (std::size_t begin = 1; begin < type.size();) {
      const std::size_t end = std::min(type.find(';', begin), type.size() - 1);
      const auto member = read_declaration(type.substr(begin, end - begin), false);
      begin = end + 1;
      if (!member) continue;
      if (!is_name(member->id, "_") ||
          std::find(kKeywords.begin(), kKeywords.end(), member->id) != kKeywords.end())
        add("member " + in_quotes(member->id) +
            ": a name is a letter, and then letters, digits and '_', at most 64 in all, and no word of C++");
      else if (!ids.insert(member->id).second)
        add("property " + in_quotes(property.id) + " has two members " + in_quotes(member->id));
      property.members.push_back(*member);
    }
  }

  void read_type(NewProperty& property, const std::string& type, const char* value) {
    const auto known = type_of_name(type);
    static constexpr std::string_view kTypes[] = {"boolean",  "char",      "octet",  "short",
                                                  "ushort",   "long",      "ulong",  "float",
                                                  "longlong", "ulonglong", "double", "string"};
    if (!known || std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes))
      return add("property " + in_quotes(property.id) + ": there is no type " + in_quotes(type) +
                 " of properties" + hint(type, {std::begin(kTypes), std::end(kTypes)}));
    property.type = *known;
    if (!property.is_sequence) return read_value(property, value);
    std::istringstream words(value == nullptr ? "" : value);
    for (std::string word; words >> word;) {
      NewProperty element{property.id, property.type};
      read_value(element, word.c_str());
      property.values.push_back(element.value);
    }
  }

  void read_value(NewProperty& property, const char* given) {
    const bool is_text = property.type == PropertyType::string || property.type == PropertyType::character;
    if (given == nullptr && property.type == PropertyType::character)
      return add("property " + in_quotes(property.id) + " of type char needs a value, such as " +
                 property.id + ":char=A");
    property.value = given != nullptr                         ? given
                     : is_text                                ? ""
                     : property.type == PropertyType::boolean ? "false"
                                                              : "0";
    SimpleProperty rules;
    rules.type = property.type;
    if (const auto problem = rules.problem(property.value)) {
      add("property " + in_quotes(property.id) + ": " + in_quotes(property.value) + " is not a value; it " +
          *problem);
    } else if (is_text && printable(property.value) != property.value) {
      add("property " + in_quotes(property.id) +
          ": the value has characters that cannot be printed; set it in the "
          "profile afterwards");
    } else if (!is_text) {
      property.value = rules.canonical(property.value);
    }
  }

  std::vector<std::string>& mistakes_;
  std::map<std::string, std::string> names_;  // and what has the name
};

}  // namespace

const PortType* find_port_type(std::string_view name) {
  const auto found = std::find_if(kPortTypes.begin(), kPortTypes.end(),
                                  [&](const PortType& each) { return each.name == name; });
  return found == kPortTypes.end() ? nullptr : &*found;
}

std::vector<std::string> mistakes_in_name(const std::string& name) {
  if (!is_name(name, "_-")) {
    return {"the name " + in_quotes(name) +
            " cannot be used: it is a letter, and then letters, digits, '_' and '-', at most 64 in all"};
  }
  if (std::find(kCMakeNames.begin(), kCMakeNames.end(), name) != kCMakeNames.end())
    return {"the name " + in_quotes(name) + " is one of CMake's own: choose another name"};
  return {};
}

NewComponent read_new_component(const std::string& name, const std::vector<std::string>& ports,
                                const std::vector<std::string>& properties,
                                std::vector<std::string>& mistakes) {
  NewComponent component;
  component.name = name;
  Reader reader(mistakes);
  for (std::string& mistake : mistakes_in_name(name)) reader.add(std::move(mistake));
  if (ports.empty()) reader.add("a component needs a port, such as --ports in:float");
  for (const auto* list : {&ports, &properties}) {
    if (list->size() <= kMaxMembers) continue;
    reader.add(std::to_string(list->size()) + (list == &ports ? " ports" : " properties") +
               " are too many: at most " + std::to_string(kMaxMembers));
    return component;
  }
  const auto is_output = [](const std::string& port) { return port.starts_with("out:"); };
  if (std::none_of(ports.begin(), ports.end(), is_output)) reader.reserve("samples", "counter");
  for (const std::string& port : ports) reader.read_port(port, component);
  for (const std::string& property : properties) reader.read_property(property, component);
  return component;
}

}  // namespace orbweaver::sca
