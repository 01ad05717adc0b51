#include "services/naming/naming_service.h"

#include <orbweaver/any.h>
#include <orbweaver/messaging.h>

#include <random>

#include "base/log.h"
#include "services/naming/binding_iterator.h"
#include "services/naming/name_text.h"
#include "services/naming/naming_context.h"

namespace orbweaver::naming {
namespace {

using CosNaming::BindingType;
using Context = CosNaming::NamingContext;
using Reason = Context::NotFoundReason;
using PortableServer::ObjectId;
using PortableServer::ObjectId_to_string;
using PortableServer::string_to_ObjectId;

constexpr auto kNotDone = CORBA::CompletionStatus::COMPLETED_NO;
constexpr const char* kContextType = "IDL:omg.org/CosNaming/NamingContextExt:1.0";
/// Time limit of a call to a context of another service, in units of 100 ns: ten seconds.
constexpr TimeBase::TimeT kForeignCallTimeout = 100'000'000;

Key key_of(const CosNaming::NameComponent& component) { return {component.id(), component.kind()}; }

/// The rest of the name, from component `at`.
CosNaming::Name rest_of(const CosNaming::Name& name, std::size_t at) {
  return {name.begin() + static_cast<std::ptrdiff_t>(at), name.end()};
}

/// The end of the id of a new context. A client that knows no reference to it cannot guess it, and a new
/// state file has other ids than its predecessor.
std::string random_id() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 32; ++i) id += "0123456789abcdef"[random() & 15];
  return id;
}

[[noreturn]] void raise_destroyed() {
  throw CORBA::OBJECT_NOT_EXIST(0, kNotDone, "the naming context has been destroyed");
}

}  // namespace

NamingService::NamingService(ServiceOptions options)
    : contexts_(std::move(options.contexts)), iterators_poa_(std::move(options.iterators)),
      fixed_ids_(!options.root_id.empty()), limits_(options.limits), store_(std::move(options.store)),
      bound_(std::move(options.bound)), root_(std::move(options.root_id)),
      iterators_(options.limits.iterators), state_(std::move(options.state)) {}

ContextExtRef NamingService::start() {
  // Before a context is activated: clients that know its key may call it at once.
  orb_ = (fixed_ids_ ? contexts_->create_reference_with_id(string_to_ObjectId(root_), kContextType)
                     : contexts_->create_reference(kContextType))
             ->_get_orb();
  CORBA::Any limit;
  limit <<= kForeignCallTimeout;
  foreign_call_policies_ = {orb_->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit)};
  std::vector<ContextId> existing;
  for (const auto& [context, bindings] : state_.contexts()) existing.push_back(context);
  for (const ContextId& context : existing) activate(context);
  if (!fixed_ids_) {
    const auto root = create_context([](Change&, const NamingState&) {});
    root_ = ObjectId_to_string(contexts_->reference_to_id(root));
  } else if (state_.find(root_) == nullptr) {
    activate(root_);
    change([&](const NamingState&) {
      Change created;
      created.create = root_;
      return created;
    });
  }
  root_reference_ = IDL::traits<CosNaming::NamingContextExt>::narrow(
      contexts_->create_reference_with_id(string_to_ObjectId(root_), kContextType));
  return root_reference_;
}

void NamingService::activate(const ContextId& context) {
  const auto servant = CORBA::make_reference<NamingContext>(shared_from_this());
  servant->set_context_id(context);
  contexts_->activate_object_with_id(string_to_ObjectId(context), servant);
}

// ---- references ----

/// Narrowed to the type in the reference, which needs no call: the context may have been destroyed.
ContextRef NamingService::reference_to(const ContextId& context) const {
  return IDL::traits<CosNaming::NamingContextExt>::narrow(
      contexts_->create_reference_with_id(string_to_ObjectId(context), kContextType));
}

/// Not checked by a call to it: the caller who bound it has asserted the type.
ContextRef NamingService::foreign_context(const std::string& text) const {
  const ObjectRef plain = orb_->string_to_object(text);
  const ObjectRef limited =
      plain->_set_policy_overrides(foreign_call_policies_, CORBA::SetOverrideType::ADD_OVERRIDE);
  return ContextRef::adopt(Context::_make(limited->_reference()));
}

