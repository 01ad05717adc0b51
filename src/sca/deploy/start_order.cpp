#include "sca/deploy/start_order.h"

#include <algorithm>
#include <limits>

namespace orbweaver::sca {

std::vector<std::size_t> start_order(const Assembly& assembly) {
  constexpr auto kNone = std::numeric_limits<std::size_t>::max();
  const std::size_t count = assembly.components.size();
  // waits_for[i]: connections from i to components that have not been started yet.
  std::vector<std::size_t> waits_for(count, 0);
  const auto counts = [](const Connection& c) {
    return c.uses.kind == EndKind::component && c.provides.kind == EndKind::component &&
           c.uses.component != c.provides.component;
  };
  for (const Connection& c : assembly.connections) waits_for[c.uses.component] += counts(c) ? 1 : 0;

  std::vector<bool> started(count, false);
  std::vector<std::size_t> order;
  while (order.size() < count) {
    std::size_t next = kNone;
    for (std::size_t i = 0; i < count; ++i) {
      if (started[i] || waits_for[i] > 0) continue;
      if (next == kNone || next == assembly.controller) next = i;
      if (next != assembly.controller) break;
    }
    if (next == kNone) {  // a cycle: start with the first of the assembly
      next = static_cast<std::size_t>(std::find(started.begin(), started.end(), false) - started.begin());
    }
    started[next] = true;
    order.push_back(next);
    for (const Connection& c : assembly.connections) {
      if (c.provides.component == next && counts(c)) --waits_for[c.uses.component];
    }
  }
  return order;
}

}  // namespace orbweaver::sca
