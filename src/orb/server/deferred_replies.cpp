#include "orb/server/deferred_replies.h"

#include <orbweaver/response.h>

#include <optional>
#include <string>
#include <utility>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "giop/reply.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/server/forward_request.h"
#include "orb/server/upcall.h"

namespace orbweaver::orb {

using CORBA::CompletionStatus;

std::uint64_t DeferredReplies::add(std::uint32_t request_id, giop::Version version, std::size_t limit,
                                   std::unique_ptr<ServiceBudget::Share> share) {
  if (in_progress_->fetch_add(1, std::memory_order_relaxed) >= limit) {
    in_progress_->fetch_sub(1, std::memory_order_relaxed);
    return 0;
  }
  const std::lock_guard lock(mutex_);
  requests_.emplace(++last_number_, Request{request_id, version, std::move(share)});
  return last_number_;
}

bool DeferredReplies::contains(std::uint64_t number) const noexcept {
  const std::lock_guard lock(mutex_);
  return requests_.count(number) != 0;
}

bool DeferredReplies::empty() const noexcept {
  const std::lock_guard lock(mutex_);
  return requests_.empty();
}

void DeferredReplies::send(std::uint64_t number, Message reply) {
  std::unordered_map<std::uint64_t, Request>::node_type ended;  // destroyed without the lock
  std::unique_lock lock(mutex_);
  ended = requests_.extract(number);
  if (!ended) return;
  in_progress_->fetch_sub(1, std::memory_order_relaxed);
  send(lock, std::move(reply));
  lock.unlock();
}

/// Unlocks while the message is sent: that calls the connection.
void DeferredReplies::send(std::unique_lock<std::mutex>& lock, Message message) {
  if (closed_) return;
  if (replies_ == nullptr) {
    early_.push_back(std::move(message));
    return;
  }
  ++sending_;
  lock.unlock();
  // After an error the connection ends by itself: its channel has failed.
  catch_and_log("sending a reply", [&] { (void)replies_->send(std::move(message)); });
  lock.lock();
  if (--sending_ == 0) sent_.notify_all();
}

void DeferredReplies::open(ReplyQueue& replies) {
  std::unique_lock lock(mutex_);
  replies_ = &replies;
  while (!early_.empty()) {
    for (Message& message : std::exchange(early_, {})) send(lock, std::move(message));
  }
}

void DeferredReplies::reply_to_all(const std::function<Message(std::uint32_t, giop::Version)>& exception) {
  std::unique_lock lock(mutex_);
  const auto all = std::exchange(requests_, {});
  in_progress_->fetch_sub(all.size(), std::memory_order_relaxed);
  for (const auto& [number, request] : all) send(lock, exception(request.id, request.version));
}

void DeferredReplies::close() noexcept {
  std::unordered_map<std::uint64_t, Request> all;
  std::unique_lock lock(mutex_);
  closed_ = true;
  all.swap(requests_);
  in_progress_->fetch_sub(all.size(), std::memory_order_relaxed);
  early_.clear();
  sent_.wait(lock, [&] { return sending_ == 0; });
  replies_ = nullptr;
  lock.unlock();
}

namespace {

/// See orbweaver::DeferredReply.
class DeferredReplyImpl final : public DeferredReply {
 public:
  DeferredReplyImpl(std::shared_ptr<DeferredReplies> replies, std::uint64_t number, std::uint32_t request_id,
                    giop::Version version, const Operation* operation, const Core& core)
      : replies_(std::move(replies)), number_(number), request_id_(request_id), version_(version),
        operation_(operation), max_bytes_(core.options().max_message_bytes),
        sends_exception_text_(core.options().send_exception_text) {}
  ~DeferredReplyImpl() override {
    if (is_answered_ || !replies_->contains(number_)) return;
    catch_and_log("a reply", [&] {
      fail(std::make_exception_ptr(
          CORBA::NO_RESPONSE(minor::kNoReplyGiven, CompletionStatus::COMPLETED_MAYBE,
                             "the servant has given no reply to " + std::string(name()))));
    });
  }

