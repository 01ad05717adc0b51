#include "micro/server.h"

#include <algorithm>
#include <system_error>

#include "giop/control_messages.h"
#include "giop/locate.h"
#include "micro/core.h"
#include "micro/log.h"
#include "micro/raise.h"
#include "micro/upcall.h"
#include "platform/socket.h"
#include "platform/thread.h"

namespace orbweaver::micro {
namespace {

using giop::MessageType;
using Status = MessageReader::Status;

}  // namespace

ServerConnection::ServerConnection(Core& c, platform::Fd socket) noexcept
    : core(c), socket_(std::move(socket)), reader_(socket_, c.receive_limits),
      reply_count_(c.receive_limits) {}

void ServerConnection::reserve_reply(std::size_t bytes) {
  if (bytes > reply.capacity() && !reply_count_.set(bytes)) {
    reply_count_.set(reply.capacity());
    raise(Kind::NO_RESOURCES, minor::kOutOfResources, CORBA::CompletionStatus::COMPLETED_YES,
          "the reply would exceed -ORBTune receive-bytes");
  }
  reply.reserve(bytes);
}

bool ServerConnection::send(Bytes message) noexcept {
  std::int64_t ms = core.options.reply_timeout_ms;
  ms += std::min(static_cast<std::int64_t>(message.size()), 4 * ms);  // a second for each 1000 bytes
  return send_all(socket_, message, deadline_of(ms), &core.server.stops());
}

void ServerConnection::run() noexcept {
  platform::name_this_thread("ow-serve");
  try {
    std::int64_t timeout_ms = core.options.handshake_timeout_ms;
    for (;;) {
      Status status = reader_.read(deadline_of(timeout_ms));
      // A message that has begun has a time limit of its own.
      if (status == Status::timed_out && reader_.in_message() && core.options.message_timeout_ms != 0)
        status = reader_.read(Deadline::never());
      timeout_ms = core.options.idle_timeout_ms;
      const bool stops = core.server.stops();
      if (status == Status::message && !stops) {
        if (!serve_message()) break;
        reader_.release();
        scratch.reset();
        reply.size(0);
        reply.trim();
        reply_count_.set(reply.capacity());
        continue;
      }
      if (status == Status::malformed) {
        log("the connection of a client is closed: it has sent something that is not GIOP");
        send(giop::message_error(giop::kGiop12));
      } else if (status == Status::late) {
        log("the connection of a client is closed: it exceeds -ORBMaxMessageBytes, or -ORBTune receive-bytes "
            "or "
            "message-timeout-ms");
        if (!reader_.in_message()) send(giop::message_error(giop::kGiop12));
      } else if (status == Status::timed_out || stops) {
        send(giop::close_connection(giop::kGiop12));
      }
      break;
    }
  } catch (...) {
    log("the connection of a client is closed: out of memory");
  }
  platform::shutdown_sending(socket_);
  platform::shutdown_both(socket_);
  has_ended_ = true;
}

/// Serves one message. False: the connection ends.
bool ServerConnection::serve_message() {
  const giop::MessageHeader header = reader_.header();
  cdr::Decoder in = giop::open_body(reader_.message(), header, &scratch);
  in.broker(&core);
  switch (header.type) {
    case MessageType::request: {
      giop::RequestHeader request;
      if (!giop::decode_request(in, header.version, request)) break;
      return Upcall(*this, in, header.version, request).serve();
    }
    case MessageType::locate_request: return serve_locate_request(in);
    case MessageType::cancel_request: return true;  // of a request that has been served
    case MessageType::close_connection:
    case MessageType::message_error: return false;
    default: break;
  }
  log("the connection of a client is closed: malformed message");
  send(giop::message_error(giop::kGiop12));
  return false;
}

bool ServerConnection::serve_locate_request(cdr::Decoder& in) {
  const giop::Version version = reader_.header().version;
  giop::LocateRequest request;
  if (!giop::decode_locate_request(in, version, request))
    return send(giop::message_error(giop::kGiop12)), false;
  const Bytes key = request.target.object_key;
  giop::LocateStatus status = giop::LocateStatus::needs_addressing_mode;
  if (!request.target.needs_key) {
    const std::lock_guard lock(core.mutex);
    status = core.objects.find({reinterpret_cast<const char*>(key.data()), key.size()}) != nullptr
                 ? giop::LocateStatus::object_here
                 : giop::LocateStatus::unknown_object;
  }
  reserve_reply(64);
  cdr::Encoder out(reply.data(), reply.capacity());
  giop::encode_locate_reply(out, version, {request.request_id, status});
  if (request.target.needs_key) out.put(std::uint16_t{0});  // AddressingDisposition::key
  giop::finish_message(out);
  return send({out.data(), out.size()});
}

void Server::start(platform::Fd&& socket) {
  socket_ = std::move(socket);
  try {
    thread_ = std::thread(&Server::accept_all, this);
  } catch (const std::system_error&) {
    socket_.reset();
    raise(Kind::NO_RESOURCES, minor::kOutOfResources, "cannot start a thread");
  }
}

void Server::accept_all() noexcept {
  platform::name_this_thread("ow-accept");
  while (!stops_) {
    // Without a client, wakes to free what ended connections hold.
    platform::Fd socket = accept(socket_, Deadline::in_ms(1000));
    remove_ended(false);
    if (!socket || stops_) {
      // Without descriptors or memory, accept fails at once.
      if (!socket && !stops_ && platform::poll(socket_, platform::kReadable, Deadline{0}) != 0)
        platform::poll({}, Deadline::in_ms(10));
      continue;
    }
    try {
      add(std::move(socket));
    } catch (...) {
      log("a client is rejected: out of memory or threads");
    }
  }
}

void Server::add(platform::Fd&& socket) {
  if (count_ >= core_.options.max_connections) {
    log("a client is rejected: all connections are in use; raise -ORBTune max-connections");
    send_all(socket, giop::close_connection(giop::kGiop12), Deadline{0});
    return;
  }
  auto connection = std::make_unique<ServerConnection>(core_, std::move(socket));
  const std::lock_guard lock(mutex_);
  if (stops_) return;
  connection->thread_ = std::thread(&ServerConnection::run, connection.get());
  connection->next_ = first_;
  first_ = connection.release();
  ++count_;
}

/// Joins the threads of connections that have ended, or of all.
void Server::remove_ended(bool all) noexcept {
  for (ServerConnection** at = &first_; *at != nullptr;) {
    ServerConnection* const connection = *at;
    if (!all && !connection->has_ended_) {
      at = &connection->next_;
      continue;
    }
    connection->thread_.join();
    {
      const std::lock_guard lock(mutex_);
      *at = connection->next_;
    }
    delete connection;
    --count_;
  }
}

void Server::stop() noexcept {
  const std::lock_guard lock(mutex_);
  if (stops_.exchange(true) || !thread_.joinable()) return;
  platform::shutdown_both(socket_);
  for (ServerConnection* at = first_; at != nullptr; at = at->next_)
    platform::shutdown_receiving(at->socket_);
}

void Server::join() noexcept {
  const std::lock_guard lock(join_mutex_);
  if (!thread_.joinable()) return;
  thread_.join();
  remove_ended(true);
  socket_.reset();
}

}  // namespace orbweaver::micro
