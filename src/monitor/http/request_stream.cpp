#include "monitor/http/request_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

namespace orbweaver::monitor {
namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n";

}  // namespace

bool RequestStream::receive(platform::Deadline deadline) {
  std::array<std::uint8_t, 4096> buffer;
  if (platform::poll(socket_, platform::kReadable, deadline) == 0) return false;
  const platform::IoResult got = platform::recv(socket_, buffer, platform::Blocking::no);
  if (got.error == EAGAIN) return true;
  if (got.error != 0 || got.bytes == 0) return false;
  input_.append(reinterpret_cast<const char*>(buffer.data()), got.bytes);
  return true;
}

RequestStream::Received RequestStream::refuse_head(int status, std::string message) {
  refusal_ = {status, std::move(message)};
  return Received::refused;
}

RequestStream::Received RequestStream::receive_head() {
  if (input_.empty() && !receive(platform::Deadline::in_ms(times_.idle_ms))) return Received::closed;
  deadline_ = platform::Deadline::in_ms(times_.request_ms);
  std::size_t end = input_.find(kEndOfHead);
  while (end == std::string::npos && input_.size() <= kMaxHeadBytes) {
    const std::size_t searched = input_.size() < kEndOfHead.size() ? 0 : input_.size() - kEndOfHead.size();
    if (!receive(deadline_)) {
      if (!deadline_.passed()) return Received::closed;
      return refuse_head(408, "the request has not arrived in time");
    }
    end = input_.find(kEndOfHead, searched);
  }
  if (end == std::string::npos || end > kMaxHeadBytes)
    return refuse_head(431, "the head has more than " + std::to_string(kMaxHeadBytes) + " bytes");
  CheckedHead checked = check_request_head(std::string_view(input_).substr(0, end + kEndOfHead.size()));
  if (checked.refusal) return refuse_head(checked.refusal->status, checked.refusal->message);
  input_.erase(0, end + kEndOfHead.size());
  head_ = std::move(checked.head.text);
  head_read_ = 0;
  body_left_ = checked.head.body_bytes;
  return Received::head;
}

bool RequestStream::alive() const {
  if (platform::poll(socket_, platform::kReadable, platform::Deadline::in_ms(0)) == 0) return true;
  // Readable: the end of the connection, or bytes that a client does not send while a response is endless.
  return false;
}

bool RequestStream::is_readable() const { return head_read_ < head_.size() || body_left_ > 0; }

ssize_t RequestStream::read(char* to, std::size_t size) {
  if (head_read_ < head_.size()) {
    const std::size_t copied = head_.copy(to, size, head_read_);
    head_read_ += copied;
    return static_cast<ssize_t>(copied);
  }
  if (body_left_ == 0) return 0;
  while (input_.empty()) {
    if (!receive(deadline_)) return -1;
  }
  const std::size_t copied = input_.copy(to, std::min(size, body_left_));
  input_.erase(0, copied);
  body_left_ -= copied;
  return static_cast<ssize_t>(copied);
}

ssize_t RequestStream::write(const char* from, std::size_t size) {
  const auto deadline = platform::Deadline::in_ms(times_.write_ms);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(from);
  std::size_t sent = 0;
  while (sent < size) {
    const platform::IoResult done =
        platform::send(socket_, std::span(bytes + sent, size - sent), platform::Blocking::no);
    sent += done.bytes;
    if (done.error == 0) continue;
    if (done.error != EAGAIN) return -1;
    const unsigned ready = platform::poll(socket_, platform::kWritable, deadline);
    if (ready == 0 || (ready & platform::kHungUp) != 0) return -1;
  }
  return static_cast<ssize_t>(size);
}

void RequestStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip.clear();  // nothing depends on it
  port = 0;
}

void RequestStream::get_local_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

}  // namespace orbweaver::monitor
