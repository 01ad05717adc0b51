// Cyclone DDS as a subject: reliable topics on the loopback interface, and over iceoryx's shared memory. A
// payload is a sample; the reply is a sample of another topic. Receivers are called by the thread that has
// received the data.
#include <poll.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>

#include "bench/harness/subject.h"
#include "domain.h"
#include "messages.h"
#include "roudi.h"

namespace {

using namespace orbweaver::bench;

constexpr std::uint32_t kDomains = 100;  // the ports of more would be among those of outgoing connections
constexpr std::uint32_t kTaken = 32;     // samples that are taken at once

std::optional<std::string> cannot(const Case& c) {
  if (has_receivers(c.experiment)) return "it is measured with one receiver";
  if (c.type == PayloadType::any) return "it has no anys";
  if (c.type == PayloadType::block) return "it has no blocks";
  if (c.type == PayloadType::mix) return "it is measured with messages of one size";
  if (!blocks(c.wait)) return "it always blocks in the kernel: measure it with --wait block";
  if (c.transport == "udp") return std::nullopt;
  if (c.transport != "shm") return "it is measured over udp and shm";
  if (c.experiment == Experiment::oneway) return "its shared memory keeps the last samples only";
  if (roudi_program().empty()) return "its shared memory needs iox-roudi (Debian: iceoryx)";
  return std::nullopt;
}

/// A semaphore; waits have a time limit.
class Semaphore {
 public:
  Semaphore() { sem_init(&value_, 0, 0); }
  ~Semaphore() { sem_destroy(&value_); }
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;
  void post() { sem_post(&value_); }
  void wait() {
    while (sem_wait(&value_) != 0 && errno == EINTR) {
    }
  }
  bool wait_ms(long limit_ms) {
    timespec end{};
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += limit_ms % 1000 * 1'000'000;
    end.tv_sec += limit_ms / 1000 + end.tv_nsec / 1'000'000'000;
    end.tv_nsec %= 1'000'000'000;
    int result = 0;
    while ((result = sem_clockwait(&value_, CLOCK_MONOTONIC, &end)) != 0 && errno == EINTR) {
    }
    return result == 0;
  }

 private:
  sem_t value_;
};

/// Takes what a reader has, and calls `use` with each sample that has data.
template <class Message, class Use>
void take_all(dds_entity_t reader, Use use) {
  void* samples[kTaken] = {};
  dds_sample_info_t infos[kTaken];
  for (;;) {
    const dds_return_t count = dds_take(reader, samples, infos, kTaken, kTaken);
    if (count <= 0) return;
    for (dds_return_t i = 0; i < count; ++i)
      if (infos[i].valid_data) use(*static_cast<const Message*>(samples[i]));
    dds_return_loan(reader, samples, count);
  }
}

/// The receiver. Its members are used by the thread that receives.
template <class Message>
class Receiver {
 public:
  Receiver(const Case& c, std::uint32_t domain, const dds_topic_descriptor_t& type) : domain_(c, domain) {
    replies_ = domain_.writer(domain_.topic(BenchDds_Reply_desc, "replies"));
    domain_.reader(domain_.topic(type, "messages"), on_data, this);
  }
  void wait_until_ended() { ended_.wait(); }

 private:
  static void on_data(dds_entity_t reader, void* self) {
    take_all<Message>(reader, [&](const Message& each) { static_cast<Receiver*>(self)->take(each); });
  }
  void take(const Message& message) {
    const Kind kind{message.head.kind};
    if (kind == Kind::end) return ended_.post();
    if (kind != Kind::reply) total_ += read(message);
    if (kind == Kind::data) return;
    const BenchDds_Reply reply{message.head.number, total_};
    if (const auto result = dds_write(replies_, &reply); result < 0)
      std::fprintf(stderr, "bench-cyclonedds: a reply: %s\n", dds_strretcode(-result));
  }

