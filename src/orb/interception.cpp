#include "orb/interception.h"

#include <algorithm>
#include <mutex>

namespace orbweaver::orb {

std::atomic<InitializeOrb> initialize_orb{nullptr};

std::vector<giop::ServiceContext> views_of(std::span<const OwnedServiceContext> contexts) {
  std::vector<giop::ServiceContext> views;
  for (const OwnedServiceContext& context : contexts) views.push_back({context.tag, context.data});
  return views;
}

namespace {
std::mutex program_policies_mutex;
std::vector<CORBA::PolicyType>& program_policies() {
  // Never destroyed: threads of an ORB may use it while the program exits.
  static auto& types = *new std::vector<CORBA::PolicyType>;
  return types;
}
}  // namespace

bool is_program_policy(CORBA::PolicyType type) {
  const std::lock_guard lock(program_policies_mutex);
  const auto& types = program_policies();
  return std::find(types.begin(), types.end(), type) != types.end();
}

void add_program_policy(CORBA::PolicyType type) {
  const std::lock_guard lock(program_policies_mutex);
  program_policies().push_back(type);
}

}  // namespace orbweaver::orb
