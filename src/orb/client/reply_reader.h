#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>

#include "base/receive_budget.h"
#include "giop/fragment.h"
#include "orb/client/connection_state.h"
#include "orb/client/reply_table.h"

namespace orbweaver::orb {

class AsyncReplies;
class Reactor;

/// Receives the replies of a client connection. Has no thread of its own: a thread that waits for a reply
/// becomes the *reader*, reads the channel itself, delivers the replies of other threads, and passes the role
/// on when its own reply has arrived (leader/followers). With one caller at a time there is no thread switch.
/// The thread of a single-threaded ORB serves requests while it waits: the reply may depend on an upcall in
/// this ORB.
///
/// Lock rule: the holder of the reader role reads the channel and uses the assembler. The role is held while
/// the mutex of the ReplyTable is taken, never the reverse. A thread that has the send lock takes the role
/// only if it is free.
class ReplyReader {
 public:
  using Deadline = transport::Deadline;

  /// Size of the message and reply header of a GIOP 1.2 reply without contexts; the body follows, aligned to
  /// 8.
  static constexpr std::size_t kPlainReplyBytes = 24;

  /// `reactor`: as of ClientConnection. `budget`, if not null, counts the bytes of incomplete replies.
  /// `close_connection`: closes the connection, sending what is queued. `close_for_limit`: closes it for a
  /// reason that is logged; called by any thread.
  ReplyReader(ConnectionState& state, ReplyTable& replies, std::size_t max_message_bytes, Reactor* reactor,
              std::shared_ptr<ReceiveBudget> budget, std::function<void()> close_connection,
              std::function<void(const std::string&)> close_for_limit);

  /// Waits for the reply to `request_id`. After an error a later reply to it is ignored.
  Result<void> await(std::uint32_t request_id, Deadline deadline, Reply& reply);

  // ---- as `await`, in steps: for most replies, which nobody else reads ----

  /// Takes the reader role, if this thread can read at once. False: use `await`.
  bool try_begin_reading() noexcept {
    if (reactor_ != nullptr || !role_.try_take()) [[unlikely]]
      return false;
    // Another thread may have read this reply since the commit; it stored the reply before it released the
    // role.
    if (!replies_.has_early()) [[likely]]
      return true;
    release_role();
    return false;
  }
  /// Waits for the first frame, as the reader: a plain reply if `take_if_plain`; if not, its result is passed
  /// to `await_further`.
  Result<Bytes> receive_first(Deadline deadline) { return state_.channel->receive(deadline); }
  /// Whether `frame` is the plain reply to `request_id`, which is then in use until `release_plain`.
  bool take_if_plain(const Result<Bytes>& frame, std::uint32_t request_id) noexcept {
    if (!frame || !is_plain_reply(*frame, request_id) || replies_.outstanding() == 0) [[unlikely]]
      return false;
    replies_.count_reply();
    return true;
  }
  /// Releases a plain reply and the reader role.
  void release_plain() noexcept {
    state_.channel->release();
    release_role();
  }
  /// Continues with the result of `receive_first`.
  Result<void> await_further(Result<Bytes> frame, std::uint32_t request_id, Deadline deadline, Reply& reply);

  /// Releases the message of `reply` and, if it is in the channel, the reader role.
  void release(Reply& reply) noexcept {
    if (!reply.in_channel) [[unlikely]]
      return;
    reply.in_channel = false;
    if (!reply.plain) [[unlikely]]
      assembler_.release();
    state_.channel->release();
    release_role();
  }

  /// Checks without blocking whether the server has closed the connection, by reading what has arrived. Does
  /// nothing if another thread reads. Any thread.
  void check_for_close();
  /// As check_for_close, with one system call if nothing has arrived. For channels with a descriptor.
  void check_for_close_if_readable();

  // ---- for AsyncReplies ----

