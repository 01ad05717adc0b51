#pragma once

#include <orbweaver/orb.h>

#include <functional>
#include <memory>

#include "naming/naming_file.h"
#include "services/naming/naming_service.h"

namespace orbweaver::naming {

/// The object key of the root, by the convention of all naming services.
inline constexpr const char* kRootKey = "NameService";

/// A naming service in an ORB of this process.
struct HostedNames {
  std::shared_ptr<NamingService> service;
  ContextExtRef root;
};

/// Starts a naming service in `orb`, whose names are those of the file, and are lost with the process if the
/// file is empty. Its objects can be called when the manager of the root POA is active. `bound`: as
/// ServiceOptions::bound.
HostedNames host_names(const IDL::traits<CORBA::ORB>::ref_type& orb, NamingFile file,
                       std::function<void()> bound = nullptr);

}  // namespace orbweaver::naming
