// Where an ORB is put together: the ORB of src/orb with the object adapters of this room.
#include <orbweaver/orb.h>

#include <map>
#include <mutex>
#include <vector>

#include "orb/minor_codes.h"
#include "orb/orb_impl.h"
#include "poa/first_orb.h"
#include "poa/poa_impl.h"

namespace orbweaver::poa {
namespace {

struct Made {
  CORBA::object_reference<orb::OrbImpl> orb;
  Adapters* adapters;  // the core's
};

std::mutex orbs_mutex;
std::vector<Made>& orbs() {
  // In the order in which they were made. Never destroyed: a program that ends without destroy() just ends.
  static auto* list = new std::vector<Made>;
  return *list;
}

void forget(const orb::OrbImpl* orb) {
  std::vector<Made> dropped;
  const std::lock_guard lock(orbs_mutex);
  std::erase_if(orbs(), [&](Made& made) {
    if (made.orb.get() != orb) return false;
    dropped.push_back(std::move(made));
    return true;
  });
}

Made make(const std::string& id, orb::Options options) {
  Made made{CORBA::make_reference<orb::OrbImpl>(id, std::move(options)), nullptr};
  orb::Core& core = *made.orb->core();
  auto owned = std::make_shared<Adapters>(core);
  Adapters* adapters = made.adapters = owned.get();
  core.set_finder(std::move(owned));
  made.orb->provide("RootPOA", [adapters]() -> CORBA::object_reference<CORBA::Object> {
    return adapters->root();
  });
  made.orb->on_destroy([orb = made.orb.get(), adapters] {
    adapters->close();
    forget(orb);
  });
  return made;
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
  auto options = orb::take_options(argc, argv);
  if (!options) {
    throw BAD_PARAM(minor::kBadOption, CompletionStatus::COMPLETED_NO, options.error().message);
  }
  const std::lock_guard lock(poa::orbs_mutex);
  for (const poa::Made& made : poa::orbs()) {
    if (made.orb->id() == orb_id) return made.orb;
  }
  poa::orbs().push_back(poa::make(orb_id, std::move(*options)));
  return poa::orbs().back().orb;
}

object_reference<ORB> ORB_init() {
  int argc = 0;
  return ORB_init(argc, nullptr);
}

object_reference<ORB> Object::_get_orb() {
  using namespace orbweaver;
  const std::lock_guard lock(poa::orbs_mutex);
  for (const poa::Made& made : poa::orbs()) {
    if (_reference() != nullptr && made.orb->core().get() == &_reference()->core()) return made.orb;
  }
  return nullptr;
}

}  // namespace CORBA
