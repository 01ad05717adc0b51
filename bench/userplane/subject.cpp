#include "subject.h"

#include <stdexcept>

#include "bench/harness/clock.h"
#include "bench/harness/machine.h"
#include "bench/harness/program.h"

namespace orbweaver::bench {
namespace {

constexpr std::chrono::milliseconds kAgain{2};
constexpr std::int64_t kMarkLimit_ns = 20'000'000'000;

int run(const ProgramArguments& arguments, const UserplaneSubject& subject) {
  const auto settings = userplane_from_args(arguments.rest);
  const std::string file = arguments.value("--board");
  if (!settings || file.empty()) throw_not_for_users();
  if (const std::string cpu = arguments.value("--cpu"); !cpu.empty()) pin_to(std::stoi(cpu));
  UserplaneBoard board(file, UserplaneBoard::Mode::open);
  if (arguments.role == "serve")
    subject.serve({*settings, board, arguments.value("--scratch"), announce_ready});
  else
    subject.send({*settings, board, arguments.value("--address")});
  return 0;
}

class PointSender {
 public:
  PointSender(const UserplaneSender& sender, PacketOutput& output)
      : sender_(sender), output_(output), packets_(sender.board.sizes()) {}

  void send_point(std::uint32_t point) {
    mark(point, PacketKind::begin, begun(point));
    sender_.board.set_sent(point, send_data(point));
    mark(point, PacketKind::end, ended(point));
  }

 private:
  /// Returns the number of packets, at least one.
  std::uint64_t send_data(std::uint32_t point) {
    const std::int64_t spacing_ns = std::int64_t{sender_.settings.spacing_us[point]} * 1000;
    std::int64_t due_ns = steady_ns();
    const std::int64_t end_ns = due_ns + std::int64_t{sender_.settings.point_ms} * 1'000'000;
    for (std::uint64_t sent = 0;; ++sent) {
      std::int64_t now_ns = steady_ns();
      for (; now_ns < due_ns && now_ns < end_ns; now_ns = steady_ns()) output_.idle(now_ns);
      if (now_ns >= end_ns && sent > 0) return sent;
      output_.send(packets_.next(point, PacketKind::data));
      due_ns = now_ns + spacing_ns;
    }
  }

  void mark(std::uint32_t point, PacketKind kind, std::uint32_t progress) {
    const std::int64_t end_ns = steady_ns() + kMarkLimit_ns;
    do {
      if (steady_ns() > end_ns)
        throw std::runtime_error("the receiver did not receive the mark of point " + std::to_string(point));
      output_.send(packets_.next(point, kind));
      output_.flush();
    } while (!sender_.board.wait_for(progress, kAgain));
  }

  const UserplaneSender& sender_;
  PacketOutput& output_;
  PacketWriter packets_;
};

}  // namespace

int userplane_subject_main(int argc, char** argv, const UserplaneSubject& subject) {
  return program_main(argv[0], [&] {
    return run(
        program_arguments(argc, argv, {"serve", "send"}, {"--board", "--cpu", "--scratch", "--address"}),
        subject);
  });
}

void send_points(const UserplaneSender& sender, PacketOutput& output) {
  PointSender points(sender, output);
  for (std::uint32_t point = 0; point < sender.settings.spacing_us.size(); ++point) points.send_point(point);
}

}  // namespace orbweaver::bench
