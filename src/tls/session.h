#pragma once

#include <array>
#include <mutex>
#include <string>

#include "platform/socket.h"
#include "tls/context.h"
#include "transport/stream/storage.h"

namespace orbweaver::tls {

/// One end of a TLS connection, without its socket: plain bytes on one side, sealed ones on the other. OpenSSL
/// allows one thread at a time, and a channel has two: so the lock is held while bytes are sealed or opened,
/// never while anybody waits for the network.
///
/// First `shake_hands` until it is done, in one thread. Then one thread opens what comes (input, arrived, open),
/// another may seal what goes (seal, sealed, left), and anybody may say goodbye.
class Session {
 public:
  /// `server`: the name or address that a client wants to talk to, which the certificate must have; empty: any.
  static Result<std::unique_ptr<Session>> make(ContextPtr context, Role role, const std::string& server);
  ~Session();

  enum class Shaken : std::uint8_t { done, wants_input, wants_room, failed };
  /// As far as it goes without waiting. `failed`: `failure` says why, and the peer has been told.
  Shaken shake_hands(const platform::Fd& socket);
  Role role() const noexcept { return role_; }
  /// After shake_hands: who the peer has proven to be; empty where nobody asked or it did not say.
  std::string subject() const;
  std::vector<std::string> alternative_names() const;
  /// What went wrong, and what to do about it.
  const std::string& failure() const noexcept { return failure_; }
  /// The handshake failed because one end does not accept the other's certificate, or misses one.
  bool distrusted() const noexcept { return distrusted_; }
  /// The peer went without a word about it: as port scanners do.
  bool peer_just_went() const noexcept { return peer_just_went_; }

  /// The receiving thread. Where sealed bytes go that arrived; empty: no memory.
  MutableBytes input() noexcept;
  void arrived(std::size_t bytes) noexcept { input_end_ += bytes; }
  enum class Opened : std::uint8_t {
    bytes,   ///< `got` of them are in the room.
    hungry,  ///< Nothing without further input.
    ended,   ///< The peer said goodbye.
    broken,  ///< What came is no TLS, or not the peer's, or an alarm of the peer: `failure` says which.
  };
  Opened open(MutableBytes room, std::size_t& got, const platform::Fd& socket);
  /// The receiving thread: `open` has ended the session because the peer sent records without data (see kMostWithoutData).
  bool flooded() const noexcept { return flooded_; }

  /// Records without application data (KeyUpdate, alerts, empty ones) cost this end more than their sender. Sealed bytes
  /// may exceed kSealedPerByte for each byte of data by at most so many; enough for a record of the largest size, whose data
  /// counts when all of it has arrived. A record with one byte has about 30.
  static constexpr std::size_t kMostWithoutData = std::size_t{32} << 10;
  static constexpr std::size_t kSealedPerByte = 64;

  /// The sending thread. Seals all of `plain`, at most kMostAtOnce; then everything that `sealed` gives must leave.
  static constexpr std::size_t kMostAtOnce = std::size_t{64} << 10;
  bool seal(Bytes plain);
  Bytes sealed() noexcept { return {output_.data() + output_begin_, output_end_ - output_begin_}; }
  /// `bytes` of them have left. False once that was the last: all that was sealed is on its way. What opening had to say
  /// meanwhile leaves now as far as it can, else before what is sealed next, and its failure is no failure of what was sealed.
  bool left(std::size_t bytes, const platform::Fd& socket) noexcept;

  /// Tells the peer that nothing more comes, unless bytes are just leaving, in whose middle it would stand.
  void say_goodbye(const platform::Fd& socket) noexcept;

 private:
  friend struct SessionBio;
  Session() : input_(kInputBytes), output_(kMostAtOnce + kMostAtOnce / 8) {}
  bool append(Bytes sealed) noexcept;
  std::size_t take(MutableBytes room) noexcept;
  int flush(const platform::Fd& socket) noexcept;
  void note_failure(int ssl_error);
  bool count_without_data(std::size_t sealed, std::size_t data) noexcept;
  static int judge(int good, X509_STORE_CTX* store) noexcept;

  static constexpr std::size_t kInputBytes = std::size_t{32} << 10;  // a record of the largest size, and some
  static constexpr std::size_t kLateBytes = 1024;

  ContextPtr context_;
  Role role_ = Role::client;
  std::string expected_name_;  // of the server
  std::string judgement_;      // what is wrong with the peer's certificate
  std::string failure_;
  bool peer_just_went_ = false;
  bool distrusted_ = false;

  std::mutex mutex_;  // guards OpenSSL's object and all below but the input, which is the receiver's
  SslPtr ssl_;
  bool shaken_ = false;
  bool broken_ = false;
  transport::Storage input_;
  std::size_t input_begin_ = 0, input_end_ = 0;
  std::size_t without_data_ = 0;  // sealed bytes that were opened beyond kSealedPerByte for each byte of data
  bool flooded_ = false;
  transport::Storage output_;  // the sender's, outside the lock, while it is sending
  std::size_t output_begin_ = 0, output_end_ = 0;
  bool sending_ = false;
  std::array<std::uint8_t, kLateBytes> late_;  // what opening has to say meanwhile: alarms, new keys
  std::size_t late_bytes_ = 0;
};

}  // namespace orbweaver::tls
