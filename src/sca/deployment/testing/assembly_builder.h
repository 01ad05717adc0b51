#pragma once

#include <string>
#include <utility>

#include "sca/profile/assembly.h"

namespace orbweaver::sca::testing {

/// Makes assemblies in memory: each component needs 64 of memory, has the ports in and out, and the property
/// `gain`.
class AssemblyBuilder {
 public:
  Assembly assembly;

  AssemblyBuilder& add(const std::string& id, const std::string& file = "/dom/part") {
    SoftwarePackage package;
    package.file = file + ".spd.xml";
    package.has_component = true;
    package.component.type = "resource";
    package.component.provides = {{"in", "IDL:test/In:1.0", {}}};
    package.component.uses = {{"out", "IDL:test/In:1.0", {}}};
    SimpleProperty gain;
    gain.id = "gain";
    gain.type = PropertyType::uint32;
    gain.configurable = true;
    gain.value = "1";
    package.properties.simple.push_back(gain);
    SimpleProperty mode = gain;
    mode.id = "mode";
    mode.type = PropertyType::string;
    mode.configurable = false;
    mode.exec_param = true;
    mode.value = "fast";
    package.properties.simple.push_back(mode);
    Implementation implementation;
    implementation.id = "linux";
    implementation.file = file;
    implementation.requirements = {{"memory", "64"}};
    package.implementations.push_back(implementation);
    Instantiation instantiation;
    instantiation.id = instantiation.name = instantiation.naming = id;
    instantiation.package = assembly.packages.size();
    assembly.packages.push_back(std::move(package));
    assembly.components.push_back(std::move(instantiation));
    return *this;
  }
  /// Makes the last component one of SCA 4.1.
  AssemblyBuilder& as_sca41() {
    assembly.packages.back().component.supports = {"IDL:CF/LifeCycle:1.0", "IDL:CF/PortAccessor:1.0"};
    return *this;
  }
  /// Makes the last component one of Orbweaver.
  AssemblyBuilder& as_own() {
    assembly.packages.back().component.supports = {"IDL:orbweaver/framework/ObservableResource:1.0"};
    return *this;
  }
  AssemblyBuilder& connect(std::size_t from, std::size_t to, const std::string& port = "out") {
    Connection connection;
    connection.id = "c" + std::to_string(assembly.connections.size() + 1);
    connection.uses = {from, port};
    connection.provides = {to, "in"};
    assembly.connections.push_back(std::move(connection));
    return *this;
  }
};

}  // namespace orbweaver::sca::testing
