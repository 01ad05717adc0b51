#include "micro/message_reader.h"

#include <algorithm>
#include <cstring>

#include "platform/socket.h"

namespace orbweaver::micro {
namespace {

using giop::MessageType;

constexpr std::size_t kFirstBytes = 2048;
constexpr std::int64_t kNsPerMs = 1'000'000;

}  // namespace

bool CountedBytes::set(std::size_t bytes) noexcept {
  if (bytes <= kKeptBytes) bytes = 0;
  const std::size_t sum = limits_.bytes.fetch_add(bytes - bytes_) + bytes - bytes_;
  bytes_ = bytes;
  return bytes == 0 || sum <= limits_.max_bytes;
}

/// Counts the storage of this connection; that of a message in fragments has up to twice its size.
bool MessageReader::count_all() noexcept { return counted_.set(received_.capacity() + 2 * partial_bytes_); }

void MessageReader::release() noexcept {
  if (whole_ != nullptr) whole_.reset();
  if (message_bytes_ != 0) received_.remove_first(message_bytes_);
  message_bytes_ = 0;
  message_ = {};
  received_.trim();
  count_all();
}

/// Only messages that are incomplete have a time limit, each its own.
void MessageReader::message_ended() noexcept { since_ns_ = partial_ == nullptr ? 0 : partial_->since_ns; }

void MessageReader::take(Buffer& into) {
  if (whole_ != nullptr) {
    into.swap(whole_->bytes);
  } else if (received_.size() == message_bytes_) {
    into.swap(received_);
    received_.size(0);
    message_bytes_ = 0;
  } else {
    into.size(0);
    into.append(message_);
  }
  release();
}

/// Tests the deadline and the time limit of an incomplete message; waits for bytes until then if `wait`.
/// Returns Status::message if neither has passed.
MessageReader::Status MessageReader::check_time(platform::Deadline deadline, bool wait) noexcept {
  platform::Deadline until = deadline;
  if ((received_.size() != 0 || since_ns_ != 0) && limits_.message_timeout_ms != 0) {
    if (since_ns_ == 0) since_ns_ = platform::now_ns();
    const auto arrived = static_cast<std::int64_t>(received_.size() + partial_bytes_);
    const std::int64_t ms = limits_.message_timeout_ms + std::min(arrived, 4 * limits_.message_timeout_ms);
    until.ns = std::min(until.ns, since_ns_ + ms * kNsPerMs);
  }
  if (wait ? platform::poll(socket_, platform::kReadable, until) != 0 : !until.passed())
    return Status::message;
  return until.ns < deadline.ns ? Status::late : Status::timed_out;
}

/// Receives until `received_` has `wanted` bytes.
MessageReader::Status MessageReader::receive(platform::Deadline deadline, std::size_t wanted) {
  while (received_.size() < wanted) {
    const std::size_t size = received_.size();
    // Twice what has arrived: a peer that announces much and sends little gets little memory.
    if (received_.capacity() < std::min(wanted, size + kFirstBytes))
      received_.reserve(
          std::max(kFirstBytes, std::min(wanted, std::max(2 * size, limits::kFirstMessageBytes))));
    if (!count_all()) return Status::late;
    const platform::IoResult got = platform::recv(
        socket_, {received_.data() + size, received_.capacity() - size}, platform::Blocking::no);
    const bool wait = got.error == EAGAIN;
    if (!wait) {
      if (got.error != 0 || got.bytes == 0) return Status::ended;
      received_.size(size + got.bytes);
      if (received_.size() >= wanted) break;
    }
    const Status status = check_time(deadline, wait);
    if (status != Status::message) return status;
  }
  return Status::message;
}

MessageReader::Status MessageReader::read(platform::Deadline deadline) {
  for (;;) {
    release();
    Status status = receive(deadline, giop::kHeaderBytes);
    if (status != Status::message) return status;
    if (!giop::read_header(received_.bytes(), header_)) return Status::malformed;
    const auto bytes = static_cast<std::size_t>(header_.message_bytes());  // at most limits::kMaxMessageBytes
    if (bytes > limits_.max_message_bytes) return Status::late;
    status = receive(deadline, bytes);
    if (status != Status::message) return status;
    message_bytes_ = bytes;
    message_ = received_.bytes().first(bytes);
    if (header_.type != MessageType::fragment && !header_.more_fragments) {
      message_ended();
      return Status::message;
    }
    status = add_fragment();
    if (status != Status::timed_out) return status;  // else fragments are missing
    status = check_time(deadline, false);
    if (status != Status::message) return status;
  }
}

/// Adds the fragment in `message_`. Returns Status::timed_out if further fragments are missing.
MessageReader::Status MessageReader::add_fragment() {
  const bool first = header_.type != MessageType::fragment;
  const std::size_t skipped = first ? 0 : giop::kHeaderBytes + (header_.version == giop::kGiop12 ? 4 : 0);
  if (message_.size() < skipped || (first && message_.size() < giop::kHeaderBytes + 4))
    return Status::malformed;
  // GIOP 1.1 has no ids, and one incomplete message.
  const std::uint32_t id = header_.version == giop::kGiop12 ? giop::request_id_of(message_, header_) : 0;
  std::unique_ptr<Partial>* at = &partial_;
  while (*at != nullptr && (*at)->request_id != id) at = &(*at)->next;
  if (first != (*at == nullptr)) return Status::malformed;
  if (first) {
    if (partial_count_ == limits::kMaxFragmentedMessages) return Status::late;
    *at = std::make_unique<Partial>();
    (*at)->header = header_;
    (*at)->request_id = id;
    (*at)->since_ns = partial_count_ != 0 || since_ns_ == 0 ? platform::now_ns() : since_ns_;
    ++partial_count_;
    message_ended();
  }
  const Bytes more = message_.subspan(skipped);
  if (partial_bytes_ + more.size() > limits_.max_message_bytes) return Status::late;
  (*at)->bytes.append(more);
  partial_bytes_ += more.size();
  if (!count_all()) return Status::late;
  if (header_.more_fragments) return Status::timed_out;
  received_.remove_first(message_bytes_);
  message_bytes_ = 0;
  whole_ = std::move(*at);
  *at = std::move(whole_->next);
  --partial_count_;
  partial_bytes_ -= whole_->bytes.size();
  message_ended();
  header_ = whole_->header;
  header_.more_fragments = false;
  header_.body_bytes = static_cast<std::uint32_t>(whole_->bytes.size() - giop::kHeaderBytes);
  message_ = whole_->bytes.bytes();
  return Status::message;
}

}  // namespace orbweaver::micro
