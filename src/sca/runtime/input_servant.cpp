#include "sca/runtime/input_servant.h"

#include "sca/runtime/ossie_input_servant.h"

namespace orbweaver::sca {

namespace idl = ::orbweaver::stream;

idl::InputStatistics statistics_of(const InputPort& port, const Component& owner) {
  idl::StreamStatisticsList streams;
  for (const StreamCounts& f : port.monitor().figures()) {
    streams.emplace_back(f.stream_id, f.packets, f.bytes, f.lost, f.reordered, f.first_ns, f.last_ns,
                         f.max_latency_ns, f.latency, f.end_of_stream);
  }
  return {static_cast<std::uint32_t>(port.queue_limit()), static_cast<std::uint32_t>(port.queue_depth()),
          static_cast<std::uint32_t>(port.queue_high_water()),
          static_cast<std::uint64_t>(owner.thread_cpu_ns()), std::move(streams)};
}

namespace {

template <class Sample>
CORBA::servant_reference<PortableServer::Servant> make(InputPort& port, const Component& owner) {
  return CORBA::make_reference<InputServant<Sample>>(static_cast<Input<Sample>&>(port), owner);
}

}  // namespace

CORBA::servant_reference<PortableServer::Servant> make_input_servant(InputPort& port,
                                                                     const Component& owner) {
  if (port.port_interface() == PortInterface::ossie) return make_ossie_input_servant(port, owner);
  switch (port.type()) {
    case SampleType::octet: return make<std::uint8_t>(port, owner);
    case SampleType::int16: return make<std::int16_t>(port, owner);
    case SampleType::real32: return make<float>(port, owner);
    default: break;
  }
  return make<std::complex<float>>(port, owner);
}

}  // namespace orbweaver::sca
