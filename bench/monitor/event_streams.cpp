#include "event_streams.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace orbweaver::bench {
namespace {

constexpr std::string_view kChange = "event: change";
constexpr std::chrono::milliseconds kPoll{10};

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::generic_category().message(errno));
}

}  // namespace

EventStreams::EventStreams(const std::string& url, unsigned count) {
  const std::string scheme = "http://";
  const std::size_t colon = url.rfind(':');
  if (!url.starts_with(scheme) || colon <= scheme.size())
    throw std::runtime_error("the monitor has no address: '" + url + "'");
  try {
    for (unsigned i = 0; i < count; ++i)
      open(url.substr(scheme.size(), colon - scheme.size()), std::stoi(url.substr(colon + 1)));
  } catch (...) {
    for (const auto& each : streams_) close(each->socket);
    throw;
  }
  reader_ = std::jthread([this] { read_until_all_have_ended(); });
}

EventStreams::~EventStreams() {
  // The monitor closes its end when it sees that of the client's requests.
  for (const auto& each : streams_) shutdown(each->socket, SHUT_WR);
  reader_.join();
  for (const auto& each : streams_) close(each->socket);
}

void EventStreams::open(const std::string& host, int port) {
  auto& stream = *streams_.emplace_back(std::make_unique<Stream>());
  stream.socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (stream.socket < 0 || inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1 ||
      connect(stream.socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail("the monitor at " + host + " cannot be reached");
  const std::string request = "GET /api/v1/events HTTP/1.1\r\nHost: " + host + ":" + std::to_string(port) +
                              "\r\nAccept: text/event-stream\r\n\r\n";
  if (send(stream.socket, request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size()))
    fail("the monitor at " + host + " does not read");
}

void EventStreams::read_until_all_have_ended() {
  for (;;) {
    std::vector<pollfd> polled;
    std::vector<Stream*> readers;
    for (const auto& each : streams_) {
      if (each->has_ended) continue;
      polled.push_back({each->socket, POLLIN, 0});
      readers.push_back(each.get());
    }
    if (polled.empty()) return;
    if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < polled.size(); ++i)
      if (polled[i].revents != 0) take(*readers[i]);
  }
}

void EventStreams::take(Stream& stream) {
  char buffer[65'536];
  const ssize_t got = recv(stream.socket, buffer, sizeof buffer, 0);
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) {
    stream.has_ended = true;
    return;
  }
  bytes_ += static_cast<unsigned long>(got);
  stream.tail.append(buffer, static_cast<std::size_t>(got));
  std::size_t at = 0;
  for (; (at = stream.tail.find(kChange, at)) != std::string::npos; at += kChange.size()) ++stream.changes;
  // What is kept is shorter than an event's begin, so that none is counted twice.
  stream.tail.erase(0, stream.tail.size() - std::min(stream.tail.size(), kChange.size() - 1));
}

unsigned long EventStreams::changes() const {
  unsigned long fewest = static_cast<unsigned long>(-1);
  for (const auto& each : streams_) fewest = std::min(fewest, each->changes.load());
  return streams_.empty() ? 0 : fewest;
}

bool EventStreams::wait_for_changes(unsigned long count, std::chrono::milliseconds limit) const {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (changes() < count) {
    const bool one_has_ended = std::any_of(streams_.begin(), streams_.end(),
                                           [](const auto& each) { return each->has_ended.load(); });
    if (one_has_ended || std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(kPoll);
  }
  return true;
}

}  // namespace orbweaver::bench
