#pragma once

#include <orbweaver/poa.h>

#include <orbweaver/sca/component.h>
#include "StreamS.h"
#include "sca/runtime/stream_types.h"

namespace orbweaver::sca {

/// The statistics of a port as a Stream.idl struct.
::orbweaver::stream::InputStatistics statistics_of(const InputPort& port, const Component& owner);

/// Servant of an input port: puts received packets into the port's queue. Each connection is served by a
/// thread of its own; a full queue blocks that thread and thereby the sender. The component outlives its
/// servants.
template <class Sample>
class InputServant final
    : public virtual CORBA::servant_traits<typename StreamInterface<Sample>::Stub>::base_type {
 public:
  InputServant(Input<Sample>& port, const Component& owner) : port_(port), owner_(owner) {}

  void pushPacket(const ::orbweaver::stream::StreamHeader& header,
                  ::orbweaver::span<const typename StreamInterface<Sample>::Element> samples) override {
    // False once the component is shut down; a one-way call has no reply that could report it.
    (void)port_.accept(from_idl(header), reinterpret_samples<Sample>(std::span(samples)));
  }
  void pushMetadata(std::uint64_t stream_id, const ::orbweaver::stream::StreamMetadata& metadata) override {
    port_.accept_metadata(stream_id, from_idl(metadata));
  }
  ::orbweaver::stream::InputStatistics statistics() override { return statistics_of(port_, owner_); }
  std::uint64_t copied_bytes() override { return port_.copied_bytes(); }

 private:
  Input<Sample>& port_;
  const Component& owner_;
};

/// Creates the servant for a port of any sample type.
CORBA::servant_reference<PortableServer::Servant> make_input_servant(InputPort& port, const Component& owner);

}  // namespace orbweaver::sca
