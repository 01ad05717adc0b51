#include <orbweaver/deadline.h>
#include <orbweaver/poller.h>

#include "orb/minor_codes.h"

namespace Messaging {
namespace {

using CORBA::CompletionStatus;

std::int64_t deadline_ns(std::uint32_t timeout_ms) noexcept {
  if (timeout_ms == 0xffffffff) return orbweaver::Deadline::never().ns;
  return timeout_ms == 0 ? 0 : orbweaver::Deadline::in_ms(timeout_ms).ns;
}

[[noreturn]] void raise_taken() {
  throw CORBA::OBJECT_NOT_EXIST(orbweaver::minor::kResultsTaken, CompletionStatus::COMPLETED_NO,
                                "the results of this poller have been taken");
}

CORBA::object_reference<CORBA::Object> share(const CORBA::Object& object) {
  object._add_ref();
  return CORBA::object_reference<CORBA::Object>::adopt(const_cast<CORBA::Object*>(&object));
}

}  // namespace

Poller::Poller(const CORBA::Object& target, CORBA::object_reference<orbweaver::KeptCall> call)
    : target_(share(target)), call_(std::move(call)) {}

Poller::~Poller() = default;

std::string Poller::operation_name() const { return call_->operation().name; }

bool Poller::is_ready(std::uint32_t timeout) {
  if (taken_) raise_taken();
  return call_->wait(deadline_ns(timeout));
}

CORBA::object_reference<orbweaver::KeptCall> Poller::take(const orbweaver::Operation& operation,
                                                          std::uint32_t timeout) {
  if (&operation != &call_->operation()) {
    throw CORBA::BAD_OPERATION(
        orbweaver::minor::kOtherOperation, CompletionStatus::COMPLETED_NO,
        std::string("the poller is of a call of ") + call_->operation().name + ", not of " + operation.name);
  }
  if (!is_ready(timeout)) {
    if (timeout == 0) {
      throw CORBA::NO_RESPONSE(orbweaver::minor::kNoResponseYet, CompletionStatus::COMPLETED_MAYBE,
                               std::string("no reply to ") + operation.name + " yet");
    }
    throw CORBA::TIMEOUT(
        orbweaver::minor::kPollTimeout, CompletionStatus::COMPLETED_MAYBE,
        std::string("no reply to ") + operation.name + " within " + std::to_string(timeout) + " ms");
  }
  if (taken_.exchange(true)) raise_taken();
  if (call_->failure()) std::rethrow_exception(call_->failure());
  return call_;
}

}  // namespace Messaging
