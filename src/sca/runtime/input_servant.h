#pragma once

#include <orbweaver/poa.h>

#include "StreamS.h"
#include <orbweaver/sca/component.h>
#include "sca/runtime/stream_types.h"

namespace orbweaver::sca {

/// The figures of a port as Stream.idl has them.
::orbweaver::stream::InputStatistics statistics_of(const InputPort& port, const Component& owner);

/// An input port as an object: puts what arrives into the port's queue. Each connection has a thread of
/// its own; a full queue holds that thread, and so the sender. The component outlives its servants.
template <class Sample>
class InputServant final
    : public virtual CORBA::servant_traits<typename StreamInterface<Sample>::Stub>::base_type {
 public:
  InputServant(Input<Sample>& port, const Component& owner) : port_(port), owner_(owner) {}

  void pushPacket(const ::orbweaver::stream::StreamHeader& header,
                  ::orbweaver::span<const typename StreamInterface<Sample>::Element> samples) override {
    // False once the component is shut down: nobody is there to be told of a one-way.
    (void)port_.accept(from_idl(header), same_samples<Sample>(std::span(samples)));
  }
  ::orbweaver::stream::InputStatistics statistics() override { return statistics_of(port_, owner_); }

 private:
  Input<Sample>& port_;
  const Component& owner_;
};

/// The servant for a port, whatever it carries.
CORBA::servant_reference<PortableServer::Servant> make_input_servant(InputPort& port, const Component& owner);

}  // namespace orbweaver::sca