  cdr::Encoder& begin(std::size_t results_bound) override {
    answer();
    const std::size_t bytes = giop::reply_bound() + results_bound;
    if (bytes > max_bytes_) {
      is_answered_ = false;
      throw CORBA::IMP_LIMIT(minor::kMessageTooLarge, CompletionStatus::COMPLETED_YES,
                             "a reply of " + std::to_string(bytes) + " bytes; -ORBMaxMessageBytes is " +
                                 std::to_string(max_bytes_));
    }
    return begin(results_bound, giop::ReplyStatus::no_exception, {});
  }
  void send() override {
    if (!giop::finish_message(*out_)) {
      is_answered_ = false;
      throw CORBA::MARSHAL(minor::kEncodingOverran, CompletionStatus::COMPLETED_YES,
                           "the results of " + std::string(name()) + " changed while they were sent");
    }
    message_.resize(out_->size());
    replies_->send(number_, std::move(message_));
  }
  void fail(std::exception_ptr exception) override;
  bool is_awaited() const noexcept override { return !is_answered_ && replies_->contains(number_); }

 private:
  std::string_view name() const noexcept {
    return operation_ == nullptr ? "a request" : std::string_view(operation_->name);
  }
  void answer() {
    if (!std::exchange(is_answered_, true)) return;
    throw CORBA::BAD_INV_ORDER(minor::kAnsweredTwice, CompletionStatus::COMPLETED_NO,
                               std::string(name()) + " has a reply already");
  }
  cdr::Encoder& begin(std::size_t bound, giop::ReplyStatus status,
                      std::span<const giop::ServiceContext> contexts) {
    message_.assign(giop::reply_bound(contexts) + bound, 0);
    out_.emplace(message_.data(), message_.size());
    giop::encode_reply(*out_, version_, request_id_, status, contexts,
                       bound == 0 ? giop::Body::empty : giop::Body::follows);
    return *out_;
  }
  void encode(const CORBA::SystemException& e);

