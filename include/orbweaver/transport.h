#pragma once

#include <orbweaver/detail/blocks.h>
#include <cstdint>
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

/// Contract of all transports. A transport moves *frames* between two ends; a frame is one GIOP message,
/// whose first bytes give its length. A transport does not examine the rest of a frame.
///
/// - A frame is received completely, unchanged, once, and in the order of the commits, or the channel fails.
/// - A frame of any size up to `ChannelOptions::max_frame_bytes` is accepted, however small the buffers are.
/// - If the receiver's buffers are full, the sender blocks in `claim` or `commit`; nothing is dropped,
///   nothing grows. Sending uses no resource that receiving needs: two ends that both send while neither
///   receives block each other until one receives, a deadline passes or one closes, and no longer.
/// - In steady state neither end allocates memory.
/// - Data from the peer is checked before use: a length beyond the limit, a frame shorter than its header, or
///   an index outside the segment ends the channel with ErrorKind::disconnected; no memory is allocated for
///   bytes that have not arrived.
/// - `close`, from any thread, wakes the threads that wait at either end; from then on every call fails with
///   ErrorKind::disconnected. The peer first receives all frames committed before the close.
/// - The death of the peer has the effect of its close, within milliseconds, whether the waiting thread
///   sleeps or spins.
/// - A channel leaves nothing behind: no file, no segment, no descriptor, no thread.
///
/// A transport that is not `reliable` keeps all of this with two exceptions: a frame may be lost, and if the
/// receiver's buffers are full, frames are lost instead of blocking the sender. Frames are received complete,
/// unchanged, at most once and in order; lost frames are counted, and do not affect the channel. The peer's
/// death may be detected later.
///
/// A transport may be in a library of its own, loaded by -ORBTransportPlugin (docs/options.md): see
/// ORBWEAVER_TRANSPORT_PLUGIN below.
namespace orbweaver::transport {

/// Version of the classes and structs in this header, incremented when one changes. A plug-in built for
/// another version is rejected.
inline constexpr std::uint32_t kContractVersion = 10;

using orbweaver::Deadline;

/// How a thread waits for a frame or for buffer space (values of the options: `spin`, `adaptive`, `block`).
enum class WaitStrategy : std::uint8_t {
  spin,      ///< Never sleeps: lowest latency, one core for each waiting thread.
  adaptive,  ///< Spins for a short while, then sleeps. The default.
  block,     ///< Sleeps immediately.
};

/// Returns the length of a frame in bytes from its first kFrameHeaderBytes bytes; ErrorKind::disconnected if
/// they are not the start of a frame. Supplied by the protocol above, so that transports are independent of
/// GIOP.
using FrameLength = Result<std::size_t> (*)(Bytes header);
/// Bytes from which FrameLength determines a frame's length.
inline constexpr std::size_t kFrameHeaderBytes = 12;

/// Options of one transport, from -ORBTransportOption NAME.KEY=VALUE: KEY to VALUE.
using Parameters = std::map<std::string, std::string>;

/// Options of channels and acceptors. Copied by `listen` and `connect`.
struct ChannelOptions {
  FrameLength frame_length = nullptr;                      ///< Required.
  WaitStrategy wait = WaitStrategy::adaptive;              ///< How threads wait.
  std::size_t max_frame_bytes = limits::kMaxMessageBytes;  ///< Largest frame, in bytes.
  /// Bytes of the ring buffer of each direction, if there is one; a power of two.
  std::size_t ring_bytes = std::size_t{1} << 20;
  std::shared_ptr<const Parameters> parameters;  ///< Options of this transport; null: none.
  /// Returns whether the peer may exchange frames with this process. A transport calls it before it gives the
  /// peer resources such as memory or queues; the ORB calls it again for peers of all transports. Any thread.
  /// Null: admits the same user, and root.
  std::function<bool(const Peer&)> admits;
  /// Counts the memory that the library's own transports hold for incomplete frames; null: not counted. Other
  /// transports may ignore it.
  std::shared_ptr<ReceiveBudget> budget = nullptr;

