#include "poa/poa_managers.h"

#include <utility>

#include "base/printable.h"
#include "orb/minor_codes.h"
#include "poa/adapter_registry.h"
#include "poa/poa_manager_impl.h"

namespace orbweaver::poa {

PoaManagers::ManagerRef PoaManagers::add(const std::string& id,
                                         const std::function<ManagerRef(const std::string& id)>& make) {
  ManagerRef added;  // released without the lock: its destructor calls `remove`
  const std::lock_guard lock(mutex_);
  std::string used = id;
  while (used.empty() || (id.empty() && by_id_.count(used) != 0))
    used = "POAManager" + std::to_string(++last_number_);
  if (by_id_.count(used) != 0) {
    throw PortableServer::POAManagerFactory::ManagerAlreadyExists("there is a POA manager '" +
                                                                  printable(used, 64) + "' already");
  }
  added = make(used);
  by_id_.emplace(used, added);
  return added;
}

void PoaManagers::keep(const ManagerRef& manager) {
  const std::lock_guard lock(mutex_);
  if (closed_) {
    throw CORBA::BAD_INV_ORDER(minor::kOrbShutDown, CORBA::CompletionStatus::COMPLETED_NO,
                               "create_POAManager: the ORB has been destroyed");
  }
  kept_.push_back(manager);
}

void PoaManagers::remove(const std::string& id) noexcept {
  const std::lock_guard lock(mutex_);
  by_id_.erase(id);
}

std::vector<PoaManagers::ManagerRef> PoaManagers::list() {
  std::vector<ManagerRef> all;
  const std::lock_guard lock(mutex_);
  all.reserve(by_id_.size());
  for (const auto& [id, weak] : by_id_) {
    if (ManagerRef manager = weak.lock()) all.push_back(std::move(manager));
  }
  return all;
}

PoaManagers::ManagerRef PoaManagers::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second.lock();
}

void PoaManagers::close() noexcept {
  std::vector<ManagerRef> dropped;  // without the lock
  const std::lock_guard lock(mutex_);
  closed_ = true;
  dropped.swap(kept_);
}

namespace {

class FactoryImpl final : public PortableServer::POAManagerFactory {
 public:
  explicit FactoryImpl(AdapterRegistry& adapters)
      : core_(adapters.core().shared_from_this()), adapters_(adapters) {}

  CORBA::object_reference<PortableServer::POAManager> create_POAManager(
      const std::string& id, const CORBA::PolicyList& policies) override {
    if (!policies.empty())
      throw CORBA::PolicyError(CORBA::UNSUPPORTED_POLICY, "create_POAManager: there are no policies for it");
    if (id.empty()) {
      throw CORBA::BAD_PARAM(minor::kNilArgument, CORBA::CompletionStatus::COMPLETED_NO,
                             "create_POAManager: an empty id");
    }
    auto manager = adapters_.make_manager(id);
    adapters_.managers().keep(manager);
    return manager;
  }
  PortableServer::POAManagerSeq list() override {
    const auto all = adapters_.managers().list();
    return {all.begin(), all.end()};
  }
  CORBA::object_reference<PortableServer::POAManager> find(const std::string& id) override {
    return adapters_.managers().find(id);
  }

 private:
  const std::shared_ptr<orb::Core> core_;
  AdapterRegistry& adapters_;
};

}  // namespace

CORBA::object_reference<PortableServer::POAManagerFactory> make_manager_factory(AdapterRegistry& adapters) {
  return CORBA::make_reference<FactoryImpl>(adapters);
}

}  // namespace orbweaver::poa