  const std::shared_ptr<DeferredReplies> replies_;
  const std::uint64_t number_;
  const std::uint32_t request_id_;
  const giop::Version version_;
  const Operation* const operation_;
  const std::size_t max_bytes_;
  const bool sends_exception_text_;
  bool is_answered_ = false;
  ReplyQueue::Message message_;
  std::optional<cdr::Encoder> out_;
};

void DeferredReplyImpl::encode(const CORBA::SystemException& e) {
  const giop::SystemException body{e._rep_id(), e.minor(), static_cast<giop::Completed>(e.completed())};
  const std::vector<std::uint8_t> text = giop::encode_exception_detail(e.detail());
  const giop::ServiceContext detail{giop::context_id::kExceptionDetailMessage, text};
  std::span<const giop::ServiceContext> contexts;
  if (!e.detail().empty()) contexts = {&detail, 1};
  giop::encode(begin(giop::bound_of(body), giop::ReplyStatus::system_exception, contexts), body);
}

void DeferredReplyImpl::fail(std::exception_ptr exception) {
  answer();
  try {
    std::rethrow_exception(exception);
  } catch (const PortableServer::ForwardRequest& forward) {
    try {
      check_forward(name(), forward);
      forward._encode(begin(forward._bound(), giop::ReplyStatus::location_forward, {}));
    } catch (const CORBA::SystemException& unusable) {
      encode(unusable);
    }
  } catch (const CORBA::UserException& e) {
    bool declared = false;
    for (std::uint32_t i = 0; operation_ != nullptr && i < operation_->raises_count; ++i)
      declared = declared || std::string_view(operation_->raises[i].repository_id) == e._rep_id();
    if (declared) {
      const std::string_view id = e._rep_id();
      cdr::Encoder& out = begin(cdr::bound_of(id) + e._bound(), giop::ReplyStatus::user_exception, {});
      cdr::encode(out, id);
      e._encode(out);
    } else {
      encode(CORBA::UNKNOWN(
          minor::kUndeclaredException, CompletionStatus::COMPLETED_MAYBE,
          std::string(name()) + " raised " + e._rep_id() + ", which its IDL does not declare"));
    }
  } catch (const CORBA::SystemException& e) {
    encode(e);
  } catch (const std::exception& e) {
    // As of an upcall, its text is only logged.
    const std::string raised = std::string(name()) + " raised a C++ exception";
    log::warn(raised + ": " + e.what());
    encode(CORBA::UNKNOWN(minor::kCppException, CompletionStatus::COMPLETED_MAYBE,
                          raised + (sends_exception_text_ ? std::string(": ") + e.what()
                                                          : std::string("; see the server's log"))));
  } catch (...) {
    encode(CORBA::UNKNOWN(minor::kCppException, CompletionStatus::COMPLETED_MAYBE,
                          std::string(name()) + " raised an exception not derived from std::exception"));
  }
  send();
}

}  // namespace

/// A system exception as the reply to requests that are open when the connection is closed.
ReplyQueue::Message closed_reply(std::uint32_t request_id, giop::Version version) {
  const giop::SystemException body{"IDL:omg.org/CORBA/COMM_FAILURE:1.0", minor::kPeerLost,
                                   giop::Completed::maybe};
  ReplyQueue::Message message(giop::reply_bound() + giop::bound_of(body));
  cdr::Encoder out(message.data(), message.size());
  giop::encode_reply(out, version, request_id, giop::ReplyStatus::system_exception, {}, giop::Body::follows);
  giop::encode(out, body);
  giop::finish_message(out);
  message.resize(out.size());
  return message;
}

CORBA::object_reference<DeferredReply> Upcall::defer() {
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
  return CORBA::object_reference<DeferredReply>::adopt(new DeferredReplyImpl(
      std::move(replies), number, request_.request_id, version_, served_operation_, core));
}

std::shared_ptr<DeferredReplies> ServerConnection::deferred_replies() {
  const std::lock_guard lock(deferred_mutex_);
  if (deferred_ == nullptr) {
    deferred_ = std::make_shared<DeferredReplies>(core_.deferred_requests());
    if (concurrent_ != nullptr) deferred_->open(concurrent_->replies());
    has_deferred_.store(true, std::memory_order_release);
  }
  return deferred_;
}

bool ServerConnection::awaits_deferred_replies() const noexcept {
  return has_deferred_.load(std::memory_order_acquire) && !deferred_->empty();
}

void ServerConnection::reply_to_deferred() {
  if (has_deferred_.load(std::memory_order_acquire)) deferred_->reply_to_all(&closed_reply);
}

/// After the first request whose reply is deferred: from now on, replies are sent by any thread.
ServerConnection::ServeResult ServerConnection::begin_deferring(bool is_usable) {
  owe_replies();
  concurrent_ = make_concurrent_requests();
  is_concurrent_.store(true, std::memory_order_relaxed);
  replies_.end_request();
  replies_.use_queue(concurrent_->replies());
  is_plain_connection_ = false;
  concurrent_->begin_turn([] {});  // the state is `serving`
  TurnEnd end(*this);
  channel_->release();
  service_.end_request();
  over_budget_ = false;
  deferred_->open(concurrent_->replies());
  const ServeResult result = end.of(is_usable ? ServeResult::request : ServeResult::ended);
  // `serve` continues in serve_with_queues.
  return result == ServeResult::request && may_block_ == MayBlock::yes ? ServeResult::parked : result;
}

}  // namespace orbweaver::orb

namespace orbweaver {

CORBA::object_reference<DeferredReply> defer_reply(ServerCall& call) {
  if (auto* const upcall = dynamic_cast<orb::Upcall*>(&call); upcall != nullptr) return upcall->defer();
  throw CORBA::NO_IMPLEMENT(minor::kNotImplemented, CORBA::CompletionStatus::COMPLETED_NO,
                            "the ORB has interceptors of requests, which do not accompany servants that "
                            "answer later");
}

const Interface& deferring_interface() noexcept {
  static constexpr Interface kInterface{"", nullptr, 0};
  return kInterface;
}

}  // namespace orbweaver
