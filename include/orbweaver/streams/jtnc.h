#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include <orbweaver/any.h>
#include <orbweaver/messaging.h>
#include <orbweaver/object.h>
#include <orbweaver/orb.h>
#include <orbweaver/span.h>
#include <orbweaver/streams/flow_gate.h>
#include <orbweaver/streams/packet_input.h>
#include <orbweaver/streams/payload_limits.h>

#include "PacketEmptySignalsS.h"
#include "PacketFlowControlS.h"
#include "PacketS.h"

/// @file
/// Servants of the JTNC Packet API 2.0.2 over PacketInput and FlowGate. A target that includes this header
/// generates the interfaces' C++ itself:
///
///     orbweaver_idl(TARGET receiver FILES ${ORBWEAVER_IDL_DIR}/jtnc/JtrsCorbaTypes.idl
///       ${ORBWEAVER_IDL_DIR}/jtnc/Packet.idl ${ORBWEAVER_IDL_DIR}/jtnc/PacketFlowControl.idl
///       ${ORBWEAVER_IDL_DIR}/jtnc/PacketEmptySignals.idl)
///
/// Each class implements one interface. A servant of an interface that inherits several of them inherits
/// their classes beside its own skeleton. The objects given to the constructors must outlive the servants.

namespace orbweaver::streams {

/// Packet::PayloadStatus. Any thread.
class PayloadStatusServant : public virtual CORBA::servant_traits<Packet::PayloadStatus>::base_type {
 public:
  /// Reports `payload`.
  explicit PayloadStatusServant(const PayloadLimits& payload) : payload_(payload) {}

  /// Largest payload, in elements.
  std::uint32_t getMaxPayloadSize() override { return payload_.sizes().max; }
  /// Smallest payload before the time-out, in elements.
  std::uint32_t getMinPayloadSize() override { return payload_.sizes().min; }
  /// Desired payload, in elements.
  std::uint32_t getDesiredPayloadSize() override { return payload_.sizes().desired; }
  /// The time-out, in milliseconds.
  std::uint32_t getMinOverrideTimeout() override { return payload_.sizes().min_override_timeout_ms; }

 private:
  const PayloadLimits& payload_;
};

/// Packet::PayloadControl. Sizes that are not valid raise JTRS::InvalidParameter, and change nothing. Any
/// thread.
class PayloadControlServant : public virtual CORBA::servant_traits<Packet::PayloadControl>::base_type {
 public:
  /// Changes `payload`.
  explicit PayloadControlServant(PayloadLimits& payload) : payload_(payload) {}

  /// Sets the largest payload, in elements.
  void setMaxPayloadSize(std::uint32_t size) override { check(payload_.set_max(size)); }
  /// Sets the smallest payload, in elements.
  void setMinPayloadSize(std::uint32_t size) override { check(payload_.set_min(size)); }
  /// Sets the desired payload, in elements.
  void setDesiredPayloadSize(std::uint32_t size) override { check(payload_.set_desired(size)); }
  /// Sets the time-out, in milliseconds.
  void setMinOverrideTimeout(std::uint32_t timeout_ms) override {
    payload_.set_min_override_timeout_ms(timeout_ms);
  }

 private:
  static void check(bool valid) {
    if (!valid) throw JTRS::InvalidParameter();
  }

  PayloadLimits& payload_;
};

/// Packet::FlowControl. Any thread.
class FlowControlServant : public virtual CORBA::servant_traits<Packet::FlowControl>::base_type {
 public:
  /// Controls the resume signals of `input`.
  explicit FlowControlServant(PacketInputControl& input) : input_(input) {}

  /// As PacketInputControl::space_available.
  bool spaceAvailable() override { return input_.space_available(); }
  /// As PacketInputControl::enable_resume_signals.
  void enableFlowResumeSignals(bool enabled) override { input_.enable_resume_signals(enabled); }

 private:
  PacketInputControl& input_;
};

/// Packet::EmptyControl. Any thread.
class EmptyControlServant : public virtual CORBA::servant_traits<Packet::EmptyControl>::base_type {
 public:
  /// Controls the empty signals of `input`.
  explicit EmptyControlServant(PacketInputControl& input) : input_(input) {}

  /// As PacketInputControl::enable_empty_signals.
  void enableEmptySignals(bool enabled) override { input_.enable_empty_signals(enabled); }

