#pragma once

#include <vector>

#include "sca/control/domain_client.h"
#include "sca/control/domain_tree.h"

namespace orbweaver::sca {

/// Adds the nodes of SCA 4.1 of a domain, which its domain manager of 2.2.2 does not list: those that
/// `domain`, its domain manager of 4.1, lists and that are not among `nodes`. No effect if `domain` is nil or
/// another object. Devices are asked for their states concurrently; one that does not answer has a `problem`.
/// Raises exceptions if the domain manager does not answer.
void add_nodes41(std::vector<ReadNode>& nodes, const DomainClient::ObjectRef& domain);

}  // namespace orbweaver::sca
