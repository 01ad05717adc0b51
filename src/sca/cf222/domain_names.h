#pragma once

#include <orbweaver/object.h>

#include <memory>
#include <string>

#include "CosNamingC.h"
#include "services/naming/naming_service.h"

namespace orbweaver::sca {

/// The names of a domain in a naming service: the context of the domain, and one for each application in it.
/// Raises the exceptions of CosNaming and of the calls, which have a time limit. Thread-safe.
class DomainNames {
 public:
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
  using ContextRef = IDL::traits<CosNaming::NamingContext>::ref_type;

  /// Creates the context `domain` in `root` if there is none. `hosted` is the naming service if it is one of
  /// this process, or null. Raises CosNaming::NamingContext::AlreadyBound if the name is that of an object.
  DomainNames(const ContextRef& root, const std::string& domain,
              std::shared_ptr<naming::NamingService> hosted = nullptr);

  /// Binds an object in the context of the domain, instead of what is bound there.
  void bind(const std::string& name, const ObjectRef& object);
  /// What is bound there; nil if nothing is.
  ObjectRef find(const std::string& name);
  /// No effect if nothing is bound there.
  void unbind(const std::string& name);

  /// The context of an application: created, or the existing one.
  ObjectRef application(const std::string& name);
  /// The context of an application that is being created, after the removal of what an earlier one has left.
  /// In a naming service of this process, what is bound in it survives the end of the machine no sooner than
  /// flush() has returned.
  ObjectRef new_application(const std::string& name);
  void flush(const ObjectRef& application);
  /// Removes it with all bindings in it, within a time limit. No effect if there is none. Contexts that are
  /// bound in it, or that somebody else has bound under this name, are not emptied: the latter, in another
  /// server than the context of the domain, are only unbound.
  void remove_application(const std::string& name);

  /// As DeploymentDomain::find_by_name; names are in their text form: "rx_1/source_1". Nil if there is none.
  ObjectRef resolve(const std::string& text, const std::string& application);
  const ContextRef& root() const { return root_; }

 private:
  static ContextRef make_context(const ContextRef& in, const std::string& name);
  static void remove_bindings(const ContextRef& context);
  void flush_if_possible(const ContextRef& context) noexcept;

  const std::shared_ptr<naming::NamingService> hosted_;
  const ContextRef root_;
  const ContextRef domain_;
};

}  // namespace orbweaver::sca
