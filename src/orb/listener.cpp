#include "orb/listener.h"

#include <chrono>
#include <iterator>
#include <system_error>

#include "base/log.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/polled_connection.h"
#include "orb/system_exceptions.h"

namespace orbweaver::orb {

Listener::Listener(Core& core, transport::Transport& transport, std::unique_ptr<transport::Acceptor> acceptor)
    : core_(core), transport_(transport), acceptor_(std::move(acceptor)) {}

Listener::~Listener() {
  stop_accepting();
  close_connections();
  join();
}

void Listener::start() {
  if (Reactor* reactor = core_.reactor()) {
    if (reactor->add(std::make_shared<PolledEndpoint>(core_, *reactor, transport_, acceptor_))) return;
    throw CORBA::INITIALIZE(minor::kCannotListen, CORBA::CompletionStatus::COMPLETED_NO,
                            std::string(transport_.name()) +
                                ": its endpoints cannot be polled, as -ORBThreads single and pool:N need");
  }
  acceptor_thread_ = std::thread([this] { accept_loop(); });
}

void Listener::accept_loop() {
  core_.options().begin_thread(std::string("ow-accept-") + transport_.name());
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
  log::write_limited(log::Level::debug, "accepted", log::origin(channel->peer()), [&] {
    return std::string("accepted: ") + transport_.name() + " " + channel->peer().address;
  });
  Served& served = served_.emplace_back();
  try {
    served.connection = std::make_unique<ServerConnection>(core_, std::move(channel), transport_.name());
    served.thread = std::thread([this, &served] {
      core_.options().begin_thread(std::string("ow-serve-") + transport_.name());
      served.connection->serve();
      end(served);
    });
  } catch (const std::system_error& e) {
    log::write_limited(log::Level::warn, "no thread for a connection", log::origin(served.connection->channel().peer()), [&] {
      return std::string("a connection was turned away: no thread to serve it: ") + e.what();
    });
    served_.pop_back();
  }
}

/// The last act of a connection's thread: gives everything back but the thread itself, which the next one to end,
/// the next to be accepted or the shutdown joins.
void Listener::end(Served& served) {
  served.connection->close();
  reap();
  std::unique_ptr<ServerConnection> connection;
  const std::lock_guard lock(mutex_);
  connection = std::move(served.connection);
  connection.reset();
  ended_.notify_all();
}

/// Joins the threads of connections that have ended.
void Listener::reap() {
  std::list<Served> ended;
  {
    const std::lock_guard lock(mutex_);
    for (auto served = served_.begin(); served != served_.end();) {
      const auto next = std::next(served);
      if (served->connection == nullptr) ended.splice(ended.end(), served_, served);
      served = next;
    }
  }
  // They have nothing left to do: none of them waits for another.
  for (Served& served : ended) served.thread.join();
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
  for (Served& served : served_) {
    if (served.connection != nullptr) served.connection->close_in_order();
  }
}

/// Requests in progress may take their time, but a client that does not take its reply is not waited for.
void Listener::join() {
  constexpr std::int64_t kPatienceMs = 1000;
  std::unique_lock lock(mutex_);
  while (!served_.empty()) {
    Served& served = served_.front();  // stays there until it has ended: nobody else reaps what is connected
    std::uint32_t seen = served.connection ? served.connection->sending() : 0;
    auto patience = transport::Deadline::in_ms(kPatienceMs);
    while (!served_.empty() && &served == &served_.front() && served.connection != nullptr) {
      ended_.wait_for(lock, std::chrono::milliseconds(1));
      if (served_.empty() || &served != &served_.front() || served.connection == nullptr) break;
      const std::uint32_t now = served.connection->sending();
      if (now % 2 == 0 || now != seen) {
        seen = now;
        patience = transport::Deadline::in_ms(kPatienceMs);
      } else if (patience.passed()) {
        log::warn("a client that does not take its reply is left behind");
        served.connection->close();
      }
    }
    lock.unlock();
    reap();
    lock.lock();
  }
}

}  // namespace orbweaver::orb
