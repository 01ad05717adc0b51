#pragma once

#include <memory>
#include <string>

#include "CosNamingS.h"
#include "services/naming/naming_service.h"

namespace orbweaver::naming {

/// Servant of one context of a naming service. Thread-safe.
class NamingContext final : public virtual CORBA::servant_traits<CosNaming::NamingContextExt>::base_type {
 public:
  explicit NamingContext(std::shared_ptr<NamingService> service) : service_(std::move(service)) {}

  /// Sets the id of the context. Called once, before its reference is returned.
  void set_context_id(ContextId id) { id_ = std::move(id); }

  void bind(const CosNaming::Name& n, ObjectRef obj) override;
  void rebind(const CosNaming::Name& n, ObjectRef obj) override;
  void bind_context(const CosNaming::Name& n, ContextRef nc) override;
  void rebind_context(const CosNaming::Name& n, ContextRef nc) override;
  ObjectRef resolve(const CosNaming::Name& n) override;
  void unbind(const CosNaming::Name& n) override;
  ContextRef new_context() override;
  ContextRef bind_new_context(const CosNaming::Name& n) override;
  void destroy() override;
  void list(std::uint32_t how_many, CosNaming::BindingList& bl, IteratorRef& bi) override;

  std::string to_string(const CosNaming::Name& n) override;
  CosNaming::Name to_name(const std::string& sn) override;
  std::string to_url(const std::string& addr, const std::string& sn) override;
  ObjectRef resolve_str(const std::string& n) override;

 private:
  const std::shared_ptr<NamingService> service_;
  ContextId id_;
};

}  // namespace orbweaver::naming
