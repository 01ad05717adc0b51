#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "transport/transport.h"

/// Channel decorators for tests: delay, loss, corruption, duplication, reordering and closing. Each keeps the
/// channel's contract except for its own disturbance.
namespace orbweaver::transport::testing {

/// Forwards all calls. Derived decorators override what they disturb. Capabilities that would bypass them are
/// not supported: every frame is committed, and is complete in the claimed buffer.
class Decorator : public Channel {
 public:
  explicit Decorator(std::unique_ptr<Channel> inner) : inner_(std::move(inner)) {
    capabilities_ = inner_->capabilities();
    capabilities_.batches_replies = false;
    capabilities_.batching = nullptr;
    capabilities_.gathering = nullptr;
    capabilities_.block_sender = nullptr;
    capabilities_.block_receiver = nullptr;
  }

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override {
    return inner_->claim(bytes, deadline);
  }
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override {
    return inner_->commit(bytes, deadline);
  }
  void abandon() noexcept override { inner_->abandon(); }
  Result<Bytes> receive(Deadline deadline) noexcept override { return inner_->receive(deadline); }
  void release() noexcept override { inner_->release(); }
  void close() noexcept override { inner_->close(); }
  const Peer& peer() const noexcept override { return inner_->peer(); }

 protected:
  const Channel& inner() const noexcept { return *inner_; }

 private:
  std::unique_ptr<Channel> inner_;
};

/// Delays every frame by a seeded random time of at most `max_delay`. Order is kept.
class DelayingChannel final : public Decorator {
 public:
  DelayingChannel(std::unique_ptr<Channel> inner, std::chrono::microseconds max_delay, std::uint32_t seed)
      : Decorator(std::move(inner)), max_delay_(max_delay), random_(seed) {}
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override {
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % (max_delay_.count() + 1)));
    return Decorator::commit(bytes, deadline);
  }

 private:
  const std::chrono::microseconds max_delay_;
  std::mt19937 random_;
};

/// Delays the release of every received frame.
class SlowReaderChannel final : public Decorator {
 public:
  SlowReaderChannel(std::unique_ptr<Channel> inner, std::chrono::microseconds delay)
      : Decorator(std::move(inner)), delay_(delay) {}
  void release() noexcept override {
    std::this_thread::sleep_for(delay_);
    Decorator::release();
  }

 private:
  const std::chrono::microseconds delay_;
};

/// Changes one byte, at a seeded random position, of every `every`th frame sent.
class CorruptingChannel final : public Decorator {
 public:
  CorruptingChannel(std::unique_ptr<Channel> inner, std::uint32_t every, std::uint32_t seed)
      : Decorator(std::move(inner)), every_(every), random_(seed) {}
  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override {
    Result<MutableBytes> room = Decorator::claim(bytes, deadline);
    if (room) claimed_ = *room;
    return room;
  }
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override {
    if (++sent_ % every_ == 0) {
      claimed_[random_() % bytes] ^= static_cast<std::uint8_t>(1 + random_() % 255);
      ++corrupted_;
    }
    return Decorator::commit(bytes, deadline);
  }
  std::uint32_t corrupted() const noexcept { return corrupted_; }

 private:
  const std::uint32_t every_;
  std::mt19937 random_;
  MutableBytes claimed_;
  std::uint32_t sent_ = 0, corrupted_ = 0;
};

/// Base of unreliable channels: frames are written into private memory, and `commit` decides whether to send
/// them. No claim of the inner channel is open meanwhile. Used by the sending thread.
class StagingChannel : public Decorator {
 public:
  explicit StagingChannel(std::unique_ptr<Channel> inner) : Decorator(std::move(inner)) {}
  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override {
    // The inner channel checks limits and the connection's state.
    Result<MutableBytes> room = Decorator::claim(bytes, deadline);
    if (!room) return room;
    Decorator::abandon();
    staged_.resize((bytes + 7) / 8);
    return MutableBytes(reinterpret_cast<std::uint8_t*>(staged_.data()), bytes);
  }
  void abandon() noexcept override {}

 protected:
  Bytes staged(std::size_t bytes) const noexcept {
    return {reinterpret_cast<const std::uint8_t*>(staged_.data()), bytes};
  }
  Result<void> pass(Bytes frame, Deadline deadline) noexcept {
    Result<MutableBytes> room = Decorator::claim(frame.size(), deadline);
    if (!room) return room.take_error();
    std::copy(frame.begin(), frame.end(), room->begin());
    return Decorator::commit(frame.size(), deadline);
  }

 private:
  std::vector<std::uint64_t> staged_;  // words: a claim is aligned to 8
};

/// Drops one of `one_in` frames at random, seeded: its commit succeeds and nothing is sent.
class LossyChannel final : public StagingChannel {
 public:
  LossyChannel(std::unique_ptr<Channel> inner, std::uint32_t one_in, std::uint32_t seed)
      : StagingChannel(std::move(inner)), one_in_(one_in), random_(seed) {}
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override {
    if (random_() % one_in_ == 0) {
      ++lost_;
      return {};
    }
    return pass(staged(bytes), deadline);
  }
  std::uint32_t lost() const noexcept { return lost_; }

