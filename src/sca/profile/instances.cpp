#include "sca/profile/instances.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "sca/profile/assembly.h"
#include "sca/profile/edition.h"
#include "sca/profile/inner_assembly.h"
#include "sca/profile/log_level.h"
#include "sca/profile/profile_readers.h"
#include "sca/profile/sad_parts.h"
#include "sca/profile/similar_name.h"

namespace orbweaver::sca {
namespace {

/// Names the class of a component in a factory of the component library (ComponentFactory::kClass).
constexpr const char* kClassOfFactory = "COMPONENT_CLASS";

/// Names the class of a REDHAWK affinity.

/// "did you mean 'a'? there is a, b or c"
template <class Map>
std::string known_names(std::string_view word, const Map& map, const char* none) {
  std::vector<std::string> list;
  std::vector<std::string_view> names;
  for (const auto& [name, value] : map) {
    list.push_back(name);
    names.push_back(name);
  }
  if (list.empty()) return none;
  const std::string_view similar = similar_name(word, names);
  return (similar.empty() ? "" : "did you mean '" + std::string(similar) + "'? ") + "there is " +
         some_of(list);
}

}  // namespace

void Instances::read_files(const Element& files) {
  for (const Element& element : files.children("componentfile")) {
    File file;
    if (const auto kind = profiles_.kind_of(element)) {
      const bool is_assembly = *kind == ProfileKind::assembly;
      // Another kind than these two is reported as not being an SPD.
      if (is_assembly) {
        file.assembly = profiles_.assembly(element);
      } else {
        file.package = profiles_.package(element);
      }
      file.is_known = file.assembly != nullptr || file.package != nullptr;
    }
    files_.emplace(element.attribute("id"), file);
  }
}

const Instances::File* Instances::file_of(const Element& placement) {
  const auto reference = placement.find_child("componentfileref");
  if (!reference || !reference->find_attribute("refid")) return nullptr;
  const std::string id = reference->attribute("refid");
  const auto found = files_.find(id);
  if (found == files_.end()) {
    if (profiles_.findings().stores(reference->file().path()))
      profiles_.mistake(reference->where(), "there is no componentfile '" + id + "'",
                        known_names(id, files_, "add a <componentfile>"));
    return nullptr;
  }
  const bool is_assembly = placement.name() == "assemblyplacement";
  if (found->second.is_known && is_assembly != (found->second.assembly != nullptr)) {
    profiles_.mistake(
        reference->where(),
        "componentfile '" + id +
            (is_assembly ? "' is an SPD, and not an assembly" : "' is an assembly, and not an SPD"),
        is_assembly ? "place it in a <componentplacement>" : "place it in an <assemblyplacement>");
    return nullptr;
  }
  return &found->second;
}

void Instances::add(const Element& placement) {
  const File* const file = file_of(placement);
  const File unknown;
  for (const Element& element : placement.children("componentinstantiation"))
    component(element, file ? *file : unknown);
  for (const Element& element : placement.children("assemblyinstantiation"))
    inner_assembly(element, file ? *file : unknown);
}

const SettableProperties& Instances::properties_of(const SoftwarePackage& package) {
  return properties_.try_emplace(&package, package).first->second;
}

void Instances::component(const Element& element, const File& file) {
  const std::string id = element.attribute("id");
  Instance instance;
  instance.package = file.package;
  instance.where = element.where();
  const std::string subject = "component '" + id + "'";
  if (file.package != nullptr && !file.package->names_component && file.package->is_compliant &&
      reported_packages_.insert(file.package).second) {
    profiles_.mistake(file.package->where, "the package has no <descriptor>",
                      "add one that names its SCD, which declares the ports");
  }
  if (const auto settings = element.find_child("componentproperties");
      settings && instance.component() != nullptr)
    check_settings(*settings, properties_of(*file.package), purpose_, subject, profiles_);
  check_process(element);
  if (purpose_ == SettingsFor::component) check_log(element);
  if (const auto order = element.find_attribute("startorder")) {
    const auto number = number_of(*order);
    if (!number || order->find_first_not_of("0123456789") != std::string::npos)
      profiles_.mistake(element.where(), "startorder cannot be '" + *order + "'", "give a number, such as 1");
  }
  for (const Element& core : element.children("coreaffinity")) check_core(core);
  if (const auto affinity = element.find_child("affinity")) check_affinity(*affinity);
  if (const auto find = element.find_child("findcomponent")) {
    if (const auto factory = find->find_child("componentresourcefactoryref"))
      created_.push_back({*factory, id});
  }
  if (const auto factory = element.find_child("componentfactoryref")) {
    if (!created_.empty() && created_.back().id == id)
      profiles_.mistake(factory->where(), "component '" + id + "' is created by two factories",
                        "leave out <componentresourcefactoryref> or <componentfactoryref>");
    created_.push_back({*factory, id});
  }
  instances_.emplace(id, std::move(instance));
}

void Instances::check_log(const Element& element) {
  const auto log = element.find_child("loggingconfig");
  if (!log) return;
  if (const auto level = log->find_attribute("level"); level && !log_level_of(*level))
    profiles_.warn(log->where(), "'" + *level + "' is no level of a log",
                   "it can be FATAL, ERROR, WARN, INFO, DEBUG or TRACE");
  if (!log->text().empty())
    profiles_.warn(log->where(), "the file of <loggingconfig> of REDHAWK has no effect, but its level has",
                   "components here log to standard error");
}

void Instances::check_affinity(const Element& affinity) {
  const std::string kind = affinity_directive(affinity).kind;
  if (kind == kAppliedAffinity || !reported_affinities_.insert(kind).second) return;
  profiles_.warn(affinity.where(),
                 kind.empty() ? "<affinity> of REDHAWK without a class has no effect"
                              : "<affinity> of REDHAWK of the class '" + kind + "' has no effect",
                 "only the class cpu has, with a list of processors");
}

void Instances::check_process(const Element& element) {
  if (const auto name = element.find_attribute("processcollocation"); name && name->empty())
    profiles_.mistake(element.where(), "processcollocation is empty",
                      "give the components of one process the same value, or leave it out");
}

void Instances::check_core(const Element& core) {
  const std::string text = core.text();
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos || text.size() > 6)
    profiles_.mistake(core.where(), "'" + text + "' is not the number of a processor core",
                      "give one, such as 0");
}

