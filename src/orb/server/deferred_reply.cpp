// Replies that servants give later.
#include <orbweaver/response.h>

#include <optional>
#include <string>
#include <utility>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "giop/reply.h"
#include "orb/core.h"
#include "orb/interception.h"
#include "orb/minor_codes.h"
#include "orb/server/deferred_replies.h"
#include "orb/server/forward_request.h"
#include "orb/server/padded_contexts.h"
#include "orb/server/upcall.h"

namespace orbweaver::orb {

using CORBA::CompletionStatus;

namespace {

/// See orbweaver::DeferredReply.
class DeferredReplyImpl final : public DeferredReply {
 public:
  DeferredReplyImpl(std::shared_ptr<DeferredReplies> replies, std::uint64_t number, std::uint32_t request_id,
                    giop::Version version, const Operation* operation, const Core& core,
                    std::unique_ptr<DeferredObserver> observer)
      : replies_(std::move(replies)), number_(number), request_id_(request_id), version_(version),
        operation_(operation), max_bytes_(core.options().max_message_bytes),
        sends_exception_text_(core.options().send_exception_text), observer_(std::move(observer)) {}
  ~DeferredReplyImpl() override {
    if (is_answered_ || (observer_ == nullptr && !replies_->contains(number_))) return;
    catch_and_log("a reply", [&] {
      fail(std::make_exception_ptr(
          CORBA::NO_RESPONSE(minor::kNoReplyGiven, CompletionStatus::COMPLETED_MAYBE,
                             "the servant has given no reply to " + std::string(name()))));
    });
  }

  cdr::Encoder& begin(std::size_t results_bound) override {
    check_unanswered();
    const std::size_t bytes = giop::reply_bound() + results_bound;
    if (bytes > max_bytes_) {
      throw CORBA::IMP_LIMIT(minor::kMessageTooLarge, CompletionStatus::COMPLETED_YES,
                             "a reply of " + std::to_string(bytes) + " bytes; -ORBMaxMessageBytes is " +
                                 std::to_string(max_bytes_));
    }
    if (observer_ == nullptr) return begin(results_bound, giop::ReplyStatus::no_exception, {});
    // The service contexts of interceptors, which precede the results, are not known yet.
    message_.assign(results_bound, 0);
    out_.emplace(message_);
    out_->wchar_encoding(giop::wchar_encoding(version_, giop::MessageType::reply));
    return *out_;
  }
  void send() override {
    if (observer_ != nullptr) return send_observed();
    if (!giop::finish_message(*out_)) raise_encoding_overran();
    send_message();
  }
  void fail(std::exception_ptr exception) override;
  bool is_awaited() const noexcept override { return !is_answered_ && replies_->contains(number_); }

 private:
  std::string_view name() const noexcept {
    return operation_ == nullptr ? "a request" : std::string_view(operation_->name);
  }
  void check_unanswered() const {
    if (!is_answered_) return;
    throw CORBA::BAD_INV_ORDER(minor::kAnsweredTwice, CompletionStatus::COMPLETED_NO,
                               std::string(name()) + " has a reply already");
  }
  [[noreturn]] void raise_encoding_overran() const {
    throw CORBA::MARSHAL(minor::kEncodingOverran, CompletionStatus::COMPLETED_YES,
                         "the results of " + std::string(name()) + " changed while they were sent");
  }
  cdr::Encoder& begin(std::size_t bound, giop::ReplyStatus status,
                      std::span<const giop::ServiceContext> contexts) {
    message_.assign(giop::reply_bound(contexts) + bound, 0);
    out_.emplace(message_.data(), message_.size());
    giop::encode_reply(*out_, version_, request_id_, status, contexts,
                       bound == 0 ? giop::Body::empty : giop::Body::follows);
    return *out_;
  }
  void send_observed();
  void send_message();
  bool declares(const CORBA::UserException& e) const noexcept;
  std::exception_ptr reply_of(std::exception_ptr exception) const;
  void encode(const std::exception_ptr& exception);
  void encode(const CORBA::SystemException& e);
  std::vector<giop::ServiceContext> contexts() const {
    return observer_ == nullptr ? std::vector<giop::ServiceContext>() : views_of(observer_->contexts());
  }

