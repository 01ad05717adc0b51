#pragma once

#include <orbweaver/poa.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace orbweaver::poa {

class AdapterRegistry;
class PoaManagerImpl;

/// The POA managers of one ORB, by id. Those of the factory are kept until `close`, those of create_POA live
/// as long as their POAs. Thread-safe.
class PoaManagers {
 public:
  using ManagerRef = CORBA::object_reference<PoaManagerImpl>;

  /// Adds the manager that `make(id)` creates; `id` empty: with a unique id. Raises
  /// POAManagerFactory::ManagerAlreadyExists.
  ManagerRef add(const std::string& id, const std::function<ManagerRef(const std::string& id)>& make);
  /// Keeps a manager until `close`. Raises BAD_INV_ORDER afterwards.
  void keep(const ManagerRef& manager);
  /// Called by a manager that ends.
  void remove(const std::string& id) noexcept;
  std::vector<ManagerRef> list();
  /// Null if there is none.
  ManagerRef find(const std::string& id);
  void close() noexcept;

 private:
  std::mutex mutex_;  // guards the rest
  std::map<std::string, CORBA::weak_object_reference<PoaManagerImpl>> by_id_;
  std::vector<ManagerRef> kept_;
  bool closed_ = false;
  std::uint64_t last_number_ = 0;
};

/// Makes the object for POA::the_POAManagerFactory.
CORBA::object_reference<PortableServer::POAManagerFactory> make_manager_factory(AdapterRegistry& adapters);

}  // namespace orbweaver::poa
