#include "plan.h"

#include <algorithm>
#include <array>

#include "known_subjects.h"
#include "payload.h"

namespace orbweaver::bench {
namespace {

constexpr std::array<std::string_view, 7> kTransports = {"inproc", "shm", "unix", "mqueue",
                                                         "tcp",    "udp", "tls"};
std::vector<std::string_view> all_subjects() {
  std::vector<std::string_view> names;
  for (const KnownSubject& each : known_subjects()) names.push_back(each.name);
  return names;
}

template <class List>
std::string joined(const List& words) {
  std::string all;
  for (const std::string_view word : words) {
    if (!all.empty()) all += ", ";
    all += word;
  }
  return all;
}

template <class List>
void require_one_of(const List& known, std::string_view option, const std::string& value) {
  if (std::find(known.begin(), known.end(), value) == known.end())
    throw InvalidPlan(std::string(option) + ": unknown value '" + value + "'; use one of " + joined(known));
}

template <class Enum>
Enum parse_option(std::string_view option, const std::string& value) {
  if (const auto found = named<Enum>(value)) return *found;
  throw InvalidPlan(std::string(option) + ": unknown value '" + value + "'; use one of " + names<Enum>());
}

void require_whole_elements(PayloadType type, std::size_t bytes) {
  const std::string found = "--bytes " + std::to_string(bytes);
  if (bytes == 0) throw InvalidPlan(found + ": use --type empty");
  if (bytes > kMaxPayloadBytes)
    throw InvalidPlan(found + ": more than the largest payload, " + std::to_string(kMaxPayloadBytes));
  const std::size_t element = element_bytes(type);
  if (bytes % element != 0)
    throw InvalidPlan(found + ": not a whole number of elements of --type " + std::string(name(type)) + ", " +
                      std::to_string(element) + " bytes each");
}

void check_numbers(const Plan& plan) {
  if (plan.calls == 0 || plan.calls > 100'000'000) throw InvalidPlan("--calls: from 1 to 100000000");
  if (plan.rounds == 0 || plan.rounds > 1000) throw InvalidPlan("--rounds: from 1 to 1000");
  if (plan.receivers == 0 || plan.receivers > 64) throw InvalidPlan("--receivers: from 1 to 64");
  if (plan.fifo < 0 || plan.fifo > 99) throw InvalidPlan("--fifo: a priority of SCHED_FIFO is from 1 to 99");
}

/// Throws InvalidPlan if the payload type cannot be measured over the transport or in the experiment.
void check_payload_type(const Case& c) {
  if (has_receivers(c.experiment)) {
    if (c.type != PayloadType::empty && c.type != PayloadType::doubles && c.type != PayloadType::block)
      throw InvalidPlan("--type " + std::string(name(c.type)) + ": packets are empty, double or block");
    if (c.transport == "inproc" || c.transport == "udp" || c.transport == "tls")
      throw InvalidPlan("--transport " + c.transport +
                        ": packets are measured over shm, unix, mqueue or tcp");
    if (c.type == PayloadType::block && c.transport != "shm")
      throw InvalidPlan("--type block: blocks are measured over --transport shm");
    return;
  }
  if (c.type == PayloadType::block && (c.transport != "shm" || c.experiment != Experiment::twoway))
    throw InvalidPlan("--type block: blocks are measured two-way over --transport shm");
  if (c.type == PayloadType::mix && c.transport != "tcp" && c.transport != "udp")
    throw InvalidPlan("--type mix needs --transport tcp and udp");
  if (c.type == PayloadType::mix && c.experiment != Experiment::oneway)
    throw InvalidPlan("--type mix is measured with one-way messages only");
}

/// Returns the case of one transport and payload type, without the payload's size.
Case case_for(const Plan& plan, const std::string& transport, const std::string& type_name) {
  Case c;
  c.experiment = plan.experiment;
  c.transport = transport;
  c.type = parse_option<PayloadType>("--type", type_name);
  c.calls = plan.calls;
  c.wait = plan.wait                        ? parse_option<Wait>("--wait", *plan.wait)
           : has_receivers(plan.experiment) ? Wait::block  // more processes than most machines have cores
                                            : default_wait(transport);
  if (has_receivers(plan.experiment)) c.receivers = plan.receivers;
  c.pin = plan.pin ? parse_option<Pin>("--pin", *plan.pin) : default_pin(c.wait);
  check_payload_type(c);
  return c;
}

/// Appends the case with each size of the payload; once if the type has no size to choose.
void add_sizes(std::vector<Case>& all, const Plan& plan, Case c) {
  if (c.type == PayloadType::mix) c.bytes = kMixBytes / kMixSizes.size();
  if (c.type == PayloadType::empty || c.type == PayloadType::mix) {
    all.push_back(c);
    return;
  }
  for (const std::size_t bytes : plan.bytes) {
    require_whole_elements(c.type, bytes);
    c.bytes = bytes;
    all.push_back(c);
  }
}

}  // namespace

std::vector<Case> cases(const Plan& plan) {
  check_numbers(plan);
  std::vector<Case> all;
  std::vector<std::string_view> known(kTransports.begin(), kTransports.end());
  known.insert(known.end(), plan.plugin_transports.begin(), plan.plugin_transports.end());
  for (const std::string& transport : plan.transports) {
    require_one_of(known, "--transport", transport);
    for (const std::string& type : plan.types) add_sizes(all, plan, case_for(plan, transport, type));
  }
  if (all.empty()) throw InvalidPlan("nothing to measure: --transport, --type and --bytes each need a value");
  return all;
}

std::vector<std::string> subjects(const Plan& plan) {
  std::vector<std::string> all = {"floor"};
  for (const std::string& subject : plan.subjects) {
    require_one_of(all_subjects(), "--subject", subject);
    if (std::find(all.begin(), all.end(), subject) == all.end()) all.push_back(subject);
  }
  return all;
}

}  // namespace orbweaver::bench
