#pragma once

#include <orbweaver/object.h>

#include <cstdint>
#include <string>
#include <utility>

#include "CF41C.h"
#include "CFC.h"

namespace orbweaver::sca {

/// A component of an application, which is one of SCA 2.2.2 (a CF::Resource) or of SCA 4.1 (it has those of
/// the interfaces into which 4.1 splits CF::Resource that it needs). Operations of interfaces that a
/// component of 4.1 does not have have no effect, if nothing is said. Exceptions are those of CF::Resource,
/// and CORBA system exceptions; the time limits of the calls are those of the reference. Immutable; any
/// thread.
class ComponentObject {
 public:
  using Ref = IDL::traits<CORBA::Object>::ref_type;
  using ResourceRef = IDL::traits<CF::Resource>::ref_type;

  /// No component.
  ComponentObject() = default;
  /// A component of 2.2.2.
  explicit ComponentObject(ResourceRef resource) : resource_(std::move(resource)), object_(resource_) {}
  /// A component of 4.1.
  static ComponentObject sca41(Ref object);
  /// A component of either edition. None if the object is nil, or in 2.2.2 no CF::Resource, which may need a
  /// call.
  static ComponentObject narrow(const Ref& object, bool is_sca41);

  explicit operator bool() const { return object_ != nullptr; }
  bool is_sca41() const { return object_ && !resource_; }
  /// The component itself.
  const Ref& object() const { return object_; }

  void initialize() const;
  void release() const;
  void start() const;
  void stop() const;
  /// Raises InvalidConfiguration if the component has no properties.
  void configure(const CF::Properties& properties) const;
  /// Raises UnknownProperties if the component has no properties.
  void query(CF::Properties& properties) const;
  /// Raises UnknownTest if the component has no tests.
  void run_test(std::uint32_t test, CF::Properties& values) const;

  /// A provides port, for a connection of that id; in 2.2.2 also a uses port. Raises UnknownPort, or
  /// CF::PortAccessor::InvalidPort.
  Ref port(const std::string& name, const std::string& connection) const;
  /// Of 4.1. Raises UnknownPort if the component has no ports.
  IDL::traits<CF::PortAccessor>::ref_type port_accessor() const;

 private:
  ResourceRef resource_;
  Ref object_;
};

}  // namespace orbweaver::sca