  /// Returns the value of one option, or `otherwise`.
  std::string parameter(const std::string& key, const std::string& otherwise = {}) const {
    if (parameters == nullptr) return otherwise;
    const auto found = parameters->find(key);
    return found == parameters->end() ? otherwise : found->second;
  }
};

/// Scope in which a transport's addresses are valid. References contain it for callers elsewhere.
enum class Reach : std::uint8_t {
  process,   ///< Both ends are in one process.
  host,      ///< Both ends are on one running host.
  anywhere,  ///< An address can be connected to from another host.
};

/// How references contain the endpoints of a transport (docs/formats/ior.md). All forms but `local` need
/// addresses of the form "host:port" or "[v6]:port".
enum class EndpointForm : std::uint8_t {
  local,   ///< Name of the transport and address, for processes of the same host.
  iiop,    ///< Host and port of the profile; further ones as TAG_ALTERNATE_IIOP_ADDRESS.
  tagged,  ///< Host and port in TransportTraits::component_tag, encoded as TAG_ALTERNATE_IIOP_ADDRESS.
  ssl,     ///< Port and Protection in TAG_SSL_SEC_TRANS.
};

/// Constant properties of a transport.
struct TransportTraits {
  Reach reach = Reach::host;  ///< Scope of its addresses.
  /// False: frames may be lost (see above), and calls that expect a reply need a deadline.
  bool reliable = true;
  /// Whether both ends are authenticated and frames are encrypted and protected against modification. If such
  /// a transport fails, the ORB does not fall back to an unprotected transport that reaches other hosts,
  /// unless -ORBInsecureFallback permits it. A peer that cannot be authenticated fails with
  /// ErrorKind::permission_denied.
  bool secure = false;
  EndpointForm form = EndpointForm::local;  ///< Where references contain its addresses.
  std::uint32_t component_tag = 0;          ///< Component of EndpointForm::tagged.
  /// Component in which an address that is an absolute path is published too, with the host's name, encoded
  /// as omniORB's component of Unix sockets; 0: none.
  std::uint32_t path_component_tag = 0;
  /// Position in the default of -ORBTransportPreference, which is in ascending order; negative: not in it.
  int preference_rank = -1;
  /// Whether it is in the default of -ORBListen.
  bool listens_by_default = false;
  const char* alias = nullptr;  ///< Further name in -ORBListen; null: none.
};

/// Protection that an endpoint of EndpointForm::ssl offers and requires in addition to encryption and its own
/// authentication.
struct Protection {
  bool accepts_client_certificate = false;   ///< A client may present a certificate.
  bool requires_client_certificate = false;  ///< A client without a certificate is rejected.
};

using orbweaver::Peer;

/// Optional: sends several frames by one system call. By the sending thread of the channel.
class BatchedSending {
 public:
  /// As Channel::commit, but the frame may be kept until the next commit or flush. Order is kept. The
  /// deadline applies to this frame only, and only if there is no space to keep it. Frames that have been
  /// queued but not sent before `close` are lost.
  virtual Result<void> queue(std::size_t bytes, Deadline deadline) noexcept = 0;
  /// Sends the queued frames. ErrorKind::timed_out at the deadline: frames not sent stay queued, and the
  /// channel is usable. Without a claim.
  virtual Result<void> flush(Deadline deadline) noexcept = 0;

 protected:
  ~BatchedSending() = default;
};

/// Optional: sends a segment of a frame from the memory of its owner (gather). By the sending thread.
class GatheredSending {
 public:
  /// Called just before commit: the frame's bytes from `at` on are these, and have not been written to the
  /// claimed buffer. They stay valid until commit returns. One segment per frame; never before `queue`.
  virtual void attach_segment(std::size_t at, Bytes bytes) noexcept = 0;

 protected:
  ~GatheredSending() = default;
};

/// Optional: lets a thread wait for several channels by polling their descriptors.
class Readiness {
 public:
  /// A descriptor that is readable while a frame may have arrived or the peer has gone. Owned by the channel:
  /// poll it, do not read it. By the receiving thread; the same descriptor every time. -1: no descriptor is
  /// left.
  virtual int descriptor() noexcept = 0;
  /// Called before every poll: announces that the receiving thread waits at the descriptor, after which every
  /// frame and the end of the peer make it readable. False: do not wait, since `receive` has a frame or an
  /// error.
  virtual bool arm() noexcept = 0;
  /// By the sending thread, between claim and commit: whether a commit of `bytes` is expected not to wait for
  /// the peer.
  virtual bool commits_without_waiting(std::size_t bytes) const noexcept {
    return bytes <= std::size_t{16} * 1024;
  }

 protected:
  ~Readiness() = default;
};

/// Optional: what is known of bytes that have been received or sent in part.
class ReceiveStatus {
 public:
  /// Whether part of a frame has arrived, as far as the receiving thread has seen. Any thread.
  virtual bool has_partial_frame() const noexcept { return false; }
  /// After `receive` has failed: how many of the bytes committed last the peer's host did not accept and
  /// never will, because the peer closed before they arrived. 0 if unknown.
  virtual std::size_t undelivered_bytes() const noexcept { return 0; }

