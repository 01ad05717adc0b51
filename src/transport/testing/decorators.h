#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "transport/transport.h"

/// Disturbances that any channel can wear in a test. Each keeps the channel's contract as far as what it
/// stands for allows, so that the code above can be shown what a bad day looks like.
namespace orbweaver::transport::testing {

/// Passes everything on. The others override what they disturb.
class Decorator : public Channel {
 public:
  explicit Decorator(std::unique_ptr<Channel> inner) : inner_(std::move(inner)) {}

  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override {
    return inner_->claim(bytes, deadline);
  }
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override {
    return inner_->commit(bytes, deadline);
  }
  bool commits_at_once(std::size_t bytes) const noexcept override { return inner_->commits_at_once(bytes); }
  void abandon() noexcept override { inner_->abandon(); }
  bool claim_tells_of_end() const noexcept override { return inner_->claim_tells_of_end(); }
  std::size_t bytes_not_taken() const noexcept override { return inner_->bytes_not_taken(); }
  bool takes_fragments() const noexcept override { return inner_->takes_fragments(); }
  void put_head(MutableBytes room, const Head& head) noexcept override { inner_->put_head(room, head); }
  Result<Bytes> receive(Deadline deadline) noexcept override {
    auto frame = inner_->receive(deadline);
    known_ = inner_->known();
    return frame;
  }
  void release() noexcept override { inner_->release(); }
  int descriptor() noexcept override { return inner_->descriptor(); }
  bool arm() noexcept override { return inner_->arm(); }
  void close() noexcept override { inner_->close(); }
  const Peer& peer() const noexcept override { return inner_->peer(); }

 private:
  std::unique_ptr<Channel> inner_;
};

/// Every frame leaves late, by a time between none and `most`, seeded. Order is kept.
class Delayed final : public Decorator {
 public:
  Delayed(std::unique_ptr<Channel> inner, std::chrono::microseconds most, std::uint32_t seed)
      : Decorator(std::move(inner)), most_(most), random_(seed) {}
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override {
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % (most_.count() + 1)));
    return Decorator::commit(bytes, deadline);
  }

 private:
  const std::chrono::microseconds most_;
  std::mt19937 random_;
};

/// Takes its time over every frame it has received.
class SlowReader final : public Decorator {
 public:
  SlowReader(std::unique_ptr<Channel> inner, std::chrono::microseconds over_each)
      : Decorator(std::move(inner)), over_each_(over_each) {}
  void release() noexcept override {
    std::this_thread::sleep_for(over_each_);
    Decorator::release();
  }

 private:
  const std::chrono::microseconds over_each_;
};

/// Changes one byte, at a seeded place, of every `every`th frame sent.
class Corrupting final : public Decorator {
 public:
  Corrupting(std::unique_ptr<Channel> inner, std::uint32_t every, std::uint32_t seed)
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

/// Frames written into memory of the decorator's own, which decides what becomes of them at `commit`: the base
/// of what an unreliable network does. Nothing of the inner channel is claimed meanwhile. The sender's thread.
class Unreliable : public Decorator {
 public:
  explicit Unreliable(std::unique_ptr<Channel> inner) : Decorator(std::move(inner)) {}
  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override {
    // The inner channel has the first word on limits, and on whether it still lives.
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

/// Loses one frame in `one_in`, at random, seeded: its commit succeeds and nothing leaves.
class Losing final : public Unreliable {
 public:
  Losing(std::unique_ptr<Channel> inner, std::uint32_t one_in, std::uint32_t seed)
      : Unreliable(std::move(inner)), one_in_(one_in), random_(seed) {}
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

/// Sends one frame in `one_in` twice, at random, seeded.
class Duplicating final : public Unreliable {
 public:
  Duplicating(std::unique_ptr<Channel> inner, std::uint32_t one_in, std::uint32_t seed)
      : Unreliable(std::move(inner)), one_in_(one_in), random_(seed) {}
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

/// Holds one frame in `one_in` back, at random, seeded, and sends it behind the next one. A frame still held
/// at the close is sent then, so that reordering alone loses nothing.
class Reordering final : public Unreliable {
 public:
  Reordering(std::unique_ptr<Channel> inner, std::uint32_t one_in, std::uint32_t seed)
      : Unreliable(std::move(inner)), one_in_(one_in), random_(seed) {}
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override {
    const Bytes frame = staged(bytes);
    if (held_.empty() && random_() % one_in_ == 0) {
      held_.assign(frame.begin(), frame.end());
      ++reordered_;
      return {};
    }
    Result<void> sent = pass(frame, deadline);
    return sent && !held_.empty() ? pass_held(deadline) : std::move(sent);
  }
  /// The sender's thread, as it sends.
  void close() noexcept override {
    if (!held_.empty()) (void)pass_held(Deadline::in_ms(100));
    Decorator::close();
  }
  std::uint32_t reordered() const noexcept { return reordered_; }

 private:
  Result<void> pass_held(Deadline deadline) noexcept {
    const std::vector<std::uint8_t> late = std::move(held_);
    held_.clear();
    return pass(late, deadline);
  }

  const std::uint32_t one_in_;
  std::mt19937 random_;
  std::vector<std::uint8_t> held_;
  std::uint32_t reordered_ = 0;
};

/// Sends `frames` frames, then dies: the next commit closes the channel instead.
class DyingAfter final : public Decorator {
 public:
  DyingAfter(std::unique_ptr<Channel> inner, std::uint32_t frames)
      : Decorator(std::move(inner)), left_(frames) {}
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override {
    if (left_ == 0) {
      abandon();
      close();
      return Error{Remedy::reconnect, "died, as the test wished"};
    }
    --left_;
    return Decorator::commit(bytes, deadline);
  }

 private:
  std::uint32_t left_;
};

/// A transport whose channels, at both ends, are wrapped: `Wrap` is a function from channel to channel.
template <class Wrap>
class DecoratedTransport final : public Transport {
 public:
  DecoratedTransport(Transport& inner, Wrap wrap) : inner_(inner), wrap_(std::move(wrap)) {}
  const char* name() const noexcept override { return inner_.name(); }
  Result<std::unique_ptr<Acceptor>> listen(const std::string& address, const ChannelOptions& options) noexcept override {
    Result<std::unique_ptr<Acceptor>> acceptor = inner_.listen(address, options);
    if (!acceptor) return acceptor;
    return std::unique_ptr<Acceptor>(std::make_unique<DecoratedAcceptor>(std::move(*acceptor), wrap_));
  }
  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) noexcept override {
    Result<std::unique_ptr<Channel>> channel = inner_.connect(address, options, deadline);
    if (!channel) return channel;
    return wrap_(std::move(*channel));
  }

 private:
  class DecoratedAcceptor final : public Acceptor {
   public:
    DecoratedAcceptor(std::unique_ptr<Acceptor> inner, const Wrap& wrap) : inner_(std::move(inner)), wrap_(wrap) {}
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
