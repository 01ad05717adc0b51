#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "orb/core.h"
#include "poa/active_object_map.h"
#include "poa/object_key.h"
#include "poa/poa_managers.h"

namespace orbweaver::poa {

class PoaImpl;
class PoaManagerImpl;

/// Name of the initial reference and of the POA of objects with keys of the program's choice.
inline constexpr const char* kCorbalocPoa = "CorbalocPOA";

/// Registry of the POAs of one ORB: finds the servant of an object key, for connections and collocated calls.
/// Thread-safe.
class AdapterRegistry final : public orb::ObjectFinder {
 public:
  /// `core` owns the registry.
  explicit AdapterRegistry(orb::Core& core);
  ~AdapterRegistry() override;

  orb::LookupStatus enter(Bytes object_key, orb::ServantPin& pin, bool may_wait,
                          orb::ObjectSlotHint* slot_hint, std::shared_ptr<orb::RequestQueue>* queue,
                          std::string_view operation) override;
  void complete(orb::ServantPin& pin) override;
  const orb::RealTimeAdapter* real_time(const orb::ServantPin& pin,
                                        std::int16_t& object_priority) noexcept override;
  void leave(orb::ServantPin& pin) noexcept override;
  void empty(orb::ServantSlot& slot, std::uint64_t state) noexcept override {
    objects_.empty(static_cast<ObjectSlot&>(slot), state);
  }
  bool knows(Bytes object_key) override;
  std::shared_ptr<orb::RequestQueue> request_queue(Bytes object_key) override;
  bool is_bidirectional(Bytes object_key) override;
  void wake() noexcept override;

  orb::Core& core() const noexcept { return core_; }
  ActiveObjectMap& objects() noexcept { return objects_; }
  Incarnation incarnation() const noexcept { return incarnation_; }
  /// Creates a POA manager in the holding state; `id` empty: with a unique one. Raises
  /// POAManagerFactory::ManagerAlreadyExists.
  CORBA::object_reference<PoaManagerImpl> make_manager(const std::string& id = {});
  PoaManagers& managers() noexcept { return managers_; }
  /// Number of calls in progress on the POAs of a manager, and these POAs.
  std::size_t calls_of(const PoaManagerImpl& manager);
  std::vector<CORBA::object_reference<PoaImpl>> poas_of(const PoaManagerImpl& manager);
  /// The root POA, created by the first call.
  CORBA::object_reference<PoaImpl> root();
  /// The child kCorbalocPoa of the root, created by the first call: its object ids are the object keys, as
  /// in a corbaloc URL. Raises POA::AdapterAlreadyExists if the program has a POA of that name.
  CORBA::object_reference<PoaImpl> corbaloc_poa();
  /// Destroys all POAs, at ORB::destroy.
  void close();

  /// POAs by path, for keys that have one. `find` returns null if there is none.
  void add(const std::string& path, PoaImpl& poa);
  void remove(const std::string& path);
  CORBA::object_reference<PoaImpl> find(std::string_view path);

  /// Completes the lookup of an entered slot: checks the state of its POA manager and takes the lock of a
  /// single-threaded POA. Leaves the slot on failure.
  orb::LookupStatus pin_slot(ObjectSlot& slot, orb::ServantPin& pin, bool may_wait, bool is_collocated);

 private:
  struct PathHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  /// The POA of a key, for a request: adapter activators create it if there is none.
  CORBA::object_reference<PoaImpl> adapter_of(const NameKey& name, bool may_wait, orb::LookupStatus& why_not);
  CORBA::object_reference<PoaImpl> activate(std::string_view path, bool may_wait, orb::LookupStatus& why_not);
  bool may_be_activated(std::string_view path);
  /// Enters the slot of an active object; null if there is none.
  ObjectSlot* enter_slot(Bytes object_key, orb::LookupStatus& why_not);
  /// Enters an object of the CorbalocPOA.
  ObjectSlot* enter_by_plain_key(Bytes object_key);
  ObjectSlot* enter_by_name(const NameKey& name, orb::LookupStatus& why_not);

  orb::Core& core_;
  const Incarnation incarnation_;
  ActiveObjectMap objects_;
  std::mutex root_mutex_;
  CORBA::object_reference<PoaImpl> root_;
  std::shared_mutex paths_mutex_;
  std::unordered_map<std::string, PoaImpl*, PathHash, std::equal_to<>> by_path_;
  PoaManagers managers_;
};

}  // namespace orbweaver::poa
