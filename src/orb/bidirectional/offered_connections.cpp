#include "orb/bidirectional/offered_connections.h"

#include <string>
#include <utility>

#include "orb/bidirectional/accept_connection.h"
#include "orb/bidirectional/polled_split.h"
#include "orb/core.h"
#include "platform/process_identity.h"

namespace orbweaver::orb {
namespace {

constexpr std::int64_t kSendQueuedAtShutdown_ms = 500;
constexpr std::int64_t kCloseTimeout_ms = 500;  // for servers that do not read CloseConnection

}  // namespace

OfferedConnections::OfferedConnections(Core& core) : core_(core), points_(core), served_(core.options()) {}

bool OfferedConnections::can_offer(const transport::Transport& transport,
                                   const transport::Channel& channel) const noexcept {
  const bool can_poll = core_.reactor() == nullptr || channel.capabilities().readiness != nullptr;
  return can_poll && SplitChannel::can_split(transport, channel);
}

std::shared_ptr<SplitChannel> OfferedConnections::divide(std::unique_ptr<transport::Channel> channel) {
  return SplitChannel::make(std::move(channel), SplitChannel::Side::initiator,
                            core_.options().max_message_bytes, core_.lane_budget());
}

Result<void> OfferedConnections::serve(const std::shared_ptr<SplitChannel>& split,
                                       const ClientConnectionPtr& connection,
                                       const transport::Transport& transport) {
  set_caller(*split, connection);
  {
    const std::lock_guard lock(mutex_);
    connections_.remove_if([](const auto& each) { return each.expired(); });
    connections_.emplace_back(connection);
  }
  if (core_.reactor() != nullptr) {
    if (core_.options().threads != Options::Threads::unordered) {
      split->serve_concurrently([this, of = std::weak_ptr<SplitChannel>(split), &transport] {
        const auto alive = of.lock();
        return alive == nullptr || add_polled_lane(*alive, transport);
      });
    }
    if (add_polled_lane(*split, transport) && add_polled_reader(core_, split)) return {};
    return Error{ErrorKind::unavailable, "the connection cannot be offered: no descriptor for the reactor"};
  }
  split->serve_concurrently([this, of = std::weak_ptr<SplitChannel>(split), &transport] {
    const auto alive = of.lock();
    if (alive == nullptr) return true;
    auto lane = make_lane(*alive, transport);
    return lane != nullptr && served_.serve_lane(std::move(lane), thread_name(transport));
  });
  served_.reap();
  auto lane = make_lane(*split, transport);  // the first one: the connection has not ended
  return served_.serve(lane, thread_name(transport));
}

std::unique_ptr<ServerConnection> OfferedConnections::make_lane(SplitChannel& split,
                                                                const transport::Transport& transport) {
  auto end = split.make_end(SplitChannel::Role::server);
  if (end == nullptr) return nullptr;
  auto server = std::make_unique<ServerConnection>(core_, std::move(end), transport.name(),
                                                   core_.endpoints().incoming().limit_replies(transport));
  server->serve_bidirectional_only(split);
  return server;
}

bool OfferedConnections::add_polled_lane(SplitChannel& split, const transport::Transport& transport) {
  return orb::add_polled_lane(core_, split, transport, core_.endpoints().incoming().limit_replies(transport),
                              [&](ServerConnection& lane) { lane.serve_bidirectional_only(split); });
}

void OfferedConnections::wait_until_sent(transport::Deadline deadline) {
  std::list<CORBA::weak_object_reference<ClientConnection>> connections;
  {
    const std::lock_guard lock(mutex_);
    connections = connections_;
  }
  for (const auto& each : connections) {
    if (const auto connection = each.lock()) connection->sender().queued_requests().wait_until_sent(deadline);
  }
}

void OfferedConnections::close() {
  served_.stop();
  wait_until_sent(transport::Deadline::in_ms(kSendQueuedAtShutdown_ms));
  served_.close(transport::Deadline::in_ms(kCloseTimeout_ms));
  while (!served_.join_finished()) platform::sleep_ms(1);
}

}  // namespace orbweaver::orb
