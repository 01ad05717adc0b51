#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/result.h>

#include <functional>
#include <string>
#include <vector>

#include "CFC.h"
#include "CosNamingC.h"

namespace orbweaver::sca {

/// What the commands have in common.
struct ControlOptions {
  /// Reference of the naming service. The addresses of a corbaloc URL are tried one after another.
  std::string naming = "corbaloc::localhost/NameService";
  std::string domain = "orbweaver";  ///< Name of the domain.
  bool json = false;
  int query_timeout_ms = 2'000;     ///< Of a call that reads an attribute.
  int action_timeout_ms = 300'000;  ///< Of a call that creates, starts or releases something.
};

/// A client of the domains in a naming service, with an ORB of its own. Each call has a time limit. Any
/// thread.
class DomainClient {
 public:
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
  using ContextRef = IDL::traits<CosNaming::NamingContext>::ref_type;
  using DomainRef = IDL::traits<CF::DomainManager>::ref_type;

  /// Throws Error, as all functions: unavailable if the naming service cannot be called, invalid if its
  /// reference is malformed.
  explicit DomainClient(const ControlOptions& options);
  ~DomainClient();
  DomainClient(const DomainClient&) = delete;
  DomainClient& operator=(const DomainClient&) = delete;

  /// The domain manager of the domain in the options.
  DomainRef domain() const;
  /// The object bound as `name` in the domain's naming context; nil if there is none.
  ObjectRef find_in_domain(const std::string& name) const;
  /// Names of the domains in the naming service: contexts that bind a domain manager under their own name.
  std::vector<std::string> domain_names() const;

  /// The same object with the time limit of actions.
  template <class Interface>
  typename IDL::traits<Interface>::ref_type for_action(
      const typename IDL::traits<Interface>::ref_type& object) const {
    return IDL::traits<Interface>::narrow(with_action_timeout(object));
  }

 private:
  ContextRef find_naming() const;
  ObjectRef with_action_timeout(const ObjectRef& object) const;

  const ControlOptions options_;
  IDL::traits<CORBA::ORB>::ref_type orb_;
  ContextRef root_;
  CORBA::PolicyList action_policies_;
};

/// Calls `function` for 0 … count - 1 concurrently, with at most 64 threads, and waits for all. It must not
/// throw.
void each_concurrently(std::size_t count, const std::function<void(std::size_t)>& function);

/// Executes a command, and makes an Error of what it throws.
Result<std::string> execute(const std::function<std::string()>& command);

}  // namespace orbweaver::sca
