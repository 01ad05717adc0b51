#include "orb/server/listener.h"

#include <iterator>
#include <system_error>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/server/polled_connection.h"
#include "orb/system_exceptions.h"
#include "platform/process_identity.h"

namespace orbweaver::orb {

Listener::Listener(Core& core, transport::Transport& transport, std::unique_ptr<transport::Acceptor> acceptor)
    : core_(core), transport_(transport), acceptor_(std::move(acceptor)) {}

Listener::~Listener() {
  stop_accepting();
  close_connections(transport::Deadline{0});
  while (!join_finished()) platform::sleep_ms(1);
}

void Listener::start() {
  if (Reactor* reactor = core_.reactor()) {
    if (reactor->add(std::make_shared<PolledAcceptor>(core_, *reactor, transport_, acceptor_))) return;
    throw CORBA::INITIALIZE(
        minor::kCannotListen, CORBA::CompletionStatus::COMPLETED_NO,
        std::string(transport_.name()) +
            ": endpoint without a descriptor; -ORBThreads single, pool:N and unordered:N need one");
  }
  acceptor_thread_ = std::thread([this] { accept_loop(); });
}

void Listener::accept_loop() {
  catch_and_log("setting up an acceptor thread",
                [this] { core_.options().set_up_thread(std::string("ow-accept-") + transport_.name()); });
  for (;;) {
    auto channel = acceptor_->accept();
    if (!channel) return;
    catch_and_log("connection rejected", [&] {
      reap();
      serve(std::move(*channel));
    });
  }
}

namespace {
void log_no_thread(const transport::Transport& transport, const Peer& peer, const std::system_error& error) {
  log::write_limited(log::Level::warn, "connection rejected without a thread", log::origin(peer), [&] {
    return std::string("connection rejected: ") + transport.name() + " " + peer.address +
           ": no thread: " + error.what() +
           "; raise the limit of threads (ulimit -u, pids.max) or of memory (ulimit -v), or use "
           "-ORBThreads pool:N";
  });
}
}  // namespace

void Listener::serve(std::unique_ptr<transport::Channel> channel) {
  auto admission = core_.endpoints().incoming().admit(transport_, channel->peer());
  if (admission == nullptr) return ServerConnection::reject(*channel);
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  log::write_limited(log::Level::debug, "accepted", log::origin(channel->peer()), [&] {
    return std::string("accepted: ") + transport_.name() + " " + channel->peer().address;
  });
  ServedConnection& served = connections_.emplace_back();
  served.place = std::prev(connections_.end());
  transport::Channel& opened = *channel;
  try {
    served.connection = std::make_unique<ServerConnection>(core_, std::move(channel), transport_.name(),
                                                           std::move(admission));
    try {
      served.thread = std::thread([this, &served] {
        catch_and_log("connection closed", [&] {
          core_.options().set_up_thread(std::string("ow-serve-") + transport_.name());
          served.connection->serve();
        });
        end(served);
      });
    } catch (const std::system_error& e) {
      ServerConnection::reject(opened);
      log_no_thread(transport_, opened.peer(), e);
      connections_.pop_back();
    }
  } catch (...) {  // no memory; logged by the caller
    connections_.pop_back();
    throw;
  }
}

/// Last function of a connection's thread: releases everything but the thread, which is joined by the next
/// thread that ends, by the next accept or by the shutdown. Takes the same time for any number of
/// connections.
void Listener::end(ServedConnection& served) {
  served.connection->close();
  served.connection->wait_for_queued();
  reap();
  std::unique_ptr<ServerConnection> connection;
  {
    const std::lock_guard lock(mutex_);
    connection = std::move(served.connection);
  }
  connection.reset();
  const std::lock_guard lock(mutex_);
  ended_.splice(ended_.end(), connections_, served.place);
}

/// Joins the threads of connections that have ended.
void Listener::reap() {
  std::list<ServedConnection> ended;
  {
    const std::lock_guard lock(mutex_);
    ended.swap(ended_);
  }
  // They are at their end: join does not block.
  for (ServedConnection& served : ended) served.thread.join();
}

void Listener::stop_accepting() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  acceptor_->close();
  if (acceptor_thread_.joinable()) acceptor_thread_.join();
}

void Listener::close_connections(transport::Deadline deadline) {
  const std::lock_guard lock(mutex_);
  for (ServedConnection& served : connections_) {
    if (served.connection != nullptr) served.connection->close_orderly(deadline);
  }
}

/// Joins the threads that have ended. Requests in progress are waited for; a client that does not read its
/// reply is not.
bool Listener::join_finished() {
  constexpr std::int64_t kCloseTimeoutMs = 1000;
  {
    const std::lock_guard lock(mutex_);
    for (ServedConnection& served : connections_) {
      if (served.connection == nullptr) continue;
      const std::uint32_t now = served.connection->send_sequence();
      if (now % 2 == 0 || now != served.send_sequence) {
        served.send_sequence = now;
        served.deadline = transport::Deadline::in_ms(kCloseTimeoutMs);
      } else if (served.deadline.passed()) {
        served.deadline = transport::Deadline::never();
        served.connection->leave_behind();
      }
    }
  }
  reap();
  const std::lock_guard lock(mutex_);
  return connections_.empty() && ended_.empty();
}

}  // namespace orbweaver::orb
