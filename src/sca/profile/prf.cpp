#include <algorithm>
#include <map>
#include <set>

#include "sca/profile/profile_readers.h"
#include "sca/profile/property.h"
#include "sca/profile/settings.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

class PrfReader {
 public:
  explicit PrfReader(Profiles& profiles) : profiles_(profiles) {}

  PropertyFile read(const Element& root) {
    PropertyFile file;
    const auto elements = root.children();
    const bool is_empty = std::all_of(elements.begin(), elements.end(),
                                      [](const Element& each) { return each.name() == "description"; });
    if (is_empty) profiles_.warn(root.where(), "<properties> has no property", "SCA 2.2.2 requires one");
    for (const Element& element : elements) {
      if (element.name() == "simple") file.simple.push_back(simple(element));
      if (element.name() == "simplesequence") file.sequences.push_back(simple(element));
      if (element.name() == "struct") file.structs.push_back(structure(element));
      if (element.name() == "test") test(element, file);
    }
    // A sequence may precede the struct that it names.
    std::map<std::string, std::size_t, std::less<>> structs;
    for (std::size_t i = 0; i < file.structs.size(); ++i) structs.emplace(file.structs[i].id, i);
    for (const Element& element : elements) {
      if (element.name() != "structsequence") continue;
      const auto named = structs.find(element.attribute("structrefid"));
      file.structs.push_back(
          sequence(element, named == structs.end() ? nullptr : &file.structs[named->second]));
    }
    return file;
  }

 private:
  void test(const Element& element, PropertyFile& file) {
    TestProperty test{element.attribute("id"), child_text(element, "description"), {}, {}, element.where()};
    if (!tests_.insert(test.id).second)
      profiles_.mistake(element.where(), "a second test '" + test.id + "'", "rename one");
    for (const Element& part : element.children()) {
      const bool is_input = part.name() == "inputvalue" || part.name() == "inputValue";
      for (const Element& each : part.children("simple"))
        (is_input ? test.inputs : test.results).push_back(simple(each));
    }
    file.tests.push_back(std::move(test));
  }

  SimpleProperty simple(const Element& element) {
    SimpleProperty property;
    property.where = element.where();
    property.id = element.attribute("id");
    property.name = element.find_attribute("name").value_or(property.id);
    property.is_sequence = element.name() == "simplesequence";
    property.is_complex = element.attribute("complex") == "true";
    property.is_optional = element.attribute("optional") == "true";
    const auto type = type_of_name(element.attribute("type"));
    if (type) property.type = *type;
    property.description = child_text(element, "description");
    property.units = child_text(element, "units");
    if (const auto range = element.find_child("range")) this->range(*range, property);
    const bool is_text = property.type == PropertyType::string || property.type == PropertyType::objref;
    if (property.is_complex && (is_text || property.type == PropertyType::utc_time))
      profiles_.mistake(element.where(),
                        "a property of type " + element.attribute("type") + " cannot be complex",
                        "remove the attribute, or make the type a number");
    use(element, "kind", property);
    if (element.attribute("commandline") == "true" && property.set_initially) property.exec_param = true;
    if (const auto enumerations = element.find_child("enumerations")) choices(*enumerations, property);
    if (const auto action = element.find_child("action")) property.action = action->attribute("type");
    if (!type) return property;  // the DTD's enumeration decides
    if (const auto value = element.find_child("value")) {
      property.value = value->text();
      // An element without a value has none, except as a text.
      if (property.value->empty() && property.type != PropertyType::string) {
        if (!property.is_optional)
          profiles_.warn(value->where(), "<value> is empty, so that '" + property.id + "' has no default",
                         "write its value between the tags, or leave <value> out");
        property.value.reset();
      }
      if (property.value)
        check_property_value(*value, property, *property.value, "cannot be the value of", profiles_);
    }
    if (const auto values = element.find_child("values")) {
      for (const Element& value : values->children("value")) {
        property.values.push_back(value.text());
        check_property_value(value, property, property.values.back(), "cannot be the value of", profiles_);
      }
    }
    return property;
  }

