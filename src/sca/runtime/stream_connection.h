#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include <orbweaver/detail/block_ref.h>
#include <orbweaver/detail/stub.h>
#include "sca/runtime/orb_connection.h"
#include "sca/runtime/stream_types.h"

namespace orbweaver::sca {

/// Connection over the ORB to an input that has the operations of a stream. `Interface` is StreamInterface or
/// OssieInterface of the sample type. As OutputConnection.
template <class Sample, class Interface>
class StreamConnection final : public TypedOutputConnection<Sample> {
 public:
  using Stub = typename Interface::Stub;
  using Skeleton = typename CORBA::servant_traits<Stub>::base_type;

  StreamConnection(std::string connection_id, typename IDL::traits<Stub>::ref_type target)
      : TypedOutputConnection<Sample>(std::move(connection_id)), target_(std::move(target)) {}

  std::string transport() const override { return transport_to(*target_); }
  bool uses_blocks() override { return reads_blocks(*target_); }

 protected:
  bool send(const PacketHeader& header, std::span<const Sample> samples) override {
    const auto packet = reinterpret_samples<typename Interface::Element>(samples);
    try {
      // Within a process the servant is called on this thread. A one-way call through the ORB would share one
      // connection with all others of the process, so that one receiver with a full queue could block the
      // packets that it waits for itself. The port's queue makes the push one-way.
      const CollocatedCall local(*target_, Stub::_static_interface());
      if (local.servant() != nullptr) {
        Interface::push(*static_cast<Skeleton*>(local.servant()), to_idl(header), packet);
      } else {
        const std::uint64_t before = ::orbweaver::detail::bytes_sent_in_blocks();
        Interface::push(*target_, to_idl(header), packet);
        if (::orbweaver::detail::bytes_sent_in_blocks() - before < samples.size_bytes())
          this->count_copied(samples.size_bytes());
      }
      return true;
    } catch (const CORBA::Exception& e) {
      report_broken(this->id(), e);
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
      report_broken(this->id(), e);
      return false;
    }
  }

 private:
  typename IDL::traits<Stub>::ref_type target_;
};

}  // namespace orbweaver::sca
