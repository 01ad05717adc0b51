#include "sca/cf222/domain_names.h"

#include <orbweaver/orb.h>

#include <utility>

#include "giop/ior.h"
#include "platform/clock.h"
#include "sca/cf222/remote_calls.h"
#include "services/naming/name_text.h"

namespace orbweaver::sca {
namespace {

using Context = CosNaming::NamingContext;
using NotFound = Context::NotFound;

constexpr std::uint32_t kListed = 1000;
/// Limit of lists of kListed bindings in the context of an application, to which a client may bind a context
/// of its own that always lists some.
constexpr int kMaxLists = 100;
/// Limit of the calls that remove its bindings, together.
constexpr std::chrono::seconds kRemovalLimit{10};

CosNaming::Name name_of(const std::string& id) { return {CosNaming::NameComponent(id, "")}; }

/// The object as a context; nil if it is something else. The question has a time limit, unlike that of
/// narrow(): clients bind objects of theirs.
DomainNames::ContextRef context_of(const DomainNames::ObjectRef& object) {
  const auto asked = limited<CORBA::Object>(object, kAttributeLimit);
  if (!asked || !asked->_is_a(Context::_interface_id())) return nullptr;
  return limited<Context>(object, kAttributeLimit);
}

/// The addresses in a reference: its IIOP profiles without their object keys.
std::vector<giop::IiopProfile> addresses_of(const DomainNames::ObjectRef& object) {
  std::vector<giop::IiopProfile> addresses;
  const auto ior = giop::parse_ior(object->_get_orb()->object_to_string(object));
  if (!ior) return addresses;
  for (const giop::TaggedData& tagged : ior->profiles) {
    if (tagged.tag != giop::profile_tag::kIiop) continue;
    if (auto profile = giop::decode_iiop_profile(tagged.data)) {
      profile->object_key.clear();
      addresses.push_back(std::move(*profile));
    }
  }
  return addresses;
}

/// Nil if nothing is bound there.
DomainNames::ObjectRef resolve_in(const DomainNames::ContextRef& context, const CosNaming::Name& name) {
  try {
    return context->resolve(name);
  } catch (const NotFound&) {
  } catch (const Context::CannotProceed&) {
  } catch (const Context::InvalidName&) {
  }
  return nullptr;
}

}  // namespace

DomainNames::DomainNames(const ContextRef& root, const std::string& domain,
                         std::shared_ptr<naming::NamingService> hosted)
    : hosted_(std::move(hosted)), root_(limited<Context>(root, kAttributeLimit)),
      domain_(make_context(root_, domain)) {}

DomainNames::ContextRef DomainNames::make_context(const ContextRef& in, const std::string& name) {
  for (int attempt = 0;; ++attempt) {
    try {
      const auto bound = in->resolve(name_of(name));
      try {
        const auto found = context_of(bound);
        if (!found) throw Context::AlreadyBound();
        if (!found->_non_existent()) return found;
      } catch (const CORBA::OBJECT_NOT_EXIST&) {
      }
      in->unbind(name_of(name));  // a context that has been destroyed
    } catch (const NotFound&) {
    }
    try {
      return limited<Context>(in->bind_new_context(name_of(name)), kAttributeLimit);
    } catch (const Context::AlreadyBound&) {  // by another thread
      if (attempt == 2) throw;
    }
  }
}

void DomainNames::bind(const std::string& name, const ObjectRef& object) {
  domain_->rebind(name_of(name), object);
}

DomainNames::ObjectRef DomainNames::find(const std::string& name) {
  try {
    return domain_->resolve(name_of(name));
  } catch (const NotFound&) {
    return nullptr;
  }
}

void DomainNames::unbind(const std::string& name) {
  try {
    domain_->unbind(name_of(name));
  } catch (const NotFound&) {
  }
}

DomainNames::ObjectRef DomainNames::application(const std::string& name) {
  return make_context(domain_, name);
}

DomainNames::ObjectRef DomainNames::new_application(const std::string& name) {
  remove_application(name);
  if (hosted_) {
    try {
      if (const auto context = hosted_->bind_unflushed_context(domain_, name_of(name)))
        return limited<Context>(context, kAttributeLimit);
    } catch (const Context::AlreadyBound&) {  // meanwhile
    }
  }
  return application(name);
}

void DomainNames::flush(const ObjectRef& application) {
  if (!hosted_) return;
  if (const auto context = IDL::traits<Context>::narrow(application)) hosted_->flush(context);
}

void DomainNames::flush_if_possible(const ContextRef& context) noexcept {
  try {
    hosted_->flush(context);
  } catch (const CORBA::Exception&) {  // of the context itself: nothing can be bound in it
  }
}

void DomainNames::remove_application(const std::string& name) {
  const auto context = context_of(find(name));
  if (!context) return;
  // bind_new_context() makes contexts in the server of the domain's one. Another one is somebody else's.
  const bool is_own = addresses_of(context) == addresses_of(domain_);
  // All of it is flushed with the removal of the name.
  if (is_own && hosted_) hosted_->defer_flushes(context);
  try {
    if (is_own) remove_bindings(context);
    unbind(name);
    if (is_own) context->destroy();
  } catch (...) {  // it stays, and others may bind in it
    if (is_own && hosted_) flush_if_possible(context);
    throw;
  }
}

void DomainNames::remove_bindings(const ContextRef& context) {
  const auto deadline = platform::Deadline::in_ns(std::chrono::nanoseconds(kRemovalLimit).count());
  for (int list = 0; list < kMaxLists && !deadline.passed(); ++list) {
    CosNaming::BindingList bindings;
    IDL::traits<CosNaming::BindingIterator>::ref_type rest;
    context->list(kListed, bindings, rest);
    if (rest) limited<CosNaming::BindingIterator>(rest, kAttributeLimit)->destroy();
    if (bindings.empty()) return;
    for (const CosNaming::Binding& binding : bindings)
      if (!deadline.passed()) context->unbind(binding.binding_name());
  }
}

DomainNames::ObjectRef DomainNames::resolve(const std::string& text, const std::string& application) {
  const bool is_absolute = text.starts_with('/');
  CosNaming::Name name;
  try {
    name = naming::to_name(is_absolute ? text.substr(1) : text);
  } catch (const Context::InvalidName&) {
    return nullptr;
  }
  if (is_absolute) return resolve_in(root_, name);
  if (!application.empty()) {
    CosNaming::Name in_application = name_of(application);
    in_application.insert(in_application.end(), name.begin(), name.end());
    if (auto found = resolve_in(domain_, in_application)) return found;
  }
  if (auto found = resolve_in(domain_, name)) return found;
  return resolve_in(root_, name);
}

}  // namespace orbweaver::sca
