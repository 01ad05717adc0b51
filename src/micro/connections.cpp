#include "micro/connections.h"

#include <algorithm>

#include "giop/control_messages.h"
#include "micro/options.h"
#include "micro/raise.h"
#include "platform/socket.h"
#include "platform/steady_time.h"

namespace orbweaver::micro {
namespace {

using State = AwaitedReply::State;
using giop::MessageType;

/// Messages that are read before a call.
constexpr int kMaxUnread = 100;

bool wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Deadline deadline) {
  if (deadline.is_never()) return changed.wait(lock), true;
  return changed.wait_until(lock, platform::steady_time(deadline.ns)) == std::cv_status::no_timeout;
}

}  // namespace

bool Connection::send(Bytes message, Deadline deadline) {
  const std::lock_guard lock(send_mutex_);
  if (send_all(socket_, message, deadline)) return true;
  close();
  return false;
}

void Connection::expect(AwaitedReply& reply) {
  const std::lock_guard lock(mutex_);
  reply.next = awaited_;
  awaited_ = &reply;
  if (is_closed_) reply.state = State::rejected;
}

State Connection::wait(AwaitedReply& reply, Deadline deadline) {
  std::unique_lock lock(mutex_);
  while (reply.state == State::waiting && !deadline.passed()) {
    if (!reading_)
      receive(lock, deadline);
    else
      wait_until(changed_, lock, deadline);
  }
  AwaitedReply** at = &awaited_;
  while (*at != &reply) at = &(*at)->next;
  *at = reply.next;
  return reply.state;
}

/// Reads one message, without the lock, and passes it on.
void Connection::receive(std::unique_lock<std::mutex>& lock, Deadline deadline) {
  reading_ = true;
  lock.unlock();
  try {
    const MessageReader::Status status = reader_.read(deadline);
    lock.lock();
    if (status == MessageReader::Status::message)
      deliver();
    else if (status != MessageReader::Status::timed_out)
      end_all(State::lost);
  } catch (...) {  // no memory: the connection ends
    if (!lock.owns_lock()) lock.lock();
    end_all(State::lost);
  }
  reading_ = false;
  changed_.notify_all();
}

/// Passes the message to the call that waits for it. A reply that no call waits for is of one that has timed
/// out.
void Connection::deliver() {
  const giop::MessageHeader& header = reader_.header();
  if (header.type == MessageType::close_connection) return end_all(State::rejected);
  if (header.type != MessageType::reply) return end_all(State::lost);
  cdr::Decoder in = giop::open_body(reader_.message(), header);
  if (header.version < giop::kGiop12) {  // contexts come first
    for (std::uint32_t n = in.get_length(8); n != 0; --n) {
      in.get<std::uint32_t>();
      in.skip(in.get_length(1));
    }
  }
  const auto id = in.get<std::uint32_t>();
  if (!in.ok()) return end_all(State::lost);  // the call to which it belongs is unknown
  for (AwaitedReply* reply = awaited_; reply != nullptr; reply = reply->next) {
    if (reply->request_id != id || reply->state != State::waiting) continue;
    reply->header = header;
    reader_.take(reply->message);
    reply->state = State::received;
    return;
  }
}

void Connection::end_all(State state) noexcept {
  is_closed_ = true;
  platform::shutdown_both(socket_);
  for (AwaitedReply* reply = awaited_; reply != nullptr; reply = reply->next) {
    if (reply->state == State::waiting) reply->state = state;
  }
  changed_.notify_all();
}

void Connection::close() noexcept {
  const std::lock_guard lock(mutex_);
  end_all(State::lost);
}

bool Connection::is_open() {
  std::unique_lock lock(mutex_);
  // What has arrived while no call waited is the end of the connection, or a late reply.
  // The deadline of the call ends what a server sends beyond that.
  for (int i = 0; i < kMaxUnread && !is_closed_ && !reading_ && awaited_ == nullptr &&
                  platform::poll(socket_, platform::kReadable, Deadline{0}) != 0;
       ++i)
    receive(lock, Deadline{0});
  return !is_closed_;
}

Connection* Connections::find(std::string_view host, std::uint16_t port, bool exclusive) noexcept {
  Connection* at = first_;
  while (at != nullptr && (at->port_ != port || at->host_ != host || at->exclusive_ != exclusive ||
                           (exclusive && at->users_ != 0)))
    at = at->next_;
  return at;
}

Connection& Connections::acquire(std::string_view host, std::uint16_t port, bool exclusive,
                                 Deadline deadline) {
  std::unique_lock lock(mutex_);
  check_open();
  while (Connection* const found = find(host, port, exclusive)) {
    ++found->users_;
    lock.unlock();
    if (found->is_open()) return *found;
    lock.lock();
    drop(found);
    lock.unlock();
    release(*found);
    lock.lock();
    check_open();
  }
  make_space();
  ++count_;
  lock.unlock();
  const Deadline until{std::min(deadline.ns, deadline_of(options_.connect_timeout_ms).ns)};
  std::unique_ptr<Connection> made;
  try {
    std::string name(host);
    platform::Fd socket = connect(name, port, until);
    made = std::make_unique<Connection>(std::move(socket), limits_);
    made->host_ = std::move(name);
    lock.lock();
    check_open();
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    --count_;
    if (deadline.passed()) raise(Kind::TIMEOUT, minor::kCallTimeout, "-ORBCallTimeout exceeded");
    throw;
  }
  if (Connection* const found = exclusive ? nullptr : find(host, port, false)) {  // of another thread
    --count_;
    ++found->users_;
    return *found;
  }
  made->port_ = port;
  made->exclusive_ = exclusive;
  made->users_ = 1;
  made->next_ = first_;
  first_ = made.release();
  return *first_;
}

/// Raises BAD_INV_ORDER after close_all.
void Connections::check_open() {
  if (is_closed_) raise(Kind::BAD_INV_ORDER, minor::kOrbShutDown, "the ORB is shut down");
}

/// Removes a connection from the list, if it is there; its last user deletes it.
void Connections::drop(Connection* connection) noexcept {
  if (!connection->listed_) return;
  Connection** at = &first_;
  while (*at != connection) at = &(*at)->next_;
  *at = connection->next_;
  connection->listed_ = false;
  --count_;
}

void Connections::release(Connection& connection) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (--connection.users_ != 0 || connection.listed_) return;
  }
  delete &connection;
}

/// Closes a connection that no call uses if there are as many as the ORB may have. Raises TRANSIENT if calls
/// use all of them.
void Connections::make_space() {
  if (count_ < options_.max_outgoing_connections) return;
  Connection* unused = nullptr;  // the last one in the list is the oldest
  for (Connection* at = first_; at != nullptr; at = at->next_) {
    if (at->users_ == 0) unused = at;
  }
  if (unused == nullptr)
    raise(Kind::TRANSIENT, minor::kNoUsableEndpoint,
          "all outgoing connections are in use; raise -ORBTune max-outgoing-connections");
  drop(unused);
  delete unused;
}

void Connections::close_all() noexcept {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  while (Connection* const at = first_) {
    drop(at);
    at->close();
    if (at->users_ == 0) delete at;
  }
}

}  // namespace orbweaver::micro
