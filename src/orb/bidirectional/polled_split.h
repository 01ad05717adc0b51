#pragma once

#include <functional>
#include <memory>

#include "orb/server/incoming_connections.h"

namespace orbweaver::orb {

class Core;
class ServerConnection;
class SplitChannel;

/// Adds a lane of a divided channel, in an ORB with a reactor: a server connection that is a handler of the
/// reactor. `set_up`: called with the connection, before its first request. False after the shutdown.
bool add_polled_lane(Core& core, SplitChannel& split, const transport::Transport& transport,
                     std::unique_ptr<IncomingConnections::Admission> admission,
                     const std::function<void(ServerConnection&)>& set_up);
/// Adds the handler that reads the divided channel, until the connection ends. False if there is no
/// descriptor for it, and after the shutdown.
bool add_polled_reader(Core& core, const std::shared_ptr<SplitChannel>& split);

}  // namespace orbweaver::orb
