#include "runner.h"

#include <chrono>
#include <stdexcept>

#include "bench/harness/child.h"
#include "bench/harness/machine.h"
#include "bench/harness/scratch.h"
#include "board.h"

namespace orbweaver::bench {
namespace {

constexpr std::chrono::seconds kStartLimit{120};

std::vector<std::string> arguments(const char* role, const UserplaneSettings& settings,
                                   std::vector<std::string> more) {
  std::vector<std::string> args{role};
  for (std::string& arg : to_args(settings)) args.push_back(std::move(arg));
  for (std::string& arg : more) args.push_back(std::move(arg));
  return args;
}

/// Twenty times the duration of the points, and two minutes.
std::chrono::milliseconds run_limit(const UserplaneSettings& s) {
  return std::chrono::milliseconds(std::uint64_t{20} * s.point_ms * s.spacing_us.size()) +
         std::chrono::minutes(2);
}

LoadPoint point_of(const UserplaneBoard& board, std::uint32_t number, std::uint32_t spacing_us) {
  const Reception& r = board.reception(number);
  return {spacing_us,
          board.sent(number),
          r.packets,
          r.bytes,
          r.wrong,
          r.reordered,
          static_cast<double>(r.ended_ns - r.began_ns) / 1e3,
          static_cast<double>(r.ended_cpu_ns - r.began_cpu_ns) / 1e3,
          static_cast<double>(r.ended_wait_ns - r.began_wait_ns) / 1e3};
}

/// On loopback, nothing reorders or changes packets: that is an error of the measurement.
void check(const UserplaneSettings& settings, const LoadPoint& point) {
  const std::string at = " with " + std::to_string(point.spacing_us) + " us between packets";
  if (point.wrong != 0)
    throw std::runtime_error(std::to_string(point.wrong) + " packets arrived with another size or content" +
                             at);
  if (point.reordered != 0)
    throw std::runtime_error(std::to_string(point.reordered) + " packets were reordered" + at);
  if (settings.transport == "tcp" && point.lost() != 0)
    throw std::runtime_error(std::to_string(point.lost()) + " packets were lost over TCP" + at);
}

}  // namespace

std::vector<LoadPoint> run_userplane(const UserplaneSettings& wanted, const MessageSizes& sizes,
                                     const std::string& program, Pin pin) {
  UserplaneSettings settings = wanted;
  settings.spacing_us.insert(settings.spacing_us.begin(), wanted.spacing_us.front());
  const Scratch scratch;
  const Placement cpus = placement(pin, allowed_cpus());
  const std::string file = scratch.path() + "/board";
  UserplaneBoard board(file, UserplaneBoard::Mode::create);
  board.set_sizes(sizes);
  Child receiver(program, arguments("serve", settings,
                                    {"--board", file, "--cpu", std::to_string(cpus.server), "--scratch",
                                     scratch.path()}));
  const auto ready = receiver.read_line(kStartLimit);
  if (!ready || !ready->starts_with("ready "))
    throw std::runtime_error("the receiver " + describe_exit(receiver.wait(std::chrono::seconds(1))));
  Child sender(program, arguments("send", settings,
                                  {"--board", file, "--cpu", std::to_string(cpus.client), "--address",
                                   ready->substr(6)}));
  if (const auto status = sender.wait(run_limit(settings)); status != 0)
    throw std::runtime_error("the sender " + describe_exit(status));
  std::vector<LoadPoint> points;
  for (std::uint32_t number = 1; number < settings.spacing_us.size(); ++number) {
    points.push_back(point_of(board, number, settings.spacing_us[number]));
    check(settings, points.back());
  }
  return points;
}

}  // namespace orbweaver::bench
