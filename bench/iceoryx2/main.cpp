// iceoryx2 as a subject: a payload is copied into loaned memory and sent; the receiver polls for it, copies
// it out, reads it in full and sends a sum back. ORBWEAVER_ICEORYX2_PATTERN: by samples of two
// publish-subscribe services, or by a request and its response.
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "bench/floor/floors.h"
#include "channel.h"

namespace {

using namespace orbweaver::bench;

constexpr Channel::Pattern kPattern = Channel::Pattern::ORBWEAVER_ICEORYX2_PATTERN;

std::optional<std::string> cannot(const Case& c) {
  if (!Channel::built()) return "not built here: it needs cargo 1.89 or later, and its crate";
  if (c.transport != "shm" || c.experiment != Experiment::twoway) return "it is measured two-way over shm";
  if (c.wait != Wait::spin && c.wait != Wait::as_usual)
    return "it polls without sleeping: measure it with --wait spin";
  if (c.type == PayloadType::any) return "it has no anys";
  if (c.type == PayloadType::mix) return "it sends messages of one size";
  if (c.type == PayloadType::block) return "it is measured with payloads that are copied in and out";
  return std::nullopt;
}

// Smallest message. An empty payload is sent with this size; a shorter message tells the server that the
// caller ends.
constexpr std::size_t kMinBytes = sizeof(double);
std::size_t wire_bytes(const Case& c) { return std::max(c.bytes, kMinBytes); }

void serve(const ServerSide& side) {
  Channel channel(side.scratch, wire_bytes(side.what), true, kPattern);
  FlatPayload received(side.what);
  side.ready(side.scratch);
  for (double total = 0;;) {
    if (channel.receive(received.data(), wire_bytes(side.what)) < kMinBytes) return;
    total += received.read();
    channel.send(&total, sizeof total);
  }
}

/// Waits for the server's end, so that it removes its files before the runner kills it.
void await_end(pid_t process) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  pollfd ended{fd, POLLIN, 0};
  poll(&ended, fd >= 0 ? 1 : 0, 2000);
  if (fd >= 0) close(fd);
}

Summary call(const ClientSide& side) {
  FlatPayload sent(side.what);
  double read = 0;
  std::uint64_t calls = 0;
  Summary figures;
  {
    Channel channel(side.address, wire_bytes(side.what), false, kPattern);
    figures = measure_calls(side.loop, [&] {
      ++calls;
      channel.send(sent.data(), wire_bytes(side.what));
      channel.receive(&read, sizeof read);
    });
    const char end_message = 0;
    channel.send(&end_message, sizeof end_message);
    await_end(side.loop.server);
  }
  check_total(read, sent.read(), calls);
  return figures;
}

}  // namespace

int main(int argc, char** argv) { return subject_main(argc, argv, {cannot, serve, call}); }
