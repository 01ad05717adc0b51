#include "services/events/delivery.h"

#include <orbweaver/exception.h>

#include "CosEventCommC.h"

namespace orbweaver::services::events {

using Kind = CallResult::Kind;

CallResult try_call(const std::function<void()>& call) {
  try {
    call();
    return {};
  } catch (const CosEventComm::Disconnected& e) {
    return {Kind::gone, e.what()};
  } catch (const CORBA::OBJECT_NOT_EXIST& e) {
    return {Kind::gone, e.what()};
  } catch (const CORBA::TRANSIENT& e) {
    return {e.completed() == CORBA::CompletionStatus::COMPLETED_NO ? Kind::retry : Kind::unreachable,
            e.what()};
  } catch (const CORBA::COMM_FAILURE& e) {
    return {Kind::unreachable, e.what()};
  } catch (const CORBA::TIMEOUT& e) {
    return {Kind::unreachable, e.what()};
  } catch (const std::exception& e) {
    return {Kind::raised, e.what()};
  } catch (...) {
    return {Kind::raised, "exception of unknown type"};
  }
}

CallResult deliver_all(ConsumerQueue& queue, std::uint32_t max_failures, std::int64_t retry_ms,
                       const std::function<void(const CORBA::Any&)>& call) {
  FailureCount failures(max_failures);
  CallResult last;
  QueuedEvent event;
  while (queue.take(event, Deadline::never()) == streams::TakeResult::taken) {
    for (;;) {
      last = try_call([&] { call(event.event().any()); });
      if (last.kind == Kind::done) {
        failures.add(last);
        queue.count_delivered();
        break;
      }
      queue.count_failed_call();
      const bool disconnect = failures.add(last);
      if (!disconnect && last.kind == Kind::retry && queue.pause_ms(retry_ms)) continue;
      queue.count_failed();
      if (disconnect) return last;
      break;
    }
    event = {};  // releases its memory before the wait for the next one
  }
  return last;
}

}  // namespace orbweaver::services::events