void Instances::inner_assembly(const Element& element, const File& file) {
  const std::string id = element.attribute("id");
  if (id.size() > kMaxInnerIdBytes)
    profiles_.mistake(
        element.where(),
        "the id of an inner assembly has more than " + std::to_string(kMaxInnerIdBytes) + " bytes",
        "choose a shorter one: the ids of its components begin with it");
  Instance instance;
  instance.is_assembly = true;
  instance.assembly = file.assembly;
  instance.where = element.where();
  if (file.assembly != nullptr) {
    if (file.assembly->depth >= kMaxAssemblyDepth) {
      profiles_.mistake(element.where(),
                        "assemblies are nested more than " + std::to_string(kMaxAssemblyDepth) + " deep",
                        "place the components of the inner ones here");
    } else {
      depth_ = std::max(depth_, file.assembly->depth);
    }
    const auto settings = element.find_child("componentproperties");
    if (settings && file.assembly->properties != nullptr)
      check_settings(*settings, *file.assembly->properties, SettingsFor::component, "assembly '" + id + "'",
                     profiles_);
  }
  check_assignments(element, file.assembly);
  instances_.emplace(id, std::move(instance));
}

void Instances::check_assignments(const Element& instantiation, const AssemblyOutline* assembly) {
  const auto check_component = [&](const Element& assignment) {
    const auto component = assignment.find_attribute("componentid");
    if (!component || assembly == nullptr || assembly->components.count(*component) != 0) return;
    profiles_.mistake(
        assignment.where(),
        "assembly '" + instantiation.attribute("id") + "' has no component '" + *component + "'",
        "name a componentinstantiation of its SAD");
  };
  std::map<std::pair<std::string, std::string>, std::size_t> lines;  // by what is assigned, and component
  const auto check_once = [&](const Element& assignment, const char* what) {
    const std::string component = assignment.attribute("componentid");
    const std::size_t line = assignment.where().line;
    const auto [first, is_new] = lines.emplace(std::pair(what, component), line);
    if (!is_new)
      profiles_.mistake(assignment.where(),
                        std::string("a second ") + what + " for component '" + component +
                            "'; the first is in line " + std::to_string(first->second),
                        "remove one of them");
  };
  if (const auto list = instantiation.find_child("deviceassignments")) {
    for (const Element& each : list->children("deviceassignment")) {
      check_component(each);
      check_once(each, "device");
      if (const auto device = each.find_attribute("assignedDeviceid"); device && device->empty())
        profiles_.mistake(each.where(), "assignedDeviceid is empty",
                          "give the id of a device, or remove the assignment");
    }
  }
  if (const auto list = instantiation.find_child("executionaffinityassignments")) {
    for (const Element& each : list->children("executionaffinityassignment")) {
      check_component(each);
      check_process(each);
      if (each.find_attribute("processcollocation")) check_once(each, "process");
      if (each.find_child("coreaffinity")) check_once(each, "list of cores");
      for (const Element& core : each.children("coreaffinity")) check_core(core);
    }
  }
}

