#include "orb/listener.h"

#include <iterator>

#include "base/contained.h"
#include "base/log.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/polled_connection.h"
#include "orb/system_exceptions.h"
#include "platform/process_identity.h"

namespace orbweaver::orb {

Listener::Listener(Core& core, transport::Transport& transport, std::unique_ptr<transport::Acceptor> acceptor)
    : core_(core), transport_(transport), acceptor_(std::move(acceptor)) {}

Listener::~Listener() {
  stop_accepting();
  close_connections(transport::Deadline{0});
  while (!join_ended()) platform::sleep_ms(1);
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
  contained("an accepting thread has no name", [this] {
    core_.options().begin_thread(std::string("ow-accept-") + transport_.name());
  });
  for (;;) {
    auto channel = acceptor_->accept();
    if (!channel) return;
    contained("a connection is turned away", [&] {
      reap();
      serve(std::move(*channel));
    });
  }
}

void Listener::serve(std::unique_ptr<transport::Channel> channel) {
  auto admission = core_.limits().admit(transport_, channel->peer());
  if (admission == nullptr) return ServerConnection::turn_away(*channel);
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  log::write_limited(log::Level::debug, "accepted", log::origin(channel->peer()), [&] {
    return std::string("accepted: ") + transport_.name() + " " + channel->peer().address;
  });
  Served& served = served_.emplace_back();
  try {
    served.connection = std::make_unique<ServerConnection>(core_, std::move(channel), transport_.name(), std::move(admission));
    served.thread = std::thread([this, &served] {
      contained("a connection is ended", [&] {
        core_.options().begin_thread(std::string("ow-serve-") + transport_.name());
        served.connection->serve();
      });
      end(served);
    });
  } catch (...) {  // no memory, or no thread: logged by whoever accepts
    served_.pop_back();
    throw;
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

void Listener::close_connections(transport::Deadline patience) {
  const std::lock_guard lock(mutex_);
  for (Served& served : served_) {
    if (served.connection != nullptr) served.connection->close_in_order(patience);
  }
}

/// Requests in progress may take their time, but a client that does not take its reply is not waited for.
bool Listener::join_ended() {
  constexpr std::int64_t kPatience_ms = 1000;
  {
    const std::lock_guard lock(mutex_);
    for (Served& served : served_) {
      if (served.connection == nullptr) continue;
      const std::uint32_t now = served.connection->sending();
      if (now % 2 == 0 || now != served.sending) {
        served.sending = now;
        served.patience = transport::Deadline::in_ms(kPatience_ms);
      } else if (served.patience.passed()) {
        served.patience = transport::Deadline::never();
        served.connection->leave_behind();
      }
    }
  }
  reap();
  const std::lock_guard lock(mutex_);
  return served_.empty();
}

}  // namespace orbweaver::orb
