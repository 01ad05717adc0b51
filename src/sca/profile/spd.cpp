#include <algorithm>
#include <filesystem>

#include "sca/profile/component.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

std::string local_file(const Element& parent) {
  return parent.child("localfile").allow({"name"}, {}).attribute("name");
}

/// Names the place of the reference as well as the file, where the file itself is missing.
std::string existing_file(const Element& reference, const std::string& profile, const std::string& root) {
  const std::string name = local_file(reference);
  std::string path = resolve_file(profile, name, root);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    reference.fail("the file '" + name + "' is not there (looked for " + path + ")",
                   "correct the name: it is relative to this file's folder");
  }
  return path;
}

Implementation read_implementation(const Element& element, const std::string& profile,
                                   const std::string& root) {
  element.allow({"id", "aepcompliance"},
                {"description", "propertyfile", "code", "compiler", "programminglanguage", "humanlanguage",
                 "runtime", "os", "processor", "dependency", "usesdevice"});
  for (const Element& child : element.children()) {
    if (child.name() == "propertyfile" || child.name() == "dependency" || child.name() == "usesdevice") {
      child.fail("<" + std::string(child.name()) + "> of an implementation is not supported",
                 "there are no devices yet that it could choose: remove it");
    }
  }
  Implementation made;
  made.where = element.where();
  made.id = element.attribute("id");
  const Element code =
      element.child("code").allow({"type"}, {"localfile", "entrypoint", "stacksize", "priority"});
  const std::string type = code.find_attribute("type").value_or("Executable");
  if (type == "SharedLibrary") {
    made.code = CodeType::shared_library;
  } else if (type != "Executable") {
    code.fail("code of type '" + type + "' cannot be run", "it can be Executable or SharedLibrary");
  }
  made.file = resolve_file(profile, local_file(code), root);
  if (const auto entry = code.find_child("entrypoint")) made.entry_point = entry->text();
  for (const Element& os : element.children("os"))
    made.systems.push_back(os.allow({"name", "version"}, {}).attribute("name"));
  for (const Element& cpu : element.children("processor"))
    made.processors.push_back(cpu.allow({"name"}, {}).attribute("name"));
  return made;
}

void add_properties(const std::string& path, PropertyFile& all) {
  for (SimpleProperty& property : read_property_file(path).simple) {
    // The SPD's settings stand before the SCD's where both have one (SCA 2.2.2 D.2.1.3).
    if (all.find(property.id) == nullptr) all.simple.push_back(std::move(property));
  }
}

}  // namespace

std::string resolve_file(const std::string& profile, const std::string& name, const std::string& root) {
  namespace fs = std::filesystem;
  const fs::path path(name);
  if (path.is_absolute())
    return root.empty() ? path.string() : (fs::path(root) / path.relative_path()).lexically_normal().string();
  return (fs::path(profile).parent_path() / path).lexically_normal().string();
}

SoftwarePackage read_software_package(const std::string& path, const std::string& root_folder) {
  const XmlFile file(path, "softpkg");
  const Element root = file.root().allow(
      {"id", "name", "type", "version"},
      {"title", "author", "description", "propertyfile", "descriptor", "implementation", "usesdevice"});
  SoftwarePackage spd;
  spd.file = path;
  spd.id = root.attribute("id");
  spd.name = root.attribute("name");
  spd.version = root.find_attribute("version").value_or("");
  const auto descriptor = root.find_child("descriptor");
  if (!descriptor)
    root.fail("the package has no <descriptor>", "name its SCD there: without one its ports are unknown");
  descriptor->allow({"name"}, {"localfile"});
  spd.component = read_component_descriptor(existing_file(*descriptor, path, root_folder));
  if (const auto properties = root.find_child("propertyfile")) {
    add_properties(existing_file(properties->allow({"type"}, {"localfile"}), path, root_folder),
                   spd.properties);
  }
  if (spd.component.property_file) {
    add_properties(resolve_file(spd.component.file, *spd.component.property_file, root_folder),
                   spd.properties);
  }
  for (const Element& element : root.children("implementation")) {
    Implementation made = read_implementation(element, path, root_folder);
    const auto same = [&](auto& other) { return other.id == made.id; };
    if (std::any_of(spd.implementations.begin(), spd.implementations.end(), same)) {
      element.fail("a second implementation '" + made.id + "'", "rename one");
    }
    spd.implementations.push_back(std::move(made));
  }
  if (spd.implementations.empty())
    root.fail("the package has no <implementation>", "say in one where its program is");
  return spd;
}

}  // namespace orbweaver::sca
