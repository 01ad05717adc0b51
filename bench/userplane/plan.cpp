#include "plan.h"

#include <algorithm>

#include "bench/harness/option_text.h"
#include "bench/harness/plan.h"
#include "bench/harness/table.h"
#include "board.h"

namespace orbweaver::bench {
namespace {

template <class Values>
void check_not_empty(const char* option, const Values& values) {
  check_option(!values.empty(), std::string(option) + " needs a value");
}

void check(const UserplanePlan& plan) {
  check_not_empty("--transport", plan.transports);
  check_not_empty("--ip", plan.ips);
  check_not_empty("--batch", plan.batches_us);
  check_not_empty("--subject", plan.subjects);
  check_not_empty("--spacing", plan.spacing_us);
  check_words("--transport", plan.transports, {"udp", "tcp"});
  check_words("--subject", plan.subjects, {"floor", "orbweaver", "omniorb"});
  check_words("--pin", {plan.pin}, {"two", "none"});
  for (const std::uint32_t each : plan.ips)
    check_option(each == 4 || each == 6, "--ip: unknown value '" + std::to_string(each) + "'; use 4, 6");
  for (const std::uint32_t each : plan.batches_us)
    check_option(each <= 100'000, "--batch: each from 0 to 100000 us");
  for (const std::uint32_t each : plan.spacing_us)
    check_option(each <= 100'000, "--spacing: each from 0 to 100000 us");
  check_option(plan.spacing_us.size() < kMostPoints,
               "--spacing: at most " + std::to_string(kMostPoints - 1) + " values");
  check_option(plan.bytes.empty() || plan.mix.empty(), "--bytes and --mix exclude each other");
  for (const std::uint32_t each : plan.bytes)
    check_option(
        each >= kSmallestMessage && each <= kLargestMessage,
        "--bytes: each from " + std::to_string(kSmallestMessage) + " to " + std::to_string(kLargestMessage));
  check_option(plan.point_ms >= 1 && plan.point_ms <= 60'000, "--point: from 1 to 60000 ms");
  check_option(plan.rounds >= 1 && plan.rounds <= 1000, "--rounds: from 1 to 1000");
  check_option(plan.cpu_percent > 0 && plan.cpu_percent <= 100, "--cpu: more than 0, up to 100 percent");
}

std::vector<Traffic> traffic_of(const UserplanePlan& plan, const std::string& programs) {
  std::vector<Traffic> all;
  for (const std::uint32_t bytes : plan.bytes)
    all.push_back({"octet", std::to_string(bytes) + " bytes", sizes_of(messages_of(bytes))});
  if (!all.empty()) return all;
  const MessageMix mix = read_message_mix(plan.mix.empty() ? programs + "/bench-internet-mix.xml" : plan.mix);
  const MessageSizes sizes = sizes_of(mix);
  return {{"mix", mix.name + format(", %.1f bytes in the mean", mean_bytes(sizes)), sizes}};
}

std::vector<UserplaneSweep> sweeps_of(const UserplanePlan& plan, const std::string& transport,
                                      std::uint32_t ip) {
  std::vector<UserplaneSweep> sweeps;
  for (const std::uint32_t batch_us : plan.batches_us)
    for (const std::string& subject : plan.subjects)
      sweeps.push_back({subject, {transport, ip, batch_us, plan.spacing_us, plan.point_ms}});
  return sweeps;
}

}  // namespace

UserplaneCases userplane_cases(const UserplanePlan& plan, const std::string& programs) {
  check(plan);
  UserplaneCases all{traffic_of(plan, programs), {}, *named<Pin>(plan.pin)};
  for (std::size_t traffic = 0; traffic < all.traffic.size(); ++traffic)
    for (const std::string& transport : plan.transports)
      for (const std::uint32_t ip : plan.ips) all.cases.push_back({traffic, sweeps_of(plan, transport, ip)});
  return all;
}

}  // namespace orbweaver::bench
