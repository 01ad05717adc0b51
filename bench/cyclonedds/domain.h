// A domain of Cyclone DDS on the loopback interface, with the settings of the benches.
#pragma once

#include <dds/dds.h>

#include <cstdint>
#include <string>

#include "bench/harness/case.h"

namespace orbweaver::bench {

/// Throws std::runtime_error with Cyclone's text if `result` is an error; returns it otherwise.
dds_entity_t checked(dds_entity_t result, const char* what);

/// A participant in a domain of its own, over UDP or shared memory. Deletes all its entities at its end.
class Domain {
 public:
  /// `number`: of the domain, the same at both ends of a measurement.
  Domain(const Case& c, std::uint32_t number);
  ~Domain();
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  /// A topic, and entities of it, which are reliable. `on_data` is called with `arg` in the thread that has
  /// received the data.
  dds_entity_t topic(const dds_topic_descriptor_t& type, const char* name);
  dds_entity_t reader(dds_entity_t topic, void (*on_data)(dds_entity_t reader, void* arg), void* arg);
  dds_entity_t writer(dds_entity_t topic);

 private:
  dds_entity_t domain_ = 0, participant_ = 0;
  dds_qos_t* qos_ = nullptr;
};

}  // namespace orbweaver::bench
