#pragma once

#include <string>
#include <utility>

#include <orbweaver/sca/component.h>

namespace orbweaver::sca {

/// Input port with a standard interface of OSSIE: std::int8_t is realChar, std::int16_t realShort,
/// std::int32_t realLong, float realFloat and double realDouble; the complex types of these are complexChar
/// and so on.
///
///     OssieInput<std::complex<std::int16_t>> in_{*this, "in", [this](const auto& packet) { … }};
///
/// Packets of OSSIE components have no sample rate, stream id and metadata, and their streams do not end.
/// Those of an OssieOutput have them. Otherwise as Input.
template <class Sample>
class OssieInput final : public Input<Sample> {
  static_assert(SampleTraits<Sample>::kIsInOssie, "OSSIE has no interface for samples of this type");

 public:
  /// As Input.
  OssieInput(Component& owner, std::string name, typename Input<Sample>::Handler handler,
             std::size_t queue_packets = InputPort::kQueuePackets)
      : Input<Sample>(owner, std::move(name), std::move(handler), queue_packets, PortInterface::ossie) {}
};

/// Output port for inputs with a standard interface of OSSIE. To components of OSSIE each packet is a two-way
/// call, which waits while the receiver's buffer is full, at most kCallLimitSeconds: then the connection is
/// broken. An OssieInput gets all that a stream has. Otherwise as Output.
template <class Sample>
class OssieOutput final : public Output<Sample> {
  static_assert(SampleTraits<Sample>::kIsInOssie, "OSSIE has no interface for samples of this type");

 public:
  /// Time within which a component of OSSIE must have taken a packet.
  static constexpr int kCallLimitSeconds = 30;

  /// As Output.
  OssieOutput(Component& owner, std::string name)
      : Output<Sample>(owner, std::move(name), PortInterface::ossie) {}
};

}  // namespace orbweaver::sca
