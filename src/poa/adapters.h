#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "orb/core.h"
#include "poa/object_key.h"
#include "poa/object_map.h"

namespace orbweaver::poa {

class PoaImpl;
class PoaManagerImpl;

/// All object adapters of one ORB: finds the servant of an object key, for connections and direct calls.
class Adapters final : public orb::ObjectFinder {
 public:
  /// `core` owns the adapters.
  explicit Adapters(orb::Core& core);
  ~Adapters() override;

  orb::Found enter(Bytes object_key, orb::Hold& hold, bool may_wait, orb::Route* route) override;
  void leave(orb::Hold& hold) noexcept override;
  bool knows(Bytes object_key) override;
  void wake() noexcept override;

  orb::Core& core() const noexcept { return core_; }
  ObjectMap& objects() noexcept { return objects_; }
  Incarnation incarnation() const noexcept { return incarnation_; }
  CORBA::object_reference<PoaManagerImpl> make_manager();
  CORBA::object_reference<PoaImpl> root();
  /// Destroys all adapters; for the end of the ORB.
  void close();

  /// Adapters by path, for keys that name one.
  void add(const std::string& path, PoaImpl& poa);
  void remove(const std::string& path);
  CORBA::object_reference<PoaImpl> find(std::string_view path);

 private:
  orb::Found enter_slot(ObjectSlot& slot, orb::Hold& hold, bool may_wait);
  ObjectSlot* enter_by_name(const NameKey& name, orb::Found& why_not);

  orb::Core& core_;
  const Incarnation incarnation_;
  ObjectMap objects_;
  std::mutex root_mutex_;
  CORBA::object_reference<PoaImpl> root_;
  std::shared_mutex paths_mutex_;
  std::unordered_map<std::string, PoaImpl*> by_path_;
};

}  // namespace orbweaver::poa
