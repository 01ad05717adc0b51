#include "sca/runtime/orb_connection.h"

#include <cstdio>

#include "StreamS.h"
#include "orb/client/client_connection.h"
#include "orb/reference/grace_period.h"
#include "orb/reference/reference.h"
#include "sca/runtime/ossie_connection.h"
#include "sca/runtime/stream_connection.h"

namespace orbweaver::sca {
namespace {

template <class Sample>
std::shared_ptr<OutputConnection> make(const std::string& id,
                                       const IDL::traits<CORBA::Object>::ref_type& target,
                                       std::chrono::milliseconds limit) {
  // A private connection for each stream, because a full receiver blocks its connection: streams that run
  // between two processes in both directions would otherwise block each other.
  using Interface = StreamInterface<Sample>;
  auto input = narrow_within<typename Interface::Stub>(with_private_connection(target), limit);
  if (!input) return nullptr;
  return std::make_shared<StreamConnection<Sample, Interface>>(id, std::move(input));
}

}  // namespace

std::shared_ptr<OutputConnection> make_orb_connection(const OutputPort& port,
                                                      const std::string& connection_id,
                                                      const IDL::traits<CORBA::Object>::ref_type& target,
                                                      std::chrono::milliseconds limit) {
  if (port.port_interface() == PortInterface::ossie)
    return make_ossie_connection(port.type(), connection_id, target);
  switch (port.type()) {
    case SampleType::octet: return make<std::uint8_t>(connection_id, target, limit);
    case SampleType::int16: return make<std::int16_t>(connection_id, target, limit);
    case SampleType::real32: return make<float>(connection_id, target, limit);
    default: break;
  }
  return make<std::complex<float>>(connection_id, target, limit);
}

bool is_known_input(const OutputPort& port, const IDL::traits<CORBA::Object>::ref_type& target) {
  if (!target || port.port_interface() == PortInterface::ossie) return false;
  const std::string type = target->_repository_id();
  switch (port.type()) {
    case SampleType::octet: return type == StreamInterface<std::uint8_t>::Stub::_interface_id();
    case SampleType::int16: return type == StreamInterface<std::int16_t>::Stub::_interface_id();
    case SampleType::real32: return type == StreamInterface<float>::Stub::_interface_id();
    default: break;
  }
  return type == StreamInterface<std::complex<float>>::Stub::_interface_id();
}

std::string transport_to(CORBA::Object& object) {
  Reference* reference = object._reference();
  if (reference == nullptr || reference->is_collocated()) return "collocated";
  const orb::CallScope in_use;
  try {
    return reference->binding(Deadline::in_ms(1000)).endpoint.transport->name();
  } catch (const CORBA::Exception&) {
    return "none";
  }
}

bool reads_blocks(CORBA::Object& object) {
  Reference* const reference = object._reference();
  if (reference == nullptr || reference->is_collocated()) return true;
  const orb::CallScope in_use;
  try {
    return reference->binding(Deadline::in_ms(1000)).connection->sender().block_sender() != nullptr;
  } catch (const CORBA::Exception&) {
    return false;  // the push will report it
  }
}

void report_broken(const std::string& connection_id, const CORBA::Exception& error) {
  std::fprintf(stderr, "connection '%s' is broken: %s\n", connection_id.c_str(), error.what());
}

}  // namespace orbweaver::sca
