#include "plan.h"

#include <algorithm>
#include <initializer_list>

#include "bench/harness/case.h"
#include "bench/harness/plan.h"

namespace orbweaver::bench {
namespace {

constexpr std::uint32_t kMostClients = 5'000, kMostObjects = 1'000'000, kMostComponents = 1'000;
constexpr std::uint32_t kMostCallers = 64, kMostCalls = 10'000'000;

void check(bool valid, const std::string& what) {
  if (!valid) throw InvalidPlan(what);
}

void check_counts(const char* option, const std::vector<std::uint32_t>& counts, std::uint32_t most) {
  check(!counts.empty(), std::string(option) + ": a number is needed");
  for (const std::uint32_t each : counts)
    check(each >= 1 && each <= most, std::string(option) + ": each from 1 to " + std::to_string(most));
}

void check_words(const char* option, const std::vector<std::string>& words,
                 std::initializer_list<const char*> known) {
  std::string all;
  for (const char* each : known) all += (all.empty() ? "" : ", ") + std::string(each);
  check(!words.empty(), std::string(option) + ": needs one of " + all);
  for (const std::string& word : words)
    check(std::find(known.begin(), known.end(), word) != known.end(),
          std::string(option) + ": unknown value '" + word + "'; use one of " + all);
}

void check(const ScalePlan& plan) {
  check_words("--part", plan.parts, {"clients", "objects", "components"});
  check_words("--subject", plan.subjects, {"floor", "orbweaver", "omniorb", "sca"});
  check_counts("--clients", plan.clients, kMostClients);
  check_counts("--objects", plan.objects, kMostObjects);
  check_counts("--components", plan.components, kMostComponents);
  check_counts("--callers", plan.callers, kMostCallers);
  check(!plan.threads.empty(), "--threads: needs connection or pool:N");
  for (const std::string& each : plan.threads)
    check(each == "connection" || pool_size(each),
          "--threads: unknown value '" + each + "'; use one of connection, pool:N (N from 1 to 999)");
  check(plan.calls >= 1 && plan.calls <= kMostCalls, "--calls: from 1 to " + std::to_string(kMostCalls));
  check(plan.rounds >= 1 && plan.rounds <= 1000, "--rounds: from 1 to 1000");
  check(named<Pin>(plan.pin).has_value(),
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
  check(!all.empty(),
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
