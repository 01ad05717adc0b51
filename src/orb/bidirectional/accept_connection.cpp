#include "orb/bidirectional/accept_connection.h"

#include <utility>

#include "orb/bidirectional/accepted_offer.h"
#include "orb/bidirectional/polled_split.h"
#include "orb/core.h"

namespace orbweaver::orb {

std::string thread_name(const transport::Transport& transport) {
  return std::string("ow-serve-") + transport.name();
}

bool can_split(const Core& core, const transport::Transport& transport, const transport::Channel& channel,
               const IncomingConnections::Admission& admission) {
  return core.accepts_bidirectional() != Options::AcceptBidirectional::off && admission.is_admitted() &&
         (core.reactor() == nullptr || channel.capabilities().readiness != nullptr) &&
         SplitChannel::can_split(transport, channel);
}

bool accept_polled_connection(Core& core, std::unique_ptr<transport::Channel> channel,
                              transport::Transport& transport,
                              std::unique_ptr<IncomingConnections::Admission> admission) {
  const Peer peer = channel->peer();
  const auto split = SplitChannel::make(std::move(channel), SplitChannel::Side::acceptor,
                                        core.options().max_message_bytes, core.lane_budget());
  AcceptedOffer::AddLane add_lane = [&core, &transport](const std::shared_ptr<AcceptedOffer>& offer) {
    return add_polled_lane(core, offer->split(), transport,
                           core.endpoints().incoming().limit_replies(transport),
                           [&](ServerConnection& lane) { lane.accept_offers(offer); });
  };
  // Its connection executes requests at the same time itself.
  if (core.options().threads == Options::Threads::unordered) add_lane = nullptr;
  const auto offer =
      std::make_shared<AcceptedOffer>(core, split, peer, transport.traits().secure, std::move(add_lane));
  return add_polled_lane(core, *split, transport, std::move(admission),
                         [&](ServerConnection& lane) { lane.accept_offers(offer); }) &&
         add_polled_reader(core, split);
}

std::unique_ptr<ServerConnection> accept_connection(Core& core, std::unique_ptr<transport::Channel> channel,
                                                    transport::Transport& transport,
                                                    std::unique_ptr<IncomingConnections::Admission> admission,
                                                    ServedConnections& served) {
  if (!can_split(core, transport, *channel, *admission))
    return std::make_unique<ServerConnection>(core, std::move(channel), transport.name(),
                                              std::move(admission));
  auto split = SplitChannel::make(std::move(channel), SplitChannel::Side::acceptor,
                                  core.options().max_message_bytes, core.lane_budget());
  auto connection = std::make_unique<ServerConnection>(core, split->make_end(SplitChannel::Role::server),
                                                       transport.name(), std::move(admission));
  const auto add_lane = [&core, &transport, &served](const std::shared_ptr<AcceptedOffer>& offer) {
    auto end = offer->split().make_end(SplitChannel::Role::server);
    if (end == nullptr) return false;
    auto lane = std::make_unique<ServerConnection>(core, std::move(end), transport.name(),
                                                   core.endpoints().incoming().limit_replies(transport));
    lane->accept_offers(offer);
    return served.serve_lane(std::move(lane), thread_name(transport));
  };
  const Peer peer = connection->channel().peer();
  connection->accept_offers(
      std::make_shared<AcceptedOffer>(core, split, peer, transport.traits().secure, add_lane));
  return connection;
}

}  // namespace orbweaver::orb
