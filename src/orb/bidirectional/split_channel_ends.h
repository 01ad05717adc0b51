#pragma once

#include <array>

#include "orb/bidirectional/split_channel.h"

namespace orbweaver::orb {

/// The functions of an end that both roles have in common.
class SplitChannel::End : public transport::Channel, protected transport::ReceiveStatus {
 public:
  End(std::shared_ptr<SplitChannel> split, Role role);

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  void abandon() noexcept override;
  Result<void> send(Bytes frame, Deadline deadline) noexcept override;
  Result<Bytes> receive(Deadline deadline) noexcept override;
  void release() noexcept override { frame_ = {}; }
  void close() noexcept override { split_->close(); }
  const Peer& peer() const noexcept override { return split_->peer_; }

 protected:
  virtual Result<Frame> receive_frame(Deadline deadline) = 0;

  const std::shared_ptr<SplitChannel> split_;
  const Role role_;
  transport::Readiness* readiness_of_channel_;  // used between claim and commit only
  bool claimed_ = false;                        // the send lock is held

 private:
  Frame frame_;
};

/// The end of the calls of this process.
class SplitChannel::CallerEnd final : public End {
 public:
  explicit CallerEnd(std::shared_ptr<SplitChannel> split) : End(std::move(split), Role::caller) {
    capabilities_.receive_status = this;
  }
  ~CallerEnd() override {
    abandon();
    split_->close();
  }

 private:
  Result<Frame> receive_frame(Deadline deadline) override { return split_->receive_reply(deadline); }
  std::size_t undelivered_bytes() const noexcept override { return split_->undelivered_of_caller(); }
};

/// An end that receives requests of the peer. As the descriptor of the channel is not its own, its Readiness
/// has none, and tells only whether a message can be sent without a wait.
class SplitChannel::ServerEnd final : public End, private transport::Readiness {
 public:
  ServerEnd(std::shared_ptr<SplitChannel> split, Lane& lane)
      : End(std::move(split), Role::server), lane_(lane) {
    capabilities_.receive_status = this;
    if (readiness_of_channel_ != nullptr) capabilities_.readiness = this;
  }
  ~ServerEnd() override {
    End::abandon();  // after an error between claim and commit: others wait for the right to send
    split_->end_server(lane_);
  }

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override;
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override;
  void close() noexcept override;

 private:
  friend class SplitChannel;
  Result<Frame> receive_frame(Deadline deadline) override { return split_->receive_request(lane_, deadline); }
  bool has_partial_frame() const noexcept override { return split_->has_partial_frame(); }
  int descriptor() noexcept override { return -1; }
  bool arm() noexcept override { return true; }
  bool commits_without_waiting(std::size_t bytes) const noexcept override {
    return readiness_of_channel_->commits_without_waiting(bytes);
  }

  void abandon() noexcept override;

  Lane& lane_;
  // The room of a message without a body, CloseConnection or MessageError: it is claimed without the right to
  // send, as the close of a lane is not to wait for other messages.
  alignas(8) std::array<std::uint8_t, giop::kHeaderBytes> control_{};
  bool claimed_control_ = false;
};

}  // namespace orbweaver::orb
