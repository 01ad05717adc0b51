#include "orb/orb_impl.h"

#include <orbweaver/detail/stub.h>

#include <fstream>
#include <iomanip>

#include "giop/object_url.h"
#include "orb/initial_reference_providers.h"
#include "orb/interception.h"
#include "orb/minor_codes.h"
#include "orb/reference/naming_client.h"
#include "orb/server/reactor.h"
#include "orb/server/upcall_scope.h"
#include "orb/system_exceptions.h"

namespace orbweaver::orb {

using CORBA::CompletionStatus;

namespace {

[[noreturn]] void bad_string(const std::string& why) {
  throw CORBA::BAD_PARAM(minor::kBadString, CompletionStatus::COMPLETED_NO, why);
}

std::string shortened(const std::string& text) { return text.size() <= 40 ? text : text.substr(0, 37) + "…"; }

}  // namespace

OrbImpl::OrbImpl(std::string id, Options options)
    : id_(std::move(id)), core_(std::make_shared<Core>(std::move(options))) {
  initial_["ORBPolicyManager"] = core_->policy_manager();
  initial_["PolicyCurrent"] = core_->policy_current();
}

std::string OrbImpl::object_to_string(const ObjectRef& object) {
  if (!object) return giop::stringify({});
  if (object->_reference() == nullptr) {
    throw CORBA::BAD_PARAM(minor::kLocalObject, CompletionStatus::COMPLETED_NO,
                           "a local object has no stringified reference");
  }
  return giop::stringify(object->_reference()->ior());
}

OrbImpl::ObjectRef OrbImpl::string_to_object(const std::string& text) {
  core_->check_running();
  const auto make = [&](giop::Ior ior) -> ObjectRef {
    if (ior.is_nil()) return nullptr;
    auto* reference = new Reference(core_, std::move(ior));
    auto object = ObjectRef::adopt(CORBA::Object::_make(reference));
    reference->_remove_ref();
    return object;
  };
  if (text.rfind("file://", 0) == 0) return from_file(text);
  if (giop::is_object_url(text)) {
    auto url = giop::parse_object_url(text);
    if (!url) bad_string(url.error().message);
    const std::string key(url->object_key.begin(), url->object_key.end());
    ObjectRef object = url->initial_reference ? resolve_initial_references(key.empty() ? "NameService" : key)
                                              : make(giop::to_ior(*url));
    return url->kind == giop::ObjectUrl::Kind::name ? resolve_name(object, url->name) : object;
  }
  auto ior = giop::parse_ior(text);
  if (!ior) {
    bad_string(
        "'" + shortened(text) +
        "' is not an object reference (IOR:…, corbaloc:…, corbaname:… or file://…): " + ior.error().message);
  }
  return make(std::move(*ior));
}

OrbImpl::ObjectRef OrbImpl::from_file(const std::string& url) {
  const std::string path = url.substr(7);
  std::ifstream file(path);
  std::string text;
  // A reference is not longer; the rest of the file is not read.
  if (!file || !(file >> std::setw(static_cast<int>(2 * limits::kMaxIorBytes + 16)) >> text))
    bad_string("cannot read a reference from " + path);
  if (text.rfind("file://", 0) == 0) bad_string(path + " contains the name of another file, not a reference");
  return string_to_object(text);
}

OrbImpl::ObjectRef OrbImpl::resolve_name(const ObjectRef& context, const std::string& name) {
  if (name.empty()) return context;
  return naming::resolve(context, name);
}

OrbImpl::ObjectRef OrbImpl::resolve_initial_references(const std::string& name) {
  core_->check_running();
  // A name may refer to another ("corbaloc:rir:/Other"), and thus to itself.
  constexpr int kMaxSteps = 8;
  static thread_local int steps = 0;
  struct Step {
    Step() { ++steps; }
    ~Step() { --steps; }
  } const step;
  if (steps > kMaxSteps) bad_string("the initial reference '" + name + "' is circular");
  std::function<ObjectRef()> make;
  if (const auto provided = find_initial_reference(name); provided != nullptr)
    make = [this, provided] { return provided(*this); };
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = initial_.find(name); known != initial_.end()) return known->second;
    if (const auto provider = providers_.find(name); provider != providers_.end()) make = provider->second;
    const auto& options = core_->options().initial_references;
    if (const auto option = options.find(name); option != options.end() && !make) text = option->second;
  }
  ObjectRef object;
  if (!text.empty()) {
    object = string_to_object(text);
  } else if (make) {
    object = make();
  } else {
    std::string known;
    for (const std::string& each : list_initial_services()) known += (known.empty() ? "" : ", ") + each;
    throw CORBA::ORB::InvalidName("no initial reference '" + name + "'; there are " + known +
                                  "; -ORBInitRef " + name + "=REFERENCE adds it");
  }
  const std::lock_guard lock(mutex_);
  return initial_.emplace(name, object).first->second;
}

