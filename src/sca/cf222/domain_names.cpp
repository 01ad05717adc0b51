#include "sca/cf222/domain_names.h"

#include "sca/cf222/remote_calls.h"
#include "services/naming/name_text.h"

namespace orbweaver::sca {
namespace {

using Context = CosNaming::NamingContext;
using NotFound = Context::NotFound;

/// Contexts in each other that the removal of an application follows: a name may be bound to any context.
constexpr int kMaxDepth = 4;
constexpr std::uint32_t kListed = 1000;

CosNaming::Name name_of(const std::string& id) { return {CosNaming::NameComponent(id, "")}; }

}  // namespace

DomainNames::DomainNames(const ContextRef& root, const std::string& domain)
    : root_(limited<Context>(root, kAttributeLimit)), domain_(make_context(root_, domain)) {}

DomainNames::ContextRef DomainNames::make_context(const ContextRef& in, const std::string& name) {
  for (int attempt = 0;; ++attempt) {
    try {
      const auto found = IDL::traits<Context>::narrow(in->resolve(name_of(name)));
      if (found && !found->_non_existent()) return limited<Context>(found, kAttributeLimit);
      if (!found) throw Context::AlreadyBound();
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
  const auto context = IDL::traits<Context>::narrow(find(name));
  if (!context) return;
  const auto calls = limited<Context>(context, kAttributeLimit);
  remove_bindings(calls, kMaxDepth);
  unbind(name);
  calls->destroy();
}

void DomainNames::remove_bindings(const ContextRef& context, int depth) {
  for (;;) {
    CosNaming::BindingList bindings;
    IDL::traits<CosNaming::BindingIterator>::ref_type rest;
    context->list(kListed, bindings, rest);
    if (rest) rest->destroy();
    for (const CosNaming::Binding& binding : bindings) {
      const CosNaming::Name& name = binding.binding_name();
      if (binding.binding_type() == CosNaming::BindingType::ncontext && depth > 0) {
        const auto inner = IDL::traits<Context>::narrow(context->resolve(name));
        if (inner) {
          remove_bindings(limited<Context>(inner, kAttributeLimit), depth - 1);
          context->unbind(name);
          inner->destroy();
          continue;
        }
      }
      context->unbind(name);
    }
    if (bindings.empty()) return;
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
