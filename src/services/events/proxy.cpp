#include "services/events/proxy.h"

#include "CosEventChannelAdminC.h"
#include "base/catch_and_log.h"

namespace orbweaver::services::events {
namespace {

[[noreturn]] void raise_ended() {
  throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO, "the proxy has been disconnected");
}

}  // namespace

bool Proxy::end() noexcept {
  std::unique_lock lock(mutex_);
  return end(lock);
}

bool Proxy::end_if_unused(std::int64_t idle_ms) noexcept {
  std::unique_lock lock(mutex_);
  return unused(idle_ms) && end(lock);
}

bool Proxy::end(std::unique_lock<std::mutex>& lock) noexcept {
  const State before = state_.exchange(State::ended);
  lock.unlock();
  if (before == State::ended) return false;
  catch_and_log("end of a proxy of an event channel", [&] { on_end(before == State::connected); });
  core_->remove_proxy(*this);
  return true;
}

bool Proxy::unused(std::int64_t idle_ms) const noexcept {
  const State state = state_.load();
  if (state == State::unconnected) return true;
  return state == State::connected && evictable_when_idle_ && idle(idle_ms);
}

void Proxy::connect_once(const std::function<void()>& connect) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::ended) raise_ended();
  if (state_ == State::connected) throw CosEventChannelAdmin::AlreadyConnected();
  connect();
  state_ = State::connected;
  used_ns_.store(now_ns(), std::memory_order_relaxed);
}

void Proxy::check_connected() {
  used_ns_.store(now_ns(), std::memory_order_relaxed);
  if (state_.load() != State::connected) throw CosEventComm::Disconnected();
}

void Proxy::disconnect() {
  if (!end()) raise_ended();
}

void Proxy::notify(std::function<void()> call) noexcept {
  catch_and_log("event channel cannot tell a peer that it is disconnected", [&] {
    core_->parts->workers.start("ow-event-end", [call = std::move(call)] { try_call(call); });
  });
}

}  // namespace orbweaver::services::events
