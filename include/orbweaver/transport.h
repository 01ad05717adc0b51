#pragma once

#include <orbweaver/blocks.h>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include <orbweaver/bytes.h>
#include <orbweaver/deadline.h>
#include <orbweaver/limits.h>
#include <orbweaver/peer.h>
#include <orbweaver/result.h>

#if __cplusplus < 202002L
#error "Transports are written in C++20: their frames are std::span"
#endif

namespace orbweaver {
class ReceiveBudget;
}

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
///
/// A transport that is not `reliable` keeps all of that but for two promises: a frame may be lost, and a full
/// receiver does not block the sender, but loses frames. What arrives is whole, unchanged, at most once and in
/// order; what is lost is counted, and costs the channel nothing. The peer's death may be seen later, too.
///
/// A transport may live in a library of its own, loaded by -ORBTransportPlugin (docs/options.md): see
/// ORBWEAVER_TRANSPORT_PLUGIN below.
namespace orbweaver::transport {

/// Of everything in this header. Raised whenever a class or a struct in it changes; a plug-in that was built
/// for another number is refused.
inline constexpr std::uint32_t kContract = 8;

using orbweaver::Deadline;

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

/// What -ORBTransportOption NAME.KEY=VALUE says to one transport: KEY to VALUE.
using Parameters = std::map<std::string, std::string>;

struct ChannelOptions {
  FrameLength frame_length = nullptr;  ///< Required.
  Wait wait = Wait::adaptive;
  std::size_t max_frame_bytes = limits::kMaxMessageBytes;
  std::size_t ring_bytes = std::size_t{1} << 20;  ///< Of each direction, where there is a ring; a power of two.
  std::shared_ptr<const Parameters> parameters;   ///< Those of this transport; null: none.
  /// May this peer exchange frames with this process? A transport asks it before it hands a peer anything that costs:
  /// memory, queues; peers of all transports are asked again by the ORB. Null: the same user, and root.
  std::function<bool(const Peer&)> admits;
  /// Where the library's own transports count what they hold of frames that have not all arrived; null: nowhere. Others
  /// may leave it alone.
  std::shared_ptr<ReceiveBudget> budget = nullptr;

  /// The value of one parameter, or `otherwise`.
  std::string parameter(const std::string& key, const std::string& otherwise = {}) const {
    if (parameters == nullptr) return otherwise;
    const auto found = parameters->find(key);
    return found == parameters->end() ? otherwise : found->second;
  }
};

/// How far a transport's addresses mean anything. References tell it to callers elsewhere.
enum class Reach : std::uint8_t {
  process,   ///< Both ends are in one process.
  host,      ///< Both ends are on one running machine.
  anywhere,  ///< An address can be connected to from another host.
};

using orbweaver::Peer;

/// What frame after frame begins with, octets 8 to 15 aside: there GIOP has a message's size and a request's id.
struct Head {
  std::uint64_t number = 0;  ///< No other octets of this process have it. 0: there is no head.
  Bytes octets;              ///< At least 16; they outlive the call.
};

/// One connection's end. One thread at a time sends (claim … commit or abandon), one thread at a time
/// receives (receive … release); sending and receiving are independent. `close` may come from anywhere.
class Channel {
 public:
  virtual ~Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Room for one outgoing frame of at most `bytes`, aligned to 8, to be written in place. Blocks while
  /// the peer is full, at most until `deadline` (Remedy::wait; the channel stays good). A channel that does its
  /// waiting in `commit` looks whether the peer is full where the deadline is 0.
  /// Fails with Remedy::give_up if `bytes` is beyond max_frame_bytes.
  virtual Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept = 0;
  /// Sends the first `bytes` of what was claimed. Blocks while the peer is full. Remedy::wait at the deadline:
  /// the channel is closed if part of the frame has left, and good otherwise. Any other failure ends sending;
  /// what the peer had committed before it went can still be received. A frame whose commit failed, for whatever
  /// reason, never arrives whole.
  virtual Result<void> commit(std::size_t bytes, Deadline deadline) noexcept = 0;
  /// As `commit`, but the frame may stay here until the next commit or flush, so that many leave by one system call.
  /// Order is kept. A deadline concerns this frame alone, and only where there was no room to keep it.
  /// What was queued and did not leave before `close` is lost.
  virtual Result<void> queue(std::size_t bytes, Deadline deadline) noexcept { return commit(bytes, deadline); }
  /// Sends what is queued. Remedy::wait at the deadline: what has not left stays queued, and the channel is good.
  /// The sending thread, with nothing claimed.
  virtual Result<void> flush(Deadline deadline) noexcept {
    static_cast<void>(deadline);
    return {};
  }
  /// Can a piece of a frame stay where its owner has it until the commit?
  virtual bool borrows() const noexcept { return false; }
  /// Just before a commit, of a channel that borrows: the frame's bytes from `at` on are these, and were not written.
  /// They stay valid until commit returns. One piece a frame; never before `queue`.
  virtual void borrow(std::size_t at, Bytes bytes) noexcept {
    static_cast<void>(at);
    static_cast<void>(bytes);
  }
  /// A guess, between the two: would the commit of so many bytes end without waiting for the peer?
  virtual bool commits_at_once(std::size_t bytes) const noexcept { return bytes <= std::size_t{16} * 1024; }
  /// Gives the claimed room back unsent.
  virtual void abandon() noexcept = 0;
  /// Does `claim` fail soon after the peer's end although nobody receives? Where it does not, a sender that was idle
  /// calls `receive` with a deadline that has passed before it claims, so as not to send to a peer that is gone.
  virtual bool claim_tells_of_end() const noexcept { return false; }
  /// Once `receive` has failed: how many of the bytes that were committed last the peer's host did not take and never
  /// will, because the peer had closed before they came. 0 where that is not known.
  virtual std::size_t bytes_not_taken() const noexcept { return 0; }
  /// May a large message be sent as several frames, GIOP fragments, so that the sender needs no room for all of it?
  /// Not where one frame may be lost without the others, nor where large payloads go as blocks, which belong to a frame.
  virtual bool takes_fragments() const noexcept { return true; }
  /// The frame begins with that: puts it at the beginning of `room`, which is what `claim` gave, or finds it there
  /// since last time. Before anything else is written to it; octets 8 to 15 have to be written then. Where head after
  /// head is the same, a transport may leave it out on the way; the receiver gets a whole frame all the same.
  virtual void put_head(MutableBytes room, const Head& head) noexcept {
    std::memcpy(room.data(), head.octets.data(), head.octets.size());
  }