void OrbImpl::register_initial_reference(const std::string& name, const ObjectRef& object) {
  if (!object) {
    throw CORBA::BAD_PARAM(minor::kNilArgument, CompletionStatus::COMPLETED_NO, "a nil initial reference");
  }
  const std::lock_guard lock(mutex_);
  if (name.empty()) throw InvalidName("an initial reference with an empty name");
  if (providers_.count(name) != 0 || find_initial_reference(name) != nullptr ||
      !initial_.emplace(name, object).second)
    throw InvalidName("there is an initial reference '" + name + "' already");
}

std::vector<std::string> OrbImpl::list_initial_services() {
  const std::lock_guard lock(mutex_);
  std::map<std::string, int> names;
  for (const auto& [name, object] : initial_) names[name];
  for (const auto& [name, make] : providers_) names[name];
  for (const std::string& name : provided_initial_references()) names[name];
  for (const auto& [name, text] : core_->options().initial_references) names[name];
  std::vector<std::string> list;
  for (const auto& [name, unused] : names) list.push_back(name);
  return list;
}

void OrbImpl::provide(const std::string& name, std::function<ObjectRef()> make) {
  const std::lock_guard lock(mutex_);
  providers_[name] = std::move(make);
}

void OrbImpl::run() { core_->run(); }

bool OrbImpl::work_pending() {
  core_->check_running();
  Reactor* const reactor = core_->reactor();
  return reactor != nullptr && reactor->single() && reactor->has_work();
}

void OrbImpl::perform_work() {
  core_->check_running();
  Reactor* const reactor = core_->reactor();
  if (reactor != nullptr && reactor->single()) reactor->work(transport::Deadline{0});
}

void OrbImpl::shutdown(bool wait) {
  if (wait && in_upcall()) {
    throw CORBA::BAD_INV_ORDER(minor::kWouldDeadlock, CompletionStatus::COMPLETED_NO,
                               "shutdown(true) within an upcall would deadlock");
  }
  // Within an upcall run() or destroy() completes the shutdown: this thread is one of those to be joined.
  if (in_upcall()) {
    core_->request_shutdown();
  } else {
    core_->finish_shutdown();
  }
}

void OrbImpl::destroy() {
  shutdown(true);
  std::map<std::string, ObjectRef> dropped;  // destroyed without the lock: destructors may call back
  {
    const std::lock_guard lock(mutex_);
    dropped.swap(initial_);
    providers_.clear();
  }
  if (on_destroy_) std::exchange(on_destroy_, nullptr)();
  if (Interception* const interception = core_->interception(); interception != nullptr)
    interception->destroy();
}

}  // namespace orbweaver::orb

namespace orbweaver {

int descriptor(const CORBA::object_reference<CORBA::ORB>& orb) {
  auto* const own = dynamic_cast<orb::OrbImpl*>(orb.get());
  if (own == nullptr)
    throw CORBA::BAD_PARAM(minor::kNilArgument, CORBA::CompletionStatus::COMPLETED_NO, "no ORB");
  own->core()->check_running();
  orb::Reactor* const reactor = own->core()->reactor();
  if (reactor != nullptr && reactor->single()) return reactor->fd().get();
  throw CORBA::BAD_INV_ORDER(minor::kNotSingleThreaded, CORBA::CompletionStatus::COMPLETED_NO,
                             "orbweaver::descriptor requires -ORBThreads single");
}

}  // namespace orbweaver
