#pragma once

#include <orbweaver/poa.h>

#include <mutex>

#include "CosNamingS.h"

namespace orbweaver::naming {

/// Iterator over the bindings that list() did not return at once: a copy, so that later changes of the
/// context have no effect. Thread-safe.
class BindingIterator final : public virtual CORBA::servant_traits<CosNaming::BindingIterator>::base_type {
 public:
  BindingIterator(IDL::traits<PortableServer::POA>::ref_type poa, CosNaming::BindingList rest)
      : poa_(std::move(poa)), rest_(std::move(rest)) {}

  /// Sets the object id of the iterator, for destroy(). Called once, before its reference is returned.
  void set_object_id(PortableServer::ObjectId id) { id_ = std::move(id); }

  bool next_one(CosNaming::Binding& b) override {
    const std::lock_guard lock(mutex_);
    if (next_ == rest_.size()) return false;
    b = rest_[next_++];
    return true;
  }
  bool next_n(std::uint32_t how_many, CosNaming::BindingList& bl) override {
    if (how_many == 0)
      throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO, "next_n: how_many must not be 0");
    const std::lock_guard lock(mutex_);
    bl.clear();
    while (bl.size() < how_many && next_ < rest_.size()) bl.push_back(rest_[next_++]);
    return !bl.empty();
  }
  void destroy() override { poa_->deactivate_object(id_); }

 private:
  IDL::traits<PortableServer::POA>::ref_type poa_;
  PortableServer::ObjectId id_;
  std::mutex mutex_;
  CosNaming::BindingList rest_;
  std::size_t next_ = 0;
};

}  // namespace orbweaver::naming
