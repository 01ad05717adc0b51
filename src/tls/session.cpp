#include "tls/session.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "tls/failure.h"
#include "tls/identity.h"
#include "transport/stream/stream_socket.h"

namespace orbweaver::tls {

using platform::Blocking;
using platform::IoResult;

/// BIO over the session's buffers. OpenSSL's socket BIOs would wait under the lock, and raise SIGPIPE.
struct SessionBio {
  static int write(BIO* bio, const char* data, int bytes) {
    auto* const session = static_cast<Session*>(BIO_get_data(bio));
    return session->append({reinterpret_cast<const std::uint8_t*>(data), static_cast<std::size_t>(bytes)})
               ? bytes
               : -1;
  }
  static int read(BIO* bio, char* room, int bytes) {
    BIO_clear_retry_flags(bio);
    auto* const session = static_cast<Session*>(BIO_get_data(bio));
    const std::size_t got =
        session->take({reinterpret_cast<std::uint8_t*>(room), static_cast<std::size_t>(bytes)});
    if (got != 0) return static_cast<int>(got);
    BIO_set_retry_read(bio);
    return -1;
  }
  static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static BIO_METHOD* method() {
    static BIO_METHOD* const made = [] {
      BIO_METHOD* const m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "orbweaver");
      BIO_meth_set_write(m, write);
      BIO_meth_set_read(m, read);
      BIO_meth_set_ctrl(m, control);
      return m;
    }();
    return made;
  }
};

namespace {

bool is_address(const std::string& host) {
  const std::unique_ptr<ASN1_OCTET_STRING, Deleter<ASN1_OCTET_STRING_free>> address(
      a2i_IPADDRESS(host.c_str()));
  ERR_clear_error();
  return address != nullptr;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::make(ContextPtr context, Role role, const std::string& server) {
  std::unique_ptr<Session> session(new Session);
  session->role_ = role;
  session->expected_name_ = server;
  session->ssl_.reset(SSL_new(context.get()));
  BIO* const bio = BIO_new(SessionBio::method());
  if (!session->ssl_ || bio == nullptr) {
    BIO_free(bio);
    return Error{ErrorKind::unavailable,
                 "OpenSSL has no room for a connection: " + reason_text(take_error_code())};
  }
  SSL* const ssl = session->ssl_.get();
  BIO_set_data(bio, session.get());
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);
  SSL_set_app_data(ssl, session.get());
  SSL_set_verify(ssl, SSL_CTX_get_verify_mode(context.get()), &Session::verify_certificate);
  if (role == Role::server) {
    SSL_set_accept_state(ssl);
  } else {
    SSL_set_connect_state(ssl);
    if (!server.empty()) {
      const bool named = !is_address(server);
      if (named) SSL_set_tlsext_host_name(ssl, server.c_str());
      if ((named ? SSL_set1_host(ssl, server.c_str())
                 : X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), server.c_str())) != 1) {
        return Error{ErrorKind::invalid, "'" + server + "' is not a valid certificate name"};
      }
      SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    }
  }
  session->context_ = std::move(context);
  return session;
}

Session::~Session() = default;

/// Callback of OpenSSL for each certificate of the peer's chain.
int Session::verify_certificate(int good, X509_STORE_CTX* store) noexcept {
  if (good == 1) return 1;
  const auto* const ssl =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* const session = static_cast<Session*>(SSL_get_app_data(ssl));
  try {
    session->verification_error_ = explain_certificate(store, session->role_, session->expected_name_);
  } catch (...) {
    session->verification_error_ = "not trusted";  // short enough to need no allocation
  }
  return 0;
}

bool Session::append(Bytes sealed) noexcept {
  if (sending_) {
    if (sealed.size() > deferred_.size() - deferred_bytes_) return false;
    std::memcpy(deferred_.data() + deferred_bytes_, sealed.data(), sealed.size());
    deferred_bytes_ += sealed.size();
    return true;
  }
  if (!output_.grow(output_end_ + sealed.size(), output_end_)) return false;
  std::memcpy(output_.data() + output_end_, sealed.data(), sealed.size());
  output_end_ += sealed.size();
  return true;
}

std::size_t Session::take(MutableBytes room) noexcept {
  const std::size_t bytes = std::min(room.size(), input_end_ - input_begin_);
  if (bytes != 0) std::memcpy(room.data(), input_.data() + input_begin_, bytes);
  input_begin_ += bytes;
  return bytes;
}

MutableBytes Session::input() noexcept {
  if (input_begin_ == input_end_) input_begin_ = input_end_ = 0;
  assert(input_end_ == 0);  // input is requested only after all of it was opened
  if (!input_.grow(kInputBytes, 0)) return {};
  return {input_.data(), input_.size()};
}

void Session::record_failure(int ssl_error) {
  has_failed_ = true;
  const unsigned long code = take_error_code();
  is_trust_failure_ = !verification_error_.empty() || is_about_trust(code);
  failure_ = ssl_error == SSL_ERROR_ZERO_RETURN ? "it ended the connection during the handshake"
                                                : explain(code, role_, verification_error_);
}

/// Sends pending output as far as possible without waiting. pre: the lock is held and no thread sends.
/// Returns 0 or an errno value.
int Session::flush(const platform::Fd& socket) noexcept {
  while (output_begin_ != output_end_) {
    const IoResult sent = platform::send(socket, sealed(), Blocking::no);
    if (sent.error != 0) return sent.error;
    output_begin_ += sent.bytes;
  }
  output_begin_ = output_end_ = 0;
  return 0;
}

