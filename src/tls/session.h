#pragma once

#include <array>
#include <mutex>
#include <string>

#include "platform/socket.h"
#include "tls/context.h"
#include "transport/stream/reusable_buffer.h"

namespace orbweaver::tls {

/// One end of a TLS connection, without its socket: converts between plain and sealed bytes. OpenSSL allows
/// one thread at a time, and a channel has two: the lock is held while bytes are sealed or opened, never
/// while a thread waits for the network.
///
/// First one thread calls `handshake` until it is done. Then one thread opens received bytes (input, arrived,
/// open), another may seal bytes to be sent (seal, sealed, note_sent), and any thread may send a
/// close_notify.
class Session {
 public:
  /// `server`: the name or address that the server's certificate must have; empty: any.
  static Result<std::unique_ptr<Session>> make(ContextPtr context, Role role, const std::string& server);
  ~Session();

  enum class HandshakeState : std::uint8_t { done, wants_input, wants_room, failed };
  /// Continues the handshake as far as possible without waiting. `failed`: `failure` has the reason, and the
  /// peer was sent an alert.
  HandshakeState handshake(const platform::Fd& socket);
  Role role() const noexcept { return role_; }
  /// After the handshake: the peer's verified subject; empty if no certificate was requested or presented.
  std::string subject() const;
  std::vector<std::string> alternative_names() const;
  /// Error text with the user's next step.
  const std::string& failure() const noexcept { return failure_; }
  /// True if the handshake failed because an end rejected, or did not get, the other's certificate.
  bool is_trust_failure() const noexcept { return is_trust_failure_; }
  /// True if the peer closed the connection without a TLS message, as port scanners do.
  bool closed_silently() const noexcept { return closed_silently_; }

  /// Returns the buffer for received sealed bytes; empty: no memory. Called by the receiving thread.
  MutableBytes input() noexcept;
  void arrived(std::size_t bytes) noexcept { input_end_ += bytes; }
  enum class OpenResult : std::uint8_t {
    bytes,        ///< `got` bytes were written.
    needs_input,  ///< No data without further input.
    closed,       ///< The peer sent a close_notify.
    failed,       ///< Malformed or forged input, or an alert of the peer; `failure` has the text.
  };
  OpenResult open(MutableBytes room, std::size_t& got, const platform::Fd& socket);
  /// True if `open` ended the session because of too many records without data (see kMaxBytesWithoutData).
  /// Called by the receiving thread.
  bool flooded() const noexcept { return flooded_; }

  /// Limit on records without application data (KeyUpdate, alerts, empty ones), which cost this end more than
  /// their sender. Sealed bytes may exceed kSealedPerByte for each byte of data by at most this number;
  /// enough for a record of the maximum size, whose data counts once it has arrived completely. A record with
  /// one byte of data has about 30.
  static constexpr std::size_t kMaxBytesWithoutData = std::size_t{32} << 10;
  static constexpr std::size_t kSealedPerByte = 64;

  /// Seals all of `plain`, at most kMaxSealedAtOnce; then all bytes that `sealed` returns must be sent.
  /// Called by the sending thread.
  static constexpr std::size_t kMaxSealedAtOnce = std::size_t{64} << 10;
  bool seal(Bytes plain);
  Bytes sealed() noexcept { return {output_.data() + output_begin_, output_end_ - output_begin_}; }
  /// Removes `bytes` sent from `sealed`. False once all of it was sent. Alerts and key updates deferred
  /// meanwhile are then sent as far as possible, or before the next sealed bytes; their failure is not
  /// reported here.
  bool note_sent(std::size_t bytes, const platform::Fd& socket) noexcept;

  /// Sends a close_notify, unless sealed bytes are being sent, which it would interrupt.
  void send_close_notify(const platform::Fd& socket) noexcept;

 private:
  friend struct SessionBio;
  Session() : input_(kInputBytes), output_(kMaxSealedAtOnce + kMaxSealedAtOnce / 8) {}
  bool append(Bytes sealed) noexcept;
  std::size_t take(MutableBytes room) noexcept;
  int flush(const platform::Fd& socket) noexcept;
  void record_failure(int ssl_error);
  bool count_without_data(std::size_t sealed, std::size_t data) noexcept;
  static int verify_certificate(int good, X509_STORE_CTX* store) noexcept;

  static constexpr std::size_t kInputBytes = std::size_t{32} << 10;  // more than a record of the maximum size
  static constexpr std::size_t kDeferredBytes = 1024;

  ContextPtr context_;
  Role role_ = Role::client;
  std::string expected_name_;       // of the server
  std::string verification_error_;  // verification error of the peer's certificate
  std::string failure_;
  bool closed_silently_ = false;
  bool is_trust_failure_ = false;

  // guards OpenSSL's object and all members below except the input, which is the receiving thread's
  std::mutex mutex_;
  SslPtr ssl_;
  bool handshake_done_ = false;
  bool has_failed_ = false;
  transport::ReusableBuffer input_;
  std::size_t input_begin_ = 0, input_end_ = 0;
  std::size_t without_data_ = 0;  // sealed bytes opened in excess of kSealedPerByte for each byte of data
  bool flooded_ = false;
  transport::ReusableBuffer output_;  // used by the sending thread without the lock while `sending_`
  std::size_t output_begin_ = 0, output_end_ = 0;
  bool sending_ = false;
  // alerts and key updates of `open`, deferred while `sending_`
  std::array<std::uint8_t, kDeferredBytes> deferred_;
  std::size_t deferred_bytes_ = 0;
};

}  // namespace orbweaver::tls
