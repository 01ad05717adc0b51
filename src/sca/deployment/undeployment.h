#pragma once

#include "sca/deployment/deployment.h"

namespace orbweaver::sca {

/// What a record says of a component without a reference and without a process.
enum class RecordedStart {
  exact,     ///< It was not executed: the record is that of a deployment that has just failed.
  outdated,  ///< It may have been executed: the domain manager has ended before it could store the process.
};

/// undeploy() of either kind of record.
std::vector<std::string> undeploy(Application& record, DeploymentDomain& domain,
                                  const DeploymentLimits& limits, RecordedStart recorded);

}  // namespace orbweaver::sca