  void range(const Element& range, SimpleProperty& property) {
    const auto end = [&](const char* name) {
      const std::string text = range.attribute(name);
      const auto value = number_of(text);
      if (!value && range.find_attribute(name))
        profiles_.mistake(range.where(), "'" + text + "' is not a number",
                          std::string("give ") + name + " as a number");
      return value;
    };
    const auto min = end("min"), max = end("max");
    if (!min || !max) return;
    if (*min > *max) {
      profiles_.mistake(range.where(), "the range's min is above its max", "swap them");
    } else if (!property.is_numeric()) {
      profiles_.warn(range.where(), "a range has no effect on a property that is not a number", "remove it");
    } else {
      property.min = min;
      property.max = max;
    }
  }

  void use(const Element& element, const char* kind_element, PropertyUse& use) {
    const auto kinds = element.children(kind_element);
    if (kinds.empty()) use.configurable = true;  // SCA 2.2.2 D.3.1.1.6
    for (const Element& kind : kinds) {
      const std::string type = kind.attribute("kindtype");
      if (type == "execparam") {
        use.exec_param = true;
      } else if (type == "configure") {
        use.configurable = true;
      } else if (type == "property") {
        use.configurable = use.set_initially = true;
      } else if (type == "factoryparam") {
        use.factory_param = true;
      } else {
        use.allocation = use.allocation || type == "allocation";
        use.other_kinds.push_back(type);
      }
    }
    use.read_only = element.attribute("mode") == "readonly";
    use.write_only = element.attribute("mode") == "writeonly";
  }

  /// Reads an enumeration. A choice without a value gets its position, counted from 0 (SCA 2.2.2 D.3.1.1.5).
  void choices(const Element& enumerations, SimpleProperty& property) {
    // The choices must be values of its type, and need not be in its range.
    SimpleProperty without_range = property;
    without_range.min.reset();
    without_range.max.reset();
    int next = 0;
    for (const Element& choice : enumerations.children("enumeration")) {
      property.choices.push_back(choice.find_attribute("value").value_or(std::to_string(next)));
      property.labels.push_back(choice.attribute("label"));
      ++next;
      if (const auto problem = without_range.problem(property.choices.back()))
        profiles_.mistake(choice.where(),
                          "'" + property.choices.back() + "' cannot be a value of '" + property.id + "'",
                          "it " + *problem);
    }
  }

  StructProperty structure(const Element& element) {
    StructProperty property;
    property.where = element.where();
    property.id = element.attribute("id");
    property.name = element.find_attribute("name").value_or(property.id);
    property.description = child_text(element, "description");
    use(element, "configurationkind", property);
    std::vector<SimpleProperty> members;
    for (const Element& child : element.children()) {
      if (child.name() == "simple" || child.name() == "simplesequence") members.push_back(simple(child));
    }
    property.members = std::make_shared<StructMembers>(std::move(members));
    return property;
  }

  /// `named` is the struct that structrefid names.
  StructProperty sequence(const Element& element, const StructProperty* named) {
    StructProperty property = structure(element);
    property.is_sequence = true;
    property.members.reset();
    const auto inner = element.find_child("struct");
    const auto reference = element.find_attribute("structrefid");
    if (inner) {
      property.members = structure(*inner).members;
    } else if (!reference) {
      profiles_.mistake(element.where(), "<structsequence> names no struct",
                        "add structrefid=\"…\" with the id of a <struct>");
    } else if (named != nullptr) {
      property.members = named->members;
    } else {
      profiles_.mistake(element.where(), "there is no struct '" + *reference + "'",
                        "structrefid names a <struct> of this file");
      return property;
    }
    if (inner && reference)
      profiles_.mistake(element.where(), "<structsequence> has a <struct> and names one by structrefid",
                        "remove one");
    for (const Element& value : element.children("structvalue"))
      property.elements.push_back(read_struct_value(value, property, profiles_));
    return property;
  }

  Profiles& profiles_;
  std::set<std::string> tests_;  // ids
};

}  // namespace

PropertyFile read_properties(const Element& root, Profiles& profiles) {
  return PrfReader(profiles).read(root);
}

}  // namespace orbweaver::sca
