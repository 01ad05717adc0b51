// Makes the texts of the files from the templates.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string_view>

#include "sca/profile/new_id.h"
#include "sca/project/new_project.h"
#include "sca/project/template_text.h"

namespace orbweaver::sca {
namespace {

using nlohmann::json;

/// "fm-demod": "FmDemod".
std::string class_name(const std::string& name) {
  std::string result;
  bool starts = true, has_lower = false;
  for (const char c : name) has_lower = has_lower || (c >= 'a' && c <= 'z');
  for (char c : name) {
    if (c == '_' || c == '-') {
      starts = true;
      continue;
    }
    if (starts && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (!starts && !has_lower && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    starts = false;
    result += c;
  }
  return result;
}

/// The type of a port, which read_new_component() has checked.
const PortType& type_of(const NewPort& port) {
  const PortType* const type = find_port_type(port.type);
  if (type == nullptr) throw std::invalid_argument("there is no type '" + port.type + "' of ports");
  return *type;
}

std::string sample_of(const NewPort& port) { return std::string(type_of(port).sample); }

std::string quoted_for_cpp(const std::string& text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') result += '\\';
    result += c;
  }
  return result + quote;
}

std::string escaped_for_xml(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      default: result += c;
    }
  }
  return result;
}

/// A literal for a number of type float or double.
std::string real_literal(const std::string& text, bool is_float) {
  std::array<char, 64> digits{};
  const double value = number_of(text).value_or(0);
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  std::string literal(digits.data(), end);
  if (literal.find_first_of(".e") == std::string::npos) literal += ".0";
  return literal + (is_float ? "f" : "");
}

/// The type in C++, and the literal of the default.
std::pair<std::string, std::string> in_cpp(const NewProperty& property) {
  const std::string& value = property.value;
  switch (property.type) {
    case PropertyType::boolean: return {"bool", value};
    case PropertyType::character: return {"char", quoted_for_cpp(value, '\'')};
    case PropertyType::octet: return {"std::uint8_t", value};
    case PropertyType::int16: return {"std::int16_t", value};
    case PropertyType::uint16: return {"std::uint16_t", value};
    case PropertyType::int32: return {"std::int32_t", value};
    case PropertyType::uint32: return {"std::uint32_t", value + "u"};
    case PropertyType::int64:
      return {"std::int64_t", value == "-9223372036854775808" ? "-9223372036854775807 - 1" : value};
    case PropertyType::uint64: return {"std::uint64_t", value + "u"};
    case PropertyType::real32: return {"float", real_literal(value, true)};
    case PropertyType::real64: return {"double", real_literal(value, false)};
    default: return {"std::string", quoted_for_cpp(value, '"')};
  }
}

/// A simple property, a sequence, or a member of a struct.
json flat_values(const NewProperty& property) {
  const auto [type, literal] = in_cpp(property);
  json values = json::array();
  std::string literals, texts;
  for (const std::string& value : property.values) {
    NewProperty element = property;
    element.value = value;
    literals += (literals.empty() ? "" : ", ") + in_cpp(element).second;
    texts += (texts.empty() ? "" : ", ") + quoted_for_cpp(value, '"');
    values.push_back({{"xml_value", escaped_for_xml(value)}});
  }
  return {{"id", property.id},
          {"type", std::string(type_name(property.type))},
          {"is_simple", !property.is_sequence},
          {"is_sequence", property.is_sequence},
          {"cpp_type", property.is_sequence ? "std::vector<" + type + ">" : type},
          {"cpp_value", property.is_sequence ? "{" + literals + "}" : literal},
          {"value_in_cpp", property.is_sequence ? "sca::PropertyValue::sequence({" + texts + "})"
                                                : quoted_for_cpp(property.value, '"')},
          {"has_values", !values.empty()},
          {"values", values},
          {"xml_value", escaped_for_xml(property.value)},
          {"last", false}};
}

json properties_of(const NewComponent& component) {
  json list = json::array();
  for (const NewProperty& property : component.properties) {
    json values = flat_values(property);
    json members = json::array();
    std::string texts;
    for (const NewProperty& member : property.members) {
      members.push_back(flat_values(member));
      texts += (texts.empty() ? "" : ", ") + ("{\"" + member.id + "\", ") +
               members.back()["value_in_cpp"].get<std::string>() + "}";
    }
    const std::string structure = class_name(property.id) + "Value";
    if (property.is_struct()) {
      members.back()["last"] = true;
      values["is_simple"] = values["is_sequence"] = false;
      values["cpp_type"] = property.is_sequence ? "std::vector<" + structure + ">" : structure;
      values["cpp_value"] = "{}";
      values["value_in_cpp"] = property.is_sequence
                                   ? "sca::PropertyValue::structure_sequence({{" + texts + "}})"
                                   : "sca::PropertyValue::structure({" + texts + "})";
    }
    values["member"] = property.id + "_";
    values["structure"] = structure;
    values["struct_comment"] = std::string(property.is_sequence ? "A struct of" : "The value of") +
                               " the property " + property.id + ".";
    std::string member_list;
    for (const NewProperty& member : property.members)
      member_list += (member_list.empty() ? "sca::Member(\"" : ",\n                      sca::Member(\"") +
                     member.id + "\", &" + structure + "::" + member.id + ")";
    values["member_list"] = member_list;
    values["struct_kind"] = property.is_sequence ? "typedef" : "configure";
    values["is_any_struct"] = property.is_struct();
    values["is_struct"] = property.is_struct() && !property.is_sequence;
    values["is_struct_sequence"] = property.is_struct() && property.is_sequence;
    values["members"] = members;
    list.push_back(std::move(values));
  }
  return list;
}

std::string repository_id(const PortType& type) {
  return "IDL:" + std::string(type.module) + "/" + std::string(type.interface) + ":1.0";
}

/// The class of an input or output of the port's type.
std::string port_class(const NewPort& port, bool is_input) {
  return std::string(type_of(port).is_ossie ? "Ossie" : "") + (is_input ? "Input" : "Output");
}

json port_values(const NewPort& port) {
  return {{"name", port.name},
          {"member", port.name + "_"},
          {"handler", "handle_" + port.name},
          {"sample", sample_of(port)},
          {"port_class", port_class(port, port.is_input)},
          {"peer_class", port_class(port, !port.is_input)},
          {"repid", repository_id(type_of(port))},
          {"targets", json::array()}};
}

json includes_of(std::set<std::string> headers) {
  json list = json::array();
  for (const std::string& header : headers) list.push_back({{"header", header}, {"last", false}});
  if (!list.empty()) list.back()["last"] = true;
  return list;
}

/// The values of the component's templates.
json values_of(const NewComponent& component) {
  std::vector<NewPort> inputs, outputs;
  for (const NewPort& port : component.ports) (port.is_input ? inputs : outputs).push_back(port);
  json in = json::array(), out = json::array(), interfaces = json::array();
  for (const NewPort& port : inputs) in.push_back(port_values(port));
  for (const NewPort& port : outputs) out.push_back(port_values(port));

  bool converts = false;
  std::vector<std::size_t> packets(outputs.size(), inputs.empty() ? 100 : 0);
  // Each input passes its packets to the output of the same number, and the last one to further outputs.
  for (std::size_t i = 0; !inputs.empty() && !outputs.empty() && i < std::max(inputs.size(), outputs.size());
       ++i) {
    const std::size_t from = std::min(i, inputs.size() - 1), to = std::min(i, outputs.size() - 1);
    const bool same = sample_of(inputs[from]) == sample_of(outputs[to]);
    converts = converts || !same;
    packets[to] += 10;
    in[from]["targets"].push_back({{"member", outputs[to].name + "_"},
                                   {"buffer", "for_" + outputs[to].name},
                                   {"sample", sample_of(outputs[to])},
                                   {"from", sample_of(inputs[from])},
                                   {"same_type", same}});
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) out[i]["packets"] = std::to_string(packets[i]);

  std::set<std::string> used, headers;
  bool is_ossie = false;
  for (const NewPort& port : component.ports) {
    const PortType& type = type_of(port);
    is_ossie = is_ossie || type.is_ossie;
    if (used.insert(repository_id(type)).second)
      interfaces.push_back({{"repid", repository_id(type)}, {"interface", std::string(type.interface)}});
    if (type.sample.find("complex") != std::string_view::npos) headers.insert("complex");
    if (type.sample.find("int") != std::string_view::npos) headers.insert("cstdint");
  }
  const auto add_headers = [&](const NewProperty& property) {
    const std::string type = in_cpp(property).first;
    if (type == "std::string") headers.insert("string");
    if (type.ends_with("_t")) headers.insert("cstdint");
    if (property.is_sequence) headers.insert("vector");
  };
  for (const NewProperty& property : component.properties) {
    if (!property.is_struct()) add_headers(property);
    if (property.is_struct() && property.is_sequence) headers.insert("vector");
    if (property.is_struct()) headers.insert("tuple");
    for (const NewProperty& member : property.members) add_headers(member);
  }
  if (inputs.empty()) headers.insert("vector");
  if (converts) headers.insert({"algorithm", "complex", "limits", "type_traits", "utility"});

  return {{"name", component.name},
          {"class", class_name(component.name)},
          {"id", new_id()},
          {"purpose", inputs.empty()    ? "sends packets of zeros"
                      : outputs.empty() ? "counts the samples that it receives"
                                        : "passes on the packets that it receives"},
          {"is_source", inputs.empty()},
          {"is_sink", outputs.empty()},
          {"packets", std::to_string(10 * inputs.size())},
          {"converts", converts},
          {"is_ossie", is_ossie},
          {"has_inputs", !inputs.empty()},
          {"has_outputs", !outputs.empty()},
          {"has_properties", !component.properties.empty()},
          {"inputs", in},
          {"outputs", out},
          {"interfaces", interfaces},
          {"includes", includes_of(headers)},
          {"properties", properties_of(component)}};
}

NewFile file_of(const std::string& name, const std::string& template_name, const json& values) {
  return {name, expand(template_text(template_name + ".in"), values)};
}

}  // namespace

