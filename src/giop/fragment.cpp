#include "giop/fragment.h"

#include <algorithm>
#include <new>
#include <string>

#include "platform/clock.h"

namespace orbweaver::giop {
namespace {

/// GIOP 1.2 follows the header of a fragment by the request id (CORBA 3.3 part 2, 9.4.9.1), just where
/// every message that can be fragmented has it.
constexpr std::size_t kFragmentHeaderBytes = kHeaderBytes + 4;

Error reconnect(std::string message) { return {Remedy::reconnect, std::move(message)}; }

bool can_be_fragmented(const MessageHeader& header) {
  switch (header.type) {
    case MessageType::request:
    case MessageType::reply:
      return header.version >= kGiop11;
    case MessageType::locate_request:
    case MessageType::locate_reply:
      return header.version >= kGiop12;
    default:
      return false;
  }
}

/// For GIOP 1.2 and for CancelRequest; the caller has checked that it is there.
std::uint32_t request_id_of(Bytes message, const MessageHeader& header) {
  std::uint32_t id;
  std::memcpy(&id, message.data() + kHeaderBytes, 4);
  return header.swaps() ? __builtin_bswap32(id) : id;
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

Result<Bytes> Assembler::add_part(Bytes message, MessageHeader& header) {
  auto added = take_part(message, header);
  if (added && !tell_share()) {
    return reconnect("no room left of -ORBMaxReceiveBytes for fragmented messages, of which " + std::to_string(bytes_) +
                     " bytes are there");
  }
  return added;
}

/// False: the ORB may not hold that much.
bool Assembler::tell_share() noexcept {
  if (share_ == nullptr) return true;
  const std::size_t beside = spare_.capacity() + (whole_.capacity() - whole_.size());
  if (partial_.empty()) {
    if (whole_.empty())
      tell_spare();
    else
      share_->complete(beside);
    return true;
  }
  // The time limit is that of the message that has to be complete first.
  std::size_t memory = beside;
  const Partial* first = nullptr;
  std::int64_t first_due = 0;
  for (const Partial& partial : partial_) {
    memory += partial.bytes.capacity();
    const auto allowed_ns = static_cast<std::int64_t>(partial.bytes.size()) *
                            (1'000'000'000 / std::int64_t{ReceiveBudget::kLeastBytesPerSecond});
    if (first != nullptr && partial.since_ns + allowed_ns >= first_due) continue;
    first = &partial;
    first_due = partial.since_ns + allowed_ns;
  }
  return share_->hold(first->bytes.size(), memory, first->since_ns);
}

/// Nothing is received or in use.
void Assembler::tell_spare() noexcept {
  if (share_->done(spare_.capacity())) return;
  spare_ = {};
  share_->done(0);
}

void Assembler::clear() noexcept {
  partial_ = {};
  whole_ = {};
  spare_ = {};
  bytes_ = 0;
  if (share_ != nullptr) share_->done(0);
}

void Assembler::release_whole() noexcept {
  recycle(std::move(whole_));
  whole_ = {};
  if (share_ == nullptr) return;
  if (partial_.empty())
    tell_spare();
  else
    tell_share();
}

Result<Bytes> Assembler::take_part(Bytes message, MessageHeader& header) {
  recycle(std::move(whole_));
  whole_ = {};
  if (message.size() != header.message_bytes()) {
    return reconnect("a frame of " + std::to_string(message.size()) + " bytes holds a message of " +
                     std::to_string(header.message_bytes()));
  }
  if (header.type == MessageType::cancel_request && !header.more_fragments) {
    cancel(message, header);
    return message;
  }
  try {
    return header.type == MessageType::fragment ? extend(message, header) : begin(message, header);
  } catch (const std::bad_alloc&) {
    return reconnect("no memory for a fragmented message of which " + std::to_string(bytes_) +
                     " bytes are there");
  }
}

Result<Bytes> Assembler::begin(Bytes message, const MessageHeader& header) {
  if (!can_be_fragmented(header)) {
    return reconnect("a fragmented " + std::string(to_string(header.type)) + ": GIOP knows no such thing");
  }
  std::uint32_t request_id = 0;
  if (header.version >= kGiop12) {
    // A first fragment of another length would leave it open how what follows is aligned.
    if (message.size() < kFragmentHeaderBytes || message.size() % 8 != 0) {
      return reconnect("a first fragment of " + std::to_string(message.size()) +
                       " bytes: GIOP 1.2 wants a multiple of 8, its request id included");
    }
    request_id = request_id_of(message, header);
  }
  if (find(header.version, request_id) != nullptr) {
    return reconnect("a second message begins inside the fragments" + of_request(header.version, request_id));
  }
  if (partial_.size() >= max_messages_) {
    return reconnect("more than " + std::to_string(max_messages_) + " half-sent messages at a time");
  }
  if (message.size() > max_bytes_ - bytes_) {
    return reconnect("fragments beyond the limit of " + std::to_string(max_bytes_) + " bytes (-ORBMaxMessageBytes)" +
                     of_request(header.version, request_id));
  }
  std::vector<std::uint8_t> bytes = std::move(spare_);
  spare_ = {};
  bytes.clear();
  store(bytes, message);
  partial_.push_back({header, request_id, std::move(bytes), platform::now_ns()});
  bytes_ += message.size();
  return Bytes{};
}

Result<Bytes> Assembler::extend(Bytes message, MessageHeader& header) {
  const bool has_id = header.version >= kGiop12;
  if (has_id && message.size() < kFragmentHeaderBytes)
    return reconnect("a fragment too short for its request id");
  const std::uint32_t request_id = has_id ? request_id_of(message, header) : 0;
  Partial* partial = find(header.version, request_id);
  if (partial == nullptr) {
    return reconnect("a fragment" + of_request(header.version, request_id) + ", of which no beginning came");
  }
  if (header.little_endian != partial->header.little_endian) {
    return reconnect("a fragment" + of_request(header.version, request_id) +
                     " in another byte order than its first");
  }
  if (has_id && header.more_fragments && message.size() % 8 != 0) {
    return reconnect("a fragment of " + std::to_string(message.size()) +
                     " bytes: GIOP 1.2 wants a multiple of 8 in all but the last");
  }
  const Bytes more = message.subspan(has_id ? kFragmentHeaderBytes : kHeaderBytes);
  if (more.size() > max_bytes_ - bytes_) {
    return reconnect("fragments beyond the limit of " + std::to_string(max_bytes_) + " bytes (-ORBMaxMessageBytes)" +
                     of_request(header.version, request_id));
  }
  if (more.empty() && header.more_fragments && ++partial->empty_fragments > kMostEmptyFragments) {
    return reconnect("more than " + std::to_string(kMostEmptyFragments) + " fragments that hold nothing" +
                     of_request(header.version, request_id));
  }
  store(partial->bytes, more);
  bytes_ += more.size();
  if (header.more_fragments) return Bytes{};

  whole_ = std::move(partial->bytes);
  header = partial->header;
  bytes_ -= whole_.size();
  drop(partial);
  header.more_fragments = false;
  header.body_bytes = static_cast<std::uint32_t>(whole_.size() - kHeaderBytes);
  whole_[6] = static_cast<std::uint8_t>(header.little_endian);
  const std::uint32_t size = header.swaps() ? __builtin_bswap32(header.body_bytes) : header.body_bytes;
  std::memcpy(whole_.data() + 8, &size, 4);
  return Bytes(whole_);
}

/// Room for what has arrived, and as much again at most.
void Assembler::store(std::vector<std::uint8_t>& bytes, Bytes more) {
  const std::size_t total = bytes.size() + more.size();
  if (total > bytes.capacity()) bytes.reserve(std::max(total, std::min(2 * bytes.capacity(), max_bytes_)));
  bytes.insert(bytes.end(), more.begin(), more.end());
}

/// A cancelled request gets no further fragments (9.4.4).
void Assembler::cancel(Bytes message, const MessageHeader& header) {
  if (message.size() < kFragmentHeaderBytes) return;
  Partial* partial = find(header.version, request_id_of(message, header));
  if (partial == nullptr || header.version < kGiop12) return;
  bytes_ -= partial->bytes.size();
  recycle(std::move(partial->bytes));
  drop(partial);
}

Assembler::Partial* Assembler::find(Version version, std::uint32_t request_id) noexcept {
  for (Partial& partial : partial_) {
    if (partial.header.version == version && (version < kGiop12 || partial.request_id == request_id))
      return &partial;
  }
  return nullptr;
}

void Assembler::drop(Partial* partial) {
  if (partial != &partial_.back()) *partial = std::move(partial_.back());
  partial_.pop_back();
}

void Assembler::recycle(std::vector<std::uint8_t> bytes) {
  if (bytes.capacity() > spare_.capacity() && bytes.capacity() <= kKeptBytes) spare_ = std::move(bytes);
}

}  // namespace orbweaver::giop
