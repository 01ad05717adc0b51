#include "etcd/leadership.h"

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "etcd/etcd_messages.h"
#include "platform/socket.h"
#include "platform/thread.h"

namespace orbweaver::etcd {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "1";
constexpr std::int64_t kFirstCallMs = 3'000, kLeadershipCallMs = 5'000, kResignMs = 1'000;
/// Time that a change may take; then nobody knows whether it has been made.
constexpr std::int64_t kCommitMs = 10'000;
/// Between two looks whether another process leads.
constexpr std::int64_t kStandByMs = 200;
constexpr int kListedKeys = 1'000;

/// Whether waiting does not end an error of a call.
bool is_lasting(const Error& error) {
  return error.kind == ErrorKind::permission_denied || error.kind == ErrorKind::invalid;
}

/// An error of a call as one of SharedState.
Error error_of(const Error& error) {
  return is_lasting(error) ? error : Error{ErrorKind::unavailable, error.message};
}

bool pause(const platform::Fd& cancelled) {
  return platform::poll(cancelled, platform::kReadable, platform::Deadline::in_ms(kStandByMs)) != 0;
}

}  // namespace

Leadership::Leadership(LeadershipOptions options) : options_(std::move(options)) {}

// ---- to become the leader ----

Result<bool> Leadership::acquire(const platform::Fd& cancelled, const Told& waiting, Told lost) {
  EtcdClient client(options_.etcd);
  std::string told;
  const auto stand_by = [&](const std::string& reason) {
    if (std::exchange(told, reason) != reason) waiting(reason);
    return !pause(cancelled);
  };
  for (bool is_first = !options_.is_patient;;) {
    const auto limit = platform::Deadline::in_ms(is_first ? kFirstCallMs : kLeadershipCallMs);
    auto reply = client.call("/v3/kv/range", get_request(key("leader")), limit);
    if (!reply) {
      if (is_first && reply.error().kind == ErrorKind::transient)
        return Error{ErrorKind::unavailable,
                     reply.error().message + "; start it, or correct the address of --state"};
      if (is_first || is_lasting(reply.error())) return error_of(reply.error());
      if (!stand_by("waiting for etcd: " + reply.error().message)) return false;
      continue;
    }
    is_first = false;
    auto leader = parse_range(*reply);
    if (!leader) return leader.take_error();
    if (!leader->pairs.empty()) {
      if (!stand_by("standing by: " + printable(leader->pairs[0].value, 200) + " leads")) return false;
      continue;
    }
    auto created = create_key(client);
    if (!created && is_lasting(created.error())) return error_of(created.error());
    if (!created && !stand_by("waiting for etcd: " + created.error().message)) return false;
    if (created && *created) break;
  }
  lost_ = std::move(lost);
  thread_ = std::thread([this] { renew(); });
  if (auto checked = check_format(client); !checked) {
    resign();
    return checked.take_error();
  }
  return true;
}

Result<bool> Leadership::create_key(EtcdClient& client) {
  const auto limit = platform::Deadline::in_ms(options_.etcd.attempt.count());
  const std::int64_t begin = platform::now_ns();
  auto grant = client.call("/v3/lease/grant", {{"TTL", options_.lease.count()}}, limit);
  if (!grant) return grant.take_error();
  lease_ = number(*grant, "ID");
  const Json request{{"compare", Json::array({created_at(key("leader"), "0")})},
                     {"success", Json::array({put_operation(key("leader"), options_.name, lease_)})}};
  auto reply = client.call("/v3/kv/txn", request, limit);
  const bool is_created = reply && is_true(*reply, "succeeded");
  if (is_created) {
    revision_ = revision_of(*reply);
    const std::lock_guard lock(mutex_);
    deadline_ns_ = begin + std::chrono::nanoseconds(options_.lease).count();
    return true;
  }
  // A key that was created although the answer is missing goes with the lease.
  static_cast<void>(client.call("/v3/lease/revoke", {{"ID", lease_}}, platform::Deadline::in_ms(kResignMs)));
  if (!reply) return reply.take_error();
  return false;
}