 protected:
  ~ReceiveStatus() = default;
};

/// Optional functions of a channel beyond those of Channel; fixed when it is created. The objects live as
/// long as the channel; null: not supported.
struct Capabilities {
  /// Whether `claim` fails soon after the peer has closed or died although no thread receives. If not, a
  /// sender that has been idle calls `receive` with a deadline in the past before it claims, so as not to
  /// send to a peer that has gone.
  bool claim_detects_disconnect = false;
  /// Whether a large message may be sent as several frames (GIOP fragments), so that the sender needs no
  /// buffer for all of it. False if one frame may be lost without the others, or if large payloads are sent
  /// as blocks, which belong to one frame.
  bool allows_fragments = true;
  /// Whether replies are worth delaying for a batch: a frame costs a system call, and Readiness::arm tells
  /// exactly whether another frame has been read. Only with `batching` and `readiness`.
  bool batches_replies = false;
  /// Whether Readiness::descriptor is the socket of the frames: polling it has no side effect on the peer.
  bool polls_data_socket = false;
  /// Largest frame of which `send` sends all or nothing, so that it never waits with a deadline of 0. 0: it
  /// may send a part of any frame.
  std::size_t undivided_bytes = 0;
  BatchedSending* batching = nullptr;       ///< Sends several frames at once.
  GatheredSending* gathering = nullptr;     ///< Sends a segment from its owner's memory.
  Readiness* readiness = nullptr;           ///< Lets a thread poll several channels.
  ReceiveStatus* receive_status = nullptr;  ///< State of receiving.
  /// Sends payloads in shared memory without copying. `export_block` is called between claim and commit or
  /// abandon.
  BlockSender* block_sender = nullptr;
  /// Receives such payloads. The result of `import_block` is valid until `release`.
  BlockReceiver* block_receiver = nullptr;
};

/// One end of a connection. One thread at a time sends (claim … commit or abandon), and one thread at a time
/// receives (receive … release); sending and receiving are independent. Any thread may call `close`.
/// Functions that take a deadline fail with ErrorKind::disconnected once the channel or the connection is
/// closed.
class Channel {
 public:
  virtual ~Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Returns a buffer for one outgoing frame of at most `bytes`, aligned to 8, to be written in place; valid
  /// until commit, queue or abandon. Blocks while the receiver's buffers are full, at most until `deadline`
  /// (ErrorKind::timed_out; the channel stays usable). A channel that blocks in `commit` instead checks for
  /// space only if the deadline is 0. Fails with ErrorKind::unavailable if `bytes` exceeds max_frame_bytes.
  virtual Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept = 0;
  /// Sends the first `bytes` of the claimed buffer. Blocks while the receiver's buffers are full.
  /// ErrorKind::timed_out at the deadline: the channel is then closed if part of the frame has been sent, and
  /// usable otherwise. Any other error ends sending; frames that the peer committed before can still be
  /// received. A frame whose commit failed, for whatever reason, is never received completely.
  virtual Result<void> commit(std::size_t bytes, Deadline deadline) noexcept = 0;
  /// Releases the claimed buffer without sending.
  virtual void abandon() noexcept = 0;
  /// Sends one frame of bytes that the caller has written elsewhere: as claim, a copy and commit, in one
  /// call. For small frames, whose copy costs less than a claim. Not while a buffer is claimed. Errors: those
  /// of both. After ErrorKind::unavailable, and after ErrorKind::timed_out unless the channel was closed,
  /// nothing was sent, and the channel is usable. The default calls both.
  virtual Result<void> send(Bytes frame, Deadline deadline) noexcept;

  /// Returns the next frame, aligned to 8. It stays valid, and is not received again, until `release`.
  /// ErrorKind::timed_out at the deadline; ErrorKind::disconnected once the peer has gone and all its frames
  /// have been read.
  virtual Result<Bytes> receive(Deadline deadline) noexcept = 0;
  /// Releases the frame returned by `receive`.
  virtual void release() noexcept = 0;

  /// Closes the channel; idempotent. Any thread. See the contract above.
  virtual void close() noexcept = 0;
  /// Identity of the other end; valid as long as the channel. Any thread.
  virtual const Peer& peer() const noexcept = 0;

  /// The same at every call. Any thread.
  const Capabilities& capabilities() const noexcept { return capabilities_; }

 protected:
  Channel() = default;

