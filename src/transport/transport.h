#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/result.h"
#include "platform/clock.h"

/// What every transport keeps. A transport moves *frames* (a frame is one GIOP message, whose first
/// bytes tell its length) between two ends, and nothing else: it never looks behind the frame's length.
///
/// - A frame arrives whole, unchanged, once, and in the order of the commits, or the channel fails.
/// - A frame of any size up to `ChannelOptions::max_frame_bytes` passes, however small the buffers are.
/// - A full receiver blocks the sender in `claim` or `commit`; nothing is dropped, nothing grows. Sending
///   takes nothing that receiving needs: two ends that both send while neither receives wait for each other
///   until one receives, a deadline passes or one closes, and no longer.
/// - In steady state neither end allocates.
/// - What comes from the peer is checked before it is used: a length beyond the limit, a frame that is
///   too short for its header, an index outside the segment end the channel with Remedy::reconnect,
///   and no storage is allocated for bytes that have not arrived.
/// - `close`, from any thread, wakes whoever waits on either end; from then on every call fails with
///   Remedy::reconnect. The peer first receives all frames committed before the close.
/// - The death of the peer is seen like its close, within milliseconds, sleeping or spinning.
/// - A channel leaves nothing behind: no file, no segment, no descriptor, no thread.
namespace orbweaver::transport {

using platform::Deadline;

/// How a thread waits for a frame or for room (design: `spin`, `adaptive`, `block`).
enum class Wait : std::uint8_t {
  spin,      ///< Never sleeps: lowest latency, one core each.
  adaptive,  ///< Spins for a short while, then sleeps. The default.
  block,     ///< Sleeps at once.
};

/// The length of a frame in bytes, told by its first kFrameHeaderBytes; Remedy::reconnect where they are
/// not the beginning of a frame. The protocol above supplies it, so that no transport knows GIOP.
using FrameLength = Result<std::size_t> (*)(Bytes header);
inline constexpr std::size_t kFrameHeaderBytes = 12;

struct ChannelOptions {
  FrameLength frame_length = nullptr;  ///< Required.
  Wait wait = Wait::adaptive;
  std::size_t max_frame_bytes = limits::kMaxMessageBytes;
  std::size_t ring_bytes = std::size_t{1} << 20;  ///< Of each direction, where there is a ring; a power of two.
};

/// Who is at the other end, as far as the operating system vouches for it.
struct Peer {
  std::string address;      ///< For messages: "127.0.0.1:4711", "pid 812".
  std::int64_t pid = -1;    ///< -1 where not known.
  std::int64_t uid = -1;
};

/// One connection's end. One thread at a time sends (claim … commit or abandon), one thread at a time
/// receives (receive … release); sending and receiving are independent. `close` may come from anywhere.
class Channel {
 public:
  virtual ~Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Room for one outgoing frame of at most `bytes`, aligned to 8, to be written in place. Blocks while
  /// the peer is full, at most until `deadline` (Remedy::wait; the channel stays good).
  /// Fails with Remedy::give_up if `bytes` is beyond max_frame_bytes.
  virtual Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept = 0;
  /// Sends the first `bytes` of what was claimed. Blocks while the peer is full. Remedy::wait at the deadline:
  /// the channel is closed if part of the frame has left, and good otherwise. Any other failure ends sending;
  /// what the peer had committed before it went can still be received.
  virtual Result<void> commit(std::size_t bytes, Deadline deadline) noexcept = 0;
  /// Gives the claimed room back unsent.
  virtual void abandon() noexcept = 0;

  /// The next frame, aligned to 8. It stays valid, and is not received again, until `release`.
  /// Remedy::wait at the deadline; Remedy::reconnect once the peer is gone and all its frames are read.
  virtual Result<Bytes> receive(Deadline deadline) noexcept = 0;
  /// Ends the use of the frame returned by `receive`.
  virtual void release() noexcept = 0;

  virtual void close() noexcept = 0;
  virtual const Peer& peer() const noexcept = 0;

 protected:
  Channel() = default;
};

/// Waits for peers. `accept` and `close` may be called from different threads.
class Acceptor {
 public:
  virtual ~Acceptor() = default;
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  /// The next peer's channel. A peer that misbehaves while it connects is turned away here and costs
  /// nobody else anything. Fails with Remedy::give_up once closed.
  virtual Result<std::unique_ptr<Channel>> accept() noexcept = 0;
  virtual void close() noexcept = 0;
  /// The address that peers connect to, in the form that `connect` of the same transport takes.
  virtual const std::string& address() const noexcept = 0;

 protected:
  Acceptor() = default;
};

/// One way of moving frames. Stateless; lives as long as the program.
class Transport {
 public:
  virtual ~Transport() = default;
  /// "inproc", "shm", "tcp": the word that users give to --transport and TransportPreference.
  virtual const char* name() const noexcept = 0;
  /// `address` in the transport's own form; empty: any (tcp: loopback, any port; shm, inproc: a fresh name).
  virtual Result<std::unique_ptr<Acceptor>> listen(const std::string& address, const ChannelOptions&) noexcept = 0;
  virtual Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions&,
                                                   Deadline deadline) noexcept = 0;
};

Transport& inproc();  ///< address: a name, unique in the process
Transport& shm();     ///< address: a rendezvous name in the host's abstract socket space
Transport& tcp();     ///< address: "host:port" or "[v6]:port"

}  // namespace orbweaver::transport