  const std::shared_ptr<DeferredReplies> replies_;
  const std::uint64_t number_;
  const std::uint32_t request_id_;
  const giop::Version version_;
  const Operation* const operation_;
  const std::size_t max_bytes_;
  const bool sends_exception_text_;
  const std::unique_ptr<DeferredObserver> observer_;  // null: there are no interceptors
  bool is_answered_ = false;
  bool is_observed_ = false;  // the observer's `end` has been called: not again if the encoding fails
  ReplyQueue::Message message_;
  std::optional<cdr::Encoder> out_;
};

/// Sends the message that has been encoded.
void DeferredReplyImpl::send_message() {
  is_answered_ = true;
  message_.resize(out_->size());
  replies_->send(number_, std::move(message_));
}

/// Sends the results, behind the service contexts of interceptors.
void DeferredReplyImpl::send_observed() {
  if (!out_->ok()) raise_encoding_overran();
  out_->finish();
  const std::vector<std::uint8_t> results = std::move(message_);
  is_observed_ = true;
  if (const std::exception_ptr replaced = observer_->end(nullptr); replaced != nullptr) {
    encode(replaced);
  } else {
    const std::vector<giop::ServiceContext> own = contexts();
    begin(results.empty() ? 0 : results.size() + 8, giop::ReplyStatus::no_exception,
          padded_contexts(version_, own))
        .put_bytes(results.data(), results.size());
  }
  if (!giop::finish_message(*out_)) raise_encoding_overran();
  send_message();
}

bool DeferredReplyImpl::declares(const CORBA::UserException& e) const noexcept {
  for (std::uint32_t i = 0; operation_ != nullptr && i < operation_->raises_count; ++i) {
    if (std::string_view(operation_->raises[i].repository_id) == e._rep_id()) return true;
  }
  return false;
}

/// What is to be replied for an exception of the servant.
std::exception_ptr DeferredReplyImpl::reply_of(std::exception_ptr exception) const try {
  std::rethrow_exception(exception);
} catch (const PortableServer::ForwardRequest& forward) {
  try {
    check_forward(name(), forward);
    return exception;
  } catch (const CORBA::SystemException&) {
    return std::current_exception();
  }
} catch (const CORBA::UserException& e) {
  if (declares(e)) return exception;
  return std::make_exception_ptr(
      CORBA::UNKNOWN(minor::kUndeclaredException, CompletionStatus::COMPLETED_MAYBE,
                     std::string(name()) + " raised " + e._rep_id() + ", which its IDL does not declare"));
} catch (const CORBA::SystemException&) {
  return exception;
} catch (const std::exception& e) {
  // As of an upcall, its text is only logged.
  const std::string raised = std::string(name()) + " raised a C++ exception";
  log::warn(raised + ": " + e.what());
  return std::make_exception_ptr(CORBA::UNKNOWN(
      minor::kCppException, CompletionStatus::COMPLETED_MAYBE,
      raised +
          (sends_exception_text_ ? std::string(": ") + e.what() : std::string("; see the server's log"))));
} catch (...) {
  return std::make_exception_ptr(
      CORBA::UNKNOWN(minor::kCppException, CompletionStatus::COMPLETED_MAYBE,
                     std::string(name()) + " raised an exception not derived from std::exception"));
}

/// Encodes what `reply_of` has returned, or an interceptor has put in its place.
void DeferredReplyImpl::encode(const std::exception_ptr& exception) try {
  std::rethrow_exception(exception);
} catch (const PortableServer::ForwardRequest& forward) {
  forward._encode(begin(forward._bound(), giop::ReplyStatus::location_forward, contexts()));
} catch (const CORBA::UserException& e) {
  const std::string_view id = e._rep_id();
  try {
    cdr::Encoder& out = begin(cdr::bound_of(id) + e._bound(), giop::ReplyStatus::user_exception, contexts());
    cdr::encode(out, id);
    e._encode(out);
  } catch (const CORBA::SystemException& encoding_error) {
    encode(encoding_error);
  }
} catch (const CORBA::SystemException& e) {
  encode(e);
}

void DeferredReplyImpl::encode(const CORBA::SystemException& e) {
  const giop::SystemException body{e._rep_id(), e.minor(), static_cast<giop::Completed>(e.completed())};
  const std::vector<std::uint8_t> text = giop::encode_exception_detail(e.detail());
  std::vector<giop::ServiceContext> all = contexts();
  if (!e.detail().empty()) all.push_back({giop::context_id::kExceptionDetailMessage, text});
  giop::encode(begin(giop::bound_of(body), giop::ReplyStatus::system_exception, all), body);
}

void DeferredReplyImpl::fail(std::exception_ptr exception) {
  check_unanswered();
  exception = reply_of(std::move(exception));
  if (observer_ != nullptr && !std::exchange(is_observed_, true))
    exception = observer_->end(std::move(exception));
  encode(exception);
  if (!giop::finish_message(*out_)) raise_encoding_overran();
  send_message();
}

}  // namespace

CORBA::object_reference<DeferredReply> Upcall::defer(std::unique_ptr<DeferredObserver> observer) {
  Core& core = connection_.core_;
  std::shared_ptr<DeferredReplies> replies = connection_.deferred_replies();
  std::uint64_t number = 0;
  if (request_.response_expected() && state_ == ReplyState::none) {
    std::unique_ptr<ServiceBudget::Share> share;
    if (const std::size_t bytes = in_.offset() + in_.remaining(); bytes >= ServiceBudget::kMinCountedBytes) {
      // Counts no replies: `end` is never called.
      share = std::make_unique<ServiceBudget::Share>(core.endpoints().incoming().service_budget(),
                                                     [](const std::string&) {});
      share->count_for(connection_.peer_);
      if (!share->begin_request(bytes)) number = std::uint64_t(-1);
    }
    const bool rejected = number != 0;
    number = rejected ? 0
                      : replies->add(request_.request_id, version_, core.options().deferred_requests,
                                     std::move(share));
    if (number == 0) {
      throw CORBA::TRANSIENT(minor::kServiceBudgetExceeded, CompletionStatus::COMPLETED_NO,
                             "the server has reached its limit of requests that are answered later (-ORBTune "
                             "deferred-requests, service-bytes)");
    }
    state_ = ReplyState::deferred;
    served_.is_plain = false;
  }
  return CORBA::object_reference<DeferredReply>::adopt(
      new DeferredReplyImpl(std::move(replies), number, request_.request_id, version_, served_operation_,
                            core, std::move(observer)));
}

}  // namespace orbweaver::orb

namespace orbweaver {

CORBA::object_reference<DeferredReply> defer_reply(ServerCall& call) {
  if (auto* const upcall = dynamic_cast<orb::Upcall*>(&call); upcall != nullptr) return upcall->defer();
  // Of an ORB with interceptors of requests.
  return dynamic_cast<orb::DeferrableCall&>(call).defer();
}

const Interface& deferring_interface() noexcept {
  static constexpr Interface kInterface{"", nullptr, 0};
  return kInterface;
}

}  // namespace orbweaver