std::string NamingService::text_of(const ObjectRef& object) const {
  std::string text = orb_->object_to_string(object);
  if (text.size() > limits_.reference_bytes)
    throw CORBA::IMP_LIMIT(0, kNotDone, "the reference is longer than the naming service accepts");
  return text;
}

Target NamingService::target_of(const ContextRef& context) const {
  ContextId id;
  try {
    id = ObjectId_to_string(contexts_->reference_to_id(context));
  } catch (const PortableServer::POA::WrongAdapter&) {
    return {Target::Kind::foreign_context, text_of(context)};
  }
  bool known = false;
  {
    const std::lock_guard lock(state_mutex_);
    known = state_.find(id) != nullptr;
  }
  // The root of every naming service has the same key; other ids are random.
  if (known && (id != root_ || root_reference_->_is_equivalent(context)))
    return {Target::Kind::own_context, id};
  return {Target::Kind::foreign_context, text_of(context)};
}

// ---- names ----

NamingService::Place NamingService::walk(const ContextId& context, const CosNaming::Name& name) const {
  check_name(name);
  const std::lock_guard lock(state_mutex_);
  Place place;
  place.context = context;
  for (;;) {
    const NamingState::Bindings* const bindings = state_.find(place.context);
    if (bindings == nullptr) {
      if (place.at == 0) raise_destroyed();
      place.destroyed = true;
      return place;
    }
    if (place.at + 1 == name.size()) return place;
    const auto found = bindings->find(key_of(name[place.at]));
    if (found == bindings->end()) throw Context::NotFound(Reason::missing_node, rest_of(name, place.at));
    const Target& target = found->second;
    if (target.kind == Target::Kind::object)
      throw Context::NotFound(Reason::not_context, rest_of(name, place.at));
    ++place.at;
    if (target.kind == Target::Kind::foreign_context) {
      place.foreign = target.text;
      return place;
    }
    place.context = target.text;
  }
}

template <class Here, class There>
auto NamingService::at_place_of(const ContextId& context, const CosNaming::Name& name, Here here,
                                There there) {
  const Place place = walk(context, name);
  if (place.destroyed) throw Context::CannotProceed(reference_to(place.context), rest_of(name, place.at));
  if (place.foreign.empty()) return here(place.context, name.back());
  const ContextRef other = foreign_context(place.foreign);
  const CosNaming::Name rest = rest_of(name, place.at);
  try {
    return there(*other, rest);
  } catch (const CORBA::SystemException&) {
    // It does not exist, cannot be reached or does not answer. The client may be able to call it.
    throw Context::CannotProceed(other, rest);
  }
}

// ---- changes ----

void NamingService::fail_to_store(const std::string& reason) {
  log::write_limited(log::Level::error, "naming state", "",
                     [&] { return "the naming service cannot store a change: " + reason; });
  throw CORBA::PERSIST_STORE(0, kNotDone, reason);
}

template <class Make>
void NamingService::change(Make make, Durability durability) {
  const std::lock_guard one_at_a_time(change_mutex_);
  Change change;
  {
    const std::lock_guard lock(state_mutex_);
    change = make(state_);
    if (const char* const exceeded = state_.exceeded_limit(change, limits_); exceeded != nullptr)
      throw CORBA::NO_RESOURCES(0, kNotDone, exceeded);
  }
  if (!change.create && !change.destroy && !change.context) return;  // nothing: needs no space on a disk
  if (!change.create && change.context && unflushed_.contains(*change.context))
    durability = Durability::process;
  if (store_ != nullptr) {
    if (const auto stored = store_->commit(change, durability); !stored)
      fail_to_store(stored.error().message);
  }
  if (change.create && durability == Durability::process) unflushed_.insert(*change.create);
  if (change.destroy) unflushed_.erase(*change.destroy);
  const std::lock_guard lock(state_mutex_);
  state_.apply(change);
}

void NamingService::defer_flushes(const ContextRef& context) {
  const Target target = target_of(context);
  const std::lock_guard one_at_a_time(change_mutex_);
  // The state is changed by those that hold the mutex.
  if (target.kind == Target::Kind::own_context && state_.find(target.text) != nullptr)
    unflushed_.insert(target.text);
}

