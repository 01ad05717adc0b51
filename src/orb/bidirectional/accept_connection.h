#pragma once

#include <memory>

#include "orb/server/served_connections.h"

namespace orbweaver::orb {

/// Creates the server end of an accepted connection, with a thread of its own: with -ORBAcceptBidirectional,
/// or if the ORB has a BidirectionalPolicy with BOTH, one whose peer may be called over it. `served` serves
/// it, and those that serve further requests of the same connection.
std::unique_ptr<ServerConnection> accept_connection(Core& core, std::unique_ptr<transport::Channel> channel,
                                                    transport::Transport& transport,
                                                    std::unique_ptr<IncomingConnections::Admission> admission,
                                                    ServedConnections& served);
/// Whether such a connection is one whose peer may be called over it.
bool can_split(const Core& core, const transport::Transport& transport, const transport::Channel& channel,
               const IncomingConnections::Admission& admission);
/// The same in an ORB with a reactor, for a connection whose peer may be called over it: adds its handlers.
/// False if there is no descriptor for them, and after the shutdown.
bool accept_polled_connection(Core& core, std::unique_ptr<transport::Channel> channel,
                              transport::Transport& transport,
                              std::unique_ptr<IncomingConnections::Admission> admission);
/// Name of the thread of a server connection.
std::string thread_name(const transport::Transport& transport);

}  // namespace orbweaver::orb
