#pragma once

#include <map>
#include <string>
#include <vector>

#include "CFC.h"
#include "monitor/snapshot.h"
#include "sca/domain/domain_records.h"
#include "sca/monitor/peers.h"

namespace orbweaver::sca {

/// Limits of what is kept of a component's report: ports, counters, and the octets of each text. A port with
/// a longer name is left out, other texts are cut. The log of the process says so once for a component.
inline constexpr std::size_t kMaxMonitoredPorts = 256, kMaxMonitoredCounters = 256, kMaxMonitoredText = 256;

/// Reads what components and the ends of their connections report: state, processor time, counters, ports
/// (Framework.idl), and the statistics of each hop (Stream.idl); and the states of devices. What does not
/// report them stays unknown. One thread.
class ComponentReader {
 public:
  explicit ComponentReader(const IDL::traits<CORBA::ORB>::ref_type& orb);

  /// Begins a reading. What it does not reach before the deadline is read next time; a call in progress ends
  /// kMonitorCallLimit after it at the latest.
  void begin(platform::Deadline deadline = platform::Deadline::in_ns(kMonitorReadingNs));
  /// Fills in the present states of a device.
  void read(const RegisteredDevice& record, monitor::Device& device);
  /// Fills in what a component reports.
  void read(const DeployedComponent& record, monitor::Component& component);
  /// Fills in what the ends of a connection report, after all components have been read.
  void read(const DeployedConnection& record, monitor::Connection& connection);
  /// Ends a reading: forgets what was not read in it.
  void end();

 private:
  using Observable = ::orbweaver::framework::Observable;
  using Output = ::orbweaver::framework::Output;
  using Input = ::orbweaver::stream::Input;

  /// A port of a component.
  struct PortName {
    std::string component;  ///< Its id, which a later application of the same name has, too.
    std::string port;
    std::string owner;  ///< The reference of the component.
  };
  /// What is read once of a component.
  struct Known {
    std::string id;
    std::vector<monitor::Port> ports;
    std::size_t ports_found = 0;  // of these, by calls
    bool read = false;
    bool used = false;
    bool is_reported = false;  // that it exceeds the limits
  };
  /// A text of a report.
  static std::string shown(const std::string& text, Known& known);
  static void exceeds_limits(Known& known);

  /// Until the deadline. Later readings continue.
  void describe(const DeployedComponent& record, const IDL::traits<Observable>::ref_type& object,
                Known& known);
  /// The reference of a port that has been described; empty if it is not known.
  std::string reference_of(const std::string& component, const std::string& port) const;

  IDL::traits<CORBA::ORB>::ref_type orb_;
  Peers<CORBA::Object> devices_;
  Peers<Observable> components_;
  Peers<Output> outputs_;
  Peers<Input> inputs_;
  std::map<std::string, Known> known_;          // by the reference of the component
  std::map<std::string, PortName> port_names_;  // by the reference of the port, or of the component
  platform::Deadline deadline_;
};

}  // namespace orbweaver::sca
