// CORBA::ORB_init: creates an ORB with its object adapters.
#include <orbweaver/orb.h>

#include <map>
#include <mutex>
#include <vector>

#include "orb/interception.h"
#include "orb/minor_codes.h"
#include "orb/orb_impl.h"
#include "platform/descriptors.h"
#include "poa/first_orb.h"
#include "poa/poa_current_impl.h"
#include "poa/poa_impl.h"

namespace orbweaver::poa {
namespace {

struct OrbEntry {
  CORBA::object_reference<orb::OrbImpl> orb;
  AdapterRegistry* adapters;  // owned by the core
};

// Held by ORB_init, also by that of an ORB initializer. Locked before orbs_mutex.
std::recursive_mutex init_mutex;
std::mutex orbs_mutex;
std::vector<OrbEntry>& orbs() {
  // In creation order. Never destroyed: a program may exit without destroy().
  static auto* list = new std::vector<OrbEntry>;
  return *list;
}

void remove_orb(const orb::OrbImpl* orb) {
  std::vector<OrbEntry> dropped;
  const std::lock_guard lock(orbs_mutex);
  std::erase_if(orbs(), [&](OrbEntry& entry) {
    if (entry.orb.get() != orb) return false;
    dropped.push_back(std::move(entry));
    return true;
  });
}

OrbEntry make(const std::string& id, orb::Options options) {
  OrbEntry entry{CORBA::make_reference<orb::OrbImpl>(id, std::move(options)), nullptr};
  orb::Core& core = *entry.orb->core();
  auto owned = std::make_shared<AdapterRegistry>(core);
  AdapterRegistry* adapters = entry.adapters = owned.get();
  core.set_finder(std::move(owned));
  entry.orb->provide("RootPOA",
                     [adapters]() -> CORBA::object_reference<CORBA::Object> { return adapters->root(); });
  entry.orb->provide(kCorbalocPoa, [adapters]() -> CORBA::object_reference<CORBA::Object> {
    return adapters->corbaloc_poa();
  });
  entry.orb->provide("POACurrent",
                     []() -> CORBA::object_reference<CORBA::Object> { return make_poa_current(); });
  entry.orb->on_destroy([orb = entry.orb.get(), adapters] {
    adapters->close();
    remove_orb(orb);
  });
  return entry;
}

}  // namespace

CORBA::object_reference<PortableServer::POA> first_root_poa() {
  const std::lock_guard lock(orbs_mutex);
  if (!orbs().empty()) return orbs().front().adapters->root();
  throw CORBA::BAD_INV_ORDER(minor::kOrbShutDown, CORBA::CompletionStatus::COMPLETED_NO,
                             "_this() needs an ORB: call CORBA::ORB_init first");
}

}  // namespace orbweaver::poa

namespace CORBA {

object_reference<ORB> ORB_init(int& argc, char* argv[], const std::string& orb_id) {
  using namespace orbweaver;
  const std::vector<std::string> arguments(argv, argv + (argv == nullptr ? 0 : argc));
  auto options = orb::parse_options(argc, argv);
  if (!options) {
    throw BAD_PARAM(minor::kBadOption, CompletionStatus::COMPLETED_NO, options.error().message);
  }
  platform::open_standard_descriptors();
  const std::lock_guard init_lock(poa::init_mutex);
  object_reference<orb::OrbImpl> orb;
  {
    const std::lock_guard lock(poa::orbs_mutex);
    for (const poa::OrbEntry& entry : poa::orbs()) {
      if (entry.orb->id() == orb_id) return entry.orb;
    }
    poa::orbs().push_back(poa::make(orb_id, std::move(*options)));
    orb = poa::orbs().back().orb;
  }
  if (const auto initialize = orb::initialize_orb.load(std::memory_order_acquire); initialize != nullptr) {
    try {
      initialize(*orb, arguments);
    } catch (...) {
      orb->destroy();
      throw;
    }
  }
  return orb;
}

object_reference<ORB> ORB_init() {
  int argc = 0;
  return ORB_init(argc, nullptr);
}

object_reference<ORB> Object::_get_orb() {
  using namespace orbweaver;
  const std::lock_guard lock(poa::orbs_mutex);
  for (const poa::OrbEntry& entry : poa::orbs()) {
    if (_reference() != nullptr && entry.orb->core().get() == &_reference()->core()) return entry.orb;
  }
  return nullptr;
}

}  // namespace CORBA
