#pragma once

#include "services/events/channel_core.h"

namespace orbweaver::services::events {

/// Creates and activates the objects of a channel: EventChannel, ConsumerAdmin, SupplierAdmin.
void add_objects(const std::shared_ptr<ChannelCore>& core);

}  // namespace orbweaver::services::events
