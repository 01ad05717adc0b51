#include "sca/cf222/domain_names.h"

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

CosNaming::Name name_of(const std::string& id) { return {CosNaming::NameComponent(id, "")}; }

/// The object as a context; nil if it is something else. The question has a time limit, unlike that of
/// narrow(): clients bind objects of theirs.
DomainNames::ContextRef context_of(const DomainNames::ObjectRef& object) {
  const auto asked = limited<CORBA::Object>(object, kAttributeLimit);
  if (!asked || !asked->_is_a(Context::_interface_id())) return nullptr;
  return limited<Context>(object, kAttributeLimit);
}

}  // namespace

DomainNames::DomainNames(const ContextRef& root, const std::string& domain)
    : root_(limited<Context>(root, kAttributeLimit)), domain_(make_context(root_, domain)) {}

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

void DomainNames::remove_application(const std::string& name) {
  const auto context = context_of(find(name));
  if (!context) return;
  remove_bindings(context);
  unbind(name);
  context->destroy();
}

void DomainNames::remove_bindings(const ContextRef& context) {
  for (int list = 0; list < kMaxLists; ++list) {
    CosNaming::BindingList bindings;
    IDL::traits<CosNaming::BindingIterator>::ref_type rest;
    context->list(kListed, bindings, rest);
    if (rest) limited<CosNaming::BindingIterator>(rest, kAttributeLimit)->destroy();
    if (bindings.empty()) return;
    for (const CosNaming::Binding& binding : bindings) context->unbind(binding.binding_name());
  }
}

DomainNames::ObjectRef DomainNames::resolve(const std::string& text) {
  try {
    return root_->resolve(naming::to_name(text));
  } catch (const NotFound&) {
    return nullptr;
  } catch (const Context::CannotProceed&) {
    return nullptr;
  } catch (const Context::InvalidName&) {
    return nullptr;
  }
}

}  // namespace orbweaver::sca
