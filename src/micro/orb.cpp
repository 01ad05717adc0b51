#include <orbweaver/orb.h>

#include "micro/core.h"
#include "micro/raise.h"
#include "micro/reference.h"
#include "micro/upcall.h"

using orbweaver::micro::Core;
using orbweaver::micro::Kind;
using orbweaver::micro::raise;

namespace CORBA {

ORB::~ORB() = default;

std::string ORB::id() { return core_.id; }

std::string ORB::object_to_string(const object_reference<Object>& object) {
  if (object && object->_reference() == nullptr)
    raise(Kind::BAD_PARAM, orbweaver::minor::kLocalObject, "a local object cannot leave the process");
  return orbweaver::micro::to_text(object ? object->_reference() : nullptr);
}

object_reference<Object> ORB::string_to_object(const std::string& text) {
  core_.check_running();
  orbweaver::Reference* const reference = orbweaver::micro::parse_reference(core_, text);
  if (reference == nullptr) return nullptr;
  auto object = object_reference<Object>::adopt(Object::_make(reference));
  reference->release();
  return object;
}

object_reference<Object> ORB::resolve_initial_references(const std::string& name) {
  core_.check_running();
  if (name == "RootPOA") return core_.root_poa;
  if (name == "CorbalocPOA") return core_.corbaloc_poa;
  std::string text;
  {
    const std::lock_guard lock(core_.mutex);
    for (const auto& [given, reference] : core_.options.initial_references) {
      if (given == name) text = reference;
    }
  }
  if (text.empty()) throw InvalidName(name + ": no initial reference of that name; give -ORBInitRef");
  return string_to_object(text);
}

void ORB::register_initial_reference(const std::string& name, const object_reference<Object>& object) {
  if (!object) raise(Kind::BAD_PARAM, orbweaver::minor::kNilArgument, "a nil reference");
  std::string text = object_to_string(object);
  for (const std::string& taken : list_initial_services()) {
    if (name == taken) throw InvalidName(name + ": the name is taken");
  }
  if (name.empty()) throw InvalidName("the name is empty");
  const std::lock_guard lock(core_.mutex);
  core_.options.initial_references.emplace_back(name, std::move(text));
}

std::vector<std::string> ORB::list_initial_services() {
  std::vector<std::string> names;
  names.emplace_back("RootPOA");
  names.emplace_back("CorbalocPOA");
  const std::lock_guard lock(core_.mutex);
  for (const auto& reference : core_.options.initial_references) names.push_back(reference.first);
  return names;
}

void ORB::run() {
  std::unique_lock lock(core_.mutex);
  while (!core_.is_shut_down) core_.changed.wait(lock);
}

void ORB::shutdown(bool wait) { core_.shutdown(wait); }

void ORB::destroy() {
  core_.shutdown(true);
  for (;;) {
    object_reference<PortableServer::Servant> servant;  // released after the lock
    const std::lock_guard lock(core_.mutex);
    core_.is_destroyed = true;
    if (auto* const entry = core_.objects.any())
      servant = core_.objects.remove(entry);
    else
      return;
  }
}

}  // namespace CORBA
