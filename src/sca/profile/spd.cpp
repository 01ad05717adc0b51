#include <algorithm>
#include <filesystem>

#include "sca/profile/component.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

std::string local_file(const Element& parent) {
  return parent.child("localfile").allow({"name"}, {}).attribute("name");
}

/// Resolves a reference to a file that must exist; the error for a missing file names the place of the
/// reference.
std::string existing_file(const Element& reference, const std::string& profile, const std::string& root) {
  const std::string name = local_file(reference);
  std::string path = resolve_file(profile, name, root);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    reference.fail("the file '" + name + "' does not exist (looked for " + path + ")",
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
                 "devices are not supported: remove it");
    }
  }
  Implementation implementation;
  implementation.where = element.where();
  implementation.id = element.attribute("id");
  const Element code =
      element.child("code").allow({"type"}, {"localfile", "entrypoint", "stacksize", "priority"});
  const std::string type = code.find_attribute("type").value_or("Executable");
  if (type == "SharedLibrary") {
    implementation.code = CodeType::shared_library;
  } else if (type != "Executable") {
    code.fail("code of type '" + type + "' cannot be run", "it can be Executable or SharedLibrary");
  }
  implementation.file = resolve_file(profile, local_file(code), root);
  if (const auto entry = code.find_child("entrypoint")) implementation.entry_point = entry->text();
  for (const Element& os : element.children("os"))
    implementation.systems.push_back(os.allow({"name", "version"}, {}).attribute("name"));
  for (const Element& cpu : element.children("processor"))
    implementation.processors.push_back(cpu.allow({"name"}, {}).attribute("name"));
  return implementation;
}

void add_properties(const std::string& path, PropertyFile& all) {
  for (SimpleProperty& property : read_property_file(path).simple) {
    // If both the SPD and the SCD have a property, the SPD's takes precedence (SCA 2.2.2 D.2.1.3).
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
    root.fail("the package has no <descriptor>", "add one that names its SCD, which declares the ports");
  descriptor->allow({"name"}, {"localfile"});
  spd.component = read_component_descriptor(existing_file(*descriptor, path, root_folder));
  if (const auto properties = root.find_child("propertyfile")) {
    properties->allow({"type"}, {"localfile"});
    check_property_file_type(*properties);
    add_properties(existing_file(*properties, path, root_folder), spd.properties);
  }
  if (spd.component.property_file) {
    add_properties(resolve_file(spd.component.file, *spd.component.property_file, root_folder),
                   spd.properties);
  }
  for (const Element& element : root.children("implementation")) {
    Implementation implementation = read_implementation(element, path, root_folder);
    const auto same = [&](auto& other) { return other.id == implementation.id; };
    if (std::any_of(spd.implementations.begin(), spd.implementations.end(), same)) {
      element.fail("a second implementation '" + implementation.id + "'", "rename one");
    }
    spd.implementations.push_back(std::move(implementation));
  }
  if (spd.implementations.empty())
    root.fail("the package has no <implementation>", "add one that names its program or library");
  return spd;
}

}  // namespace orbweaver::sca
