#include "services/naming/naming_context.h"

#include "services/naming/name_text.h"

namespace orbweaver::naming {

void NamingContext::bind(const CosNaming::Name& n, ObjectRef obj) { service_->bind(id_, n, obj, false); }
void NamingContext::rebind(const CosNaming::Name& n, ObjectRef obj) { service_->bind(id_, n, obj, true); }
void NamingContext::bind_context(const CosNaming::Name& n, ContextRef nc) {
  service_->bind_context(id_, n, nc, false);
}
void NamingContext::rebind_context(const CosNaming::Name& n, ContextRef nc) {
  service_->bind_context(id_, n, nc, true);
}
ObjectRef NamingContext::resolve(const CosNaming::Name& n) { return service_->resolve(id_, n); }
void NamingContext::unbind(const CosNaming::Name& n) { service_->unbind(id_, n); }
ContextRef NamingContext::new_context() { return service_->new_context(); }
ContextRef NamingContext::bind_new_context(const CosNaming::Name& n) {
  return service_->bind_new_context(id_, n);
}
void NamingContext::destroy() { service_->destroy(id_); }
void NamingContext::list(std::uint32_t how_many, CosNaming::BindingList& bl, IteratorRef& bi) {
  service_->list(id_, how_many, bl, bi);
}

std::string NamingContext::to_string(const CosNaming::Name& n) { return to_text(n); }
CosNaming::Name NamingContext::to_name(const std::string& sn) { return naming::to_name(sn); }
std::string NamingContext::to_url(const std::string& addr, const std::string& sn) {
  return naming::to_url(addr, sn);
}
ObjectRef NamingContext::resolve_str(const std::string& n) { return resolve(naming::to_name(n)); }

}  // namespace orbweaver::naming
