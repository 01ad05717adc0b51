// Calls to servers that are raw sockets.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

namespace {

using CORBA::CompletionStatus;
using Orb = CORBA::object_reference<CORBA::ORB>;
using ObjectRef = CORBA::object_reference<CORBA::Object>;

constexpr std::size_t kHeaderBytes = 12;
constexpr char kReply = 1, kLocateReply = 4, kCloseConnection = 5, kFragment = 7;
/// A peer that floods its client sends this much at most: it ends with the connection.
constexpr std::size_t kFloodBytes = std::size_t{1} << 36;

Orb make_orb(const char* id, std::vector<std::string> options) {
  options.insert(options.begin(), {"test", "-ORBLog", "off"});
  std::vector<char*> argv;
  for (std::string& option : options) argv.push_back(option.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(options.size());
  return CORBA::ORB_init(argc, argv.data(), id);
}
Orb orb() { return make_orb("peer", {}); }
Orb timed_orb() { return make_orb("timed", {"-ORBCallTimeout", "2000"}); }

void put(std::string& out, std::uint32_t value) {
  out.append((4 - out.size() % 4) % 4, '\0');
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
std::uint32_t get(const std::string& message, std::size_t at) {
  std::uint32_t value = 0;
  if (at + sizeof value <= message.size()) message.copy(reinterpret_cast<char*>(&value), sizeof value, at);
  return value;
}

/// A message of GIOP 1.2 in this machine's byte order.
std::string message(char type, const std::string& body, char flags = 0) {
  const std::uint32_t one = 1;
  const char order = *reinterpret_cast<const char*>(&one);
  std::string out{'G', 'I', 'O', 'P', 1, 2, static_cast<char>(order | flags), type};
  put(out, static_cast<std::uint32_t>(body.size()));
  return out + body;
}
std::string reply(std::uint32_t id, std::uint32_t status, const std::string& body) {
  std::string out;
  put(out, id);
  put(out, status);
  put(out, 0);  // no service contexts
  return message(kReply, out + body);
}
std::string reply_true(std::uint32_t id) { return reply(id, 0, std::string(1, '\1')); }
std::string reply_exception(std::uint32_t id, const std::string& name, CompletionStatus completed) {
  const std::string repository_id = "IDL:omg.org/CORBA/" + name + ":1.0";
  std::string body;
  put(body, static_cast<std::uint32_t>(repository_id.size() + 1));
  body.append(repository_id.c_str(), repository_id.size() + 1);
  put(body, 0);
  put(body, static_cast<std::uint32_t>(completed));
  return reply(id, 2, body);
}
std::string reply_forward(std::uint32_t id, const ObjectRef& to) {
  const std::string text = orb()->object_to_string(to);
  std::string ior;
  for (std::size_t i = 4; i < text.size(); i += 2)
    ior += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return reply(id, 3, ior.substr(4));  // without the byte order
}

/// Listens on loopback; each connection has a thread, which passes requests to a function.
class Peer {
 public:
  using Serve = std::function<void(Peer& peer, int fd, std::uint32_t request_id)>;
  explicit Peer(Serve serve) : serve_(std::move(serve)) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), bytes), 0);
    EXPECT_EQ(listen(fd_, 64), 0);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &bytes);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { accept_all(); });
  }
  ~Peer() {
    shutdown(fd_, SHUT_RDWR);
    thread_.join();
    for (const int fd : connections_) shutdown(fd, SHUT_RDWR);
    for (std::thread& each : threads_) each.join();
    for (const int fd : connections_) close(fd);
    close(fd_);
  }
  ObjectRef object(const Orb& of) const {
    return of->string_to_object("corbaloc::1.2@127.0.0.1:" + std::to_string(port_) + "/key");
  }
  static bool send(int fd, const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t sent = ::send(fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return false;
      at += static_cast<std::size_t>(sent);
    }
    return true;
  }
  /// Sends copies of a message until kFloodBytes or the end of the connection.
  static void flood(int fd, const std::string& each) {
    std::string many;
    while (many.size() < 1'000'000) many += each;
    for (std::size_t bytes = 0; bytes < kFloodBytes && send(fd, many);) bytes += many.size();
  }

  std::atomic<int> requests{0}, used_connections{0};

 private:
  void accept_all() {
    for (int fd; (fd = accept(fd_, nullptr, nullptr)) >= 0;) {
      connections_.push_back(fd);
      threads_.emplace_back([this, fd] { serve(fd); });
    }
  }
  void serve(int fd) {
    for (bool is_first = true;; is_first = false) {
      std::string request(kHeaderBytes, '\0');
      if (recv(fd, request.data(), request.size(), MSG_WAITALL) != static_cast<ssize_t>(request.size()))
        return;
      request.resize(kHeaderBytes + get(request, 8));
      const std::size_t rest = request.size() - kHeaderBytes;
      if (recv(fd, request.data() + kHeaderBytes, rest, MSG_WAITALL) != static_cast<ssize_t>(rest)) return;
      ++requests;
      if (is_first) ++used_connections;
      serve_(*this, fd, get(request, kHeaderBytes));
    }
  }

  const Serve serve_;
  int fd_;
  std::uint16_t port_ = 0;
  std::thread thread_;
  std::list<int> connections_;  // of thread_
  std::list<std::thread> threads_;
};

