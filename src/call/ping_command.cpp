#include "call/ping_command.h"

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/printable.h"

namespace orbweaver::call {
namespace {

using Clock = std::chrono::steady_clock;

struct Reply {
  bool exists = false;
  std::int64_t ns = -1;  // -1: none
  std::string text;
};

Reply ask(const IDL::traits<CORBA::Object>::ref_type& object) {
  const auto begin = Clock::now();
  try {
    const bool exists = !object->_non_existent();
    const std::int64_t ns =
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
    return {exists, ns, (exists ? "exists, " : "does not exist, ") + microseconds(ns)};
  } catch (const CORBA::SystemException& e) {
    return {false, -1, printable(e.what())};
  }
}

}  // namespace

Result<bool> ping_object(const PingOptions& options,
                         const std::function<std::string(const std::string&)>& print) {
  const auto made = ObjectCaller::make(options.target);
  if (!made) return made.error();
  std::vector<std::int64_t> latencies;
  bool always_exists = true;
  const auto show = [&](const std::string& line) -> Result<void> {
    std::string why = print(line + "\n");
    if (!why.empty()) return Error{ErrorKind::unavailable, std::move(why)};
    return {};
  };
  for (std::uint32_t i = 1; i <= options.count; ++i) {
    if (i > 1) std::this_thread::sleep_for(std::chrono::milliseconds(options.interval_ms));
    const Reply reply = ask((*made)->object());
    always_exists = always_exists && reply.exists;
    if (reply.ns >= 0) latencies.push_back(reply.ns);
    if (auto shown = show(std::to_string(i) + ": " + reply.text); !shown) return shown.take_error();
  }
  const std::string summary =
      std::to_string(latencies.size()) + " of " + std::to_string(options.count) + " replied";
  if (auto shown = show(latencies.empty() ? summary : summary + ": " + latency_text(latencies)); !shown)
    return shown.take_error();
  return always_exists;
}

}  // namespace orbweaver::call
