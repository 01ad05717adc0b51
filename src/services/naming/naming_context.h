#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "CosNamingS.h"

namespace orbweaver::naming {

using ContextRef = IDL::traits<CosNaming::NamingContext>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

/// Naming context of the OMG Naming Service, in memory. A name of several components is resolved from context
/// to context, which may be on other servers. Thread-safe; no lock is held while another context is called.
///
/// Memory used by clients is limited: kMaxBindings names in a context, beyond which NO_RESOURCES is raised,
/// and kMaxIterators iterators in a service, beyond which the oldest is destroyed.
class NamingContext final : public virtual CORBA::servant_traits<CosNaming::NamingContextExt>::base_type {
 public:
  static constexpr std::size_t kMaxBindings = 65536;
  static constexpr std::size_t kMaxIterators = 64;

  /// `poa` activates the contexts and iterators that this one creates.
  explicit NamingContext(PoaRef poa);
  ~NamingContext() override;

  void bind(const CosNaming::Name& n, ObjectRef obj) override;
  void rebind(const CosNaming::Name& n, ObjectRef obj) override;
  void bind_context(const CosNaming::Name& n, ContextRef nc) override;
  void rebind_context(const CosNaming::Name& n, ContextRef nc) override;
  ObjectRef resolve(const CosNaming::Name& n) override;
  void unbind(const CosNaming::Name& n) override;
  ContextRef new_context() override;
  ContextRef bind_new_context(const CosNaming::Name& n) override;
  void destroy() override;
  void list(std::uint32_t how_many, CosNaming::BindingList& bl,
            IDL::traits<CosNaming::BindingIterator>::ref_type& bi) override;

  std::string to_string(const CosNaming::Name& n) override;
  CosNaming::Name to_name(const std::string& sn) override;
  std::string to_url(const std::string& addr, const std::string& sn) override;
  ObjectRef resolve_str(const std::string& n) override;

 private:
  struct OpenIterators;
  struct Entry {
    ObjectRef object;
    CosNaming::BindingType type;
  };
  using Key = std::pair<std::string, std::string>;  // id and kind

  NamingContext(PoaRef poa, std::shared_ptr<OpenIterators> iterators);
  void add(const CosNaming::Name& name, ObjectRef object, CosNaming::BindingType type, bool replace);
  ContextRef context_of(const CosNaming::Name& name);
  void check_not_destroyed() const;

  PoaRef poa_;
  std::shared_ptr<OpenIterators> iterators_;  // shared by the contexts of one service
  mutable std::mutex mutex_;
  std::map<Key, Entry> entries_;
  bool destroyed_ = false;
};

/// Creates a naming service: an empty root context, active in `poa`.
IDL::traits<CosNaming::NamingContextExt>::ref_type make_naming_service(PoaRef poa);

}  // namespace orbweaver::naming
