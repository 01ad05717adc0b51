#pragma once

#include <orbweaver/detail/async_call.h>
#include <orbweaver/detail/invoke.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "orb/client/call_options.h"
#include "orb/client/claimed_request.h"
#include "orb/client/connection_lease.h"
#include "orb/client/reply_exceptions.h"
#include "orb/client/request_plan.h"
#include "orb/core.h"
#include "orb/interception.h"
#include "orb/real_time.h"

namespace orbweaver::orb {

/// Raises MARSHAL: the arguments of `operation` have grown since their size was computed.
[[noreturn]] void raise_encoding_overran(const Operation& operation);

/// Whether a request with these arguments has a body.
inline giop::Body body_of(cdr::Bound arguments) noexcept {
  return arguments.bytes == 0 ? giop::Body::empty : giop::Body::follows;
}

/// Encodes a plain request, but for its id: the header of the plan, then the arguments. Returns the size of
/// the message.
inline std::size_t encode_plain_request(MutableBytes room, const RequestPlan& plan,
                                        const Operation& operation, ArgumentWriter writer) {
  const Bytes header = plan.header.octets();
  std::memcpy(room.data(), header.data(), header.size());
  if (writer.write == nullptr) return header.size();
  cdr::Encoder out(room.data(), room.size());
  out.take(header.size());
  writer.write(writer.closure, out);
  if (!out.ok()) [[unlikely]]
    raise_encoding_overran(operation);
  return out.size();
}

/// Reads the results of a call. Raises MARSHAL if they are malformed.
inline void read_results(Reference& target, const Operation& operation, ResultReader reader,
                         cdr::Decoder& in) {
  in.broker(&target.core());
  reader.read(reader.closure, in);
  if (!in.ok()) [[unlikely]]
    raise_results_malformed(operation, in);
}

/// The reference over which this thread calls `target`: itself, unless its connections are banded.
inline Reference& reference_of_call(Reference& target) {
  return call_policies_in_use.load(std::memory_order_relaxed) ? select_reference(target) : target;
}

/// Waits for the reply to `request_id`. If this thread reads it at once, and it is plain, reads the results
/// and returns true. Otherwise returns `other(first)`: see ClientCall::receive_other_reply.
template <class Other>
inline bool receive_reply(ClientConnection& connection, std::uint32_t request_id,
                          transport::Deadline deadline, Reference& target, const Operation& operation,
                          ResultReader reader, const Other& other) {
  ReplyReader& replies = connection.reader();
  if (!replies.try_begin_reading()) [[unlikely]]
    return other(nullptr);
  Result<Bytes> frame = replies.receive_first(deadline);
  if (!replies.take_if_plain(frame, request_id)) [[unlikely]]
    return other(&frame);
  const struct Release {
    ReplyReader& replies;
    ~Release() { replies.release_plain(); }
  } release{replies};
  if (reader.read == nullptr) return true;
  cdr::Decoder in(frame->data(), frame->size(), false);
  in.skip(ReplyReader::kPlainReplyBytes);
  read_results(target, operation, reader, in);
  return true;
}

/// One call of any kind: large, in fragments, with blocks, with policies, repeated, or with a reply that is
/// not plain. On the stack of `invoke`; used by one thread.
class ClientCall {
 public:
  /// The policies of a call are those at its beginning. `none`: it began without, and policies that another
  /// thread has set since then do not apply.
  enum class Policies : bool { none, current };
  /// `deadline`: that of the ORB's options (Core::call_deadline). Policies may set others.
  ClientCall(Reference& target, const Operation& operation, cdr::Bound arguments, ArgumentWriter writer,
             ResultReader reader, transport::Deadline deadline, Policies policies = Policies::current);

  /// Sets the observer of the call, which outlives it. Before the first attempt.
  void observe(RequestObserver& observer);
  /// Makes the call use the connection of the reference, also behind an outstanding reply. Before the first
  /// attempt.
  void stay_on_connection() noexcept { options_.stays = true; }
  /// The options of the call: deadlines, and whether a reply is awaited.
  const CallOptions& options() const noexcept { return options_; }
  // ---- asynchronous calls ----

  /// Sends a call, or queues it behind others and waits until it is sent. Raises what `complete` raises
  /// before it waits for the reply.
  static void start(AsyncCall& call);
  /// Sends a call, and waits for the transport. Raises the same.
  static void send(AsyncCall& call);
  /// Decodes the reply. False: the call is to be sent again. Raises the exception of the reply.
  static bool take_reply(AsyncCall& call, const giop::MessageHeader& header, Bytes message);
  /// After the end of the connection: returns true if the call is to be sent again, or raises.
  static bool recover(AsyncCall& call, const ClientConnection& connection, const Error& error);

  // ---- synchronous and one-way calls ----

