#include "tls/session.h"

#include <gtest/gtest.h>

#include <thread>

#include "platform/resolver.h"
#include "platform/socket_address.h"
#include "tls/testing/ends.h"

/// Tests of a session's reports on sealed bytes during key updates.
namespace orbweaver::tls::testing {
namespace {

using platform::Blocking;
using platform::Fd;

/// A session, and a peer that uses OpenSSL directly, which unlike a session sends key updates.
class TlsSession : public ::testing::Test {
 protected:
  TlsSession() {
    auto listener = platform::listen_on(platform::resolve_tcp("127.0.0.1", 0, true).addresses.at(0), 1);
    socket_ =
        std::move(platform::connect_to(platform::local_address(listener.fd), Deadline::in_ms(30'000)).fd);
    peer_socket_ = std::move(platform::accept_from(listener.fd, Deadline::in_ms(30'000)).fd);
    const Settings client =
        *read_settings(trusting(authority_) + with_certificate(authority_.issue({"client"})));
    const Settings server =
        *read_settings(trusting(authority_) + with_certificate(authority_.issue({"server"})));
    session_ = std::move(*Session::make(*make_context(client, Role::client), Role::client, "127.0.0.1"));
    context_ = *make_context(server, Role::server);
    peer_.reset(SSL_new(context_.get()));
    SSL_set_fd(peer_.get(), peer_socket_.get());
    std::thread accepting([this] { EXPECT_EQ(SSL_accept(peer_.get()), 1); });
    for (Session::HandshakeState state{};
         (state = session_->handshake(socket_)) != Session::HandshakeState::done;) {
      if (state == Session::HandshakeState::failed) {
        ADD_FAILURE() << session_->failure();
        platform::shutdown_both(socket_);
        break;
      }
      platform::poll(socket_, platform::kReadable, Deadline::in_ms(30'000));
    }
    accepting.join();
  }

  /// Sends all sealed bytes without reporting them to the session.
  std::size_t send_sealed() {
    const Bytes sealed = session_->sealed();
    const auto sent = platform::send(socket_, sealed, Blocking::yes);
    EXPECT_EQ(sent.bytes, sealed.size());
    return sent.bytes;
  }
  /// The peer requests a key update of both ends, and the session reads that.
  void ask_for_new_keys() {
    EXPECT_EQ(SSL_key_update(peer_.get(), SSL_KEY_UPDATE_REQUESTED), 1);
    EXPECT_EQ(SSL_do_handshake(peer_.get()), 1);
    ASSERT_NE(platform::poll(socket_, platform::kReadable, Deadline::in_ms(30'000)), 0u);
    std::uint8_t room[1024];
    std::size_t got = 0;
    for (;;) {
      ASSERT_EQ(session_->open(room, got, socket_), Session::OpenResult::needs_input);
      const MutableBytes input = session_->input();
      const auto received = platform::recv(socket_, input, Blocking::no);
      if (received.bytes == 0) return;
      session_->arrived(received.bytes);
    }
  }
  /// The peer sends this number of key updates without requesting any.
  void send_new_keys(int times) {
    for (int i = 0; i < times; ++i) {
      ASSERT_EQ(SSL_key_update(peer_.get(), SSL_KEY_UPDATE_NOT_REQUESTED), 1);
      ASSERT_EQ(SSL_do_handshake(peer_.get()), 1);
    }
  }
  /// Opens all available input and returns the number of data bytes in it; `broken` if the session has ended.
  std::size_t open_all(bool& broken) {
    std::size_t all = 0;
    for (std::uint8_t room[1024];;) {
      std::size_t got = 0;
      const Session::OpenResult opened = session_->open(room, got, socket_);
      broken = opened == Session::OpenResult::failed;
      if (opened == Session::OpenResult::bytes) {
        all += got;
      } else if (opened == Session::OpenResult::needs_input) {
        const auto received = platform::recv(socket_, session_->input(), Blocking::no);
        if (received.error != 0 || received.bytes == 0) return all;
        session_->arrived(received.bytes);
      } else {
        return all;
      }
    }
  }
  std::string peer_reads(std::size_t bytes) {
    std::string text(bytes, ' ');
    std::size_t got = 0;
    for (std::size_t all = 0; all < bytes; all += got) {
      if (SSL_read_ex(peer_.get(), text.data() + all, bytes - all, &got) != 1) return "nothing";
    }
    return text;
  }
  static Bytes bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  }

  Authority authority_{"Authority"};
  Fd socket_, peer_socket_;
  std::unique_ptr<Session> session_;
  ContextPtr context_;
  SslPtr peer_;
};

TEST_F(TlsSession, SendsSealedBytesWhenAKeyUpdateCannotLeave) {
  ASSERT_TRUE(session_->seal(bytes_of("a request")));
  ask_for_new_keys();
  const std::size_t sent = send_sealed();
  EXPECT_EQ(peer_reads(9), "a request") << "the peer may act on it now";
  platform::abort_tcp(peer_socket_);
  ASSERT_NE(platform::poll(socket_, platform::kReadable, Deadline::in_ms(30'000)), 0u);
  EXPECT_FALSE(session_->note_sent(sent, socket_)) << "more bytes than the sealed ones would have to be sent";
}

TEST_F(TlsSession, SendsAKeyUpdateBehindSealedBytes) {
  for (const std::string text : {"first", "other", "third"}) {
    ASSERT_TRUE(session_->seal(bytes_of(text)));
    ask_for_new_keys();
    EXPECT_FALSE(session_->note_sent(send_sealed(), socket_));
    EXPECT_EQ(peer_reads(5), text);
  }
  ASSERT_TRUE(session_->seal(bytes_of("by new keys")));
  EXPECT_FALSE(session_->note_sent(send_sealed(), socket_));
  EXPECT_EQ(peer_reads(11), "by new keys");
}

TEST_F(TlsSession, EndsAfterKeyUpdatesWithoutData) {
  bool broken = false;
  int sent = 0;
  for (; !broken && sent < 10'000; sent += 100) {
    send_new_keys(100);
    open_all(broken);
  }
  EXPECT_TRUE(broken);
  EXPECT_TRUE(session_->flooded());
  EXPECT_NE(session_->failure().find("without data"), std::string::npos) << session_->failure();
}

TEST_F(TlsSession, EndsAfterManyKeyUpdatesForEachByteOfData) {
  bool broken = false;
  for (int sent = 0; !broken && sent < 10'000; sent += 100) {
    send_new_keys(100);
    EXPECT_EQ(SSL_write(peer_.get(), "x", 1), 1);
    open_all(broken);
  }
  EXPECT_TRUE(broken);
}

TEST_F(TlsSession, AcceptsKeyUpdatesThatAlternateWithData) {
  bool broken = false;
  for (int i = 0; i < 2'000 && !broken; ++i) {
    send_new_keys(1);
    EXPECT_EQ(SSL_write(peer_.get(), "x", 1), 1);
    while (open_all(broken) == 0 && !broken)
      platform::poll(socket_, platform::kReadable, Deadline::in_ms(30'000));
  }
  EXPECT_FALSE(broken) << session_->failure();
}

}  // namespace
}  // namespace orbweaver::tls::testing
