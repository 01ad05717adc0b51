/// Applications: those that are installed.
#include <utility>

#include "sca/cf/call_error.h"
#include "sca/cf222/applications.h"
#include "sca/files/file_error.h"
#include "sca/profile/assembly.h"

namespace orbweaver::sca {

using CF::DomainManager;
using CF::ErrorNumberType;

InstalledApplication Applications::install(const std::string& file) {
  const FileName name = parse_file_name(file, FileNameRules::ascii);
  if (name.error != 0) throw_invalid_name(name.error, file + ": " + name.message);
  bool lacks_definition = false;
  auto assembly = files_.read(domain_.files(), "/" + name.path, &lacks_definition);
  if (!assembly && assembly.error().kind == ErrorKind::unavailable)
    throw CF::InvalidFileName(ErrorNumberType::CF_ENOENT,
                              file + ": there is no such file in the folder of --root (" + root_ +
                                  ") or in the file system of a node (" + assembly.error().message + ")");
  if (!assembly && lacks_definition) {  // InvalidProfile has no message
    parts_.log.problem("installApplication::invalid Profile is " + file + ": " + assembly.error().message);
    throw CF::InvalidProfile();
  }
  if (!assembly)
    throw DomainManager::ApplicationInstallationError(ErrorNumberType::CF_EINVAL, assembly.error().message);
  const InstalledApplication record{assembly->id, assembly->name, "/" + name.path};
  const auto shared = std::make_shared<const Assembly>(std::move(*assembly));
  const std::lock_guard installing(installing_);
  if (parts_.model.installed_application(record.id)) throw DomainManager::ApplicationAlreadyInstalled();
  if (auto stored = parts_.model.put(record); !stored)
    throw DomainManager::ApplicationInstallationError(error_number_of(stored.error()),
                                                      stored.error().message);
  {
    const std::lock_guard lock(mutex_);
    assemblies_[record.id] = shared;
  }
  const auto factory = objects_.add_factory(record.id);
  parts_.log.event("application '" + record.name + "' (" + record.profile + ") is installed");
  parts_.channels.added(Category::APPLICATION_FACTORY, record.id, record.name, factory);
  return record;
}

void Applications::uninstall(const std::string& id) {
  const std::lock_guard installing(installing_);
  const auto record = parts_.model.installed_application(id);
  if (!record) throw DomainManager::InvalidIdentifier();
  if (auto removed = parts_.model.remove_installed_application(id); !removed)
    throw DomainManager::ApplicationUninstallationError(error_number_of(removed.error()),
                                                        removed.error().message);
  objects_.remove_factory(id);
  {
    const std::lock_guard lock(mutex_);
    assemblies_.erase(id);
  }
  parts_.log.event("application '" + record->name + "' (" + record->profile + ") is uninstalled");
  parts_.channels.removed(Category::APPLICATION_FACTORY, id, record->name);
}

Result<std::shared_ptr<const Assembly>> Applications::assembly(const InstalledApplication& installed) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = assemblies_.find(installed.id); found != assemblies_.end()) return found->second;
  }
  auto loaded = files_.read(domain_.files(), installed.profile);
  if (!loaded) return loaded.take_error();
  const auto shared = std::make_shared<const Assembly>(std::move(*loaded));
  // What was read may be older than that of an application that has been installed again meanwhile.
  const std::lock_guard installing(installing_);
  const auto present = parts_.model.installed_application(installed.id);
  if (!present || present->profile != installed.profile) return shared;
  const std::lock_guard lock(mutex_);
  return assemblies_.try_emplace(installed.id, shared).first->second;
}

}  // namespace orbweaver::sca
