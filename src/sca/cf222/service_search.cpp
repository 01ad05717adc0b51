#include "sca/cf222/service_search.h"

#include <algorithm>
#include <vector>

#include "sca/deployment/concurrently.h"

namespace orbweaver::sca {
namespace {

enum class Answer { no, yes, none };

Answer is_of_type(const IDL::traits<CORBA::Object>::ref_type& service, const std::string& repid) noexcept {
  try {
    return service && (service->_repository_id() == repid || service->_is_a(repid)) ? Answer::yes
                                                                                    : Answer::no;
  } catch (const CORBA::TIMEOUT&) {
    return Answer::none;
  } catch (const std::exception&) {
    return Answer::no;
  }
}

}  // namespace

FoundService find_service_of_type(const DomainModel& model, const IDL::traits<CORBA::ORB>::ref_type& orb,
                                  const std::string& repid, const ServiceSearchLimits& limits) {
  using Clock = std::chrono::steady_clock;
  FoundService found;
  if (repid.empty()) return found;
  std::vector<Service> services = model.services();  // sorted by name
  std::stable_sort(services.begin(), services.end(),
                   [](const Service& a, const Service& b) { return a.order < b.order; });
  const Clock::time_point end = Clock::now() + limits.search;
  for (std::size_t begin = 0; begin < services.size(); begin += limits.at_a_time) {
    std::vector<Answer> answers(std::min(limits.at_a_time, services.size() - begin), Answer::none);
    const auto ask = [&](std::size_t i) {
      const std::chrono::nanoseconds rest = end - Clock::now();
      if (rest.count() <= 0) return;
      const auto service =
          limited<CORBA::Object>(orb, services[begin + i].reference, std::min(limits.call, rest));
      answers[i] = is_of_type(service, repid);
    };
    run_concurrently(answers.size(), ask, limits.at_a_time);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i] == Answer::yes) return {services[begin + i], {}};
      if (answers[i] == Answer::none && found.silent.empty()) found.silent = services[begin + i].name;
    }
    if (Clock::now() >= end) {
      // Those that were not asked may be of the interface, too.
      const std::size_t next = begin + answers.size();
      if (found.silent.empty() && next < services.size()) found.silent = services[next].name;
      break;
    }
  }
  return found;
}

}  // namespace orbweaver::sca
