#include "orb/listener.h"

#include <system_error>

#include "base/log.h"
#include "orb/core.h"
#include "platform/process_identity.h"
#include "platform/thread.h"

namespace orbweaver::orb {

Listener::Listener(Core& core, transport::Transport& transport, std::unique_ptr<transport::Acceptor> acceptor)
    : core_(core), transport_(transport), acceptor_(std::move(acceptor)) {}

Listener::~Listener() {
  stop_accepting();
  close_connections();
  join();
}

void Listener::start() {
  acceptor_thread_ = std::thread([this] { accept_loop(); });
}

void Listener::accept_loop() {
  platform::name_this_thread((std::string("ow-accept-") + transport_.name()).c_str());
  for (;;) {
    auto channel = acceptor_->accept();
    if (!channel) return;
    reap();
    serve(std::move(*channel));
  }
}

void Listener::serve(std::unique_ptr<transport::Channel> channel) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  log::debug([&] { return std::string("accepted: ") + transport_.name() + " " + channel->peer().address; });
  Served& served = served_.emplace_back();
  try {
    served.connection = std::make_unique<ServerConnection>(core_, std::move(channel));
    served.thread = std::thread([this, &served] {
      platform::name_this_thread((std::string("ow-serve-") + transport_.name()).c_str());
      served.connection->serve();
      served.connection->close();
      served.done.store(true, std::memory_order_release);
    });
  } catch (const std::system_error& e) {
    log::warn(std::string("a connection was turned away: no thread to serve it: ") + e.what());
    served_.pop_back();
  }
}

/// Joins the threads of connections that have ended.
void Listener::reap() {
  const std::lock_guard lock(mutex_);
  for (auto served = served_.begin(); served != served_.end();) {
    if (!served->done.load(std::memory_order_acquire)) {
      ++served;
      continue;
    }
    served->thread.join();
    served = served_.erase(served);
  }
}

void Listener::stop_accepting() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  acceptor_->close();
  if (acceptor_thread_.joinable()) acceptor_thread_.join();
}

void Listener::close_connections() {
  const std::lock_guard lock(mutex_);
  for (Served& served : served_) served.connection->close_in_order();
}

/// Requests in progress may take their time, but a client that does not take its reply is not waited for.
void Listener::join() {
  constexpr std::int64_t kPatienceMs = 1000;
  for (Served& served : served_) {
    std::uint32_t seen = served.connection->sending();
    auto patience = transport::Deadline::in_ms(kPatienceMs);
    while (!served.done.load(std::memory_order_acquire)) {
      platform::sleep_ms(1);
      const std::uint32_t now = served.connection->sending();
      if (now % 2 == 0 || now != seen) {
        seen = now;
        patience = transport::Deadline::in_ms(kPatienceMs);
      } else if (patience.passed()) {
        log::warn("a client that does not take its reply is left behind");
        served.connection->close();
      }
    }
    if (served.thread.joinable()) served.thread.join();
  }
}

}  // namespace orbweaver::orb
