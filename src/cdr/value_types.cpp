#include "cdr/value_types.h"

#include <map>
#include <mutex>

namespace orbweaver::values {
namespace {

using Factory = CORBA::object_reference<CORBA::ValueFactoryBase>;

struct Entry {
  const ValueType* type = nullptr;  // several libraries may have the code of one IDL file: the last one's
  Factory factory;
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, Entry, std::less<>> entries;  // by id; guarded by `mutex`

  Entry find(std::string_view id) {
    const std::lock_guard lock(mutex);
    const auto found = entries.find(id);
    return found == entries.end() ? Entry() : found->second;
  }
};

/// Constructed by the first static object that registers a type, never destroyed: others unregister at exit.
Registry& registry() {
  static Registry* const all = [] {
    auto* const made = new Registry;
    for (const ValueType* each : {&kStringValue, &kWStringValue}) made->entries[each->id].type = each;
    return made;
  }();
  return *all;
}

[[noreturn]] void raise_bad_param(std::uint32_t minor, const std::string& what) {
  throw CORBA::BAD_PARAM(minor, CORBA::CompletionStatus::COMPLETED_NO, what);
}

}  // namespace

const ValueType* known_type(std::string_view id) { return registry().find(id).type; }

CORBA::object_reference<CORBA::ValueBase> make(std::string_view id) {
  const Entry entry = registry().find(id);
  if (entry.factory != nullptr) return entry.factory->create_for_unmarshal();
  return entry.type == nullptr || entry.type->make_box == nullptr ? nullptr : entry.type->make_box();
}

bool is_custom(const ValueType& type) noexcept {
  for (const ValueType* each = &type; each != nullptr; each = each->base) {
    if (each->custom) return true;
  }
  return false;
}

}  // namespace orbweaver::values

namespace orbweaver {

using values::registry;

KnownValueType::KnownValueType(const ValueType& type) : type_(type) {
  auto& all = registry();
  const std::lock_guard lock(all.mutex);
  all.entries[type.id].type = &type;
}

KnownValueType::~KnownValueType() {
  auto& all = registry();
  const std::lock_guard lock(all.mutex);
  if (auto& entry = all.entries[type_.id]; entry.type == &type_) entry.type = nullptr;
}

CORBA::object_reference<CORBA::ValueFactoryBase> register_value_factory(
    const std::string& id, const CORBA::object_reference<CORBA::ValueFactoryBase>& factory) {
  if (factory == nullptr) values::raise_bad_param(0x4f570040, "the factory of '" + id + "' is nil");
  if (id.empty()) values::raise_bad_param(0x4f4d0010, "the repository id of a value factory is empty");
  auto& all = registry();
  const std::lock_guard lock(all.mutex);
  return std::exchange(all.entries[id].factory, factory);
}

void unregister_value_factory(const std::string& id) {
  lookup_value_factory(id);  // raises BAD_PARAM if there is none
  auto& all = registry();
  const std::lock_guard lock(all.mutex);
  all.entries[id].factory = nullptr;
}

CORBA::object_reference<CORBA::ValueFactoryBase> lookup_value_factory(const std::string& id) {
  auto factory = registry().find(id).factory;
  if (factory == nullptr)
    values::raise_bad_param(0x4f4d0001, "no value factory is registered for '" + id + "'");
  return factory;
}

}  // namespace orbweaver
