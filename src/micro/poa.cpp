#include <orbweaver/poa.h>

#include "micro/core.h"
#include "micro/raise.h"
#include "micro/reference.h"
#include "micro/upcall.h"

using orbweaver::micro::Core;
using orbweaver::micro::Kind;
using orbweaver::micro::ObjectMap;
using orbweaver::micro::raise;
namespace minor = orbweaver::minor;

namespace PortableServer {
namespace {

using Lock = std::lock_guard<std::mutex>;

void check_not_nil(const void* servant) {
  if (servant == nullptr) raise(Kind::BAD_PARAM, minor::kNilArgument, "a nil servant");
}

}  // namespace

POA::POA(Core& core, bool system_ids) noexcept : core_(core), system_ids_(system_ids) {}

std::string POA::the_name() { return system_ids_ ? "RootPOA" : "CorbalocPOA"; }
CORBA::object_reference<POAManager> POA::the_POAManager() { return core_.manager; }

/// The object key of an id: the id itself.
std::string POA::key_of(const ObjectId& id) const {
  std::string key(id.begin(), id.end());
  const Lock lock(core_.mutex);
  if (core_.objects.is_system_key(key) != system_ids_)
    raise(Kind::BAD_PARAM, minor::kOmg + 14, "the POA has not assigned this object id");
  return key;
}

ObjectId POA::id_of(const std::string& key) const { return ObjectId(key.begin(), key.end()); }

/// The key of a servant, which the root POA activates if it is not active. Raises ServantAlreadyActive if it
/// is and may not be.
std::string POA::key_of(const ServantRef& servant, bool may_be_active) {
  check_not_nil(servant.get());
  const Lock lock(core_.mutex);
  if (const ObjectMap::Entry* const entry = core_.objects.find(servant.get(), system_ids_)) {
    if (!may_be_active) throw ServantAlreadyActive();
    return entry->key;
  }
  if (!system_ids_) throw ServantNotActive("activate the servant first");
  std::string key = core_.objects.new_key();
  core_.objects.add(key, servant, true);
  return key;
}

POA::ObjectRef POA::make_reference(const std::string& key, const char* repository_id) {
  core_.listen();
  orbweaver::Reference* const reference = orbweaver::micro::new_reference(
      core_, repository_id, orbweaver::giop::kGiop12, core_.own_host, core_.own_port, key, true);
  auto object = ObjectRef::adopt(CORBA::Object::_make(reference));
  reference->release();
  return object;
}

ObjectId POA::activate_object(const ServantRef& servant) {
  if (!system_ids_) throw WrongPolicy("the CorbalocPOA does not assign ids");
  return id_of(key_of(servant, false));
}

void POA::activate_object_with_id(const ObjectId& id, const ServantRef& servant) {
  check_not_nil(servant.get());
  const std::string key = key_of(id);
  const Lock lock(core_.mutex);
  if (core_.objects.find(key) != nullptr) throw ObjectAlreadyActive();
  if (core_.objects.find(servant.get(), system_ids_) != nullptr) throw ServantAlreadyActive();
  core_.objects.add(key, servant, system_ids_);
}

void POA::deactivate_object(const ObjectId& id) {
  const std::string key = key_of(id);
  ServantRef servant;  // released after the lock
  const Lock lock(core_.mutex);
  ObjectMap::Entry* const entry = core_.objects.find(key);
  if (entry == nullptr) throw ObjectNotActive();
  servant = core_.objects.remove(entry);
}

POA::ObjectRef POA::create_reference(const std::string& repository_id) {
  if (!system_ids_) throw WrongPolicy("the CorbalocPOA does not assign ids");
  std::string key;
  {
    const Lock lock(core_.mutex);
    key = core_.objects.new_key();
  }
  return make_reference(key, repository_id.c_str());
}

POA::ObjectRef POA::create_reference_with_id(const ObjectId& id, const std::string& repository_id) {
  return make_reference(key_of(id), repository_id.c_str());
}

ObjectId POA::servant_to_id(const ServantRef& servant) { return id_of(key_of(servant, true)); }

POA::ObjectRef POA::servant_to_reference(const ServantRef& servant) {
  return make_reference(key_of(servant, true), servant->_interface().repository_id);
}

ObjectId POA::reference_to_id(const ObjectRef& reference) {
  orbweaver::Reference* const state = reference ? reference->_reference() : nullptr;
  // Another server's object may have the same key.
  if (state == nullptr || &state->core() != &core_ || !state->is_of_this_process()) throw WrongAdapter();
  const orbweaver::Bytes key = state->key();
  const Lock lock(core_.mutex);
  if (core_.objects.is_system_key({reinterpret_cast<const char*>(key.data()), key.size()}) != system_ids_)
    throw WrongAdapter();
  return ObjectId(key.begin(), key.end());
}

POA::ServantRef POA::reference_to_servant(const ObjectRef& reference) {
  return id_to_servant(reference_to_id(reference));
}

POA::ServantRef POA::id_to_servant(const ObjectId& id) {
  const std::string key = key_of(id);
  const Lock lock(core_.mutex);
  const ObjectMap::Entry* const entry = core_.objects.find(key);
  if (entry == nullptr) throw ObjectNotActive();
  return entry->servant;
}

POA::ObjectRef POA::id_to_reference(const ObjectId& id) {
  return make_reference(key_of(id), id_to_servant(id)->_interface().repository_id);
}

POAManager::POAManager(Core& core) noexcept : core_(core) {}

void POAManager::change(State state, bool wait_for_completion) {
  if (wait_for_completion && orbweaver::micro::Upcall::would_wait_for_itself())
    raise(Kind::BAD_INV_ORDER, minor::kWouldDeadlock, "waiting for requests inside an upcall");
  std::unique_lock lock(core_.mutex);
  if (core_.poa_state == State::INACTIVE && state != State::INACTIVE) throw AdapterInactive();
  core_.poa_state = state;
  core_.changed.notify_all();
  while (wait_for_completion && core_.requests != 0 && core_.poa_state == state) core_.changed.wait(lock);
}

void POAManager::activate() { change(State::ACTIVE, false); }
void POAManager::hold_requests(bool wait_for_completion) { change(State::HOLDING, wait_for_completion); }
void POAManager::discard_requests(bool wait_for_completion) {
  change(State::DISCARDING, wait_for_completion);
}
void POAManager::deactivate(bool, bool wait_for_completion) { change(State::INACTIVE, wait_for_completion); }

POAManager::State POAManager::get_state() {
  const Lock lock(core_.mutex);
  return core_.poa_state;
}
std::string POAManager::get_id() { return "RootPOAManager"; }

CORBA::object_reference<POA> Servant::_default_POA() {
  Core* const core = Core::find({}, true);
  if (core == nullptr) raise(Kind::BAD_INV_ORDER, minor::kOrbShutDown, "there is no ORB");
  return core->root_poa;
}

bool Servant::_is_a(const std::string& repository_id) {
  return orbweaver::is_ancestor(_interface(), repository_id);
}
bool Servant::_non_existent() { return false; }

CORBA::object_reference<CORBA::Object> Servant::_this_object() {
  const orbweaver::micro::CurrentObject current = orbweaver::micro::current_object();
  if (current.servant == this) {
    POA& poa = *current.core->root_poa;
    return (current.core->is_system_key(current.key) ? poa : *current.core->corbaloc_poa)
        .create_reference_with_id(ObjectId(current.key.begin(), current.key.end()),
                                  _interface().repository_id);
  }
  CORBA::object_reference<POA> poa = _default_POA();
  if (Core* const core = Core::find({}, true); core != nullptr && poa == core->root_poa) {
    const Lock lock(core->mutex);
    // Within a call of this process, the object is not known: the one that is active.
    if (core->objects.find(this, true) == nullptr && core->objects.find(this, false) != nullptr)
      poa = core->corbaloc_poa;
  }
  _add_ref();
  return poa->servant_to_reference(CORBA::object_reference<Servant>::adopt(this));
}

}  // namespace PortableServer