std::vector<NewFile> files_of_component(const NewComponent& component) {
  const json values = values_of(component);
  std::vector<NewFile> files{file_of("CMakeLists.txt", "component/CMakeLists.txt", values)};
  for (const char* suffix : {".cpp", "_test.cpp", ".spd.xml", ".scd.xml", ".prf.xml"}) {
    if (std::string_view(suffix) == ".prf.xml" && component.properties.empty()) continue;
    files.push_back(file_of(component.name + suffix, std::string("component/component") + suffix, values));
  }
  return files;
}

std::vector<NewFile> files_of_waveform(const std::string& name) {
  const NewPort in{true, "in", "float"}, out{false, "out", "float"};
  const NewComponent components[] = {
      {name + "_source", {out}, {}}, {name + "_filter", {in, out}, {}}, {name + "_sink", {in}, {}}};
  json values = {
      {"name", name}, {"id", new_id()}, {"components", json::array()}, {"connections", json::array()}};
  std::vector<NewFile> all;
  const NewComponent* before = nullptr;
  for (const NewComponent& component : components) {
    values["components"].push_back({{"name", component.name}});
    if (before != nullptr) values["connections"].push_back({{"from", before->name}, {"to", component.name}});
    before = &component;
    for (NewFile& file : files_of_component(component))
      all.push_back({component.name + "/" + file.name, std::move(file.text)});
  }
  all.insert(all.begin(), {file_of("CMakeLists.txt", "waveform/CMakeLists.txt", values),
                           file_of(name + ".sad.xml", "waveform/waveform.sad.xml", values)});
  return all;
}

}  // namespace orbweaver::sca
