#include "giop/fragment.h"

#include <algorithm>
#include <new>
#include <string>

#include "platform/clock.h"

namespace orbweaver::giop {
namespace {

/// The header of a fragment of GIOP 1.2 with its request id (CORBA 3.3 part 2, 9.4.9.1), which is at the same
/// offset as in every message that can be fragmented.
constexpr std::size_t kFragmentHeaderBytes = kHeaderBytes + 4;

Error disconnected(std::string message) { return {ErrorKind::disconnected, std::move(message)}; }

bool supports_fragments(const MessageHeader& header) {
  switch (header.type) {
    case MessageType::request:
    case MessageType::reply: return header.version >= kGiop11;
    case MessageType::locate_request:
    case MessageType::locate_reply: return header.version >= kGiop12;
    default: return false;
  }
}

std::string of_request(Version version, std::uint32_t request_id) {
  return version >= kGiop12 ? " of request " + std::to_string(request_id) : "";
}

}  // namespace

void end_fragment(MutableBytes frame) noexcept {
  frame[6] = static_cast<std::uint8_t>(frame[6] | 2);
  const auto body = static_cast<std::uint32_t>(frame.size() - kHeaderBytes);
  std::memcpy(frame.data() + 8, &body, 4);
}

std::size_t begin_fragment(MutableBytes frame, std::uint32_t request_id) noexcept {
  write_header(frame.data(), kGiop12, MessageType::fragment);
  write_word(frame.data() + kHeaderBytes, request_id);
  return kFragmentHeaderBytes;
}

Result<Bytes> FragmentAssembler::add_part(Bytes message, MessageHeader& header) {
  auto added = add_fragment(message, header);
  if (added && !update_budget()) {
    return disconnected("receive budget exceeded (-ORBTune receive-bytes): " + std::to_string(bytes_) +
                        " bytes of incomplete fragmented messages");
  }
  return added;
}

/// Reports the storage to the budget. False: the ORB's limit is exceeded.
bool FragmentAssembler::update_budget() noexcept {
  if (share_ == nullptr) return true;
  const std::size_t unused =
      cached_buffer_.capacity() + (assembled_message_.capacity() - assembled_message_.size());
  if (partial_messages_.empty()) {
    if (assembled_message_.empty())
      update_idle_budget();
    else
      share_->complete(unused);
    return true;
  }
  // Reports the time of the message that has to be complete first.
  std::size_t memory = unused;
  const PartialMessage* first = nullptr;
  std::int64_t first_due = 0;
  for (const PartialMessage& partial : partial_messages_) {
    memory += partial.bytes.capacity();
    const auto allowed_ns = static_cast<std::int64_t>(partial.bytes.size()) *
                            (1'000'000'000 / std::int64_t{ReceiveBudget::kMinBytesPerSecond});
    if (first != nullptr && partial.since_ns + allowed_ns >= first_due) continue;
    first = &partial;
    first_due = partial.since_ns + allowed_ns;
  }
  return share_->hold(first->bytes.size(), memory, first->since_ns);
}

/// Reports the cached storage while no message is incomplete or in use; frees it if the budget requires it.
void FragmentAssembler::update_idle_budget() noexcept {
  if (share_->done(cached_buffer_.capacity())) return;
  cached_buffer_ = {};
  share_->done(0);
}

void FragmentAssembler::clear() noexcept {
  partial_messages_ = {};
  assembled_message_ = platform::BufferVector();  // '= {}' would keep the storage
  cached_buffer_ = platform::BufferVector();
  bytes_ = 0;
  if (share_ != nullptr) share_->done(0);
}

void FragmentAssembler::release_assembled() noexcept {
  recycle(std::move(assembled_message_));
  assembled_message_ = {};
  if (share_ == nullptr) return;
  if (partial_messages_.empty())
    update_idle_budget();
  else
    update_budget();
}

Result<Bytes> FragmentAssembler::add_fragment(Bytes message, MessageHeader& header) {
  recycle(std::move(assembled_message_));
  assembled_message_ = {};
  if (message.size() != header.message_bytes()) {
    return disconnected("frame of " + std::to_string(message.size()) + " bytes contains a message of " +
                        std::to_string(header.message_bytes()));
  }
  if (header.type == MessageType::cancel_request && !header.more_fragments) {
    cancel(message, header);
    return message;
  }
  try {
    return header.type == MessageType::fragment ? extend(message, header) : begin(message, header);
  } catch (const std::bad_alloc&) {
    return disconnected("no memory for a fragmented message: " + std::to_string(bytes_) + " bytes received");
  }
}

Result<Bytes> FragmentAssembler::begin(Bytes message, const MessageHeader& header) {
  if (!supports_fragments(header)) {
    return disconnected(std::string(to_string(header.type)) + " cannot be fragmented");
  }
  std::uint32_t request_id = 0;
  if (header.version >= kGiop12) {
    // With another length, the alignment of the following fragments would not be defined.
    if (message.size() < kFragmentHeaderBytes || message.size() % 8 != 0) {
      return disconnected("first fragment of " + std::to_string(message.size()) +
                          " bytes: must have a request id and a multiple of 8 bytes (GIOP 1.2)");
    }
    request_id = request_id_of(message, header);
  }
  if (find(header.version, request_id) != nullptr) {
    return disconnected("new message before the last fragment" + of_request(header.version, request_id));
  }
  if (partial_messages_.size() >= max_messages_) {
    return disconnected("more than " + std::to_string(max_messages_) + " incomplete fragmented messages");
  }
  if (message.size() > max_bytes_ - bytes_) {
    return disconnected("fragments beyond the limit of " + std::to_string(max_bytes_) +
                        " bytes (-ORBMaxMessageBytes)" + of_request(header.version, request_id));
  }
  platform::BufferVector bytes = std::move(cached_buffer_);
  cached_buffer_ = {};
  bytes.clear();
  store(bytes, message);
  partial_messages_.push_back({header, request_id, std::move(bytes), platform::now_ns()});
  bytes_ += message.size();
  return Bytes{};
}

Result<Bytes> FragmentAssembler::extend(Bytes message, MessageHeader& header) {
  const bool has_id = header.version >= kGiop12;
  if (has_id && message.size() < kFragmentHeaderBytes)
    return disconnected("fragment too short for its request id");
  const std::uint32_t request_id = has_id ? request_id_of(message, header) : 0;
  PartialMessage* partial = find(header.version, request_id);
  if (partial == nullptr) {
    return disconnected("fragment without a first fragment" + of_request(header.version, request_id));
  }
  if (header.little_endian != partial->header.little_endian) {
    return disconnected("byte order differs from that of the first fragment" +
                        of_request(header.version, request_id));
  }
  if (has_id && header.more_fragments && message.size() % 8 != 0) {
    return disconnected("fragment of " + std::to_string(message.size()) +
                        " bytes: all but the last must have a multiple of 8 bytes (GIOP 1.2)");
  }
  const Bytes more = message.subspan(has_id ? kFragmentHeaderBytes : kHeaderBytes);
  if (more.size() > max_bytes_ - bytes_) {
    return disconnected("fragments beyond the limit of " + std::to_string(max_bytes_) +
                        " bytes (-ORBMaxMessageBytes)" + of_request(header.version, request_id));
  }
  if (more.empty() && header.more_fragments && ++partial->empty_fragments > kMaxEmptyFragments) {
    return disconnected("more than " + std::to_string(kMaxEmptyFragments) + " empty fragments" +
                        of_request(header.version, request_id));
  }
  store(partial->bytes, more);
  bytes_ += more.size();
  if (header.more_fragments) return Bytes{};
  return complete(partial, header);
}

/// Makes the message of all fragments the assembled one, with `header` to match.
Bytes FragmentAssembler::complete(PartialMessage* partial, MessageHeader& header) {
  assembled_message_ = std::move(partial->bytes);
  header = partial->header;
  bytes_ -= assembled_message_.size();
  erase(partial);
  header.more_fragments = false;
  header.body_bytes = static_cast<std::uint32_t>(assembled_message_.size() - kHeaderBytes);
  assembled_message_[6] = static_cast<std::uint8_t>(header.little_endian);
  const std::uint32_t size = header.swaps() ? __builtin_bswap32(header.body_bytes) : header.body_bytes;
  std::memcpy(assembled_message_.data() + 8, &size, 4);
  return Bytes(assembled_message_);
}

/// Appends received bytes. Storage grows to at most twice the bytes received.
void FragmentAssembler::store(platform::BufferVector& bytes, Bytes more) {
  const std::size_t total = bytes.size() + more.size();
  if (total > bytes.capacity()) bytes.reserve(std::max(total, std::min(2 * bytes.capacity(), max_bytes_)));
  bytes.insert(bytes.end(), more.begin(), more.end());
}

/// Discards an incomplete request that is cancelled: no further fragments follow (9.4.4).
void FragmentAssembler::cancel(Bytes message, const MessageHeader& header) {
  if (message.size() < kFragmentHeaderBytes) return;
  PartialMessage* partial = find(header.version, request_id_of(message, header));
  if (partial == nullptr || header.version < kGiop12) return;
  bytes_ -= partial->bytes.size();
  recycle(std::move(partial->bytes));
  erase(partial);
}

FragmentAssembler::PartialMessage* FragmentAssembler::find(Version version,
                                                           std::uint32_t request_id) noexcept {
  for (PartialMessage& partial : partial_messages_) {
    if (partial.header.version == version && (version < kGiop12 || partial.request_id == request_id))
      return &partial;
  }
  return nullptr;
}

void FragmentAssembler::erase(PartialMessage* partial) {
  if (partial != &partial_messages_.back()) *partial = std::move(partial_messages_.back());
  partial_messages_.pop_back();
}

void FragmentAssembler::recycle(platform::BufferVector bytes) {
  if (bytes.capacity() > cached_buffer_.capacity() && bytes.capacity() <= kKeptBytes)
    cached_buffer_ = std::move(bytes);
}

}  // namespace orbweaver::giop
