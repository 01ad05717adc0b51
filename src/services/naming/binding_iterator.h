#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "CosNamingS.h"
#include "services/naming/naming_service.h"

namespace orbweaver::naming {

/// Iterator over the bindings that list() did not return. It reads the context itself, from the name behind
/// the last one that was returned: bindings that are made or removed meanwhile may or may not be returned,
/// every other one is, once. Thread-safe.
class BindingIterator final : public virtual CORBA::servant_traits<CosNaming::BindingIterator>::base_type {
 public:
  BindingIterator(std::shared_ptr<NamingService> service, ContextId context, std::optional<Key> last)
      : service_(std::move(service)), context_(std::move(context)), last_(std::move(last)) {}

  /// Sets the object id of the iterator. Called once, before its reference is returned.
  void set_object_id(PortableServer::ObjectId id) { id_ = std::move(id); }

  bool next_one(CosNaming::Binding& b) override {
    CosNaming::BindingList one;
    if (!next(1, one)) return false;
    b = std::move(one.front());
    return true;
  }
  bool next_n(std::uint32_t how_many, CosNaming::BindingList& bl) override {
    if (how_many == 0)
      throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO, "next_n: how_many must not be 0");
    return next(how_many, bl);
  }
  void destroy() override { service_->destroy_iterator(id_); }

 private:
  bool next(std::uint32_t how_many, CosNaming::BindingList& bl) {
    service_->iterators().touch(id_);
    const std::lock_guard lock(mutex_);
    service_->read_bindings(context_, last_, how_many, bl);
    return !bl.empty();
  }

  const std::shared_ptr<NamingService> service_;
  const ContextId context_;
  PortableServer::ObjectId id_;
  std::mutex mutex_;
  std::optional<Key> last_;  // the last one returned; empty: none
};

}  // namespace orbweaver::naming
