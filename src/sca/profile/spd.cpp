#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "sca/profile/component.h"
#include "sca/profile/profile_readers.h"
#include "sca/profile/property_json.h"
#include "sca/profile/similar_name.h"
#include "sca/profile/xml.h"

namespace orbweaver::sca {
namespace {

class SpdReader {
 public:
  SpdReader(const Element& root, Profiles& profiles) : root_(root), profiles_(profiles) {}

  SoftwarePackage read() {
    spd_.file = root_.file().path();
    spd_.id = root_.attribute("id");
    spd_.name = root_.attribute("name");
    spd_.version = root_.attribute("version");
    spd_.where = root_.where();
    check_type();
    if (const auto properties = root_.find_child("propertyfile"))
      add_properties(*properties, spd_.properties);
    if (const auto descriptor = root_.find_child("descriptor")) {
      spd_.names_component = true;
      if (const ComponentDescriptor* const component = profiles_.component(*descriptor)) {
        spd_.component = *component;
        spd_.has_component = true;
        // If both the SPD and the SCD have a property, the SPD's takes precedence (SCA 2.2.2 D.2.1.3).
        spd_.properties.add(component->properties);
      }
    }
    for (const Element& element : root_.children("implementation")) implementation(element);
    for (const Element& element : root_.children("usesdevice")) spd_.devices.push_back(uses_device(element));
    return std::move(spd_);
  }

 private:
  /// SCA has two types of package. REDHAWK writes the version with which it made the file.
  void check_type() {
    const std::string type = root_.attribute("type");
    spd_.is_compliant = type != "sca_non_compliant";
    if (type == "sca_compliant" || type == "sca_non_compliant") return;
    const bool is_version = !type.empty() && type.find_first_not_of("0123456789.") == std::string::npos;
    if (is_version) {
      profiles_.warn(root_.where(),
                     "the type '" + type + "' of <softpkg>, a version of REDHAWK, has no effect");
    } else {
      const std::string_view similar = similar_name(type, {"sca_compliant", "sca_non_compliant"});
      profiles_.mistake(root_.where(), "the attribute 'type' cannot be '" + type + "'",
                        (similar.empty() ? "" : "did you mean '" + std::string(similar) + "'? ") +
                            "it can be sca_compliant or sca_non_compliant");
    }
  }

  void add_properties(const Element& reference, PropertyFile& to) {
    if (const auto properties = profiles_.properties(reference)) to.add(*properties);
  }

  void implementation(const Element& element) {
    Implementation implementation;
    implementation.where = element.where();
    implementation.id = element.attribute("id");
    if (const auto code = element.find_child("code")) this->code(*code, implementation);
    for (const Element& os : element.children("os"))
      implementation.systems.push_back({os.attribute("name"), os.attribute("version")});
    for (const Element& cpu : element.children("processor"))
      implementation.processors.push_back(cpu.attribute("name"));
    if (const auto properties = element.find_child("propertyfile")) {
      implementation.properties = profiles_.properties(*properties);
      implementation.unsupported = unsupported(*properties);
    }
    for (const Element& dependency : element.children("dependency")) {
      this->dependency(dependency, implementation);
      implementation.unsupported = unsupported(dependency);
    }
    for (const Element& device : element.children("usesdevice")) {
      implementation.devices.push_back(uses_device(device));
      implementation.unsupported = unsupported(device);
    }
    spd_.implementations.push_back(std::move(implementation));
  }

  static std::string unsupported(const Element& element) {
    return "its <" + std::string(element.name()) + "> in line " + std::to_string(element.where().line);
  }

  void code(const Element& code, Implementation& implementation) {
    const std::string type = code.find_attribute("type").value_or("Executable");
    if (type == "SharedLibrary") {
      implementation.code = CodeType::shared_library;
    } else if (type == "KernelModule") {
      implementation.code = CodeType::kernel_module;
    } else if (type == "Driver") {
      implementation.code = CodeType::driver;
    } else if (type != "Executable") {
      const std::string_view similar =
          similar_name(type, {"Executable", "SharedLibrary", "KernelModule", "Driver"});
      profiles_.mistake(code.where(), "code cannot be of type '" + type + "'",
                        (similar.empty() ? "" : "did you mean '" + std::string(similar) + "'? ") +
                            "it can be Executable, SharedLibrary, KernelModule or Driver");
    }
    if (const auto local = code.find_child("localfile")) {
      implementation.file = profiles_.resolve(*local, local->attribute("name"));
      std::error_code ignored;
      if (profiles_.warns_about_code() && !implementation.file.empty() &&
          !std::filesystem::exists(implementation.file, ignored))
        profiles_.warn(local->where(),
                       "the code '" + local->attribute("name") + "' does not exist (looked for " +
                           implementation.file + ")",
                       "build it, or correct the name");
    }
    if (const auto entry = code.find_child("entrypoint")) implementation.entry_point = entry->text();
    implementation.stack_size = number_in(code, "stacksize");
    implementation.priority = number_in(code, "priority");
  }

