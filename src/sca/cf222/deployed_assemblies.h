#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "sca/cf222/assembly_files.h"
#include "sca/domain/domain_records.h"
#include "sca/profile/assembly.h"

namespace orbweaver::sca {

/// The assemblies from which the running applications were created, for the rules of their properties. After
/// a restart of the domain manager they are read again when they are needed first; then their files may have
/// been changed or removed. Thread-safe.
class DeployedAssemblies {
 public:
  using Ref = std::shared_ptr<const Assembly>;

  using Read = std::function<Result<Assembly>(const std::string& profile)>;
  using Exists = std::function<bool(const std::string& application)>;

  /// `read` reads the SAD of that name. `exists`: whether the application of that id has not been released;
  /// false before remove() is called.
  DeployedAssemblies(Read read, Exists exists) : read_(std::move(read)), exists_(std::move(exists)) {}

  void add(const std::string& application, Ref assembly);
  void remove(const std::string& application);
  /// Null if its profiles cannot be read any more. Blocks while they are read. Not kept if the application is
  /// released meanwhile.
  Ref find(const Application& application);
  /// The properties of a component, of its implementation and its package; those of no PRF if its profiles
  /// cannot be read any more.
  PropertyFile properties(const Application& application, const DeployedComponent& component);

 private:
  const Read read_;
  const Exists exists_;
  std::mutex mutex_;                       // for the following
  std::map<std::string, Ref> assemblies_;  // by id of the application; null: cannot be read
};

}  // namespace orbweaver::sca
