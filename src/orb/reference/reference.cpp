#include "orb/reference/reference.h"

#include <algorithm>
#include <new>
#include <string_view>

#include "base/log.h"
#include "orb/bidirectional/listen_point_claims.h"
#include "orb/bidirectional/own_listen_points.h"
#include "orb/client/dynamic_operation.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/real_time.h"
#include "orb/reference/insecure_fallback.h"
#include "orb/system_exceptions.h"

namespace orbweaver {

using CORBA::CompletionStatus;

Reference::Reference(std::shared_ptr<orb::Core> core, giop::Ior ior, ConnectionSharing connections,
                     orb::ClientPolicies policies, std::string offering_peer)
    : core_(std::move(core)), ior_(std::move(ior)),
      connection_sharing_(policies.has_private_connection() ||
                                  core_->policy_manager()->has_private_connections()
                              ? ConnectionSharing::not_shared
                              : connections),
      policies_(std::move(policies)), offering_peer_(std::move(offering_peer)),
      preference_(policies_.transports() != nullptr ? *policies_.transports() : core_->preference()) {
  std::string why_not;
  endpoints_ = orb::usable_endpoints(ior_, preference_, why_not);
  for (const giop::TaggedData& profile : ior_.profiles) {
    Bytes key;
    if (profile.tag != giop::profile_tag::kIiop || !giop::find_object_key(profile.data, key)) continue;
    key_.assign(key.begin(), key.end());
    break;
  }
  is_collocated_ = std::any_of(endpoints_.begin(), endpoints_.end(), [&](const Endpoint& endpoint) {
    return core_->endpoints().is_own_endpoint(endpoint);
  });
  calls_directly_ = is_collocated_ && core_->request_interception() == nullptr;
  if (!why_not.empty()) {
    const Peer* const sender = orbweaver::peer();  // the peer that sent the reference, in an upcall
    const auto line = [&] { return "unusable endpoints of " + ior_.type_id + ":" + why_not; };
    if (sender == nullptr)
      log::debug(line);
    else
      log::write_limited(log::Level::debug, "unusable endpoints", log::origin(*sender), line);
  }
}

Reference::~Reference() {
  if (orb::ReferenceBands* const bands = this->bands(); bands != nullptr) bands->release();
}

bool Reference::offers_connections() const noexcept {
  return policies_.bidirectional().value_or(core_->policy_manager()->is_bidirectional());
}

/// Connects: over an open connection to the endpoint, else one that the process at the endpoint has opened,
/// else a new one.
Result<ClientConnectionPtr> Reference::connect(const Endpoint& endpoint, Deadline deadline) {
  orb::ConnectionCache& connections = core_->connections();
  const auto offer = offers_connections() ? orb::Offer::yes : orb::Offer::no;
  const auto accepted = core_->accepts_bidirectional();
  if (accepted != orb::Options::AcceptBidirectional::off && !has_private_connection()) {
    if (auto open = connections.find(*endpoint.transport, endpoint.address, offer)) return open;
    if (auto claimed = core_->claims().find(endpoint, offering_peer_, accepted)) return claimed;
  }
  if (orb::is_unreachable_address(endpoint.address)) {
    return Error{
        ErrorKind::transient,
        "the object is called over connections that its process opens (bidirectional GIOP), and none "
        "is open, or this process does not accept them (-ORBAcceptBidirectional), or its process calls this "
        "one over a transport without them: set -ORBTransportPreference tcp or unix there"};
  }
  return has_private_connection()
             ? connections.connect_private(*endpoint.transport, endpoint.address, deadline, offer)
             : connections.connect(*endpoint.transport, endpoint.address, deadline, offer);
}

Binding::~Binding() {
  if (owner_ != nullptr) owner_->close_private(connection);
  for (auto& slot : plans_) delete slot.load(std::memory_order_relaxed);
}

const orb::RequestPlan& Binding::make_plan(const Operation& operation, giop::Body body,
                                           std::optional<orb::RequestPlan>& uncached) const {
  orb::RequestPlan made = orb::make_request_plan(endpoint, operation, body, max_fragment_bytes_);
  if (orb::is_dynamic(operation)) return uncached.emplace(std::move(made));
  for (auto& slot : plans_) {
    if (slot.load(std::memory_order_relaxed) != nullptr) continue;
    auto entry = std::make_unique<const CachedPlan>(CachedPlan{&operation, body, made});
    const CachedPlan* expected = nullptr;
    if (slot.compare_exchange_strong(expected, entry.get(), std::memory_order_acq_rel))
      return entry.release()->plan;
  }
  return uncached.emplace(std::move(made));
}

/// Replaces the binding. The old one is retired until its grace period has elapsed; elapsed ones are
/// destroyed. Nothing has changed if it throws before the new binding is stored.
void Reference::set_binding(std::unique_ptr<const Binding> binding) {
  for (RetiredBinding& retired : retired_) {
    if (!retired.grace_period) retired.grace_period.emplace();
  }
  std::erase_if(retired_, [](const RetiredBinding& retired) { return retired.grace_period->has_elapsed(); });
  retired_.reserve(retired_.size() + 1);
  current_binding_.store(binding.get(), std::memory_order_release);
  binding_.swap(binding);
  if (binding == nullptr) return;
  lost_calls_.fetch_add(binding->take_lost_calls(), std::memory_order_relaxed);
  retired_.push_back({std::move(binding), std::nullopt});
  retired_.back().grace_period.emplace();
}

struct Reference::BindFailures {
  std::string text;
  bool timed_out = false;
  std::size_t inproc_size = 0;  // of what `text` begins with

