#pragma once

#include <orbweaver/cdr/scratch.h>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "giop/fragment.h"
#include "giop/request.h"
#include "orb/connection_limits.h"
#include "orb/fragmented_message.h"
#include "orb/known_request.h"
#include "orb/reply_batch.h"
#include "transport/transport.h"

namespace orbweaver::orb {

class Core;

/// The server's end of a connection: one thread at a time reads requests, serves them and sends the replies, in
/// the order in which they came. What a peer sends wrong ends its connection and nothing else.
class ServerConnection final : private cdr::Overflow {
 public:
  /// May the serving thread wait for this client? No: it has others to serve.
  enum class Waits : bool { no, yes };
  /// `transport`: the name of the channel's.
  ServerConnection(Core& core, std::unique_ptr<transport::Channel> channel, const char* transport,
                   std::unique_ptr<ConnectionLimits::Admission> admission, Waits waits = Waits::yes);
  ~ServerConnection();

  /// Serves until the peer goes or `close_in_order`. The connection's own thread.
  void serve();

  /// What became of the next message.
  enum class Served : std::uint8_t {
    request,  ///< It is done.
    nothing,  ///< There was none.
    held,     ///< Its POA's manager holds it. It is tried again by the next call.
    late,     ///< It is done, but the client takes no reply at present: `send_late` waits for it.
    ended,    ///< The connection is of no further use.
  };
  /// Serves one message if it has come. With Waits::no, one thread at a time, like all about late replies.
  Served serve_one();
  /// Sends what `late` left, and waits as long as it takes. Any one thread.
  void send_late();
  /// After it: false if the connection is of no further use.
  bool sent_late();

  transport::Channel& channel() noexcept { return *channel_; }
  /// Tells the client that what it has not been answered was not done (GIOP 9.4.7), and closes: at once,
  /// or when the request in progress is done. A client that does not take that is not waited for beyond `patience`.
  /// Any thread.
  void close_in_order(transport::Deadline patience);
  /// Closes in order where nothing has come for `first_ns` since the connection was made, or for `idle_ns` since the
  /// last message was done; 0: not for that. One thread at a time, which looks from time to time.
  void close_if_idle(std::int64_t now_ns, std::int64_t first_ns, std::int64_t idle_ns);
  /// Closes in order where a peer that the access rules do not admit has kept this open for so long.
  void close_if_denied(std::int64_t now_ns, std::int64_t patience_ns);
  /// Ends the connection where the client has not taken a reply, or a fragment of one, for `most_ns`, and a second more
  /// for each KiB of it, at most five times `most_ns` in all; 0: not for that. As the two above.
  void end_if_not_taken(std::int64_t now_ns, std::int64_t most_ns);
  /// At the shutdown: closes it, with a warning that names the client, which does not take its reply.
  void leave_behind() noexcept;
  /// Tells the client of a channel that is not to be served that nothing will be, and closes it. Never waits.
  static void turn_away(transport::Channel& channel) noexcept;
  void close() noexcept { channel_->close(); }
  /// Odd while a reply waits to be taken by the client; another number each time. Any thread.
  std::uint32_t sending() const noexcept { return sending_.load(std::memory_order_relaxed); }

 private:
  friend class ServingCall;
  /// Of a reply that goes in fragments.
  Room pass(std::size_t written, const cdr::Apart& apart) override;
  /// Before and after what may block. The serving thread.
  void mark_sending() noexcept { sending_.store(sending() + 1, std::memory_order_relaxed); }

  /// The channel's next frame, received.
  Served serve_frame(Bytes frame);
  Served serve_held();
  Served served(bool go_on);
  /// Room for a reply, or for one that goes late where the client has none.
  Result<MutableBytes> claim_reply(std::size_t bytes);
  Result<MutableBytes> claim_for(std::size_t whole, std::size_t bytes);
  /// The same for a reply of GIOP 1.2 of more than `fragment_bytes_`. Where it goes in fragments, the room is that of one,
  /// and `overflow` is what the encoder is to be given; else null.
  Result<MutableBytes> claim_fragment(std::size_t bytes, std::uint32_t request_id, cdr::Overflow*& overflow);
  Result<void> commit_reply(std::size_t bytes);
  void abandon_reply() noexcept;

