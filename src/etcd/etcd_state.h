#pragma once

#include <memory>

#include "etcd/leadership.h"
#include "state/shared_state.h"

namespace orbweaver::etcd {

/// A state in etcd. No call is made before lead().
std::unique_ptr<state::SharedState> make_etcd_state(LeadershipOptions options);

}  // namespace orbweaver::etcd