  /// Makes the call. False: nothing was executed, because the object has moved, the connection was stale, or
  /// a block could not be granted. The call is then to be attempted again.
  bool attempt();
  /// Called after an attempt that returned false.
  void prepare_next_attempt() {
    // The deadline that only an unreliable transport has.
    if (unlimited_) options_ = *std::exchange(unlimited_, std::nullopt);
    offer_ = {};
  }
  /// Attempts the call until it is complete.
  void complete();
  /// Waits for the reply to the request sent at `send_position` and handles it. `first`: what this thread, as
  /// the reader, has received, which is not the plain reply; null: this thread is not the reader. Returns
  /// what `attempt` returns.
  bool receive_other_reply(ClientConnection& connection, std::uint32_t id, std::uint64_t send_position,
                           Result<Bytes>* first);
  /// Handles a failure to send: the server will not receive the complete request. If a part was sent before
  /// the deadline, the connection has been closed, possibly with earlier calls in progress; if nothing was
  /// sent, it is unchanged. Returns what `attempt` returns, or raises.
  bool recover_from_send(const ClientConnection& connection, const Error& error);

 private:
  enum class BlockArguments : bool { describe, copy };  // how views in blocks are sent, where possible
  enum class Progress : bool { not_received, maybe_received };
  /// How a request that is not plain is sent.
  struct SpecialRequest {
    MutableBytes room;              // of the message, or of its first fragment
    BlockSender* blocks = nullptr;  // null: views in blocks are copied
    bool describes_blocks = false;  // `room` suffices only if views in blocks are described
    bool in_fragments = false;
  };
  enum class Preparation : std::uint8_t {
    ready,
    done,
    repeat,
    must_wait
  };  // a request; `done`: it was queued or dropped; `must_wait`: of an asynchronous call

  explicit ClientCall(AsyncCall& call);
  void save_progress() const noexcept;
  enum class AsyncSending : std::uint8_t { done, queued, repeat };
  static bool start_small(AsyncCall& call, Reference& target);
  AsyncSending attempt_asynchronously(bool waits);

  Preparation prepare_plain(const Binding& binding, const orb::RequestPlan& plan,
                            ClientConnection& connection, orb::ClaimedRequest& request, std::size_t& bytes);
  Preparation prepare_special(const Binding& binding, const orb::RequestPlan& plan,
                              orb::ConnectionLease& connection, orb::ClaimedRequest& request,
                              std::size_t& message_bytes);
  Preparation encode_special(const SpecialRequest& special, const Binding& binding,
                             const orb::RequestPlan& plan, ClientConnection& connection,
                             orb::ClaimedRequest& request, std::size_t& message_bytes);
  Preparation queue(const Binding& binding, const orb::RequestPlan& plan, ClientConnection& connection);
  orb::QueuedRequest encode_queued(const Binding& binding, const orb::RequestPlan& plan,
                                   orb::RequestSender& sender) const;
  std::size_t write_first_request(MutableBytes room, const Endpoint& endpoint, std::uint32_t id) const;
  /// Encodes the header with the contexts of the observer and, if `has_code_sets`, CodeSets.
  void encode_header(cdr::Encoder& out, const Endpoint& endpoint, std::uint32_t id, bool has_code_sets) const;
  /// Whether the request carries the priority of the caller.
  bool sends_priority(const Endpoint& endpoint) const noexcept {
    return options_.priority != giop::kNoPriority && endpoint.propagates_priority;
  }
  /// Upper bound of the header and its service contexts.
  std::size_t header_bound(const orb::RequestPlan& plan) const noexcept;
  void write_header(cdr::Encoder& out, orb::ClaimedRequest& request, const Binding& binding,
                    const orb::RequestPlan& plan) const;
  bool should_fragment(const orb::RequestSender& sender, const Endpoint& endpoint, std::size_t bytes,
                       std::size_t header_bytes) const noexcept;
  bool take_reply(orb::Reply& reply);
  bool recover(const ClientConnection& connection, const Error& error, Progress progress);
  bool recover_from_await(ClientConnection& connection, const Error& error, std::uint32_t id,
                          std::uint64_t send_position);
  bool announces_band(const Binding& binding);
  void drop() const;
  void check_arguments() const;
  void count_attempt();
  void take_system_exception(const giop::ReplyHeader& header, cdr::Decoder& in);

  Reference& target_;
  const Operation& operation_;
  const cdr::Bound arguments_;
  const ArgumentWriter writer_;
  const ResultReader reader_;
  orb::CallOptions options_;
  std::optional<orb::CallOptions> unlimited_;  // the options without the deadline of an unreliable transport
  BlockArguments block_arguments_ = BlockArguments::describe;
  RequestObserver* observer_ = nullptr;
  RequestSender::UnsentOffer offer_;  // of an offered connection, for this attempt
  std::uint16_t attempts_ = 0;
  std::uint8_t announcements_ = 0;  // of the band, by `attempt`
  bool returned_from_forward_ = false;
  AsyncCall* const async_ = nullptr;  // an asynchronous call
  bool is_registered_ = false;        // in the AsyncReplies of the connection
};

}  // namespace orbweaver::orb