const Instance* Instances::find(const Element& reference, bool is_assembly, const char* attribute) {
  const auto id = reference.find_attribute(attribute);
  if (!id) return nullptr;
  const auto found = instances_.find(*id);
  if (found != instances_.end() && found->second.is_assembly == is_assembly) return &found->second;
  if (found != instances_.end()) {
    profiles_.mistake(
        reference.where(),
        "'" + *id + "' is " +
            (is_assembly ? "a component, and not an assembly" : "an assembly, and not a component"),
        is_assembly ? "use <componentinstantiationref>" : "use <assemblyinstantiationref>");
  } else if (!profiles_.findings().stores(reference.file().path())) {
    profiles_.mistake(reference.where(), "");
  } else {
    profiles_.mistake(
        reference.where(),
        std::string("there is no ") + (is_assembly ? "assembly" : "component") + " '" + *id + "'",
        known_names(*id, instances_, "there is none"));
  }
  return nullptr;
}

bool Instances::is_outside_of_dcd(const Element& reference) {
  const auto id = reference.find_attribute("refid");
  if (purpose_ != SettingsFor::device || !id || id->empty() || instances_.contains(*id)) return false;
  if (*id == reference.node().root().child("deviceconfiguration").attribute("id").value()) return true;
  profiles_.warn(reference.where(), "component '" + *id + "' is not in this DCD",
                 "the connection has an effect in a domain only, if a device of another node has this id; " +
                     known_names(*id, instances_, "there is no component here"));
  return true;
}

void Instances::check_ids() {
  for (const auto& [id, instance] : instances_) {
    if (instance.assembly == nullptr) continue;
    const std::string prefix = inner_id(id, "");
    for (auto other = instances_.lower_bound(prefix);
         other != instances_.end() && other->first.starts_with(prefix); ++other) {
      if (other->second.is_assembly ||
          instance.assembly->components.count(other->first.substr(prefix.size())) == 0)
        continue;
      profiles_.mistake(other->second.where,
                        "'" + other->first + "' is also the id of a component of assembly '" + id + "'",
                        "rename this component");
    }
  }
}

void Instances::check_classes() {
  std::set<std::string_view> created;
  for (const Created& each : created_) created.insert(each.id);
  for (const auto& [id, instance] : instances_) {
    const PropertyUse* const word =
        instance.component() == nullptr ? nullptr : instance.package->properties.find_use(kClassOfFactory);
    if (word == nullptr || !word->factory_param || created.contains(id)) continue;
    profiles_.warn(
        instance.where,
        "component '" + id + "' is created by no factory, though its PRF has " +
            std::string(kClassOfFactory) + ", its class in one",
        "name the factory in <findcomponent><componentresourcefactoryref> or <componentfactoryref>");
  }
}

void Instances::check_factories() {
  check_classes();
  for (const Created& created : created_) {
    const bool is_41 = created.reference.name() == "componentfactoryref";
    const auto id = created.reference.find_attribute("refid");
    if (!id) continue;
    if (!profiles_.findings().stores(created.reference.file().path())) return;
    const char* const kind = is_41 ? "component factory" : "resource factory";
    const auto found = instances_.find(*id);
    if (found == instances_.end() || found->second.is_assembly) {
      profiles_.mistake(
          created.reference.where(), std::string("there is no ") + kind + " '" + *id + "'",
          known_names(*id, factories(is_41), "the assembly has none: add a <componentplacement> of one"));
      continue;
    }
    const ComponentDescriptor* const factory = found->second.component();
    if (factory == nullptr) continue;
    if (is_41 ? !is_component_factory(*factory) : !factory->is_resource_factory()) {
      profiles_.mistake(
          created.reference.where(),
          "component '" + *id + "' is not a " + kind + ": the type in " + factory->file + " is " +
              factory->type,
          is_factory(*factory)
              ? std::string("name it in ") +
                    (is_41 ? "<findcomponent><componentresourcefactoryref>" : "<componentfactoryref>") +
                    ", or change the type in " + factory->file + " to " +
                    (is_41 ? "applicationComponentFactory" : "resourcefactory")
              : known_names(*id, factories(is_41),
                            "the assembly has none: add a <componentplacement> of one"));
      continue;
    }
    const auto settings =
        created.reference.find_child(is_41 ? "componentfactoryproperties" : "resourcefactoryproperties");
    const auto component = instances_.find(created.id);
    if (!settings || component == instances_.end() || component->second.component() == nullptr) continue;
    check_settings(*settings, properties_of(*found->second.package), SettingsFor::factory,
                   "'" + *id + "' or of '" + created.id + "'", profiles_,
                   &properties_of(*component->second.package));
  }
}

std::map<std::string, const Instance*> Instances::factories(bool of_sca41) const {
  std::map<std::string, const Instance*> result;
  for (const auto& [id, instance] : instances_) {
    const ComponentDescriptor* const component = instance.component();
    if (component == nullptr) continue;
    if (of_sca41 ? is_component_factory(*component) : component->is_resource_factory())
      result.emplace(id, &instance);
  }
  return result;
}

}  // namespace orbweaver::sca
