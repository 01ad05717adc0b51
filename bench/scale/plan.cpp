#include "plan.h"

#include <algorithm>

#include "bench/harness/case.h"
#include "bench/harness/option_text.h"

namespace orbweaver::bench {
namespace {

constexpr std::uint32_t kMostClients = 5'000, kMostObjects = 1'000'000, kMostComponents = 1'000;
constexpr std::uint32_t kMostCallers = 64, kMostCalls = 10'000'000;

void check_counts(const char* option, const std::vector<std::uint32_t>& counts, std::uint32_t most) {
  check_option(!counts.empty(), std::string(option) + ": a number is needed");
  for (const std::uint32_t each : counts)
    check_option(each >= 1 && each <= most, std::string(option) + ": each from 1 to " + std::to_string(most));
}

void check_some_words(const std::string& option, const std::vector<std::string>& words,
                      const std::vector<std::string>& known) {
  check_option(!words.empty(), option + ": needs one of " + listed(known));
  check_words(option, words, known);
}

void check(const ScalePlan& plan) {
  check_some_words("--part", plan.parts, {"clients", "objects", "components"});
  check_some_words("--subject", plan.subjects, {"floor", "orbweaver", "omniorb", "sca"});
  check_counts("--clients", plan.clients, kMostClients);
  check_counts("--objects", plan.objects, kMostObjects);
  check_counts("--components", plan.components, kMostComponents);
  check_counts("--callers", plan.callers, kMostCallers);
  check_option(!plan.threads.empty(), "--threads: needs connection or pool:N");
  for (const std::string& each : plan.threads)
    check_option(each == "connection" || pool_size(each),
                 "--threads: unknown value '" + each + "'; use one of connection, pool:N (N from 1 to 999)");
  check_option(plan.calls >= 1 && plan.calls <= kMostCalls,
               "--calls: from 1 to " + std::to_string(kMostCalls));
  check_option(plan.rounds >= 1 && plan.rounds <= 1000, "--rounds: from 1 to 1000");
  check_option(named<Pin>(plan.pin).has_value(),
               "--pin: unknown value '" + plan.pin + "'; use one of " + names<Pin>());
}

const std::vector<std::uint32_t>& counts_of(const ScalePlan& plan, ScalePart part) {
  switch (part) {
    case ScalePart::clients: return plan.clients;
    case ScalePart::objects: return plan.objects;
    case ScalePart::components: break;
  }
  return plan.components;
}

}  // namespace

std::vector<ScaleSettings> scale_settings(const ScalePlan& plan) {
  check(plan);
  std::vector<ScaleSettings> all;
  for (const std::string& word : plan.parts) {
    const ScalePart part = *scale_part(word);
    for (const std::uint32_t count : counts_of(plan, part)) {
      if (part != ScalePart::clients) {
        all.push_back({part, count, "connection", plan.calls, {1}});
        continue;
      }
      for (const std::string& threads : plan.threads)
        all.push_back({part, count, threads, plan.calls, plan.callers});
    }
  }
  // A case without a measurement: more callers than clients.
  std::erase_if(all, [](const ScaleSettings& each) { return possible_callers(each).empty(); });
  check_option(!all.empty(),
               "--callers: a client is called by one thread at a time, so that at most as many callers "
               "as clients are possible");
  return all;
}

std::string reason_against(const std::string& subject, const ScaleSettings& settings) {
  if (subject == "sca" && settings.part != ScalePart::components) return "it is measured with components";
  if (subject == "floor" && settings.part == ScalePart::objects) return "it has no objects";
  if (subject == "floor" && settings.threads != "connection")
    return "it is measured with a thread for each connection";
  return "";
}

}  // namespace orbweaver::bench
