#pragma once

#include <orbweaver/cdr/encoder.h>

#include <atomic>
#include <memory>

#include "transport/transport.h"

namespace orbweaver::orb {

/// A GIOP 1.2 message that is sent while it is encoded (CORBA 3.3 part 2, 9.4.9): each time its room is full, what
/// is in it leaves as a fragment. So a message needs no more memory at its sender than a fragment has. Of one
/// message; with the right to send by the channel, for as long as it lives.
class FragmentedMessage final : public cdr::Overflow {
 public:
  using Deadline = transport::Deadline;

  /// `room`: what was claimed, a multiple of 8 bytes, at the beginning of which the message's header is being written.
  /// `committed`, if any, counts the bytes, before they are sent.
  FragmentedMessage(transport::Channel& channel, MutableBytes room, std::uint32_t request_id, Deadline deadline,
                    std::atomic<std::uint64_t>* committed = nullptr) noexcept
      : channel_(channel), room_(room), request_id_(request_id), deadline_(deadline), committed_(committed) {}

  Room pass(std::size_t written, const cdr::Apart& apart) override;
  /// Another deadline for the fragments to come.
  void wait_until(Deadline deadline) noexcept { deadline_ = deadline; }

  /// Has a fragment left? Then the peer waits for the rest.
  bool begun() const noexcept { return begun_; }
  std::uint32_t request_id() const noexcept { return request_id_; }
  /// Why a fragment could not be sent, after which the channel is closed, unless the first had to wait until the deadline
  /// and nothing of it has left; null: all could.
  const Error* failure() const noexcept { return failure_.get(); }

 private:
  Room fail(Error error);

  transport::Channel& channel_;
  MutableBytes room_;
  const std::uint32_t request_id_;
  Deadline deadline_;
  std::atomic<std::uint64_t>* const committed_;
  bool begun_ = false;
  std::unique_ptr<Error> failure_;
};

}  // namespace orbweaver::orb
