#pragma once

#include <orbweaver/detail/cdr/encoder.h>

#include <atomic>
#include <memory>

#include "transport/transport.h"

namespace orbweaver::orb {

/// Sends one GIOP 1.2 message while it is encoded (CORBA 3.3 part 2, 9.4.9): each time the claimed buffer is
/// full, its contents are sent as a fragment. The sender needs no more memory than one fragment. The creator
/// has the right to send on the channel for the lifetime of this object.
class FragmentedMessage final : public cdr::OverflowHandler {
 public:
  using Deadline = transport::Deadline;

  /// `room` is the claimed buffer, a multiple of 8 bytes, at whose beginning the message header is encoded.
  /// `committed`, if not null, is increased by the bytes of each fragment before they are sent.
  FragmentedMessage(transport::Channel& channel, MutableBytes room, std::uint32_t request_id,
                    Deadline deadline, std::atomic<std::uint64_t>* committed = nullptr) noexcept
      : channel_(channel), room_(room), request_id_(request_id), deadline_(deadline), committed_(committed) {}

  Buffer flush_buffer(std::size_t written, const cdr::OutOfLineSegment& out_of_line) override;
  /// Replaces the deadline of the following fragments.
  void wait_until(Deadline deadline) noexcept { deadline_ = deadline; }

  /// Whether a fragment has been sent: the peer then waits for the rest.
  bool has_sent() const noexcept { return has_sent_; }
  std::uint32_t request_id() const noexcept { return request_id_; }
  /// Why a fragment could not be sent; null if all were sent. The channel is then closed, unless the first
  /// fragment reached the deadline before any byte of it was sent.
  const Error* failure() const noexcept { return failure_.get(); }

 private:
  Buffer fail(Error error);

  transport::Channel& channel_;
  MutableBytes room_;
  const std::uint32_t request_id_;
  Deadline deadline_;
  std::atomic<std::uint64_t>* const committed_;
  bool has_sent_ = false;
  std::unique_ptr<Error> failure_;
};

}  // namespace orbweaver::orb