void NamingService::flush(const ContextRef& context) {
  const Target target = target_of(context);
  const std::lock_guard one_at_a_time(change_mutex_);
  if (target.kind != Target::Kind::own_context || !unflushed_.contains(target.text)) return;
  if (store_ != nullptr) {
    if (const auto stored = store_->flush(); !stored) fail_to_store(stored.error().message);
  }
  unflushed_.erase(target.text);
}

void NamingService::put(const ContextId& context, const CosNaming::NameComponent& name, Target target,
                        bool replace) {
  change([&](const NamingState& state) {
    const NamingState::Bindings* const bindings = state.find(context);
    if (bindings == nullptr) raise_destroyed();
    const auto found = bindings->find(key_of(name));
    if (found != bindings->end()) {
      if (!replace) throw Context::AlreadyBound();
      // rebind() replaces an object and rebind_context() a context, never one by the other (1.3, 2.1.2).
      const bool to_object = target.kind == Target::Kind::object;
      if ((found->second.kind == Target::Kind::object) != to_object)
        throw Context::NotFound(to_object ? Reason::not_object : Reason::not_context, {name});
      if (found->second == target) return Change{};
    }
    Change change;
    change.context = context;
    change.key = key_of(name);
    change.target = std::move(target);
    return change;
  });
  if (bound_) bound_();
}

void NamingService::bind(const ContextId& context, const CosNaming::Name& name, const ObjectRef& object,
                         bool replace) {
  at_place_of(
      context, name,
      [&](const ContextId& here, const CosNaming::NameComponent& last) {
        put(here, last, {Target::Kind::object, text_of(object)}, replace);
      },
      [&](Context& there, const CosNaming::Name& rest) {
        replace ? there.rebind(rest, object) : there.bind(rest, object);
      });
}

void NamingService::bind_context(const ContextId& context, const CosNaming::Name& name,
                                 const ContextRef& bound, bool replace) {
  check_name(name);
  if (!bound) throw CORBA::BAD_PARAM(0, kNotDone, "a nil naming context cannot be bound");
  at_place_of(
      context, name,
      [&](const ContextId& here, const CosNaming::NameComponent& last) {
        put(here, last, target_of(bound), replace);
      },
      [&](Context& there, const CosNaming::Name& rest) {
        replace ? there.rebind_context(rest, bound) : there.bind_context(rest, bound);
      });
}

void NamingService::unbind(const ContextId& context, const CosNaming::Name& name) {
  at_place_of(
      context, name,
      [&](const ContextId& here, const CosNaming::NameComponent& last) {
        change([&](const NamingState& state) {
          const NamingState::Bindings* const bindings = state.find(here);
          if (bindings == nullptr) raise_destroyed();
          if (bindings->count(key_of(last)) == 0) throw Context::NotFound(Reason::missing_node, {last});
          Change change;
          change.context = here;
          change.key = key_of(last);
          return change;
        });
      },
      [&](Context& there, const CosNaming::Name& rest) { there.unbind(rest); });
}

template <class Complete>
ContextRef NamingService::create_context(Complete complete, Durability durability) {
  ContextId id;
  if (fixed_ids_) {
    id = root_ + "/" + random_id();
    activate(id);
  } else {
    const auto servant = CORBA::make_reference<NamingContext>(shared_from_this());
    id = ObjectId_to_string(contexts_->activate_object(servant));
    servant->set_context_id(id);
  }
  try {
    change(
        [&](const NamingState& state) {
          Change change;
          change.create = id;
          complete(change, state);
          return change;
        },
        durability);
  } catch (...) {
    contexts_->deactivate_object(string_to_ObjectId(id));
    throw;
  }
  return reference_to(id);
}

ContextRef NamingService::new_context() {
  return create_context([](Change&, const NamingState&) {});
}

ContextRef NamingService::bind_new_context(const ContextId& context, const CosNaming::Name& name) {
  return bind_new_context(context, name, Durability::machine);
}

ContextRef NamingService::bind_unflushed_context(const ContextRef& in, const CosNaming::Name& name) {
  const Target target = target_of(in);
  if (target.kind != Target::Kind::own_context) return nullptr;
  return bind_new_context(target.text, name, Durability::process);
}

