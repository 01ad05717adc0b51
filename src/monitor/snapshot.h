#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What the monitor shows of a domain, as plain data without CORBA types. All texts may come from peers.
namespace orbweaver::monitor {

/// A device of a node.
struct Device {
  std::string id;
  std::string label;
  std::string usage;           ///< "idle", "active", "busy"; empty: not known, as below.
  std::string administration;  ///< "locked", "shutting down", "unlocked"
  std::string operation;       ///< "enabled", "disabled"
};

/// A node: a device manager with its devices.
struct Node {
  std::string id;
  std::string label;
  bool responds = true;
  std::vector<Device> devices;
};

/// An application that is installed and can be created.
struct Installed {
  std::string id;
  std::string name;
  std::string profile;
};

/// An application.
struct Application {
  std::string id;
  std::string name;
  std::string installed;  ///< Id or name of what it was created from.
  std::string state;      ///< "deploying", "stopped", "started", "failed", "releasing"
  std::string failure;    ///< Why it has failed.
};

/// A port of a component.
struct Port {
  std::string name;
  bool provides = false;
  std::string interface;  ///< Repository id.
};

/// A component of an application.
struct Component {
  std::string id;    ///< Unique in the domain.
  std::string name;  ///< As people know it.
  std::string application;
  std::string node;
  std::string device;
  std::int64_t process = -1;  ///< -1: not known.
  std::string state;  ///< "working", "waiting", "sleeping", "stopped", "finished", "unresponsive"; empty
  std::optional<std::uint64_t> cpu_ns;  ///< Processor time so far.
  std::vector<Port> ports;
  std::vector<std::pair<std::string, double>> counters;
};

/// A connection of two ports: a hop of the samples.
struct Connection {
  std::string id;  ///< Unique in the domain.
  std::string application;
  std::string from;  ///< Id of the component with the uses port; empty: it is none of a component.
  std::string from_port;
  std::string to;
  std::string to_port;
  std::string transport;  ///< Empty: not known.
  bool broken = false;    ///< The sender cannot send any more.
  bool measured = false;  ///< The receiver has reported the members below.
  bool ended = false;     ///< The end of the stream has been received.
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;
  std::uint64_t reordered = 0;
  std::uint64_t queue_depth = 0;
  std::uint64_t queue_limit = 0;
  std::uint64_t queue_high_water = 0;
  std::uint64_t max_latency_ns = 0;
  std::vector<std::uint64_t> latency;  ///< Counts of the buckets of LatencyBuckets (Stream.idl).
};

/// A domain at one moment.
struct Snapshot {
  std::string domain;        ///< Its name.
  std::int64_t read_ns = 0;  ///< When it was read: CLOCK_MONOTONIC.
  std::int64_t unix_ms = 0;  ///< … and the time of day.
  std::string problem;       ///< What could not be read; empty: nothing.
  std::vector<Node> nodes;
  std::vector<Installed> installed;
  std::vector<Application> applications;
  std::vector<Component> components;
  std::vector<Connection> connections;
};

/// A property of a component.
struct Property {
  std::string id;
  std::string type;   ///< "ulong", "string", "sequence of float", "struct", …
  std::string value;  ///< As in a PRF; of a property that is not simple, JSON.
  std::string name;
  std::string units;
  bool writable = false;
  bool structured = false;  ///< It is not simple.
  std::string description = {};
  std::optional<double> min = {}, max = {};
  /// The values of its enumeration, and their labels.
  std::vector<std::pair<std::string, std::string>> choices = {};
};

/// A record of the domain's log.
struct LogLine {
  std::uint64_t number = 0;  ///< 1, 2, 3, …
  std::int64_t unix_ms = 0;
  std::string level;       ///< "error", "warning", "info" or "debug".
  std::string level_name;  ///< Of the log service: "FAILURE_ALARM".
  std::string source;      ///< Name of its producer,
  std::string source_id;   ///< and its id.
  std::string text;
};

}  // namespace orbweaver::monitor