  bool try_take_role() noexcept { return role_.try_take(); }
  /// Reads replies, as the reader, until `stop` returns true or the deadline passes, and releases the role,
  /// after `before_release`. `stop` is called when nothing more has arrived, and now and then before. Errors:
  /// timed_out, and disconnected.
  Result<void> read_replies(Deadline deadline, AsyncReplies& async, const std::function<bool()>& stop,
                            const std::function<void()>& before_release);

  /// Takes the reader role for the replacement of the channel, and frees the memory of incomplete messages.
  /// False: another thread reads, or decodes a reply.
  bool try_take_role_for_close() noexcept;
  /// Releases the reader role and wakes the followers.
  void release_role() noexcept {
    role_.release();
    replies_.wake_followers();
  }

 private:
  static bool is_plain_reply(Bytes frame, std::uint32_t request_id) noexcept;
  void take_plain(Bytes frame, Reply& reply) noexcept {
    replies_.count_reply();
    reply.message = frame;
    reply.plain = true;
    reply.in_channel = true;
  }

  Result<void> await_as_reader(std::uint32_t request_id, Deadline deadline, Reply& reply);
  Result<void> await_blocking(std::uint32_t request_id, Deadline deadline, Reply& reply);
  Result<void> await_while_serving(std::uint32_t request_id, Deadline deadline, Reply& reply);
  Result<bool> poll_reply(std::uint32_t request_id, Reply& reply);
  void wait_while_serving(Deadline deadline);
  Error no_memory(std::uint32_t request_id);
  Result<void> finish_await(Result<void> done, std::uint32_t request_id);

  Result<void> read_until(std::uint32_t request_id, Deadline deadline, Reply& reply);
  Result<void> read_frames(Result<Bytes> frame, std::uint32_t request_id, Deadline deadline, Reply& reply);
  Result<bool> handle_message(Bytes message, const giop::MessageHeader& header, std::uint32_t request_id,
                              Reply& reply);
  Error control_error(const giop::MessageHeader& header);
  void read_pending();
  Error end_reading(Error error) noexcept;
  void ignore_reply(std::uint32_t request_id) noexcept;

  ConnectionState& state_;
  ReplyTable& replies_;
  Reactor* const reactor_;
  const std::function<void()> close_connection_;
  ReaderRole role_;
  ReceiveBudget::Share share_;         // for the bytes in the assembler
  giop::FragmentAssembler assembler_;  // used by the reader
};

/// A reply. The destructor releases its message and the role of the connection's reader.
class HeldReply {
 public:
  explicit HeldReply(ReplyReader& reader) noexcept : reader_(reader) {}
  ~HeldReply() { reader_.release(reply_); }
  HeldReply(const HeldReply&) = delete;
  HeldReply& operator=(const HeldReply&) = delete;

  Reply& operator*() noexcept { return reply_; }
  Reply* operator->() noexcept { return &reply_; }

 private:
  ReplyReader& reader_;
  Reply reply_;
};

/// Whether `frame` is the most frequent form of a reply: complete, GIOP 1.2, this machine's byte order, to
/// this request, NO_EXCEPTION, no service contexts. Each word is read once.
inline bool ReplyReader::is_plain_reply(Bytes frame, std::uint32_t request_id) noexcept {
  static constexpr std::uint8_t kBeginning[8] = {'G', 'I', 'O', 'P', 1, 2, giop::kThisMachineIsLittleEndian,
                                                 1};
  if (frame.size() < kPlainReplyBytes) return false;
  std::uint64_t beginning, expected;
  std::uint32_t words[4];  // size, request id, status, number of contexts
  std::memcpy(&beginning, frame.data(), 8);
  std::memcpy(&expected, kBeginning, 8);
  std::memcpy(words, frame.data() + 8, sizeof words);
  return beginning == expected && words[0] == frame.size() - giop::kHeaderBytes && words[1] == request_id &&
         words[2] == 0 && words[3] == 0;
}

}  // namespace orbweaver::orb
