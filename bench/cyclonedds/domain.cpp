#include "domain.h"

#include <stdexcept>

namespace orbweaver::bench {
namespace {

/// UDP without multicast: a sample is sent in one datagram, up to the largest one. Shared memory uses UDP for
/// discovery only.
std::string configuration(const Case& c) {
  std::string text =
      "<General><Interfaces><NetworkInterface name=\"lo\" multicast=\"false\"/></Interfaces>"
      "<AllowMulticast>false</AllowMulticast>"
      "<MaxMessageSize>65500B</MaxMessageSize><FragmentSize>65000B</FragmentSize></General>"
      "<Discovery><ParticipantIndex>auto</ParticipantIndex>"
      "<Peers><Peer address=\"127.0.0.1\"/></Peers></Discovery>";
  if (c.transport == "shm") text += "<SharedMemory><Enable>true</Enable></SharedMemory>";
  return "<CycloneDDS><Domain Id=\"any\">" + text + "</Domain></CycloneDDS>";
}

/// Samples in a queue of shared memory, which Cyclone needs to have a limit; two-way calls need one.
constexpr std::int32_t kShmDepth = 4;

}  // namespace

dds_entity_t checked(dds_entity_t result, const char* what) {
  if (result < 0) throw std::runtime_error(std::string(what) + ": " + dds_strretcode(-result));
  return result;
}

Domain::Domain(const Case& c, std::uint32_t number)
    : domain_(checked(dds_create_domain(number, configuration(c).c_str()), "dds_create_domain")),
      participant_(checked(dds_create_participant(number, nullptr, nullptr), "dds_create_participant")),
      qos_(dds_create_qos()) {
  dds_qset_reliability(qos_, DDS_RELIABILITY_RELIABLE, DDS_SECS(20));
  if (c.transport == "shm")
    dds_qset_history(qos_, DDS_HISTORY_KEEP_LAST, kShmDepth);
  else
    dds_qset_history(qos_, DDS_HISTORY_KEEP_ALL, 0);
}

Domain::~Domain() {
  dds_delete_qos(qos_);
  dds_delete(domain_);
}

dds_entity_t Domain::topic(const dds_topic_descriptor_t& type, const char* name) {
  return checked(dds_create_topic(participant_, &type, name, nullptr, nullptr), "dds_create_topic");
}

dds_entity_t Domain::reader(dds_entity_t topic, void (*on_data)(dds_entity_t, void*), void* arg) {
  dds_listener_t* const listener = dds_create_listener(arg);
  dds_lset_data_available(listener, on_data);
  const dds_entity_t made = dds_create_reader(participant_, topic, qos_, listener);
  dds_delete_listener(listener);
  return checked(made, "dds_create_reader");
}

dds_entity_t Domain::writer(dds_entity_t topic) {
  return checked(dds_create_writer(participant_, topic, qos_, nullptr), "dds_create_writer");
}

}  // namespace orbweaver::bench
