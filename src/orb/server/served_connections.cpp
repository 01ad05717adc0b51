#include "orb/server/served_connections.h"

#include <iterator>
#include <system_error>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "platform/process_identity.h"

namespace orbweaver::orb {

ServedConnections::~ServedConnections() {
  stop();
  close(transport::Deadline{0});
  while (!join_finished()) platform::sleep_ms(1);
}

Result<void> ServedConnections::serve(std::unique_ptr<ServerConnection>& connection,
                                      const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return {};
  ServedConnection& served = connections_.emplace_back();
  served.place = std::prev(connections_.end());
  served.connection = std::move(connection);
  const auto give_back = [&] {
    connection = std::move(served.connection);
    connections_.pop_back();
  };
  try {
    served.thread = std::thread([this, &served, name] {
      catch_and_log("connection closed", [&] {
        options_.set_up_thread(name);
        served.connection->serve();
      });
      end(served);
    });
    return {};
  } catch (const std::system_error& e) {
    give_back();
    return Error{ErrorKind::unavailable, std::string("no thread: ") + e.what()};
  } catch (...) {  // no memory
    give_back();
    throw;
  }
}

bool ServedConnections::serve_lane(std::unique_ptr<ServerConnection> lane, const std::string& name) {
  const Result<void> served = serve(lane, name);
  if (!served) {
    log::write_limited(log::Level::warn, "no thread for a lane", name, [&] {
      return "no further request of a bidirectional connection is executed at the same time: " +
             served.error().message;
    });
  }
  return lane == nullptr;
}

/// Last function of a connection's thread: releases everything but the thread, which is joined by the next
/// thread that ends, by the next `serve` or by the shutdown. Takes the same time for any number of
/// connections.
void ServedConnections::end(ServedConnection& served) {
  served.connection->end();
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

void ServedConnections::reap() {
  std::list<ServedConnection> ended;
  {
    const std::lock_guard lock(mutex_);
    ended.swap(ended_);
  }
  // They are at their end: join does not block.
  for (ServedConnection& served : ended) served.thread.join();
}

void ServedConnections::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
}

void ServedConnections::close(transport::Deadline deadline) {
  const std::lock_guard lock(mutex_);
  for (ServedConnection& served : connections_) {
    if (served.connection != nullptr) served.connection->close_orderly(deadline);
  }
}

/// Requests in progress are waited for; a client that does not read its reply is not.
bool ServedConnections::join_finished() {
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