  /// That a process cannot be called by `inproc` is told if it has no other endpoint.
  void add(const Endpoint& endpoint, const Error& error) {
    timed_out |= error.kind == ErrorKind::timed_out;
    if (inproc_size != 0) text.erase(0, inproc_size + (text.size() > inproc_size ? 2 : 0));
    const bool is_first = text.empty();
    inproc_size = 0;
    text += std::string(text.empty() ? "" : "; ") + endpoint.transport->name() + ": " + error.message;
    if (is_first && std::string_view(endpoint.transport->name()) == "inproc") inproc_size = text.size();
  }
};

/// The endpoints to bind to. Forwards and addressing set after `number` was read make it outdated.
struct Reference::Targets {
  std::uint64_t number;
  std::vector<Endpoint> endpoints;  ///< Tried after the following ones.
  const giop::Ior& ior;
  std::vector<Endpoint> forward_endpoints;
  giop::Ior forward_ior;
  giop::AddressingDisposition addressing;
};

namespace {

/// Locks a mutex at most until a deadline; raises TIMEOUT then.
class TimedLock {
 public:
  TimedLock(platform::TimedMutex& mutex, Deadline deadline) : mutex_(mutex) {
    if (mutex_.lock(deadline)) return;
    throw CORBA::TIMEOUT(minor::kCallTimeout, CompletionStatus::COMPLETED_NO,
                         "could not connect in time: another thread is opening the connection");
  }
  TimedLock(const TimedLock&) = delete;
  TimedLock& operator=(const TimedLock&) = delete;
  ~TimedLock() { mutex_.unlock(); }