ContextRef NamingService::bind_new_context(const ContextId& context, const CosNaming::Name& name,
                                           Durability durability) {
  return at_place_of(
      context, name,
      [&](const ContextId& here, const CosNaming::NameComponent& last) {
        return create_context(
            [&](Change& change, const NamingState& state) {
              const NamingState::Bindings* const bindings = state.find(here);
              if (bindings == nullptr) raise_destroyed();
              if (bindings->count(key_of(last)) != 0) throw Context::AlreadyBound();
              change.context = here;
              change.key = key_of(last);
              change.target = Target{Target::Kind::own_context, *change.create};
            },
            durability);
      },
      [&](Context& there, const CosNaming::Name& rest) { return there.bind_new_context(rest); });
}

void NamingService::destroy(const ContextId& context) {
  change([&](const NamingState& state) {
    const NamingState::Bindings* const bindings = state.find(context);
    if (bindings == nullptr) raise_destroyed();
    if (!bindings->empty()) throw Context::NotEmpty();
    if (context == root_)
      throw CORBA::NO_PERMISSION(0, kNotDone, "the root of a naming service cannot be destroyed");
    Change change;
    change.destroy = context;
    return change;
  });
  contexts_->deactivate_object(string_to_ObjectId(context));
}

// ---- reading ----

ObjectRef NamingService::resolve(const ContextId& context, const CosNaming::Name& name) {
  return at_place_of(
      context, name,
      [&](const ContextId& here, const CosNaming::NameComponent& last) -> ObjectRef {
        Target target;
        {
          const std::lock_guard lock(state_mutex_);
          const NamingState::Bindings* const bindings = state_.find(here);
          if (bindings == nullptr) raise_destroyed();
          const auto found = bindings->find(key_of(last));
          if (found == bindings->end()) throw Context::NotFound(Reason::missing_node, {last});
          target = found->second;
        }
        if (target.kind == Target::Kind::own_context) return reference_to(target.text);
        return orb_->string_to_object(target.text);
      },
      [&](Context& there, const CosNaming::Name& rest) { return there.resolve(rest); });
}

bool NamingService::read_bindings(const ContextId& context, std::optional<Key>& last, std::uint32_t how_many,
                                  CosNaming::BindingList& list) {
  const std::lock_guard lock(state_mutex_);
  list.clear();
  const NamingState::Bindings* const bindings = state_.find(context);
  if (bindings == nullptr) return false;
  auto next = last ? bindings->upper_bound(*last) : bindings->begin();
  for (std::size_t bytes = 0; next != bindings->end(); ++next) {
    const auto& [key, target] = *next;
    bytes += key.first.size() + key.second.size();
    if (list.size() == how_many || list.size() == limits_.listed_bindings) break;
    if (bytes > limits_.listed_bytes && !list.empty()) break;
    list.emplace_back(CosNaming::Name{CosNaming::NameComponent(key.first, key.second)},
                      target.kind == Target::Kind::object ? BindingType::nobject : BindingType::ncontext);
    last = key;
  }
  return next != bindings->end();
}

void NamingService::list(const ContextId& context, std::uint32_t how_many, CosNaming::BindingList& bindings,
                         IteratorRef& rest) {
  {
    const std::lock_guard lock(state_mutex_);
    if (state_.find(context) == nullptr) raise_destroyed();
  }
  rest = nullptr;
  std::optional<Key> last;
  if (!read_bindings(context, last, how_many, bindings)) return;
  const auto servant = CORBA::make_reference<BindingIterator>(shared_from_this(), context, std::move(last));
  ObjectId id = iterators_poa_->activate_object(servant);
  servant->set_object_id(id);
  rest = IDL::traits<CosNaming::BindingIterator>::narrow(iterators_poa_->id_to_reference(id));
  if (const auto oldest = iterators_.add(std::move(id))) {
    try {
      iterators_poa_->deactivate_object(*oldest);
    } catch (const PortableServer::POA::ObjectNotActive&) {  // its client destroys it at this moment
    }
  }
}

void NamingService::destroy_iterator(const ObjectId& id) {
  iterators_.remove(id);
  try {
    iterators_poa_->deactivate_object(id);
  } catch (const PortableServer::POA::ObjectNotActive&) {
    throw CORBA::OBJECT_NOT_EXIST(0, kNotDone, "the iterator has been destroyed");
  }
}

ContextExtRef make_naming_service(PoaRef poa) {
  ServiceOptions options;
  options.contexts = poa;
  options.iterators = std::move(poa);
  return std::make_shared<NamingService>(std::move(options))->start();
}

}  // namespace orbweaver::naming
