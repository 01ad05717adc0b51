#include "async_snippetsS.h"

using namespace Async;
using TunerRef = IDL::traits<Tuner>::ref_type;

// part
namespace futures {
void f(const TunerRef& tuner) {
  // snippet
}
}  // namespace futures

#include <coroutine>

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
const std::vector<double> stations;

// snippet

// part
namespace handlers {
// snippet
void f(const TunerRef& tuner) {
  auto handler = CORBA::make_reference<TunerHandler>();
  // snippet
}
void remote(const TunerRef& tuner, const CORBA::object_reference<TunerHandler>& handler,
            const IDL::traits<PortableServer::POA>::ref_type& poa,
            const CORBA::object_reference<CORBA::Object>& object) {
  // snippet
}
}  // namespace handlers

namespace pollers {
void f(const TunerRef& tuner) {
  // snippet
}
}  // namespace pollers

// part
#include <functional>

struct Hardware {
  void tune(double hertz, std::function<void(double, std::int32_t)> done);
};

// snippet