 private:
  platform::TimedMutex& mutex_;
};

}  // namespace

/// Each calling thread waits at most until its own deadline: `bind_mutex_` is not held while connecting. The
/// connection cache makes threads share a connection, and `private_bind_mutex_` those of a private one.
const Binding& Reference::bind(Deadline deadline) try {
  std::optional<TimedLock> opening;
  if (has_private_connection()) opening.emplace(private_bind_mutex_, deadline);
  for (;;) {
    core_->check_running();
    std::unique_lock lock(bind_mutex_);
    if (const Binding* current = usable_binding()) return *current;
    const Targets targets{targets_number_, is_moved() ? moved_endpoints_ : endpoints_,
                          ior(),           forward_endpoints_,
                          forward_ior_,    addressing_};
    lock.unlock();
    BindFailures failures;
    orb::InsecureFallback fallback(core_->options());
    std::unique_ptr<const Binding> made =
        bind_to(targets.forward_endpoints, targets.forward_ior, targets, fallback, failures, deadline);
    const bool forward_failed = made == nullptr;
    if (made == nullptr && !fallback.is_distrusted())
      made = bind_to(targets.endpoints, targets.ior, targets, fallback, failures, deadline);
    lock.lock();
    if (const Binding* current = usable_binding()) return *current;
    if (targets.number != targets_number_) continue;
    // Moved again: continue with the original endpoints. But one deadline of this thread is no failure of the
    // forward, which other threads may reach; a second one in a row is.
    const bool timed_out = forward_failed && deadline.passed();
    if (forward_failed && (!timed_out || forward_timed_out_)) clear_forward();
    forward_timed_out_ = timed_out;
    if (made == nullptr) raise_not_bound(fallback, failures, deadline);
    set_binding(std::move(made));
    return *binding_;
  }
} catch (const std::bad_alloc&) {
  orb::raise_no_memory();
}

/// Connects to the first of `endpoints`, those of `ior`, that can be reached. Returns null if there is none.
std::unique_ptr<const Binding> Reference::bind_to(const std::vector<Endpoint>& endpoints,
                                                  const giop::Ior& ior, const Targets& targets,
                                                  orb::InsecureFallback& fallback, BindFailures& failures,
                                                  Deadline deadline) {
  fallback.begin_reference();
  for (const Endpoint& endpoint : endpoints) {
    if (!failures.text.empty() && deadline.passed()) {
      failures.timed_out = true;
      break;
    }
    if (!fallback.permits(endpoint, failures.text)) continue;
    auto connection = connect(endpoint, deadline);
    if (!connection) {
      fallback.note_failure(endpoint, connection.error());
      failures.add(endpoint, connection.error());
      continue;
    }
    orb::ConnectionCache* const owner = has_private_connection() ? &core_->connections() : nullptr;
    std::unique_ptr<const Binding> made;
    try {
      fallback.warn(endpoint, ior_.type_id);
      Endpoint selected = endpoint;
      if (targets.addressing != giop::AddressingDisposition::key && endpoint.version >= giop::kGiop12)
        selected.target = giop::address_of(ior, endpoint.profile, targets.addressing);
      made = std::make_unique<const Binding>(*connection, std::move(selected), owner,
                                             core_->options().max_fragment_bytes);
    } catch (const std::bad_alloc&) {
      if (owner != nullptr) owner->close_private(*connection);  // no binding owns it
      throw;
    }
    log::debug(
        [&] { return "endpoint selected for " + ior_.type_id + ": " + connection->get()->description(); });
    if (!failures.text.empty())
      log::debug([&] { return "preferred endpoints of " + ior_.type_id + " that failed: " + failures.text; });
    return made;
  }
  return nullptr;
}

void Reference::raise_not_bound(const orb::InsecureFallback& fallback, const BindFailures& failures,
                                Deadline deadline) const {
  if (failures.text.empty()) {
    throw CORBA::INV_OBJREF(minor::kUnusableReference, CompletionStatus::COMPLETED_NO,
                            "the reference has no usable profile:" + unusable_endpoints());
  }
  if (fallback.is_denied()) {
    throw CORBA::NO_PERMISSION(minor::kAccessDenied, CompletionStatus::COMPLETED_NO,
                               "not permitted: " + failures.text);
  }
  if (failures.timed_out && deadline.passed()) {
    throw CORBA::TIMEOUT(minor::kCallTimeout, CompletionStatus::COMPLETED_NO,
                         "could not connect in time: " + failures.text);
  }
  throw CORBA::TRANSIENT(minor::kNoUsableEndpoint, CompletionStatus::COMPLETED_NO,
                         "no usable endpoint: " + failures.text);
}

void Reference::flush(Deadline deadline) {
  const orb::CallScope scope;
  const Binding* const binding = current_binding();
  if (binding == nullptr && lost_calls_.load(std::memory_order_relaxed) == 0) return;  // never bound
  Result<void> sent;
  if (binding != nullptr) {
    sent = binding->connection->sender().flush(deadline);
    lost_calls_.fetch_add(binding->take_lost_calls(), std::memory_order_relaxed);
  }
  if (const std::uint64_t lost = lost_calls_.exchange(0, std::memory_order_relaxed); lost != 0) {
    throw CORBA::COMM_FAILURE(minor::kPeerLost, CompletionStatus::COMPLETED_MAYBE,
                              "up to " + std::to_string(lost) +
                                  " queued one-way calls lost with their connection" +
                                  (sent ? "" : ": " + sent.error().message));
  }
  if (sent) return;
  const bool stay_queued = sent.error().kind == ErrorKind::timed_out;
  orb::raise_for(sent.error(),
                 stay_queued ? CompletionStatus::COMPLETED_NO : CompletionStatus::COMPLETED_MAYBE);
}

std::string Reference::unusable_endpoints() const {
  std::string why_not;
  orb::usable_endpoints(ior(), preference_, why_not);
  return why_not;
}

const giop::Ior& Reference::ior_to_send() const noexcept {
  const giop::Ior& now = ior();
  return &now == &ior_ || giop::bound_of(now) > giop::bound_of(ior_) ? ior_ : now;
}

void Reference::forward(giop::Ior ior, Forward how) {
  std::string why_not;
  std::vector<Endpoint> endpoints = orb::usable_endpoints(ior, preference_, why_not);
  if (endpoints.empty()) {
    throw CORBA::INV_OBJREF(minor::kUnusableReference, CompletionStatus::COMPLETED_NO,
                            "the object forwards to an unusable reference:" + why_not);
  }
  const std::lock_guard lock(bind_mutex_);
  if (how == Forward::permanent && moved_.size() < kMaxMoves) {
    moved_.push_back(std::make_unique<const giop::Ior>(std::move(ior)));
    ior_now_.store(moved_.back().get(), std::memory_order_release);
    moved_endpoints_ = std::move(endpoints);
    forward_endpoints_.clear();
  } else {
    forward_endpoints_ = std::move(endpoints);
    forward_ior_ = std::move(ior);
  }
  forward_timed_out_ = false;
  is_forwarded_.store(true, std::memory_order_release);
  ++targets_number_;
  set_binding(nullptr);
}

void Reference::keep_forward(giop::Ior ior, Forward how) {
  const std::lock_guard lock(bind_mutex_);
  kept_forward_.emplace(std::move(ior), how);
}

void Reference::follow_kept_forward() {
  std::optional<std::pair<giop::Ior, Forward>> kept;
  {
    const std::lock_guard lock(bind_mutex_);
    kept = std::exchange(kept_forward_, std::nullopt);
  }
  if (kept) forward(std::move(kept->first), kept->second);
}

void Reference::clear_forward() {
  forward_endpoints_.clear();
  is_forwarded_.store(is_moved(), std::memory_order_release);
}

bool Reference::drop_forward() {
  const std::lock_guard lock(bind_mutex_);
  if (forward_endpoints_.empty()) return false;
  clear_forward();
  ++targets_number_;
  set_binding(nullptr);
  return true;
}

giop::Ior Reference::effective_ior() {
  const std::lock_guard lock(bind_mutex_);
  return forward_endpoints_.empty() ? ior() : forward_ior_;
}

std::vector<std::uint8_t> Reference::forward_key() {
  const std::lock_guard lock(bind_mutex_);
  for (const Endpoint& endpoint : forward_endpoints_.empty() ? moved_endpoints_ : forward_endpoints_) {
    if (core_->endpoints().is_own_endpoint(endpoint)) return endpoint.object_key;
  }
  return {};
}

void Reference::set_addressing_disposition(giop::AddressingDisposition addressing) {
  const std::lock_guard lock(bind_mutex_);
  addressing_ = addressing;
  ++targets_number_;
  set_binding(nullptr);
}

}  // namespace orbweaver
