#include "sca/profile/sad_parts.h"

#include "sca/profile/profile_readers.h"

namespace orbweaver::sca {
namespace {

std::vector<std::string> values_in(const Element& reference) {
  std::vector<std::string> all;
  const auto values = reference.find_child("values");
  if (!values) return all;
  for (const Element& value : values->children("value")) all.push_back(value.text());
  return all;
}

PropertySetting read_setting(const Element& element) {
  PropertySetting setting{element.attribute("refid"), element.attribute("value"), element.where()};
  setting.values = values_in(element);
  const auto members = [](const Element& structure) {
    std::vector<PropertySetting> settings;
    for (const Element& member : structure.children()) settings.push_back(read_setting(member));
    return settings;
  };
  if (element.name() == "structref") setting.structs.push_back(members(element));
  for (const Element& value : element.children("structvalue")) setting.structs.push_back(members(value));
  return setting;
}

/// Reads a <findby> or the elements in it.
PortReference found_object(const Element& findby) {
  PortReference end;
  if (const auto name = findby.find_child("namingservice")) {
    end.kind = EndKind::name;
    end.name = name->attribute("name");
  } else if (const auto reference = findby.find_child("stringifiedobjectref")) {
    end.kind = EndKind::reference;
    end.name = reference->text();
  } else if (const auto finder = findby.find_child("domainfinder")) {
    end.kind = EndKind::domain_finder;
    end.type = finder->attribute("type");
    end.name = finder->attribute("name");
  }
  return end;
}

}  // namespace

void fail_not_supported(const Element& element, const std::string& what, const std::string& advice,
                        AssemblyUse use) {
  element.fail(what + (use == AssemblyUse::run ? " is not supported by `orbweaver run` yet"
                                               : " is not supported by `orbweaver domain` yet"),
               advice);
}

UnresolvedEnd read_end(const Element& side, AssemblyUse use) {
  if (side.name() == "findby") return {found_object(side), std::nullopt};
  UnresolvedEnd result;
  const Element other = side.children().back();
  if (use == AssemblyUse::run && other.name() != "componentinstantiationref")
    fail_not_supported(other, "<" + std::string(other.name()) + "> in a connection",
                       "name a component of the assembly by <componentinstantiationref>", use);
  PortReference& end = result.end;
  if (other.name() == "assemblyinstantiationref") {
    fail_not_supported(other, "<assemblyinstantiationref> in a connection", "name a component", use);
  } else if (other.name() == "findby") {
    end = found_object(other);
  } else if (other.name() == "domainfinder") {
    end = found_object(side);
  } else if (other.name() == "deviceusedbyapplication") {
    end.kind = EndKind::application_device;
    end.name = other.attribute("usesrefid");
  } else {
    result.component = other;
    if (other.name() == "devicethatloadedthiscomponentref") end.kind = EndKind::loading_device;
    if (other.name() == "deviceusedbythiscomponentref") {
      end.kind = EndKind::component_device;
      end.name = other.attribute("usesrefid");
    }
  }
  if (const std::string text = side.attribute("stringifiedobjectref"); !text.empty()) {
    result.component.reset();
    end = {};
    end.kind = EndKind::reference;
    end.name = text;
  }
  // SCA 2.2.2 names the identifier element after the side, 4.1 names it <identifier>. A supported interface
  // is one of the object itself.
  for (const char* const name : {"usesidentifier", "providesidentifier", "identifier"}) {
    if (side.name() == "componentsupportedinterface") break;
    if (const auto identifier = side.find_child(name)) end.port = identifier->text();
  }
  return result;
}

std::vector<PropertySetting> read_settings(const Element& properties, AssemblyUse use) {
  std::vector<PropertySetting> settings;
  for (const Element& element : properties.children()) {
    if (use == AssemblyUse::run && element.name() != "simpleref")
      fail_not_supported(element,
                         "<" + std::string(element.name()) + "> in <" + std::string(properties.name()) + ">",
                         "only <simpleref> is", use);
    settings.push_back(read_setting(element));
  }
  return settings;
}

}  // namespace orbweaver::sca
