#include "monitor/http/http_server.h"

#include <atomic>
#include <cerrno>
#include <list>
#include <mutex>
#include <thread>

#include "base/catch_and_log.h"
#include "monitor/http/library_server.h"
#include "monitor/http/request_stream.h"
#include "platform/socket.h"
#include "platform/thread.h"
#include "transport/tcp/sockets.h"

namespace orbweaver::monitor {
namespace {

constexpr const char* kFull =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 49\r\n"
    "Connection: close\r\nRetry-After: 5\r\n\r\n"
    "{\"error\":\"the monitor has too many connections\"}\n";

/// Closes a connection so that the client receives the response, although it may still be sending.
void close_gently(const platform::Fd& socket) {
  platform::shutdown_sending(socket);
  const auto deadline = platform::Deadline::in_ms(100);
  std::uint8_t rest[4096];
  while (platform::poll(socket, platform::kReadable, deadline) != 0) {
    const platform::IoResult got = platform::recv(socket, rest, platform::Blocking::no);
    if (got.bytes == 0 && got.error != EAGAIN) break;
  }
}

/// A connection and its thread.
struct HttpConnection {
  platform::Fd socket;  // the server's connections_lock_, except for the thread itself
  std::atomic<bool> done = false;
  std::thread thread;
};

class Server : public HttpServer {
 public:
  Server(platform::Fd listener, const HttpLimits& limits, HttpHandlers handlers)
      : listener_(std::move(listener)), address_(platform::local_address(listener_).text()), limits_(limits),
        library_(std::move(handlers)) {
    accepting_ = std::thread([this] {
      platform::name_this_thread("ow-http");
      catch_and_log("accepting HTTP connections", [this] { accept_all(); });
    });
  }

  ~Server() override {
    library_.stop();
    platform::shutdown_both(listener_);
    accepting_.join();
    {
      const std::lock_guard lock(connections_lock_);
      for (HttpConnection& each : connections_) {
        if (each.socket) platform::shutdown_both(each.socket);
      }
    }
    // Without the lock, which the threads take: no connection is added or removed any more.
    for (HttpConnection& each : connections_) each.thread.join();
  }

  std::string address() const override { return address_; }

  std::size_t connections() const override {
    const std::lock_guard lock(connections_lock_);
    std::size_t open = 0;
    for (const HttpConnection& each : connections_) open += each.done ? 0 : 1;
    return open;
  }

 private:
  void accept_all() {
    for (;;) {
      platform::FdResult accepted = platform::accept_from(listener_, platform::Deadline::never());
      if (library_.stopped()) return;
      if (accepted) {
        admit(std::move(accepted.fd));
      } else if (accepted.error != ECONNABORTED) {
        // No descriptor or memory is left: some connection must end first.
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    }
  }

  void admit(platform::Fd socket) {
    platform::set_tcp_options(socket);
    const std::lock_guard lock(connections_lock_);
    for (auto each = connections_.begin(); each != connections_.end();) {
      if (each->done) {
        each->thread.join();
        each = connections_.erase(each);
      } else {
        ++each;
      }
    }
    if (connections_.size() >= limits_.connections) {
      const std::string_view text = kFull;
      (void)platform::send(socket, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()),
                           platform::Blocking::no);
      platform::shutdown_sending(socket);
      return;
    }
    HttpConnection& added = connections_.emplace_back();
    added.socket = std::move(socket);
    try {
      added.thread = std::thread([this, &added] { run(added); });
    } catch (const std::exception&) {
      connections_.pop_back();  // no thread can be started: the client sees a closed connection
    }
  }

  void run(HttpConnection& connection) noexcept {
    platform::name_this_thread("ow-http-conn");
    catch_and_log("serving HTTP", [&] { serve(connection.socket); });
    close_gently(connection.socket);
    const std::lock_guard lock(connections_lock_);
    connection.socket = {};  // now: the thread is joined when the next client connects, perhaps much later
    connection.done = true;
  }

  void serve(const platform::Fd& socket) {
    RequestStream stream(socket, {limits_.idle_ms, limits_.request_ms, limits_.write_ms});
    while (!library_.stopped()) {
      const RequestStream::Received received = stream.receive_head();
      if (received == RequestStream::Received::closed) return;
      if (received == RequestStream::Received::refused) {
        library_.write_refusal(stream, stream.refusal());
        return;
      }
      if (!library_.serve(stream)) return;
    }
  }

  const platform::Fd listener_;
  const std::string address_;
  const HttpLimits limits_;
  LibraryServer library_;
  mutable std::mutex connections_lock_;
  std::list<HttpConnection> connections_;  // connections_lock_; elements do not move
  std::thread accepting_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(const std::string& address, const HttpLimits& limits,
                                                      HttpHandlers handlers) {
  auto listener = transport::listen_tcp("http", address);
  if (!listener) return listener.take_error();
  return {std::make_unique<Server>(std::move(*listener), limits, std::move(handlers))};
}

}  // namespace orbweaver::monitor
