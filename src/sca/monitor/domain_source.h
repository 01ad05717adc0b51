#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/services/log_service.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "monitor/source.h"
#include "sca/domain/domain_model.h"
#include "sca/monitor/component_reader.h"
#include "sca/monitor/shared_properties.h"
#include "sca/profile/property.h"

namespace orbweaver::sca {

/// Operations of a domain on its applications, by id, and its log. Each raises the CORBA exceptions of the
/// core framework.
struct DomainCommands {
  std::function<void(const std::string&application)> start, stop, release;
  std::function<void(const std::string& installed, const std::string& name)> create;
  /// The PRF of a component, by its id; of no properties if it is not known.
  std::function<PropertyFile(const std::string& component)> properties;
  /// The records of the domain's log with an id above `after`, at most `most`, the latest ones, in their
  /// order, with at least the first kMostReadBytes of their strings. Does not call other processes.
  std::function<std::vector<services::LogEntry>(std::uint64_t after, std::size_t most)> log;
};

/// A domain for the web monitor: the records of its model, and what its components report. Called as
/// monitor::Source describes.
class DomainSource : public monitor::Source {
 public:
  /// `model` outlives it. A component is asked for its properties at most once in `properties_interval`.
  DomainSource(const IDL::traits<CORBA::ORB>::ref_type& orb, DomainModel& model, std::string domain,
               DomainCommands commands,
               std::chrono::nanoseconds properties_interval = std::chrono::seconds(1));

  monitor::Snapshot read() override;
  std::vector<monitor::LogLine> log(std::uint64_t after, std::size_t most) override;
  Result<std::vector<monitor::Property>> properties(const std::string& component) override;
  Result<void> set_property(const std::string& component, const std::string& property,
                            const std::string& value) override;
  bool has_application(const std::string& id) override;
  Result<void> start(const std::string& application) override;
  Result<void> stop(const std::string& application) override;
  Result<void> create(const std::string& installed, const std::string& name) override;
  Result<void> release(const std::string& application) override;

 private:
  using PropertySetRef = IDL::traits<CF::PropertySet>::ref_type;

  void read_records(monitor::Snapshot& snapshot) const;
  void read_devices(monitor::Snapshot& snapshot);
  void read_application(const Application& record, const std::map<std::string, std::string>& node_of,
                        monitor::Snapshot& snapshot);
  /// The reference of a component that may have properties. Errors: invalid if there is none.
  Result<std::string> reference_of(const std::string& component) const;
  /// The properties of a component of this reference, with a time limit for its calls. Errors: invalid if it
  /// has none.
  Result<PropertySetRef> property_set(const std::string& component, const std::string& reference) const;
  Result<std::vector<monitor::Property>> read_properties(const std::string& component,
                                                         const std::string& reference) const;
  PropertyFile rules_of(const std::string& component) const;

  IDL::traits<CORBA::ORB>::ref_type orb_;
  DomainModel& model_;
  const std::string domain_;
  const DomainCommands commands_;
  const LimitedCalls calls_;
  SharedProperties properties_;
  ComponentReader reader_;  // of the thread that calls read()
};

}  // namespace orbweaver::sca