  std::optional<std::uint32_t> number_in(const Element& code, const char* name) {
    const auto number = code.find_child(name);
    if (!number) return std::nullopt;
    const auto value = number_of(number->text());
    if (!value || *value < 0)
      profiles_.mistake(number->where(), "'" + number->text() + "' cannot be the value of <" + name + ">",
                        "give a number");
    if (!value || *value < 0 || *value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    return static_cast<std::uint32_t>(*value);
  }

  /// A dependency on another package, or on a property of the device.
  void dependency(const Element& dependency, Implementation& implementation) {
    const auto reference = dependency.find_child("softpkgref");
    if (!reference) {
      read_requirements(dependency, implementation.requirements);
      return;
    }
    const SoftwarePackage* const package = profiles_.package(*reference);
    const auto wanted = reference->find_child("implref");
    if (package == nullptr) return;
    implementation.dependencies.push_back(
        {package->file, wanted ? wanted->attribute("refid") : "", reference->where()});
    if (!wanted) return;
    const std::string id = wanted->attribute("refid");
    std::vector<std::string> known;
    for (const Implementation& each : package->implementations) known.push_back(each.id);
    if (std::find(known.begin(), known.end(), id) != known.end()) return;
    profiles_.mistake(wanted->where(), "'" + package->file + "' has no implementation '" + id + "'",
                      "it has " + some_of(known));
  }

  UsedDevice uses_device(const Element& element) {
    spd_.uses_devices.push_back(element.attribute("id"));
    return read_used_device(element);
  }

  const Element root_;
  Profiles& profiles_;
  SoftwarePackage spd_;
};

/// The <values> of a <simplesequenceref>.
PropertyValue elements_of(const Element& reference) {
  std::vector<std::string> elements;
  if (const auto values = reference.find_child("values"))
    for (const Element& each : values->children("value")) elements.push_back(each.text());
  return PropertyValue::sequence(std::move(elements));
}

/// The members in a <structref> or <structvalue>.
PropertyValue::Members members_of(const Element& value) {
  PropertyValue::Members members;
  for (const Element& each : value.children()) {
    const std::string id = each.attribute("refid");
    if (each.name() == "simpleref") members.emplace_back(id, each.attribute("value"));
    if (each.name() == "simplesequenceref") members.emplace_back(id, elements_of(each));
  }
  return members;
}

/// The value of a <simplesequenceref>, <structref> or <structsequenceref>.
PropertyValue value_of(const Element& reference) {
  if (reference.name() == "simplesequenceref") return elements_of(reference);
  if (reference.name() == "structref") return PropertyValue::structure(members_of(reference));
  std::vector<PropertyValue::Members> structs;
  for (const Element& each : reference.children("structvalue")) structs.push_back(members_of(each));
  return PropertyValue::structure_sequence(std::move(structs));
}

}  // namespace

void read_requirements(const Element& element, std::vector<DeviceRequirement>& requirements) {
  for (const Element& each : element.children()) {
    if (each.name() == "propertyref" || each.name() == "simpleref") {
      requirements.push_back({each.attribute("refid"), each.attribute("value")});
    } else {
      const PropertyValue value = value_of(each);
      requirements.push_back({each.attribute("refid"), structured_text(value), value.form});
    }
  }
}

UsedDevice read_used_device(const Element& element) {
  UsedDevice device{element.attribute("id"), {}, element.where()};
  read_requirements(element, device.requirements);
  return device;
}

SoftwarePackage read_package(const Element& root, Profiles& profiles) {
  return SpdReader(root, profiles).read();
}

}  // namespace orbweaver::sca