Result<void> Leadership::check_format(EtcdClient& client) {
  const auto limit = platform::Deadline::in_ms(kLeadershipCallMs);
  const std::string where = "the keys of etcd that begin with '" + options_.prefix + "': ";
  auto reply = client.call("/v3/kv/range", get_request(key("format")), limit);
  if (!reply) return error_of(reply.error());
  auto format = parse_range(*reply);
  if (!format) return format.take_error();
  if (!format->pairs.empty() && format->pairs[0].value != kFormat) {
    return Error{ErrorKind::invalid, where + "their format is '" + printable(format->pairs[0].value, 20) +
                                         "', and this program knows format " + kFormat +
                                         "; use the version of Orbweaver that has written them"};
  }
  const std::string end = end_of_prefix(options_.prefix);
  for (std::string first = options_.prefix;;) {
    Json request = range_request(first, end, kListedKeys);
    request["keys_only"] = true;
    auto page = client.call("/v3/kv/range", request, limit);
    if (!page) return error_of(page.error());
    auto keys = parse_range(*page, first, end);
    if (!keys) return keys.take_error();
    for (const KeyValue& pair : keys->pairs) {
      const std::string name = pair.key.substr(options_.prefix.size());
      const bool is_record =
          name.starts_with("records/") || name.starts_with("names/") || name.starts_with("journal/");
      if (name == "leader" || (!format->pairs.empty() && (name == "format" || is_record))) continue;
      return Error{ErrorKind::invalid, where + "'" + printable(pair.key, 300) +
                                           "' is no part of the state of a domain; remove it, or give the "
                                           "domain another name"};
    }
    if (!keys->more) break;
    first = keys->pairs.back().key + '\0';
  }
  if (!format->pairs.empty()) return {};
  return commit(client, Json::array({put_operation(key("format"), kFormat)}));
}

// ---- to remain the leader ----

void Leadership::renew() {
  platform::name_this_thread("ow-etcd-lease");
  EtcdOptions options = options_.etcd;
  options.attempt = std::min<std::chrono::milliseconds>(options.attempt, options_.lease / 3);
  EtcdClient client(options);
  const auto interval = std::chrono::milliseconds(options_.lease) / 5;
  std::unique_lock lock(mutex_);
  while (!is_lost_) {
    if (changed_.wait_for(lock, interval, [&] { return is_lost_ || is_ended_; })) break;
    const std::int64_t deadline = deadline_ns_;
    lock.unlock();
    const std::string failure = renew_once(client, deadline);
    lock.lock();
    if (is_lost_ || platform::now_ns() < deadline_ns_) continue;
    is_lost_ = true;
    reason_ = "the lease could not be renewed in time" + (failure.empty() ? "" : ": " + failure);
  }
  if (is_ended_) return;
  const std::string reason = reason_;
  lock.unlock();
  changed_.notify_all();
  lost_(reason);
}

std::string Leadership::renew_once(EtcdClient& client, std::int64_t until_ns) {
  const std::int64_t begin = platform::now_ns();
  if (begin >= until_ns) return "this process was stopped, or its machine is overloaded";
  const std::int64_t limit = begin + std::chrono::nanoseconds(options_.lease).count() / 3;
  auto reply =
      client.call("/v3/lease/keepalive", {{"ID", lease_}}, platform::Deadline{std::min(limit, until_ns)});
  if (!reply) return reply.error().message;
  const auto result = reply->find("result");
  if (result == reply->end()) return "etcd has answered without a result";
  const std::string ttl = number(*result, "TTL");
  if (ttl.empty() || ttl.front() == '-' || ttl == "0") {
    lose("its lease has expired");
    return {};
  }
  const std::lock_guard lock(mutex_);
  deadline_ns_ = begin + std::chrono::nanoseconds(options_.lease).count();
  return {};
}

Result<void> Leadership::commit(EtcdClient& client, const Json& operations) {
  const Json request{{"compare", Json::array({created_at(key("leader"), revision_)})},
                     {"success", operations}};
  const auto deadline = platform::Deadline::in_ms(kCommitMs);
  for (bool may_be_made = false;;) {
    if (const std::string reason = why_lost(); !reason.empty()) return Error{ErrorKind::unavailable, reason};
    auto reply = client.call("/v3/kv/txn", request, platform::Deadline::in_ms(options_.etcd.attempt.count()));
    if (reply) {
      if (is_true(*reply, "succeeded")) return {};
      lose("another process leads");
      return Error{ErrorKind::unavailable, why_lost()};
    }
    const bool is_rejected = reply.error().kind != ErrorKind::transient;
    if (is_rejected && !may_be_made) return Error{ErrorKind::unavailable, reply.error().message};
    may_be_made = true;
    if (is_rejected || deadline.passed()) {
      lose("it is not known whether a change was stored: " + reply.error().message);
      return Error{ErrorKind::unavailable, why_lost()};
    }
  }
}

std::string Leadership::why_lost() {
  const std::lock_guard lock(mutex_);
  return is_lost_ ? "this domain manager does not lead its domain any more: " + reason_ : std::string();
}

void Leadership::lose(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_lost_, true)) return;
    reason_ = reason;
  }
  changed_.notify_all();
}

void Leadership::resign() noexcept {
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  changed_.notify_all();
  if (!thread_.joinable()) return;
  thread_.join();
  lose("it has resigned");
  EtcdClient client(options_.etcd);
  static_cast<void>(client.call("/v3/lease/revoke", {{"ID", lease_}}, platform::Deadline::in_ms(kResignMs)));
}

}  // namespace orbweaver::etcd