Session::HandshakeState Session::handshake(const platform::Fd& socket) {
  const std::lock_guard lock(mutex_);
  for (;;) {
    if (const int error = flush(socket); error != 0) {
      if (transport::would_wait({0, error})) return HandshakeState::wants_room;
      failure_ = platform::error_text(error);
      return HandshakeState::failed;
    }
    if (handshake_done_) return HandshakeState::done;
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_.get());
    if (result == 1) {
      handshake_done_ = true;
      continue;
    }
    const int error = SSL_get_error(ssl_.get(), result);
    if (error != SSL_ERROR_WANT_READ) {
      record_failure(error);
      flush(socket);
      return HandshakeState::failed;
    }
    if (output_begin_ != output_end_) continue;
    const MutableBytes room = input();
    if (room.empty()) {
      failure_ = "no memory for its handshake";
      return HandshakeState::failed;
    }
    const IoResult got = platform::recv(socket, room, Blocking::no);
    if (transport::would_wait(got)) return HandshakeState::wants_input;
    if (got.error != 0 || got.bytes == 0) {
      failure_ =
          got.error != 0 ? platform::error_text(got.error) : "it closed the connection during the handshake";
      has_failed_ = closed_silently_ = true;
      return HandshakeState::failed;
    }
    arrived(got.bytes);
  }
}

namespace {

/// Returns the peer's certificate; null unless it was requested and verified.
X509Ptr verified_certificate(SSL* ssl) {
  if (SSL_get_verify_mode(ssl) == SSL_VERIFY_NONE || SSL_get_verify_result(ssl) != X509_V_OK) return nullptr;
  return X509Ptr(SSL_get1_peer_certificate(ssl));
}

}  // namespace

std::string Session::subject() const {
  const X509Ptr certificate = verified_certificate(ssl_.get());
  return certificate ? subject_of(*certificate) : std::string();
}

std::vector<std::string> Session::alternative_names() const {
  const X509Ptr certificate = verified_certificate(ssl_.get());
  return certificate ? alternative_names_of(*certificate) : std::vector<std::string>();
}

/// Counts records without data. False: the limit is exceeded.
bool Session::count_without_data(std::size_t sealed, std::size_t data) noexcept {
  without_data_ += sealed;
  without_data_ -= std::min(without_data_, data * kSealedPerByte);
  return without_data_ <= kMaxBytesWithoutData;
}

Session::OpenResult Session::open(MutableBytes room, std::size_t& got, const platform::Fd& socket) {
  const std::lock_guard lock(mutex_);
  if (has_failed_) return OpenResult::failed;
  ERR_clear_error();
  const std::size_t before = input_begin_;
  const int result = SSL_read_ex(ssl_.get(), room.data(), room.size(), &got);
  const int error = result == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl_.get(), result);
  if (error == SSL_ERROR_SSL || error == SSL_ERROR_SYSCALL) record_failure(error);
  if (!count_without_data(input_begin_ - before, error == SSL_ERROR_NONE ? got : 0) && !has_failed_) {
    failure_ = "it sent more than " + std::to_string(kMaxBytesWithoutData) +
               " bytes of TLS records without data (KeyUpdate messages or empty records)";
    has_failed_ = flooded_ = true;
    return OpenResult::failed;
  }
  if (!sending_ && output_begin_ != output_end_) flush(socket);  // an alert, or a key update
  switch (error) {
    case SSL_ERROR_NONE: return OpenResult::bytes;
    case SSL_ERROR_ZERO_RETURN: return OpenResult::closed;
    case SSL_ERROR_SSL:
    case SSL_ERROR_SYSCALL: return OpenResult::failed;
    default: return OpenResult::needs_input;
  }
}

bool Session::seal(Bytes plain) {
  assert(plain.size() <= kMaxSealedAtOnce);
  const std::lock_guard lock(mutex_);
  if (has_failed_) return false;
  if (output_begin_ == output_end_) output_begin_ = output_end_ = 0;
  ERR_clear_error();
  for (std::size_t done = 0; done < plain.size();) {
    std::size_t sealed = 0;
    const int result = SSL_write_ex(ssl_.get(), plain.data() + done, plain.size() - done, &sealed);
    if (result != 1) {
      record_failure(SSL_get_error(ssl_.get(), result));
      return false;
    }
    done += sealed;
  }
  sending_ = true;
  return true;
}

bool Session::note_sent(std::size_t bytes, const platform::Fd& socket) noexcept {
  output_begin_ += bytes;
  if (output_begin_ != output_end_) return true;
  const std::lock_guard lock(mutex_);
  output_begin_ = output_end_ = 0;
  sending_ = false;
  if (deferred_bytes_ != 0) {
    append({deferred_.data(), deferred_bytes_});  // fits: the sealed bytes needed more space
    deferred_bytes_ = 0;
    flush(socket);
  }
  return false;
}

void Session::send_close_notify(const platform::Fd& socket) noexcept {
  const std::lock_guard lock(mutex_);
  if (sending_ || has_failed_ || !handshake_done_) return;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
  flush(socket);
}

}  // namespace orbweaver::tls