  /// The next frame, aligned to 8. It stays valid, and is not received again, until `release`.
  /// Remedy::wait at the deadline; Remedy::reconnect once the peer is gone and all its frames are read.
  virtual Result<Bytes> receive(Deadline deadline) noexcept = 0;
  /// Ends the use of the frame returned by `receive`.
  virtual void release() noexcept = 0;
  /// Of the frame that `receive` returned last: what it begins with, as far as the channel knows. Two frames with a
  /// head of one number begin with the same octets, 8 to 15 aside.
  struct Known {
    std::uint32_t head = 0;   ///< Its number at this channel; 0: nothing is known.
    std::uint32_t bytes = 0;  ///< So many, from the frame's first on.
  };
  const Known& known() const noexcept { return known_; }

  /// For a thread that waits at many channels at once, with poll: readable while a frame may be there or the peer
  /// is gone. It belongs to the channel: poll it, never read it. The receiving thread; the same one every time.
  /// -1: this channel cannot be polled.
  virtual int descriptor() noexcept { return -1; }
  /// Before every poll: announces that the receiving thread waits at the descriptor, after which every frame and
  /// the end of the peer make it readable. False: do not wait, `receive` has something to give or to tell.
  virtual bool arm() noexcept { return false; }

  virtual void close() noexcept = 0;
  virtual const Peer& peer() const noexcept = 0;
  /// Has a frame begun to arrive of which more is to come? As far as the receiving thread has seen; any thread.
  virtual bool receiving() const noexcept { return false; }

  /// How payloads that lie in shared memory go without a copy; null where they do not. `give` between claim
  /// and commit or abandon; what was taken is valid until `release`.
  virtual BlockSender* block_sender() noexcept { return nullptr; }
  virtual BlockReceiver* block_receiver() noexcept { return nullptr; }

 protected:
  Channel() = default;

  Known known_;  ///< Set by `receive`, by those that know.
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
  /// The channel of a peer that waits already; null where none does, or where it was turned away.
  virtual Result<std::unique_ptr<Channel>> try_accept() noexcept {
    return Error{Remedy::give_up, "this transport cannot accept without waiting"};
  }
  /// Readable while a peer may wait. -1: cannot be polled, and `try_accept` does not work. As in Channel.
  virtual int descriptor() noexcept { return -1; }
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
  virtual Reach reach() const noexcept { return Reach::host; }
  /// False: frames may be lost (see above). Whoever waits for an answer over it sets a deadline.
  virtual bool reliable() const noexcept { return true; }
  /// Both ends prove who they are, and nobody between them reads or changes frames. Where such a transport fails, the
  /// ORB takes no other that reaches other hosts instead, unless it is told to (-ORBInsecureFallback). A peer that cannot
  /// prove who it is fails with Remedy::permission_denied.
  virtual bool secure() const noexcept { return false; }
  /// Remedy::mend, and a sentence that names the parameter, where one is not known or has a bad value. Asked
  /// once, when an ORB is made with parameters for this transport.
  virtual Result<void> check(const Parameters& parameters) noexcept;
  /// Whether `address`, which is not empty, has the form that `listen` takes; nothing is opened or resolved. Fails with
  /// Remedy::mend, and a sentence that names the form. The default accepts every address.
  virtual Result<void> check_address(const std::string& address) noexcept;
  /// `address` in the transport's own form; empty: any (tcp: loopback, any port; shm, inproc: a fresh name).
  virtual Result<std::unique_ptr<Acceptor>> listen(const std::string& address, const ChannelOptions&) noexcept = 0;
  virtual Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions&,
                                                   Deadline deadline) noexcept = 0;
};

/// What a plug-in adds its transports to.
class Registry {
 public:
  /// Fails with Remedy::mend where the name is taken or no word of letters, digits, '-' and '_'.
  virtual Result<void> add(std::unique_ptr<Transport> transport) = 0;

 protected:
  ~Registry() = default;
};

/// What a plug-in library exports: see ORBWEAVER_TRANSPORT_PLUGIN.
struct Plugin {
  std::uint32_t contract;  ///< Stays first in every version.
  Result<void> (*add_transports)(Registry&);
};

}  // namespace orbweaver::transport

/// Makes a shared library a plug-in, once in it:
///
///   ORBWEAVER_TRANSPORT_PLUGIN(registry) { return registry.add(std::make_unique<Fifo>()); }
#define ORBWEAVER_TRANSPORT_PLUGIN(registry)                                                                    \
  static ::orbweaver::Result<void> orbweaver_add_transports(::orbweaver::transport::Registry&);                 \
  extern "C" __attribute__((visibility("default"))) const ::orbweaver::transport::Plugin                        \
      orbweaver_transport_plugin = {::orbweaver::transport::kContract, &orbweaver_add_transports};              \
  static ::orbweaver::Result<void> orbweaver_add_transports(::orbweaver::transport::Registry& registry)
