#include "services/naming/naming_context.h"

#include <cctype>
#include <deque>

#include "services/naming/binding_iterator.h"
#include "services/naming/name_text.h"

namespace orbweaver::naming {
namespace {

using CosNaming::BindingType;
using Context = CosNaming::NamingContext;
using Reason = Context::NotFoundReason;

constexpr auto kNotDone = CORBA::CompletionStatus::COMPLETED_NO;

void check_name(const CosNaming::Name& name) {
  if (name.empty() || name.size() > kMaxNameComponents) throw Context::InvalidName();
}

CosNaming::Name rest_of(const CosNaming::Name& name) { return {name.begin() + 1, name.end()}; }

}  // namespace

/// Open iterators of a service, oldest first. The oldest is destroyed when there are too many, as clients may
/// never destroy theirs.
struct NamingContext::OpenIterators {
  std::mutex mutex;
  std::deque<PortableServer::ObjectId> open;

  void register_iterator(const PoaRef& poa, PortableServer::ObjectId id) {
    PortableServer::ObjectId oldest;
    {
      const std::lock_guard lock(mutex);
      open.push_back(std::move(id));
      if (open.size() <= kMaxIterators) return;
      oldest = std::move(open.front());
      open.pop_front();
    }
    try {
      poa->deactivate_object(oldest);
    } catch (const PortableServer::POA::ObjectNotActive&) {  // already destroyed by its client
    }
  }
};

NamingContext::NamingContext(PoaRef poa) : NamingContext(std::move(poa), std::make_shared<OpenIterators>()) {}
NamingContext::NamingContext(PoaRef poa, std::shared_ptr<OpenIterators> iterators)
    : poa_(std::move(poa)), iterators_(std::move(iterators)) {}
NamingContext::~NamingContext() = default;

void NamingContext::check_not_destroyed() const {
  if (destroyed_) throw CORBA::OBJECT_NOT_EXIST(0, kNotDone, "the naming context has been destroyed");
}

void NamingContext::add(const CosNaming::Name& name, ObjectRef object, BindingType type, bool replace) {
  const std::lock_guard lock(mutex_);
  check_not_destroyed();
  const Key key{name[0].id(), name[0].kind()};
  const auto found = entries_.find(key);
  if (found != entries_.end()) {
    if (!replace) throw Context::AlreadyBound();
    // rebind() replaces an object and rebind_context() a context, never one by the other (1.3, 2.1.2).
    if (found->second.type != type) {
      throw Context::NotFound(type == BindingType::nobject ? Reason::not_object : Reason::not_context, name);
    }
    found->second.object = std::move(object);
    return;
  }
  if (entries_.size() == kMaxBindings) throw CORBA::NO_RESOURCES(0, kNotDone, "the naming context is full");
  entries_.emplace(key, Entry{std::move(object), type});
}

/// Returns the context bound to the first component of a compound name.
ContextRef NamingContext::context_of(const CosNaming::Name& name) {
  ObjectRef object;
  {
    const std::lock_guard lock(mutex_);
    check_not_destroyed();
    const auto found = entries_.find({name[0].id(), name[0].kind()});
    if (found == entries_.end()) throw Context::NotFound(Reason::missing_node, name);
    if (found->second.type != BindingType::ncontext) throw Context::NotFound(Reason::not_context, name);
    object = found->second.object;
  }
  auto context = IDL::traits<Context>::narrow(object);
  if (!context) throw Context::NotFound(Reason::not_context, name);
  return context;
}

void NamingContext::bind(const CosNaming::Name& n, ObjectRef obj) {
  check_name(n);
  if (n.size() > 1) return context_of(n)->bind(rest_of(n), obj);
  add(n, std::move(obj), BindingType::nobject, false);
}

void NamingContext::rebind(const CosNaming::Name& n, ObjectRef obj) {
  check_name(n);
  if (n.size() > 1) return context_of(n)->rebind(rest_of(n), obj);
  add(n, std::move(obj), BindingType::nobject, true);
}

void NamingContext::bind_context(const CosNaming::Name& n, ContextRef nc) {
  check_name(n);
  if (!nc) throw CORBA::BAD_PARAM(0, kNotDone, "bind_context: nil context");
  if (n.size() > 1) return context_of(n)->bind_context(rest_of(n), nc);
  add(n, std::move(nc), BindingType::ncontext, false);
}

void NamingContext::rebind_context(const CosNaming::Name& n, ContextRef nc) {
  check_name(n);
  if (!nc) throw CORBA::BAD_PARAM(0, kNotDone, "rebind_context: nil context");
  if (n.size() > 1) return context_of(n)->rebind_context(rest_of(n), nc);
  add(n, std::move(nc), BindingType::ncontext, true);
}

ObjectRef NamingContext::resolve(const CosNaming::Name& n) {
  check_name(n);
  if (n.size() > 1) return context_of(n)->resolve(rest_of(n));
  const std::lock_guard lock(mutex_);
  check_not_destroyed();
  const auto found = entries_.find({n[0].id(), n[0].kind()});
  if (found == entries_.end()) throw Context::NotFound(Reason::missing_node, n);
  return found->second.object;
}

void NamingContext::unbind(const CosNaming::Name& n) {
  check_name(n);
  if (n.size() > 1) return context_of(n)->unbind(rest_of(n));
  ObjectRef dropped;  // destroyed without the lock: may release a servant
  const std::lock_guard lock(mutex_);
  check_not_destroyed();
  const auto found = entries_.find({n[0].id(), n[0].kind()});
  if (found == entries_.end()) throw Context::NotFound(Reason::missing_node, n);
  std::swap(dropped, found->second.object);
  entries_.erase(found);
}

ContextRef NamingContext::new_context() {
  const auto servant = CORBA::servant_reference<NamingContext>::adopt(new NamingContext(poa_, iterators_));
  return IDL::traits<Context>::narrow(poa_->id_to_reference(poa_->activate_object(servant)));
}

ContextRef NamingContext::bind_new_context(const CosNaming::Name& n) {
  check_name(n);
  if (n.size() > 1) return context_of(n)->bind_new_context(rest_of(n));
  ContextRef created = new_context();
  try {
    add(n, created, BindingType::ncontext, false);
  } catch (...) {
    created->destroy();
    throw;
  }
  return created;
}

void NamingContext::destroy() {
  {
    const std::lock_guard lock(mutex_);
    check_not_destroyed();
    if (!entries_.empty()) throw Context::NotEmpty();
    destroyed_ = true;
  }
  this->_add_ref();
  const auto self = CORBA::servant_reference<NamingContext>::adopt(this);
  poa_->deactivate_object(poa_->servant_to_id(self));
}

void NamingContext::list(std::uint32_t how_many, CosNaming::BindingList& bl,
                         IDL::traits<CosNaming::BindingIterator>::ref_type& bi) {
  CosNaming::BindingList rest;
  {
    const std::lock_guard lock(mutex_);
    check_not_destroyed();
    bl.clear();
    for (const auto& [key, entry] : entries_) {
      CosNaming::BindingList& to = bl.size() < how_many ? bl : rest;
      to.emplace_back(CosNaming::Name{CosNaming::NameComponent(key.first, key.second)}, entry.type);
    }
  }
  bi = nullptr;
  if (rest.empty()) return;
  const auto servant = CORBA::make_reference<BindingIterator>(poa_, std::move(rest));
  auto id = poa_->activate_object(servant);
  servant->set_object_id(id);
  bi = IDL::traits<CosNaming::BindingIterator>::narrow(poa_->id_to_reference(id));
  iterators_->register_iterator(poa_, std::move(id));
}

std::string NamingContext::to_string(const CosNaming::Name& n) { return to_text(n); }
CosNaming::Name NamingContext::to_name(const std::string& sn) { return naming::to_name(sn); }
ObjectRef NamingContext::resolve_str(const std::string& n) { return resolve(naming::to_name(n)); }

std::string NamingContext::to_url(const std::string& addr, const std::string& sn) {
  if (addr.empty() || addr.find_first_of("#% ") != std::string::npos)
    throw CosNaming::NamingContextExt::InvalidAddress();
  naming::to_name(sn);  // checks the syntax
  // Characters that a URL must not contain are written as %xx (RFC 2396; 1.3, 2.5.3.4).
  static constexpr char kHex[] = "0123456789abcdef";
  std::string url = "corbaname:" + addr + "#";
  for (const char c : sn) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte < 0x80 && std::isalnum(byte) != 0) ||
                       std::string(";/:?@&=+$,-_.!~*'()").find(c) != std::string::npos;
    if (plain) {
      url += c;
    } else {
      url += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return url;
}

IDL::traits<CosNaming::NamingContextExt>::ref_type make_naming_service(PoaRef poa) {
  const auto servant = CORBA::make_reference<NamingContext>(poa);
  return IDL::traits<CosNaming::NamingContextExt>::narrow(
      poa->id_to_reference(poa->activate_object(servant)));
}

}  // namespace orbweaver::naming
