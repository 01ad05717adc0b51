#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sca/profile/instances.h"

namespace orbweaver::sca {

/// Checks the <connections> and <externalports> of a SAD or DCD.
class ConnectionChecker {
 public:
  /// `application_devices` are the ids of an assembly's <usesdevicedependencies>.
  ConnectionChecker(Instances& instances, const std::set<std::string>& application_devices,
                    Profiles& profiles)
      : instances_(instances), application_devices_(application_devices), profiles_(profiles) {}

  void check(const Element& connections);
  std::map<std::string, AssemblyOutline::ExternalPort, std::less<>> check_external_ports(
      const Element& ports);

 private:
  using ExternalPort = AssemblyOutline::ExternalPort;
  enum class Side { uses, provides, supported };
  /// What is known of one end.
  struct End {
    std::string subject;  // "component 'a'"; empty: not an instance, or a mistake has been reported
    std::string port;
    bool is_port = true;                             // otherwise a supported interface
    std::string repid;                               // empty: unknown
    const ComponentDescriptor* component = nullptr;  // null: unknown
  };
  struct Ports {
    std::map<std::string_view, const PortDeclaration*> provides, uses;
  };

  void connection(const Element& connection);
  /// Reads a <usesport>, <providesport>, <componentsupportedinterface>, or <port> of <externalports>.
  End end(const Element& element, Side side);
  void port(const Element& element, const Instance& instance, Side side, End& end);
  /// The external port of an inner assembly that an end names; null with a mistake if it has none that fits.
  const ExternalPort* external_port(const Element& element, const AssemblyOutline& assembly, Side side,
                                    const End& end);
  void check_device(const Element& reference, const char* component_attribute);
  void check_match(const Element& at, const End& uses, const End& provides);
  bool is_a(const ComponentDescriptor* one, const ComponentDescriptor* other, const std::string& derived,
            const std::string& base);
  /// The interfaces that derive from `base`, directly or not, according to an SCD.
  const std::set<std::string_view>& derived_from(const ComponentDescriptor& component,
                                                 const std::string& base);
  const Ports& ports_of(const ComponentDescriptor& component);

  Instances& instances_;
  const std::set<std::string>& application_devices_;
  Profiles& profiles_;
  std::map<const ComponentDescriptor*, Ports> ports_;
  struct Derived {
    std::map<std::string_view, std::vector<std::string_view>> direct;    // by base
    std::map<std::string, std::set<std::string_view>, std::less<>> all;  // by base, as far as it was needed
  };
  std::map<const ComponentDescriptor*, Derived> derived_;
  std::size_t steps_ = 0;
  bool reported_steps_ = false;
  std::set<std::tuple<std::string, std::string, std::string, std::string>> connected_;
};

}  // namespace orbweaver::sca
