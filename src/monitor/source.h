#pragma once

#include <orbweaver/result.h>

#include <string>
#include <vector>

#include "monitor/snapshot.h"

namespace orbweaver::monitor {

/// A domain that is monitored. Every function returns within a few seconds, also if parts of the domain do
/// not respond. Errors of commands: invalid for what is asked for, timed_out, or another kind; the message is
/// for the user. Names in arguments come from a client: a source looks them up and does not trust them.
class Source {
 public:
  virtual ~Source() = default;

  /// Reads the domain. Called by one thread, at most once a second unless a command was executed.
  virtual Snapshot read() = 0;

  // The others are called by several threads at a time.

  /// The log lines with a number above `after`, at most `most`, the latest ones, in their order. Does not
  /// call other processes.
  virtual std::vector<LogLine> log(std::uint64_t after, std::size_t most) = 0;

  /// Reads the properties of a component.
  virtual Result<std::vector<Property>> properties(const std::string& component) = 0;
  /// Sets a property of a component to a value in the form of a PRF.
  virtual Result<void> set_property(const std::string& component, const std::string& property,
                                    const std::string& value) = 0;

  /// Whether the domain has an application of that id now. Does not call other processes.
  virtual bool has_application(const std::string& id) = 0;
  virtual Result<void> start(const std::string& application) = 0;
  virtual Result<void> stop(const std::string& application) = 0;
  /// Creates an application of that name from an installed one, by its id.
  virtual Result<void> create(const std::string& installed, const std::string& name) = 0;
  virtual Result<void> release(const std::string& application) = 0;
};

}  // namespace orbweaver::monitor