TEST(MicroForward, IsNotLeftIfTheRequestHasBeenExecuted) {
  Peer target([](Peer&, int fd, std::uint32_t id) {
    Peer::send(fd, reply_exception(id, "TRANSIENT", CompletionStatus::COMPLETED_YES));
  });
  Peer first(
      [&](Peer&, int fd, std::uint32_t id) { Peer::send(fd, reply_forward(id, target.object(orb()))); });
  try {
    first.object(orb())->_is_a("IDL:X:1.0");
    ADD_FAILURE() << "no exception";
  } catch (const CORBA::TRANSIENT& e) {
    EXPECT_EQ(e.completed(), CompletionStatus::COMPLETED_YES);
  }
  EXPECT_EQ(target.requests, 1);
  EXPECT_EQ(first.requests, 1);
}

TEST(MicroForward, IsLeftOnceIfItsObjectHasGone) {
  for (const char* const name : {"OBJECT_NOT_EXIST", "TRANSIENT"}) {
    Peer target([&](Peer&, int fd, std::uint32_t id) {
      Peer::send(fd, reply_exception(id, name, CompletionStatus::COMPLETED_NO));
    });
    std::atomic<bool> is_back{false};
    Peer first([&](Peer&, int fd, std::uint32_t id) {
      Peer::send(fd, is_back ? reply_true(id) : reply_forward(id, target.object(orb())));
    });
    const ObjectRef object = first.object(orb());
    EXPECT_THROW(object->_is_a("IDL:X:1.0"), CORBA::SystemException);
    EXPECT_EQ(target.requests, 2) << name;
    EXPECT_EQ(first.requests, 2) << name;
    is_back = true;
    EXPECT_TRUE(object->_is_a("IDL:X:1.0"));
    EXPECT_EQ(target.requests, 3) << name;
  }
}

TEST(MicroConnection, EndsACallInTimeWhateverTheServerSends) {
  for (const bool in_fragments : {false, true}) {
    Peer peer([&](Peer& self, int fd, std::uint32_t request) {
      if (self.requests == 1) Peer::send(fd, reply_true(request));
      if (in_fragments && self.requests == 1) return;
      std::string first;
      put(first, request);
      put(first, 0);
      put(first, 0);
      if (in_fragments) Peer::send(fd, message(kReply, first, 2));
      Peer::flood(fd, in_fragments ? message(kFragment, first.substr(0, 4), 2) : reply_true(0x7fffffff));
      Peer::send(fd, in_fragments ? message(kFragment, first.substr(0, 4) + std::string(8, '\1'))
                                  : message(kCloseConnection, {}));
    });
    const ObjectRef object = peer.object(timed_orb());
    EXPECT_TRUE(object->_is_a("IDL:X:1.0"));
    EXPECT_THROW(object->_is_a("IDL:X:1.0"), CORBA::TIMEOUT) << in_fragments;
  }
}

TEST(MicroConnection, IsOneForTheFirstCallsOfManyThreads) {
  constexpr int kCalls = 8;
  for (int round = 0; round < 30; ++round) {
    Peer peer([](Peer&, int fd, std::uint32_t id) { Peer::send(fd, reply_true(id)); });
    const ObjectRef object = peer.object(orb());
    std::atomic<int> ready{0};
    std::vector<std::future<bool>> calls;
    for (int i = 0; i < kCalls; ++i) {
      calls.push_back(std::async(std::launch::async, [&] {
        ++ready;
        while (ready != kCalls) std::this_thread::yield();
        return object->_is_a("IDL:X:1.0");
      }));
    }
    for (auto& call : calls) EXPECT_TRUE(call.get());
    // A further connection may have been opened; all requests have come on one.
    EXPECT_EQ(peer.used_connections, 1);
  }
}

TEST(MicroConnection, DoesNotTakeALocateReplyAsAReply) {
  Peer peer([](Peer&, int fd, std::uint32_t id) {
    std::string reply = reply_true(id);
    reply[7] = kLocateReply;
    Peer::send(fd, reply);
  });
  EXPECT_THROW(peer.object(orb())->_is_a("IDL:X:1.0"), CORBA::COMM_FAILURE);
}

TEST(MicroConnection, EndsWithAReplyThatHasNoRequestId) {
  Peer peer([](Peer&, int fd, std::uint32_t) { Peer::send(fd, message(kReply, {})); });
  EXPECT_THROW(peer.object(timed_orb())->_is_a("IDL:X:1.0"), CORBA::COMM_FAILURE);
}

TEST(MicroConnection, RaisesTimeoutIfTheTimeOfTheCallEndsWhileConnecting) {
  // A listener that accepts nothing, with all places of its queue taken: connecting does not end.
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), bytes), 0);
  ASSERT_EQ(listen(listener, 0), 0);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &bytes);
  std::vector<int> fillers;
  for (int i = 0; i < 4; ++i) {
    fillers.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    connect(fillers.back(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  }
  const std::string url = "corbaloc::1.2@127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/key";
  try {
    make_orb("hasty", {"-ORBCallTimeout", "100"})->string_to_object(url)->_is_a("IDL:X:1.0");
    ADD_FAILURE() << "no exception";
  } catch (const CORBA::TIMEOUT& e) {
    EXPECT_EQ(e.completed(), CompletionStatus::COMPLETED_NO);
  }
  for (const int fd : fillers) close(fd);
  close(listener);
}

TEST(MicroConnection, IsOpenedALimitedNumberOfTimesIfTheServerClosesIt) {
  Peer peer([](Peer&, int fd, std::uint32_t) { Peer::send(fd, message(kCloseConnection, {})); });
  EXPECT_THROW(peer.object(orb())->_is_a("IDL:X:1.0"), CORBA::TRANSIENT);
  EXPECT_EQ(peer.requests, 10);
}

}  // namespace
