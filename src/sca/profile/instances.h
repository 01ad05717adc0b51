#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sca/profile/profiles.h"
#include "sca/profile/settings.h"

namespace orbweaver::sca {

/// A component or an inner assembly of a SAD or DCD.
struct Instance {
  const SoftwarePackage* package = nullptr;   ///< Null: an assembly, or its package cannot be read.
  const AssemblyOutline* assembly = nullptr;  ///< Null: a component, or its assembly cannot be read.
  bool is_assembly = false;
  Location where;

  /// The SCD of a component; null if it is unknown.
  const ComponentDescriptor* component() const {
    return package != nullptr && package->has_component ? &package->component : nullptr;
  }
};

/// The component files and the instances of a SAD or DCD.
class Instances {
 public:
  /// `purpose` is what <componentproperties> may set.
  Instances(SettingsFor purpose, Profiles& profiles) : purpose_(purpose), profiles_(profiles) {}

  /// Reads the files in <componentfiles>.
  void read_files(const Element& files);
  /// Adds the instances of a <componentplacement> or <assemblyplacement>, and checks their properties.
  void add(const Element& placement);
  /// Checks references from instances to each other, once all have been added.
  void check_factories();
  /// Checks that no component has the id that one of an inner assembly gets, once all have been added.
  void check_ids();

  /// The instance that `reference` names by its attribute `attribute`; null with a mistake if there is none.
  const Instance* find(const Element& reference, bool is_assembly, const char* attribute = "refid");
  /// Whether `reference`, in a connection of a DCD, names an object that is not in the DCD: the device of
  /// another node, with a warning, or by the id of the DCD the node itself. An extension of REDHAWK.
  bool is_outside_of_dcd(const Element& reference);
  const std::map<std::string, Instance, std::less<>>& all() const { return instances_; }
  /// Levels of the inner assemblies, without those that are too deep; 0: there is none.
  std::size_t depth() const { return depth_; }
  /// The properties of a component, indexed once for each package.
  const SettableProperties& properties_of(const SoftwarePackage& package);

 private:
  struct File {
    const SoftwarePackage* package = nullptr;
    const AssemblyOutline* assembly = nullptr;
    bool is_known = false;  // the file could be read
  };
  const File* file_of(const Element& placement);
  void component(const Element& element, const File& file);
  void inner_assembly(const Element& element, const File& file);
  /// Checks the <deviceassignments> and <executionaffinityassignments> of an inner assembly, of which
  /// `assembly` may be null.
  void check_assignments(const Element& instantiation, const AssemblyOutline* assembly);
  void check_log(const Element& element);
  void check_affinity(const Element& affinity);
  void check_process(const Element& element);
  void check_core(const Element& core);
  /// Warns of components that only a factory can create, but none does.
  void check_classes();
  /// The factories of an edition, by id.
  std::map<std::string, const Instance*> factories(bool of_sca41) const;

  const SettingsFor purpose_;
  Profiles& profiles_;
  std::map<std::string, File, std::less<>> files_;
  std::map<std::string, Instance, std::less<>> instances_;
  std::size_t depth_ = 0;
  struct Created {
    Element reference;
    std::string id;
  };
  std::vector<Created> created_;                        // by a factory
  std::set<const SoftwarePackage*> reported_packages_;  // that have no SCD
  std::set<std::string> reported_affinities_;           // their classes
  std::map<const SoftwarePackage*, SettableProperties> properties_;
};

}  // namespace orbweaver::sca
