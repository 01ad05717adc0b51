#include "sca/runtime/orb_connection.h"

#include <cstdio>

#include <orbweaver/detail/block_ref.h>
#include "StreamS.h"
#include "orb/client/client_connection.h"
#include "orb/reference/grace_period.h"
#include "orb/reference/reference.h"
#include "sca/runtime/stream_types.h"

namespace orbweaver::sca {
namespace {

/// Whether the servant reads blocks in place: over a transport with blocks, or in this process.
bool reads_blocks(CORBA::Object& object) {
  Reference* const reference = object._reference();
  if (reference == nullptr || reference->is_collocated()) return true;
  const orb::CallScope in_use;
  try {
    return reference->binding(Deadline::never()).connection->sender().block_sender() != nullptr;
  } catch (const CORBA::Exception&) {
    return false;  // the push will report it
  }
}

template <class Sample>
class OrbConnection final : public TypedOutputConnection<Sample> {
 public:
  using Stub = typename StreamInterface<Sample>::Stub;
  using Skeleton = typename CORBA::servant_traits<Stub>::base_type;

  OrbConnection(std::string connection_id, typename IDL::traits<Stub>::ref_type target)
      : TypedOutputConnection<Sample>(std::move(connection_id)), target_(std::move(target)) {}

  std::string transport() const override { return transport_to(*target_); }
  bool uses_blocks() override { return reads_blocks(*target_); }

 protected:
  bool send(const PacketHeader& header, std::span<const Sample> samples) override {
    const auto packet = reinterpret_samples<typename StreamInterface<Sample>::Element>(samples);
    try {
      // Within a process the servant is called on this thread. A one-way call through the ORB would share one
      // connection with all others of the process, so that one receiver with a full queue could block the
      // packets that it waits for itself. The port's queue makes the push one-way.
      const CollocatedCall local(*target_, Stub::_static_interface());
      if (local.servant() != nullptr) {
        static_cast<Skeleton*>(local.servant())->pushPacket(to_idl(header), packet);
      } else {
        const std::uint64_t before = ::orbweaver::detail::bytes_sent_in_blocks();
        target_->pushPacket(to_idl(header), packet);
        if (::orbweaver::detail::bytes_sent_in_blocks() - before < samples.size_bytes())
          this->count_copied(samples.size_bytes());
      }
      return true;
    } catch (const CORBA::Exception& e) {
      std::fprintf(stderr, "connection '%s' is broken: %s\n", this->id().c_str(), e.what());
      return false;
    }
  }

  bool send_metadata(const StreamMetadata& metadata) override {
    try {
      const CollocatedCall local(*target_, Stub::_static_interface());
      if (local.servant() != nullptr)
        static_cast<Skeleton*>(local.servant())->pushMetadata(this->stream_id(), to_idl(metadata));
      else
        target_->pushMetadata(this->stream_id(), to_idl(metadata));  // the order is that of the packets
      return true;
    } catch (const CORBA::Exception& e) {
      std::fprintf(stderr, "connection '%s' is broken: %s\n", this->id().c_str(), e.what());
      return false;
    }
  }

 private:
  typename IDL::traits<Stub>::ref_type target_;
};

template <class Sample>
std::shared_ptr<OutputConnection> make(const std::string& id,
                                       const IDL::traits<CORBA::Object>::ref_type& target) {
  // A private connection for each stream, because a full receiver blocks its connection: streams that run
  // between two processes in both directions would otherwise block each other.
  auto input = IDL::traits<typename StreamInterface<Sample>::Stub>::narrow(with_private_connection(target));
  if (!input) return nullptr;
  return std::make_shared<OrbConnection<Sample>>(id, std::move(input));
}

}  // namespace

std::shared_ptr<OutputConnection> make_orb_connection(const OutputPort& port,
                                                      const std::string& connection_id,
                                                      const IDL::traits<CORBA::Object>::ref_type& target) {
  switch (port.type()) {
    case SampleType::octet: return make<std::uint8_t>(connection_id, target);
    case SampleType::int16: return make<std::int16_t>(connection_id, target);
    case SampleType::real32: return make<float>(connection_id, target);
    case SampleType::complex32: break;
  }
  return make<std::complex<float>>(connection_id, target);
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

}  // namespace orbweaver::sca