  Capabilities capabilities_;  ///< Set by the constructors of derived classes.
};

/// Accepts connections. `accept` and `close` may be called from different threads.
class Acceptor {
 public:
  virtual ~Acceptor() = default;
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  /// Waits for a peer and returns its channel. A peer that violates the protocol while it connects is
  /// rejected here, without effect on others. Fails with ErrorKind::unavailable once closed.
  virtual Result<std::unique_ptr<Channel>> accept() noexcept = 0;
  /// Returns the channel of a peer that is already waiting; null if there is none, or it was rejected.
  virtual Result<std::unique_ptr<Channel>> try_accept() noexcept {
    return Error{ErrorKind::unavailable, "this transport cannot accept without waiting"};
  }
  /// A descriptor, readable while a peer may be waiting; owned by the acceptor. -1: cannot be polled, and
  /// `try_accept` is not supported.
  virtual int descriptor() noexcept { return -1; }
  /// Makes `accept` fail, also in threads that wait in it; idempotent. Any thread.
  virtual void close() noexcept = 0;
  /// The address that peers connect to, in the form that `connect` of the same transport takes. Valid as long
  /// as the acceptor.
  virtual const std::string& address() const noexcept = 0;

 protected:
  Acceptor() = default;
};

/// A transport: creates acceptors and channels. Stateless; lives as long as the process. Any thread.
/// Functions with a Result may throw std::bad_alloc and leave nothing behind then; no other exception.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Name, as in -ORBListen and -ORBTransportPreference: "inproc", "shm", "tcp".
  virtual const char* name() const noexcept = 0;
  /// The same object at every call. The default has the default of each member.
  virtual const TransportTraits& traits() const noexcept;
  /// Protection of an endpoint that listens with these options. Only of EndpointForm::ssl.
  virtual Protection protection(const Parameters& parameters) const noexcept;
  /// Checks the options of this transport. ErrorKind::invalid, with the option's name in the message, if one
  /// is unknown or has an invalid value. Called once, when an ORB is created with options for this transport.
  virtual Result<void> check(const Parameters& parameters);
  /// Checks that `address`, which is not empty, has the form that `listen` takes; opens and resolves nothing.
  /// Fails with ErrorKind::invalid, with the form in the message. The default accepts every address.
  virtual Result<void> check_address(const std::string& address);
  /// Opens an acceptor. `address` in the transport's own form; empty: any (tcp: loopback, any port; shm,
  /// inproc: a new name, unique on the host). Fails with ErrorKind::unavailable if it cannot listen,
  /// ErrorKind::invalid for a malformed address.
  virtual Result<std::unique_ptr<Acceptor>> listen(const std::string& address, const ChannelOptions&) = 0;
  /// Connects to an acceptor's `address`. Fails with ErrorKind::timed_out at the deadline,
  /// ErrorKind::transient if nothing listens there at present, ErrorKind::invalid for a malformed address,
  /// and ErrorKind::unavailable if resources are missing.
  virtual Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions&,
                                                   Deadline deadline) = 0;
};

/// The transports of this process, to which a plug-in adds its own. By the thread that loads the plug-in.
class Registry {
 public:
  /// Adds a transport and takes ownership. Fails with ErrorKind::invalid if the name is taken, or is not made
  /// of letters, digits, '-' and '_'.
  virtual Result<void> add(std::unique_ptr<Transport> transport) = 0;

 protected:
  ~Registry() = default;
};

/// Symbol exported by a plug-in library: see ORBWEAVER_TRANSPORT_PLUGIN.
struct Plugin {
  std::uint32_t contract;  ///< kContractVersion of the plug-in; the first member in every version.
  Result<void> (*add_transports)(Registry&);  ///< Called once, when the plug-in is loaded.
};

}  // namespace orbweaver::transport

/// Defines the symbol that makes a shared library a plug-in; use it once:
///
///     ORBWEAVER_TRANSPORT_PLUGIN(registry) { return registry.add(std::make_unique<Fifo>()); }
#define ORBWEAVER_TRANSPORT_PLUGIN(registry)                                                    \
  static ::orbweaver::Result<void> orbweaver_add_transports(::orbweaver::transport::Registry&); \
  extern "C" __attribute__((visibility("default")))                                             \
  const ::orbweaver::transport::Plugin orbweaver_transport_plugin = {                           \
      ::orbweaver::transport::kContractVersion, &orbweaver_add_transports};                     \
  static ::orbweaver::Result<void> orbweaver_add_transports(::orbweaver::transport::Registry& registry)