 private:
  const std::uint32_t one_in_;
  std::mt19937 random_;
  std::uint32_t lost_ = 0;
};

/// Sends one of `one_in` frames twice, at random, seeded.
class DuplicatingChannel final : public StagingChannel {
 public:
  DuplicatingChannel(std::unique_ptr<Channel> inner, std::uint32_t one_in, std::uint32_t seed)
      : StagingChannel(std::move(inner)), one_in_(one_in), random_(seed) {}
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override {
    Result<void> sent = pass(staged(bytes), deadline);
    if (!sent || random_() % one_in_ != 0) return sent;
    ++duplicated_;
    return pass(staged(bytes), deadline);
  }
  std::uint32_t duplicated() const noexcept { return duplicated_; }

 private:
  const std::uint32_t one_in_;
  std::mt19937 random_;
  std::uint32_t duplicated_ = 0;
};

/// Delays one of `one_in` frames, at random, seeded, and sends it after the next one. A delayed frame is sent
/// at the close, so that reordering loses nothing.
class ReorderingChannel final : public StagingChannel {
 public:
  ReorderingChannel(std::unique_ptr<Channel> inner, std::uint32_t one_in, std::uint32_t seed)
      : StagingChannel(std::move(inner)), one_in_(one_in), random_(seed) {}
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override {
    const Bytes frame = staged(bytes);
    if (held_.empty() && random_() % one_in_ == 0) {
      held_.assign(frame.begin(), frame.end());
      ++reordered_;
      return {};
    }
    Result<void> sent = pass(frame, deadline);
    return sent && !held_.empty() ? send_held(deadline) : std::move(sent);
  }
  /// Called by the sending thread.
  void close() noexcept override {
    if (!held_.empty()) (void)send_held(Deadline::in_ms(100));
    Decorator::close();
  }
  std::uint32_t reordered() const noexcept { return reordered_; }

 private:
  Result<void> send_held(Deadline deadline) noexcept {
    const std::vector<std::uint8_t> late = std::move(held_);
    held_.clear();
    return pass(late, deadline);
  }

  const std::uint32_t one_in_;
  std::mt19937 random_;
  std::vector<std::uint8_t> held_;
  std::uint32_t reordered_ = 0;
};

/// Closes the channel at the commit after `frames` frames.
class ClosingChannel final : public Decorator {
 public:
  ClosingChannel(std::unique_ptr<Channel> inner, std::uint32_t frames)
      : Decorator(std::move(inner)), left_(frames) {}
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override {
    if (left_ == 0) {
      abandon();
      close();
      return Error{ErrorKind::disconnected, "closed by the test"};
    }
    --left_;
    return Decorator::commit(bytes, deadline);
  }

 private:
  std::uint32_t left_;
};

/// A transport whose channels are wrapped at both ends. `Wrap` is a function from channel to channel.
template <class Wrap>
class DecoratedTransport final : public Transport {
 public:
  DecoratedTransport(Transport& inner, Wrap wrap) : inner_(inner), wrap_(std::move(wrap)) {}
  const char* name() const noexcept override { return inner_.name(); }
  const TransportTraits& traits() const noexcept override { return inner_.traits(); }
  Result<std::unique_ptr<Acceptor>> listen(const std::string& address,
                                           const ChannelOptions& options) override {
    Result<std::unique_ptr<Acceptor>> acceptor = inner_.listen(address, options);
    if (!acceptor) return acceptor;
    return std::unique_ptr<Acceptor>(std::make_unique<DecoratedAcceptor>(std::move(*acceptor), wrap_));
  }
  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) override {
    Result<std::unique_ptr<Channel>> channel = inner_.connect(address, options, deadline);
    if (!channel) return channel;
    return wrap_(std::move(*channel));
  }

 private:
  class DecoratedAcceptor final : public Acceptor {
   public:
    DecoratedAcceptor(std::unique_ptr<Acceptor> inner, const Wrap& wrap)
        : inner_(std::move(inner)), wrap_(wrap) {}
    Result<std::unique_ptr<Channel>> accept() noexcept override {
      Result<std::unique_ptr<Channel>> channel = inner_->accept();
      if (!channel) return channel;
      return wrap_(std::move(*channel));
    }
    Result<std::unique_ptr<Channel>> try_accept() noexcept override {
      Result<std::unique_ptr<Channel>> channel = inner_->try_accept();
      if (!channel || *channel == nullptr) return channel;
      return wrap_(std::move(*channel));
    }
    int descriptor() noexcept override { return inner_->descriptor(); }
    void close() noexcept override { inner_->close(); }
    const std::string& address() const noexcept override { return inner_->address(); }

   private:
    std::unique_ptr<Acceptor> inner_;
    Wrap wrap_;
  };

  Transport& inner_;
  Wrap wrap_;
};

}  // namespace orbweaver::transport::testing
