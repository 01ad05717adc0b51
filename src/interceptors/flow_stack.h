#pragma once

#include <utility>
#include <vector>

#include "interceptors/orb_interceptors.h"
#include "interceptors/raised_exception.h"

namespace orbweaver::interceptors {

/// The interceptors whose starting point a request has passed, and whose ending point it will pass in the
/// reverse order (CORBA 3.3 part 1, 16.3.3). Each exception of an interceptor replaces the outcome.
template <class Interceptor>
class FlowStack {
 public:
  /// Calls `start(interceptor)` of those that take part in the request, in order, until one of them raises an
  /// exception: that one is not on the stack. Returns false then, with the outcome.
  template <class Start>
  bool begin(const std::vector<Registered<Interceptor>>& all, bool is_collocated, Outcome& outcome,
             const Start& start) {
    for (const Registered<Interceptor>& each : all) {
      if (!each.takes_part(is_collocated)) continue;
      if (!call(*each.interceptor, outcome, start)) return false;
      passed_.push_back(each.interceptor.get());
    }
    return true;
  }
  /// Calls `point(interceptor)` of those on the stack, in order, until one raises an exception.
  template <class Point>
  bool pass(Outcome& outcome, const Point& point) const {
    for (Interceptor* const each : passed_) {
      if (!call(*each, outcome, point)) return false;
    }
    return true;
  }
  /// Calls `end(interceptor)` of those on the stack, the last one first, and empties it.
  template <class End>
  void end(Outcome& outcome, const End& end_point) {
    while (!passed_.empty()) {
      Interceptor* const last = passed_.back();
      passed_.pop_back();
      call(*last, outcome, end_point);
    }
  }

 private:
  template <class Point>
  static bool call(Interceptor& interceptor, Outcome& outcome, const Point& point) {
    try {
      point(interceptor);
      return true;
    } catch (...) {
      outcome = Outcome::of_interceptor(interceptor);
      return false;
    }
  }

  std::vector<Interceptor*> passed_;
};

}  // namespace orbweaver::interceptors
