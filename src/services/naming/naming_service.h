#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "CosNamingC.h"
#include "services/naming/naming_state.h"
#include "services/naming/naming_store.h"
#include "services/naming/open_iterators.h"

namespace orbweaver::naming {

using ContextRef = IDL::traits<CosNaming::NamingContext>::ref_type;
using ContextExtRef = IDL::traits<CosNaming::NamingContextExt>::ref_type;
using IteratorRef = IDL::traits<CosNaming::BindingIterator>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

/// Where a naming service has its objects and its state.
struct ServiceOptions {
  /// POA of the contexts. With `root_id`, it has USER_ID and PERSISTENT, and the other contexts have random
  /// ids that begin with it; without, it has SYSTEM_ID.
  PoaRef contexts;
  ContextId root_id;
  PoaRef iterators;  ///< POA of the iterators, with SYSTEM_ID.
  Limits limits;
  std::unique_ptr<NamingStore> store;  ///< Null: the state ends with the process.
  NamingState state;                   ///< What the store contains; only with `root_id`.
  /// Called after a name has been bound, by the thread that has bound it. Does not wait, and throws nothing.
  std::function<void()> bound;
};

/// A naming service of the OMG (Naming Service 1.3, formal/04-10-03): a state, and the operations of its
/// contexts, each called with the id of the context. A name is followed from context to context; contexts of
/// other services are called. Thread-safe; no lock is held while an object is called, or by readers while a
/// change is stored.
///
/// Exceptions, in addition to those of the standard: OBJECT_NOT_EXIST if the context has been destroyed,
/// NO_RESOURCES and IMP_LIMIT beyond the limits, PERSIST_STORE if a change cannot be stored.
class NamingService : public std::enable_shared_from_this<NamingService> {
 public:
  explicit NamingService(ServiceOptions options);

  /// Activates the contexts, and creates the root if there is none. Called once. Returns the root.
  ContextExtRef start();

  void bind(const ContextId& context, const CosNaming::Name& name, const ObjectRef& object, bool replace);
  void bind_context(const ContextId& context, const CosNaming::Name& name, const ContextRef& bound,
                    bool replace);
  ObjectRef resolve(const ContextId& context, const CosNaming::Name& name);
  void unbind(const ContextId& context, const CosNaming::Name& name);
  ContextRef new_context();
  ContextRef bind_new_context(const ContextId& context, const CosNaming::Name& name);
  void destroy(const ContextId& context);
  void list(const ContextId& context, std::uint32_t how_many, CosNaming::BindingList& bindings,
            IteratorRef& rest);

  // For the program that hosts the service, and confirms many bindings together.
  /// Creates a context and binds it, as bind_new_context(). Both, and the bindings in it, survive the end of
  /// the machine when flush() has returned; until then, only that of the process. Nil if `in` belongs to
  /// another service.
  ContextRef bind_unflushed_context(const ContextRef& in, const CosNaming::Name& name);
  /// The same for further changes of a context of this service; no effect for others.
  void defer_flushes(const ContextRef& context);
  /// Makes what has been bound in a context, or removed, survive the end of the machine, and what follows
  /// when it is confirmed. No effect for contexts of which no flushes are deferred. Raises
  /// PERSIST_STORE; it can then be repeated.
  void flush(const ContextRef& context);

  // For BindingIterator.
  /// Sets `bindings` to at most `how_many` bindings behind `last`, which becomes the last of them. None if
  /// the context has been destroyed. Returns whether there are more.
  bool read_bindings(const ContextId& context, std::optional<Key>& last, std::uint32_t how_many,
                     CosNaming::BindingList& bindings);
  OpenIterators& iterators() noexcept { return iterators_; }
  void destroy_iterator(const PortableServer::ObjectId& id);

 private:
  /// Where the walk along a name has ended: at the context of its last component, or at one of another
  /// service.
  struct Place {
    ContextId context;
    std::size_t at = 0;      ///< Index of the next component.
    std::string foreign;     ///< Stringified reference of the other context; empty: `context`.
    bool destroyed = false;  ///< `context` is bound, but has been destroyed.
  };
  Place walk(const ContextId& context, const CosNaming::Name& name) const;
  /// Calls `here(context, last component)` or `there(other context, rest of the name)`.
  template <class Here, class There>
  auto at_place_of(const ContextId& context, const CosNaming::Name& name, Here here, There there);
  /// Makes the change that `make(state)` returns; it may raise an exception instead.
  template <class Make>
  void change(Make make, Durability durability = Durability::machine);
  void put(const ContextId& context, const CosNaming::NameComponent& name, Target target, bool replace);
  /// Activates a new context and makes the change that creates it, which `complete(change, state)` may add
  /// to.
  template <class Complete>
  ContextRef create_context(Complete complete, Durability durability = Durability::machine);
  ContextRef bind_new_context(const ContextId& context, const CosNaming::Name& name, Durability durability);
  void activate(const ContextId& context);

  ContextRef reference_to(const ContextId& context) const;
  ContextRef foreign_context(const std::string& text) const;
  std::string text_of(const ObjectRef& object) const;
  Target target_of(const ContextRef& context) const;
  [[noreturn]] static void fail_to_store(const std::string& reason);

  const PoaRef contexts_;
  const PoaRef iterators_poa_;
  const bool fixed_ids_;
  const Limits limits_;
  const std::unique_ptr<NamingStore> store_;
  const std::function<void()> bound_;
  ContextId root_;
  ContextExtRef root_reference_;
  IDL::traits<CORBA::ORB>::ref_type orb_;
  CORBA::PolicyList foreign_call_policies_;
  OpenIterators iterators_;
  std::mutex change_mutex_;         // locked before state_mutex_, while a change is checked, stored and made
  std::set<ContextId> unflushed_;   // change_mutex_: contexts until flush()
  mutable std::mutex state_mutex_;  // guards the state, for short times only
  NamingState state_;
};

/// Creates a naming service in memory: an empty root context, active in `poa`, which has SYSTEM_ID.
ContextExtRef make_naming_service(PoaRef poa);

}  // namespace orbweaver::naming
