#include "sca/runtime/component_factory.h"

#include <utility>
#include <vector>

#include "sca/component/exception_text.h"

namespace orbweaver::sca {

void ComponentFactoryServant::initialize() {
  try {
    const std::lock_guard lock(creating_);
    set_up_();
  } catch (...) {
    throw CF::LifeCycle::InitializeError({current_exception_text()});
  }
}

CF::ComponentType ComponentFactoryServant::createComponent(const std::string& componentId,
                                                           const CF::Properties& qualifiers) {
  try {
    Context context = read_qualifiers(componentId, qualifiers);
    const std::size_t serial = reserve(componentId);
    try {
      return create(componentId, serial, context);
    } catch (...) {
      forget(componentId, serial);
      rethrow_as_creation_failure();
    }
  } catch (const CreationFailure& e) {
    throw CF::ComponentFactory::CreateComponentFailure(e.number, e.message);
  }
}

std::size_t ComponentFactoryServant::reserve(const std::string& id) {
  using enum CF::ErrorNumberType;
  const std::lock_guard lock(mutex_);
  if (is_released_) throw CreationFailure{CF_EBUSY, "the factory has been released"};
  if (components_.contains(id)) throw CreationFailure{CF_EEXIST, "there is a component '" + id + "'"};
  if (created_ == kMaxCreatedComponents) {
    throw CreationFailure{CF_ENOSPC, "the factory has created " + std::to_string(kMaxCreatedComponents) +
                                         " components, its limit"};
  }
  const std::size_t serial = ++reserved_;
  components_.emplace(id, Created{serial, nullptr});
  changed_.notify_all();
  return serial;
}

CF::ComponentType ComponentFactoryServant::create(const std::string& id, std::size_t serial,
                                                  Context& context) {
  const std::lock_guard creating(creating_);
  Component& component = host_.keep(classes_->create(context));
  warn_of_unused_qualifiers(context, id);
  {
    const std::lock_guard lock(mutex_);  // the ORB may have been shut down, too
    if (is_released_) throw CreationFailure{CF::ErrorNumberType::CF_EBUSY, "the factory has been released"};
  }
  auto servant = CORBA::make_reference<RegisteringComponent>(component, host_.poa(),
                                                             [this, id, serial] { forget(id, serial); });
  const CF::ComponentType created = servant->registration(servant->activate(), "");
  {
    const std::lock_guard lock(mutex_);
    ++created_;
    if (!is_released_) {
      components_.at(id).servant = std::move(servant);
      return created;
    }
  }
  servant->releaseObject();
  throw CreationFailure{CF::ErrorNumberType::CF_EBUSY, "the factory has been released"};
}

void ComponentFactoryServant::forget(const std::string& id, std::size_t serial) {
  const std::lock_guard lock(mutex_);
  const auto found = components_.find(id);
  if (found == components_.end() || found->second.serial != serial) return;
  components_.erase(found);
  changed_.notify_all();
}

void ComponentFactoryServant::releaseObject() {
  std::vector<CORBA::servant_reference<RegisteringComponent>> left;
  {
    const std::lock_guard lock(mutex_);
    is_released_ = true;
    for (const auto& [id, created] : components_)
      if (created.servant) left.push_back(created.servant);
  }
  for (const auto& component : left) component->releaseObject();
  host_.end();
}

void ComponentFactoryServant::end_when_unused(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return wait_ended_ || (created_ > 0 && components_.empty()); });
    const std::size_t reserved = reserved_;
    if (!wait_ended_ && changed_.wait_for(lock, limit, [&] { return wait_ended_ || reserved_ != reserved; }))
      continue;
    if (wait_ended_) return;
    is_released_ = true;
    break;
  }
  // Requests in service, which it may wait for, need the lock.
  lock.unlock();
  host_.end();
}

void ComponentFactoryServant::end_wait() {
  const std::lock_guard lock(mutex_);
  wait_ended_ = true;
  changed_.notify_all();
}

}  // namespace orbweaver::sca
