#include <algorithm>
#include <charconv>

#include "sca/profile/property.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

double range_end(const Element& range, const char* name) {
  const std::string text = range.attribute(name);
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) {
    range.fail("'" + text + "' is not a number", std::string("give ") + name + " as a number");
  }
  return value;
}

void read_kinds(const Element& element, SimpleProperty& property) {
  const auto kinds = element.children("kind");
  if (kinds.empty()) property.configurable = true;  // the DTD's default
  for (const Element& kind : kinds) {
    kind.allow({"kindtype"}, {});
    const std::string type = kind.find_attribute("kindtype").value_or("configure");
    if (type == "execparam") {
      property.exec_param = true;
    } else if (type == "configure") {
      property.configurable = true;
    } else if (type == "factoryparam") {
      property.factory_param = true;
    } else if (type == "allocation" || type == "test") {
      property.other_kinds.push_back(type);
    } else {
      kind.fail("'" + type + "' is not a kind of property",
                "it can be execparam, configure, allocation, test or factoryparam");
    }
  }
}

void read_mode(const Element& element, SimpleProperty& property) {
  const std::string mode = element.find_attribute("mode").value_or("readwrite");  // the DTD's default
  if (mode != "readonly" && mode != "readwrite" && mode != "writeonly") {
    element.fail("'" + mode + "' is not a mode of a property", "it can be readonly, readwrite or writeonly");
  }
  property.read_only = mode == "readonly";
}

/// Reads an enumeration. A choice without a value gets its position, counted from 0 (SCA 2.2.2 D.5.1.1.5).
void read_choices(const Element& enumerations, SimpleProperty& property) {
  int next = 0;
  for (const Element& choice : enumerations.allow({}, {"enumeration"}).children()) {
    choice.allow({"label", "value"}, {}).attribute("label");
    property.choices.push_back(choice.find_attribute("value").value_or(std::to_string(next)));
    ++next;
  }
}

SimpleProperty read_simple(const Element& element) {
  element.allow({"id", "type", "name", "mode"},
                {"description", "value", "units", "range", "enumerations", "kind", "action"});
  SimpleProperty property;
  property.where = element.where();
  property.id = element.attribute("id");
  property.name = element.find_attribute("name").value_or(property.id);
  const std::string type = element.attribute("type");
  const auto known = type_of_name(type);
  if (!known) {
    element.fail(
        "'" + type + "' is not a type of property",
        "it can be boolean, char, double, float, short, long, ushort, ulong, octet, string or objref");
  }
  property.type = *known;
  if (const auto text = element.find_child("description")) property.description = text->text();
  if (const auto text = element.find_child("units")) property.units = text->text();
  if (const auto range = element.find_child("range")) {
    range->allow({"min", "max"}, {});
    property.min = range_end(*range, "min");
    property.max = range_end(*range, "max");
    if (*property.min > *property.max) range->fail("the range's min is above its max", "swap them");
  }
  read_mode(element, property);
  read_kinds(element, property);
  if (const auto enumerations = element.find_child("enumerations")) read_choices(*enumerations, property);
  if (const auto value = element.find_child("value")) {
    // An empty string is a valid value and is written as an empty <value>.
    const bool empty = property.type == PropertyType::string && value->raw_text().empty();
    property.value = empty ? std::string() : value->text();
    if (const auto problem = property.problem(*property.value)) {
      value->fail("'" + *property.value + "' cannot be the value of '" + property.id + "'", "it " + *problem);
    }
  }
  return property;
}

}  // namespace

PropertyFile read_property_file(const std::string& path) {
  const XmlFile file(path, "properties");
  PropertyFile properties;
  const Element root =
      file.root().allow({}, {"description", "simple", "simplesequence", "struct", "structsequence", "test"});
  for (const Element& element : root.children()) {
    if (element.name() == "description") continue;
    if (element.name() != "simple") {
      element.fail("<" + std::string(element.name()) + "> is not supported",
                   "only <simple> properties are supported: remove it");
    }
    SimpleProperty property = read_simple(element);
    if (const auto* other = properties.find(property.id)) {
      element.fail("a second property '" + property.id + "'",
                   "the first is in line " + std::to_string(other->where.line) + ": rename one");
    }
    properties.simple.push_back(std::move(property));
  }
  return properties;
}

}  // namespace orbweaver::sca
