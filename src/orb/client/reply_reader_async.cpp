// Reading the replies of asynchronous calls.
#include <new>

#include "orb/client/async_replies.h"
#include "orb/client/reply_reader.h"

namespace orbweaver::orb {
namespace {

/// Replies between two calls of `stop`: the first reply handler waits for so many at most.
constexpr int kBatch = 32;

std::uint32_t id_of_plain(Bytes frame) noexcept {
  std::uint32_t id = 0;
  if (frame.size() >= ReplyReader::kPlainReplyBytes) std::memcpy(&id, frame.data() + 12, sizeof id);
  return id;
}

}  // namespace

Result<void> ReplyReader::read_replies(Deadline deadline, AsyncReplies& async,
                                       const std::function<bool()>& stop,
                                       const std::function<void()>& before_release) {
  constexpr std::uint32_t kNoRequest = 0;  // request ids begin at 1
  transport::Channel& channel = *state_.channel;
  Reply unused;
  std::optional<Error> failure;
  try {
    for (int n = 1;; ++n) {
      Result<Bytes> frame = channel.receive(n == 1 ? deadline : Deadline{0});
      if (!frame && n != 1 && frame.error().kind == ErrorKind::timed_out) {
        if (stop()) break;
        frame = channel.receive(deadline);
      }
      if (!frame) {
        failure = frame.take_error();
        break;
      }
      const std::uint32_t id = id_of_plain(*frame);
      if (is_plain_reply(*frame, id) && replies_.outstanding() != 0 && async.take_plain(id, *frame)) {
        replies_.count_reply();
        channel.release();
      } else {
        giop::MessageHeader header;
        if (!giop::read_header(*frame, header)) {
          failure = giop::invalid_header_error(*frame);
        } else {
          auto message = assembler_.add(*frame, header);
          auto arrived = message ? handle_message(*message, header, kNoRequest, unused)
                                 : Result<bool>(message.take_error());
          if (!arrived) failure = arrived.take_error();
          assembler_.release();
        }
        channel.release();
        if (failure) {
          channel.close();
          break;
        }
      }
      if (n % kBatch == 0 && stop()) break;
    }
  } catch (const std::bad_alloc&) {
    channel.close();  // a reply has been lost
    failure = Error{ErrorKind::disconnected, "no memory"};
  }
  before_release();
  if (!failure) {
    release_role();
    return {};
  }
  return state_.note(end_reading(std::move(*failure)));
}

}  // namespace orbweaver::orb
