#include "orb/reference.h"

#include <algorithm>

#include "base/log.h"
#include "orb/core.h"
#include "orb/insecure_fallback.h"
#include "orb/minor_codes.h"
#include "orb/system_exceptions.h"

namespace orbweaver {

using CORBA::CompletionStatus;

Reference::Reference(std::shared_ptr<orb::Core> core, giop::Ior ior, Connections connections, orb::ClientPolicies policies)
    : core_(std::move(core)),
      ior_(std::move(ior)),
      connections_(connections),
      policies_(std::move(policies)),
      preference_(policies_.transports() != nullptr ? *policies_.transports() : core_->preference()) {
  std::string why_not;
  roads_ = orb::roads_of(ior_, preference_, why_not);
  for (const giop::Tagged& profile : ior_.profiles) {
    Bytes key;
    if (profile.tag != giop::profile_tag::kIiop || !giop::find_object_key(profile.data, key)) continue;
    key_.assign(key.begin(), key.end());
    break;
  }
  local_ = std::any_of(roads_.begin(), roads_.end(), [&](const Road& road) { return core_->is_own(road); });
  if (!why_not.empty()) {
    const Peer* const sender = orbweaver::peer();  // who sent the reference, where one came with a request
    const auto line = [&] { return "roads to " + ior_.type_id + " not taken:" + why_not; };
    if (sender == nullptr) log::debug(line);
    else log::write_limited(log::Level::debug, "endpoints not usable", log::origin(*sender), line);
  }
}

Reference::~Reference() = default;

Result<ClientConnectionPtr> Reference::connect(const Road& road, Deadline deadline) {
  return has_own_connection() ? core_->connect_privately(*road.transport, road.address, deadline)
                              : core_->connect(*road.transport, road.address, deadline);
}

Binding::~Binding() {
  if (owner_ != nullptr) owner_->end_private(connection);
  for (auto& slot : requests_) delete slot.load(std::memory_order_relaxed);
}

const giop::RequestTemplate& Binding::prepare(const Operation& operation, giop::Body body) const {
  static thread_local giop::RequestTemplate unkept;
  const std::uint8_t flags = operation.oneway ? giop::response::kNone : giop::response::kWithTarget;
  const std::string_view name{operation.name, operation.name_bytes};
  giop::RequestTemplate made = road.target.addressing == giop::Addressing::key
                                   ? giop::RequestTemplate(road.version, flags, road.object_key, name, {}, body)
                                   : giop::RequestTemplate(flags, road.target, name, body);
  for (auto& slot : requests_) {
    if (slot.load(std::memory_order_relaxed) != nullptr) continue;
    auto fresh = std::make_unique<const Prepared>(Prepared{&operation, body, made});
    const Prepared* none = nullptr;
    if (slot.compare_exchange_strong(none, fresh.get(), std::memory_order_acq_rel)) return fresh.release()->beginning;
  }
  unkept = std::move(made);
  return unkept;
}

/// Puts the old binding aside until no call uses it, and lets go of those whose time has come.
void Reference::replace_binding(std::unique_ptr<const Binding> binding) {
  bound_.store(binding.get(), std::memory_order_release);
  binding_.swap(binding);
  if (binding != nullptr) lost_calls_.fetch_add(binding->take_lost_calls(), std::memory_order_relaxed);
  std::erase_if(retired_, [](const Retired& retired) { return retired.grace.over(); });
  if (binding != nullptr) retired_.push_back({std::move(binding), orb::Grace()});
}

const Binding& Reference::bind(Deadline deadline) {
  const std::lock_guard lock(bind_mutex_);
  if (const Binding* bound = bound_.load(std::memory_order_relaxed); bound && bound->connection->usable()) return *bound;
  core_->check_running();
  std::string failures;
  bool timed_out = false;
  orb::InsecureFallback fallback(core_->options());
  for (const std::vector<Road>* roads : {&forwarded_, &roads_}) {
    fallback.begin_reference();
    for (const Road& road : *roads) {
      if (!fallback.permits(road, failures)) continue;
      auto connection = connect(road, deadline);
      if (connection) {
        fallback.warn(road, ior_.type_id);
        Road taken = road;
        if (addressing_ != giop::Addressing::key && road.version >= giop::kGiop12) {
          taken.target = giop::address_of(roads == &roads_ ? ior_ : forwarded_ior_, road.profile, addressing_);
        }
        orb::Core* const owner = has_own_connection() ? core_.get() : nullptr;
        replace_binding(std::make_unique<const Binding>(*connection, std::move(taken), owner));
        log::debug([&] { return "calls to " + ior_.type_id + " go by " + connection->get()->description(); });
        return *binding_;
      }
      fallback.note_failure(road, connection.error());
      timed_out |= connection.error().remedy == Remedy::wait;
      failures += std::string(failures.empty() ? "" : "; ") + road.transport->name() + ": " + connection.error().message;
    }
    if (roads == &forwarded_) forwarded_.clear();  // it has moved on again, or back: ask where it was first
    if (fallback.is_distrusted()) break;
  }
  if (failures.empty()) {
    throw CORBA::INV_OBJREF(minor::kUnusableReference, CompletionStatus::COMPLETED_NO,
                            "the reference has no profile that this ORB can use:" + roads_not_taken());
  }
  if (fallback.is_denied()) {
    throw CORBA::NO_PERMISSION(minor::kAccessDenied, CompletionStatus::COMPLETED_NO, "not permitted: " + failures);
  }
  if (timed_out && deadline.passed()) {
    throw CORBA::TIMEOUT(minor::kCallTimeout, CompletionStatus::COMPLETED_NO, "could not connect in time: " + failures);
  }
  throw CORBA::TRANSIENT(minor::kNoRoad, CompletionStatus::COMPLETED_NO, "no road to the object: " + failures);
}

void Reference::flush(Deadline deadline) {
  const orb::CallScope scope;
  const Binding* const binding = bound();
  if (binding == nullptr && lost_calls_.load(std::memory_order_relaxed) == 0) return;  // nothing was ever called
  Result<void> sent;
  if (binding != nullptr) {
    sent = binding->connection->flush(deadline);
    lost_calls_.fetch_add(binding->take_lost_calls(), std::memory_order_relaxed);
  }
  if (const std::uint64_t lost = lost_calls_.exchange(0, std::memory_order_relaxed); lost != 0) {
    throw CORBA::COMM_FAILURE(minor::kPeerLost, CompletionStatus::COMPLETED_MAYBE,
                              "one-way calls that were queued were lost with their connection, " + std::to_string(lost) +
                                  " at most" + (sent ? "" : ": " + sent.error().message));
  }
  if (!sent) orb::raise_for(sent.error(), CompletionStatus::COMPLETED_MAYBE);
}

std::string Reference::roads_not_taken() const {
  std::string why_not;
  orb::roads_of(ior_, preference_, why_not);
  return why_not;
}

void Reference::forward(giop::Ior ior) {
  std::string why_not;
  std::vector<Road> roads = orb::roads_of(ior, preference_, why_not);
  if (roads.empty()) {
    throw CORBA::INV_OBJREF(minor::kUnusableReference, CompletionStatus::COMPLETED_NO,
                            "the object forwards to a reference that cannot be used" + why_not);
  }
  const std::lock_guard lock(bind_mutex_);
  forwarded_ = std::move(roads);
  forwarded_ior_ = std::move(ior);
  replace_binding(nullptr);
}

void Reference::address_by(giop::Addressing addressing) {
  const std::lock_guard lock(bind_mutex_);
  addressing_ = addressing;
  replace_binding(nullptr);
}

}  // namespace orbweaver