  dds_entity_t replies_ = 0;
  double total_ = 0;
  Semaphore ended_;
  Domain domain_;  // the last one: its end ends the calls of on_data
};

/// The sender, which waits for replies by their numbers.
template <class Message>
class Sender {
 public:
  Sender(const Case& c, std::uint32_t domain, const dds_topic_descriptor_t& type)
      : payload_(c), per_message_(read(payload_.message())), domain_(c, domain) {
    domain_.reader(domain_.topic(BenchDds_Reply_desc, "replies"), on_reply, this);
    messages_ = domain_.writer(domain_.topic(type, "messages"));
  }

  /// Both ends know each other when a reply has arrived.
  void connect() {
    constexpr int kTries = 500;
    for (int i = 0; i < kTries; ++i) {
      write(Kind::reply);
      while (replied_.wait_ms(20))
        if (reply_number_.load() == number_) return;
    }
    throw std::runtime_error("the receiver does not reply");
  }
  void send() { write(Kind::data); }
  void end() { write(Kind::end); }
  void call() {
    write(Kind::data_and_reply);
    wait_for_reply();
  }
  /// Waits until the receiver has read all that was sent, and checks the sum.
  void check() {
    write(Kind::reply);
    wait_for_reply();
    if (reply_total_.load() != per_message_ * static_cast<double>(sent_))
      throw std::runtime_error("receiver checksum mismatch");
  }

 private:
  void write(Kind kind) {
    Message& message = payload_.message();
    message.head = {++number_, static_cast<std::uint8_t>(kind)};
    if (kind == Kind::data || kind == Kind::data_and_reply) ++sent_;
    checked(dds_write(messages_, &message), "dds_write");
  }
  void wait_for_reply() {
    do {
      if (!replied_.wait_ms(20'000)) throw std::runtime_error("the receiver does not reply");
    } while (reply_number_.load() != number_);
  }
  static void on_reply(dds_entity_t reader, void* arg) {
    auto* const self = static_cast<Sender*>(arg);
    take_all<BenchDds_Reply>(reader, [&](const BenchDds_Reply& reply) {
      self->reply_total_ = reply.total;
      self->reply_number_ = reply.number;
      self->replied_.post();
    });
  }

  Payload<Message> payload_;
  double per_message_;
  dds_entity_t messages_ = 0;
  std::uint32_t number_ = 0;
  std::uint64_t sent_ = 0;
  std::atomic<double> reply_total_ = 0;
  std::atomic<std::uint32_t> reply_number_ = 0;
  Semaphore replied_;
  Domain domain_;  // the last one: its end ends the calls of on_reply
};

void serve(const ServerSide& side) {
  if (side.what.transport == "shm") start_roudi();
  const std::uint32_t number = static_cast<std::uint32_t>(getpid()) % kDomains;
  with_message_type(side.what.type, [&](auto type) {
    Receiver<typename decltype(type)::Message> receiver(side.what, number, type.topic);
    side.ready(std::to_string(number));
    receiver.wait_until_ended();
  });
}

/// Waits for the server's end, before the runner kills it.
void await_end(pid_t process) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  pollfd ended{fd, POLLIN, 0};
  poll(&ended, fd >= 0 ? 1 : 0, 5000);
  if (fd >= 0) close(fd);
}

Summary call(const ClientSide& side) {
  if (side.what.transport == "shm") ignore_end_of_roudi();
  return with_message_type(side.what.type, [&](auto type) {
    const auto number = static_cast<std::uint32_t>(std::stoul(side.address));
    Sender<typename decltype(type)::Message> sender(side.what, number, type.topic);
    sender.connect();
    const bool oneway = side.what.experiment == Experiment::oneway;
    const Summary figures = oneway ? measure_stream(
                                         side.loop, [&] { sender.send(); }, [&] { sender.check(); })
                                   : measure_calls(side.loop, [&] { sender.call(); });
    sender.check();
    sender.end();
    if (side.what.transport == "shm") await_end(side.loop.server);
    return figures;
  });
}

}  // namespace

int main(int argc, char** argv) { return subject_main(argc, argv, {cannot, serve, call}); }
