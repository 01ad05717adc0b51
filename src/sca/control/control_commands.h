#pragma once

#include <orbweaver/result.h>

#include <string>
#include <vector>

#include "sca/control/domain_client.h"

/// What `orbweaver domain list|tree|show`, `node list` and `app …` do: calls to a domain by a person or a
/// script. Each returns the text to print. Errors: invalid if the input is malformed; unavailable if the
/// domain does not answer, has no such object, or raises an exception.
namespace orbweaver::sca {

/// What follows the command.
struct ControlOperands {
  std::string name;  ///< Of a file, an installed application, an application, a channel or a log, or an id.
  std::string as;    ///< Of `create`: the name of the new application; empty: that of the installed one.
  std::vector<std::string> assignments;  ///< Of `create`: "COMPONENT=DEVICE".
  bool redeploy = false;                 ///< Of `create` and `redeploy`.
  /// "ID=VALUE" of `configure`; of `create` also "ID:TYPE=VALUE", since nobody can be asked for the type. Ids
  /// of `query`.
  std::vector<std::string> properties;
};

Result<std::string> list_domains(const ControlOptions& options);
Result<std::string> show_tree(const ControlOptions& options);
/// A node, device, installed application, application or component, by its id or name.
Result<std::string> show_object(const ControlOptions& options, const ControlOperands& operands);
Result<std::string> list_nodes(const ControlOptions& options);

Result<std::string> list_applications(const ControlOptions& options);
Result<std::string> install_application(const ControlOptions& options, const ControlOperands& operands);
Result<std::string> uninstall_application(const ControlOptions& options, const ControlOperands& operands);
Result<std::string> create_application(const ControlOptions& options, const ControlOperands& operands);
Result<std::string> redeploy_application(const ControlOptions& options, const ControlOperands& operands);
Result<std::string> start_application(const ControlOptions& options, const ControlOperands& operands);
Result<std::string> stop_application(const ControlOptions& options, const ControlOperands& operands);
Result<std::string> configure_application(const ControlOptions& options, const ControlOperands& operands);
Result<std::string> query_application(const ControlOptions& options, const ControlOperands& operands);
Result<std::string> release_application(const ControlOptions& options, const ControlOperands& operands);

}  // namespace orbweaver::sca
