#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "sca/control/control_commands.h"

namespace orbweaver::tools {

/// The commands below a subcommand that are clients of a domain, and their arguments.
class ControlSubcommands {
 public:
  using Action = std::function<Result<std::string>(const sca::ControlOptions&, const sca::ControlOperands&)>;

  /// `subcommand`: its name, for messages: "app".
  explicit ControlSubcommands(const char* subcommand) : subcommand_(subcommand) {}
  ControlSubcommands(const ControlSubcommands&) = delete;
  ControlSubcommands& operator=(const ControlSubcommands&) = delete;

  /// Adds a command with the options that all have. Further ones are added to the result.
  CLI::App* add(CLI::App& app, const char* name, const char* summary, Action action);
  sca::ControlOperands& operands() { return operands_; }

  /// Whether one of the commands has been given.
  bool parsed() const;
  /// Executes it, prints its text, and returns the exit status.
  int run() const;

 private:
  const char* subcommand_;
  sca::ControlOptions options_;
  sca::ControlOperands operands_;
  std::vector<std::pair<CLI::App*, Action>> commands_;
};

}  // namespace orbweaver::tools