 private:
  PacketInputControl& input_;
};

/// A stream interface whose packets have elements of type Element: OctetStreamServant and others below.
/// pushPacket pushes packets to a PacketInput; it returns false if there is no space for another packet,
/// where the interface has a result, and raises Packet::UnableToComplete with payloadSent 0 and
/// PPKT_ERROR_BAD_SIZE for a payload larger than the maximum, PPKT_ERROR_STREAM_BLOCKED if the queue is full
/// (also until the time-out, or interrupted), or PPKT_UNKNOWN if the input is closed. Any thread.
template <class Interface, class Element, class Space>
class PacketStreamServant : public virtual CORBA::servant_traits<Interface>::base_type,
                            public PayloadStatusServant {
 public:
  /// Pushes packets to `input`.
  explicit PacketStreamServant(PacketInput<Element>& input)
      : PayloadStatusServant(std::as_const(input).payload()), input_(input) {}

  /// As PacketInput::push.
  Space pushPacket(const Packet::StreamControlType& control, span<const Element> payload) override {
    const StreamControl received{control.endOfStream(), control.streamId(), control.sequenceNumber(),
                                 control.purge()};
    switch (input_.push(received, payload)) {
      case PushResult::accepted:
      case PushResult::dropped: break;
      case PushResult::too_large: throw Packet::UnableToComplete(0, Packet::PPKT_ERROR_BAD_SIZE);
      case PushResult::queue_full:
      case PushResult::timed_out:
      case PushResult::interrupted: throw Packet::UnableToComplete(0, Packet::PPKT_ERROR_STREAM_BLOCKED);
      case PushResult::closed: throw Packet::UnableToComplete(0, Packet::PPKT_UNKNOWN);
    }
    if constexpr (std::is_same_v<Space, bool>) return input_.space_available();
  }

 private:
  PacketInput<Element>& input_;
};

/// Packet::OctetStream.
using OctetStreamServant = PacketStreamServant<Packet::OctetStream, std::uint8_t, void>;
/// Packet::UshortStream.
using UshortStreamServant = PacketStreamServant<Packet::UshortStream, std::uint16_t, void>;
/// Packet::FlowOctetStream.
using FlowOctetStreamServant = PacketStreamServant<Packet::FlowOctetStream, std::uint8_t, bool>;
/// Packet::FlowUshortStream.
using FlowUshortStreamServant = PacketStreamServant<Packet::FlowUshortStream, std::uint16_t, bool>;

/// Packet::FlowSignals: opens a producer's gate. Any thread.
class FlowSignalsServant : public virtual CORBA::servant_traits<Packet::FlowSignals>::base_type {
 public:
  /// Signals `gate`.
  explicit FlowSignalsServant(FlowGate& gate) : gate_(gate) {}

  /// As FlowGate::signal_resume.
  void signalResume() override { gate_.signal_resume(); }

 private:
  FlowGate& gate_;
};

/// Packet::EmptySignals: calls a function of the producer. Any thread.
class EmptySignalsServant : public virtual CORBA::servant_traits<Packet::EmptySignals>::base_type {
 public:
  /// Calls `on_empty` in the ORB's threads. The consumer may send any id at any time: `on_empty` ignores ids
  /// of streams that are not its own.
  explicit EmptySignalsServant(std::function<void(std::uint16_t)> on_empty)
      : on_empty_(std::move(on_empty)) {}

  /// Calls the function.
  void signalEmpty(std::uint16_t stream_id) override { on_empty_(stream_id); }

 private:
  std::function<void(std::uint16_t)> on_empty_;
};

/// Time for which a signal may wait for a target that does not receive or reply.
inline constexpr std::chrono::milliseconds kSignalTimeout{1000};

namespace detail {

/// A reference for signals: with a connection of its own, so that a target that does not receive delays
/// nothing else, with a time limit, and with SYNC_WITH_SERVER, so that a lost signal is known. Raises
/// BAD_PARAM (0x4f570040) for nil.
template <class Interface>
typename IDL::traits<Interface>::ref_type signal_target(
    const typename IDL::traits<Interface>::ref_type& target, std::chrono::milliseconds timeout) {
  if (!target) throw_nil_target();
  const auto separate = with_private_connection(target);
  const auto orb = separate->_get_orb();
  if (!orb) return target;  // local
  CORBA::Any limit, scope;
  limit <<= static_cast<TimeBase::TimeT>(timeout.count()) * 10'000;
  scope <<= Messaging::SYNC_WITH_SERVER;
  const auto limited =
      separate->_set_policy_overrides({orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit),
                                       orb->create_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, scope)},
                                      CORBA::SetOverrideType::ADD_OVERRIDE);
  // `target` has the interface: narrow() could ask the object, and wait for it.
  return IDL::traits<Interface>::ref_type::adopt(Interface::_make(limited->_reference()));
}

}  // namespace detail

/// Sends the resume signals of `input` to `target`, under this id; for connectPort of a uses port. A signal
/// to which the server of the target does not reply within `timeout` is counted as failed and repeated
/// (PacketInputControl). Disconnect with PacketInputControl::disconnect_resume_signals. Raises BAD_PARAM
/// (0x4f570040) for nil.
inline void connect_resume_signals(PacketInputControl& input, const std::string& id,
                                   const IDL::traits<Packet::FlowSignals>::ref_type& target,
                                   std::chrono::milliseconds timeout = kSignalTimeout) {
  const auto limited = detail::signal_target<Packet::FlowSignals>(target, timeout);
  input.connect_resume_signals(id, [limited] { limited->signalResume(); });
}

/// As connect_resume_signals, for empty signals.
inline void connect_empty_signals(PacketInputControl& input, const std::string& id,
                                  const IDL::traits<Packet::EmptySignals>::ref_type& target,
                                  std::chrono::milliseconds timeout = kSignalTimeout) {
  const auto limited = detail::signal_target<Packet::EmptySignals>(target, timeout);
  input.connect_empty_signals(id, [limited](std::uint16_t stream_id) { limited->signalEmpty(stream_id); });
}

/// Pushes a packet to a consumer with flow control (`consumer`: a reference of Packet::FlowOctetStream or
/// FlowUshortStream); waits while the consumer has no space, at most until `deadline`. Raises what pushPacket
/// raises, except UnableToComplete with PPKT_ERROR_STREAM_BLOCKED, after which the packet is pushed again.
template <class Consumer, class Payload>
[[nodiscard]] SendResult push_packet(FlowGate& gate, const Consumer& consumer,
                                     const Packet::StreamControlType& control, const Payload& payload,
                                     Deadline deadline = Deadline::never()) {
  return gate.send(
      [&] {
        try {
          return consumer->pushPacket(control, payload) ? FlowReply::space : FlowReply::no_space;
        } catch (const Packet::UnableToComplete& e) {
          if (e.errorCode() != Packet::PPKT_ERROR_STREAM_BLOCKED) throw;
          return FlowReply::rejected;
        }
      },
      deadline);
}

}  // namespace orbweaver::streams
