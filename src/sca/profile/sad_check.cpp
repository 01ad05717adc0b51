// Checks an assembly in all forms of SCA 2.2.2, SCA 4.1 and REDHAWK. `orbweaver run` reads those that it
// supports once more (sad.cpp).
#include <memory>
#include <set>
#include <utility>

#include "sca/profile/connections.h"
#include "sca/profile/edition.h"
#include "sca/profile/instances.h"
#include "sca/profile/profile_readers.h"

namespace orbweaver::sca {
namespace {

class AssemblyReader {
 public:
  AssemblyReader(const Element& root, Profiles& profiles)
      : root_(root), profiles_(profiles), instances_(SettingsFor::component, profiles) {}

  AssemblyOutline read() {
    // 2.2.2 identifies an assembly by its id, 4.1 by its name.
    if (root_.attribute("id").empty() && root_.attribute("name").empty())
      profiles_.mistake(root_.where(), "the assembly has neither id nor name", "add id=\"…\" and name=\"…\"");
    if (const auto files = root_.find_child("componentfiles")) instances_.read_files(*files);
    if (const auto parts = root_.find_child("partitioning")) partitioning(*parts);
    instances_.check_factories();
    instances_.check_ids();
    for (const auto& [id, instance] : instances_.all()) {
      if (!instance.is_assembly) outline_.components.insert(id);
    }
    outline_.depth = 1 + instances_.depth();
    controller();
    application_devices();
    ConnectionChecker connections(instances_, devices_, profiles_);
    if (const auto list = root_.find_child("connections")) connections.check(*list);
    if (const auto list = root_.find_child("externalports"))
      outline_.ports = connections.check_external_ports(*list);
    if (const auto list = root_.find_child("externalproperties")) external_properties(*list);
    if (const auto preferences = root_.find_child("deploymentprefs"))
      profiles_.other(*preferences, ProfileKind::deployment);
    return std::move(outline_);
  }

 private:
  void partitioning(const Element& parts) {
    if (parts.children().empty())
      profiles_.warn(parts.where(), "the assembly has no component", "SCA 2.2.2 requires one");
    for (const Element& part : parts.children()) {
      if (part.name() == "componentplacement" || part.name() == "assemblyplacement") instances_.add(part);
      if (part.name() != "hostcollocation") continue;
      for (const Element& placement : part.children("componentplacement")) instances_.add(placement);
    }
  }

  void controller() {
    const auto controller = root_.find_child("assemblycontroller");
    if (!controller) return;
    bool is_first = true;
    for (const Element& reference : controller->children()) {
      const bool is_main = std::exchange(is_first, false);
      if (reference.name() == "componentinstantiationref") {
        const Instance* const instance = instances_.find(reference, false);
        const ComponentDescriptor* const component = instance ? instance->component() : nullptr;
        if (component == nullptr) continue;
        if (is_factory(*component))
          profiles_.mistake(reference.where(),
                            "'" + reference.attribute("refid") + "' is a " + factory_kind(*component) +
                                ", which has no ports and cannot be started",
                            "name a component");
        set_properties(instances_.properties_of(*instance->package));
      } else if (reference.name() == "assemblyinstantiationref") {
        const Instance* const inner = instances_.find(reference, true);
        if (is_main && inner != nullptr && inner->assembly != nullptr &&
            inner->assembly->properties != nullptr)
          set_properties(*inner->assembly->properties);
      }
    }
  }

  void set_properties(const SettableProperties& of_controller) {
    properties_ = std::make_shared<SettableProperties>(of_controller);
    outline_.properties = properties_;
  }

  void application_devices() {
    for (const Element& list : root_.children("usesdevicedependencies")) {
      for (const Element& device : list.children("usesdevice")) devices_.insert(device.attribute("id"));
    }
    const auto parts = root_.find_child("partitioning");
    if (!parts) return;
    for (const Element& part : parts->children("hostcollocation")) {
      for (const Element& reference : part.children("usesdeviceref")) {
        const auto id = reference.find_attribute("refid");
        if (id && devices_.count(*id) == 0)
          profiles_.mistake(reference.where(),
                            "there is no <usesdevice> '" + *id + "' in <usesdevicedependencies>",
                            "correct the id");
      }
    }
  }

  void external_properties(const Element& list) {
    std::set<std::string> names;
    for (const Element& element : list.children("property")) {
      const auto id = element.find_attribute("propid");
      if (!id) continue;
      const std::string name = element.find_attribute("externalpropid").value_or(*id);
      if (!names.insert(name).second)
        profiles_.mistake(element.where(), "a second external property '" + name + "'",
                          "give each an id of its own, by externalpropid");
      const auto owner = instances_.all().find(element.attribute("comprefid"));
      const bool is_assembly = owner != instances_.all().end() && owner->second.is_assembly;
      const Instance* const instance = instances_.find(element, is_assembly, "comprefid");
      const SettableProperties* const properties = instance == nullptr ? nullptr : properties_of(*instance);
      if (properties == nullptr) continue;
      if (const auto* const form = properties->find(*id)) {
        if (properties_ != nullptr) properties_->set(name, *form);
        continue;
      }
      std::vector<std::string> ids;
      if (profiles_.findings().stores(element.file().path())) {
        for (const auto& [known, form] : properties->all()) ids.push_back(known);
      }
      profiles_.findings().undefined_property(element.where(),
                                              (is_assembly ? "assembly '" : "component '") +
                                                  element.attribute("comprefid") + "' has no property '" +
                                                  *id + "'",
                                              ids.empty() ? "it has none" : "it has " + some_of(ids));
    }
  }

  /// Null: unknown.
  const SettableProperties* properties_of(const Instance& instance) {
    if (instance.assembly != nullptr) return instance.assembly->properties.get();
    return instance.component() == nullptr ? nullptr : &instances_.properties_of(*instance.package);
  }

  const Element root_;
  Profiles& profiles_;
  Instances instances_;
  AssemblyOutline outline_;
  std::shared_ptr<SettableProperties> properties_;  // outline_.properties
  std::set<std::string> devices_;
};

}  // namespace

AssemblyOutline read_assembly(const Element& root, Profiles& profiles) {
  return AssemblyReader(root, profiles).read();
}

}  // namespace orbweaver::sca