  bool handle(Bytes message, const giop::MessageHeader& header);
  bool request(cdr::Decoder& in, Bytes message, const giop::MessageHeader& header);
  bool serve_request(cdr::Decoder& in, giop::Version version, const giop::RequestHeader& request, Way* way);
  bool known_request(Bytes message, bool& sent);
  bool locate(cdr::Decoder& in, const giop::MessageHeader& header);
  bool still_open();
  /// The GIOP version of CloseConnection and MessageError: the one that the client speaks, as a client of
  /// GIOP 1.0 need not accept messages of 1.2. Any thread.
  giop::Version client_version() const noexcept {
    return {1, minor_version_.load(std::memory_order_relaxed)};
  }
  void say_close(transport::Deadline patience);
  void say_error();
  void tell_end(const Error& error) const;
  void end(const std::string& why);
  bool answer(Bytes message);
  Result<void> send(Bytes message, transport::Deadline deadline);

  /// Raises NO_PERMISSION where the access rules do not admit the peer; the connection closes behind the
  /// answer. Raises TRANSIENT where too many bytes of large requests are being served.
  void check_admission();
  /// A message of so many bytes is to be served.
  void count_request(std::size_t bytes) noexcept { too_much_ = !service_.begin_request(bytes); }
  /// Has more arrived than was looked at, because this end is late? As far as another thread may ask. Any
  /// thread.
  bool has_input() noexcept;

  Core& core_;
  const Waits waits_;
  std::unique_ptr<transport::Channel> channel_;
  Peer peer_;  // what servants are told
  bool admitted_ = true;  // by the access rules; no: its first request is answered NO_PERMISSION, and nothing else
  ReceiveBudget::Share share_;    // of fragments
  ServiceBudget::Share service_;  // of the request and the reply
  bool too_much_ = false;         // the request is not to be served
  giop::Assembler assembler_;
  KnownRequest known_;
  cdr::Scratch scratch_;
  // Without waiting: a message that its POA's manager holds, in the channel or the assembler until it is done, and
  // a reply that is still to be sent, claimed in the channel or put aside.
  bool held_ = false;
  Bytes held_message_;
  giop::MessageHeader held_header_;
  const bool looks_at_descriptor_;
  std::size_t late_bytes_ = 0;
  bool late_lost_ = false;
  std::vector<std::uint8_t> late_;  // empty: claimed in the channel
  const std::size_t fragment_bytes_;            // larger replies go in fragments; SIZE_MAX: none does
  std::optional<FragmentedMessage> fragments_;  // the reply that is being sent in some
  CORBA::object_reference<ReplyBatch> batch_;  // null: each reply leaves at once
  std::atomic<std::uint32_t> sending_{0};      // a hint for the shutdown and time limits: it orders nothing
  std::atomic<std::size_t> sending_bytes_{0};  // of the reply that is sent, or will be
  // Who may send: the serving thread while the state is `serving`; the closing thread if it finds another
  // state. One of the two sees the other (platform/asymmetric_fence.h), and only one says goodbye.
  // Where it is not serving, it may be seen to be idle: the next message ends that, and costs no more than it did.
  enum class State : std::uint8_t { fresh, serving, idle, seen_idle, held };
  std::atomic<State> state_{State::fresh};
  std::atomic<bool> closing_{false};
  std::atomic<bool> said_close_{false};
  std::atomic<std::uint8_t> minor_version_{giop::kGiop12.minor};  // of the last GIOP message received
  // Of whoever looks for what is due: when the connection was first seen idle, and first seen to send this
  // reply.
  std::int64_t idle_since_ns_;
  std::int64_t sending_since_ns_ = 0;
  std::uint32_t seen_sending_ = 0;
  std::unique_ptr<ConnectionLimits::Admission> admission_;
};

}  // namespace orbweaver::orb
