#include "orb/core.h"

#include <utility>

#include "base/log.h"
#include "orb/bidirectional/lane_budget.h"
#include "orb/bidirectional/listen_point_claims.h"
#include "orb/bidirectional/offered_connections.h"
#include "orb/interception.h"
#include "orb/policy/call_policies.h"
#include "orb/real_time.h"
#include "orb/server/reactor.h"
#include "transport/stream/lingering.h"

namespace orbweaver::orb {
namespace {

std::unique_ptr<Reactor> make_reactor(const Options& options) {
  if (options.threads == Options::Threads::connection) return nullptr;
  auto reactor = std::make_unique<Reactor>();
  if (options.threads == Options::Threads::single) reactor->set_single();
  return reactor;
}

}  // namespace

Core::Core(Options options)
    : options_(std::move(options)), reactor_(make_reactor(options_)),
      lane_budget_(std::make_shared<LaneBudget>(
          LaneBudget::Limits{options_.bidirectional_bytes(), options_.bidirectional_lanes})),
      claims_(std::make_unique<ListenPointClaims>()), offered_(std::make_unique<OfferedConnections>(*this)) {}

Core::~Core() { finish_shutdown(); }

std::vector<std::string> Core::preference() const {
  const ClientPolicies policies = policy_manager_->policies();
  return policies.transports() != nullptr ? *policies.transports() : options_.preference;
}

bool Core::must_serve_while_waiting() const noexcept {
  return reactor_ != nullptr && reactor_->must_serve_while_waiting();
}

void Core::serve_while_waiting(transport::Deadline deadline) { reactor_->serve_while_waiting(deadline); }

void Core::set_interception(std::shared_ptr<Interception> interception) {
  interception_ = std::move(interception);
}

void Core::intercept_requests(bool intercepts) noexcept {
  // As with policies, `invoke` leaves all calls to ClientCall, and thus to the interceptors.
  if (intercepts) call_policies_in_use.store(true, std::memory_order_relaxed);
  request_interception_.store(intercepts ? interception_.get() : nullptr, std::memory_order_relaxed);
}

std::shared_ptr<RealTime> Core::set_real_time(std::shared_ptr<RealTime> real_time) {
  const std::lock_guard lock(real_time_mutex_);
  if (real_time_owner_ == nullptr) {
    real_time_owner_ = std::move(real_time);
    // As with policies, `invoke` leaves all calls to ClientCall, which asks for priorities.
    call_policies_in_use.store(true, std::memory_order_relaxed);
    real_time_.store(real_time_owner_.get(), std::memory_order_release);
  }
  return real_time_owner_;
}

void Core::retry_held_requests() {
  if (reactor_ != nullptr) reactor_->resume_all();
}

void Core::run() {
  // otherwise, or if another thread runs the reactor, only wait
  if (reactor_ != nullptr && reactor_->single()) reactor_->run();
  shutdown_.wait();
  finish_shutdown();
}

void Core::request_shutdown() {
  shutdown_.request();
  if (finder_ != nullptr) finder_->wake();
  // Pool threads continue until `finish_shutdown`, like those of connections.
  if (reactor_ != nullptr && reactor_->single()) reactor_->wake();
}

void Core::finish_shutdown() {
  request_shutdown();
  if (!shutdown_.begin_finish()) return;
  endpoints_.close();
  offered_->close();
  flusher_.stop();
  connections_.close();
  if (RealTime* const real_time = this->real_time())
    real_time->stop();  // no call of a servant waits any more
  async_calls_.stop();
  log::report_suppressed();
  transport::wait_for_lingering_sockets();  // the program may exit after this call
  shutdown_.end_finish();
}

}  // namespace orbweaver::orb
