// Clients of the monitor's server-sent events, as browsers are.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace orbweaver::bench {

/// Event streams of the monitor of a domain, each a connection, which one thread reads. The destructor closes
/// them, and waits until the monitor has closed its ends.
class EventStreams {
 public:
  /// `url`: "http://127.0.0.1:8080". Throws std::runtime_error if they cannot be opened.
  EventStreams(const std::string& url, unsigned count);
  ~EventStreams();
  EventStreams(const EventStreams&) = delete;
  EventStreams& operator=(const EventStreams&) = delete;

  /// Events `change` of the stream that has got the fewest.
  unsigned long changes() const;
  /// Waits until each stream has got `count` events `change`. False after `limit`, or if a stream has ended.
  bool wait_for_changes(unsigned long count, std::chrono::milliseconds limit) const;
  /// Bytes of all streams.
  unsigned long bytes() const { return bytes_; }

 private:
  struct Stream {
    int socket = -1;
    std::string tail;  // the last bytes, which may be the begin of an event
    std::atomic<unsigned long> changes{0};
    std::atomic<bool> has_ended{false};
  };

  void open(const std::string& host, int port);
  void read_until_all_have_ended();
  /// Reads what there is.
  void take(Stream& stream);

  std::vector<std::unique_ptr<Stream>> streams_;
  std::atomic<unsigned long> bytes_{0};
  std::jthread reader_;
};

}  // namespace orbweaver::bench
