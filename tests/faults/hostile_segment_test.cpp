// A shared-memory peer flips every word that the other end reads, while another connection is served.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <orbweaver/object.h>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "background_caller.h"
#include "platform/futex.h"
#include "platform/socket.h"
#include "testing/giop_builder.h"
#include "transport/shm/ring_writer.h"
#include "transport/shm/segment.h"

namespace faulttest {
namespace {

namespace giop = orbweaver::giop;
namespace platform = orbweaver::platform;
namespace shm = orbweaver::transport::shm;
using orbtest::Octets;
using platform::Deadline;
using platform::Fd;

/// A raw end of a segment, which writes into the header and the rings.
struct RawSegmentEnd {
  Fd socket, notifier;
  shm::Segment segment;
  shm::RingMemory out, in;

  std::atomic<std::uint32_t>& header_word(std::size_t index) const {
    return reinterpret_cast<std::atomic<std::uint32_t>*>(segment.to_server().data - shm::kHeaderBytes)[index];
  }
  /// Writes one frame at the beginning of an unused ring.
  void send_first(const Octets& message) const {
    Octets image(shm::kWordBytes + message.size());
    const std::uint64_t word = std::uint64_t{1} << 32 | image.size();
    std::memcpy(image.data(), &word, sizeof word);
    std::copy(message.begin(), message.end(), image.begin() + shm::kWordBytes);
    write(image);
  }
  /// Writes the beginning of the ring, frames and words. The first word is stored last.
  void write(const Octets& image) const {
    std::memset(out.data, 0, 4096);
    std::memcpy(out.data + shm::kWordBytes, image.data() + shm::kWordBytes, image.size() - shm::kWordBytes);
    std::uint64_t word;
    std::memcpy(&word, image.data(), sizeof word);
    reinterpret_cast<std::atomic<std::uint64_t>*>(out.data)->store(word, std::memory_order_release);
    wake();
  }
  void wake() const {
    std::uint32_t asleep = shm::kAsleep;
    out.words->reader_state.compare_exchange_strong(asleep, shm::kAwake);
    platform::futex_wake(&out.words->reader_state, 1, true);
  }
  bool has_answer() const { return reinterpret_cast<std::atomic<std::uint64_t>*>(in.data)->load() != 0; }
  bool is_closed() const { return platform::poll(socket, platform::kReadable, Deadline::in_ns(0)) != 0; }
};

enum class Holes : bool { sealed, possible };

/// A client after the handshake, with the segment mapped.
RawSegmentEnd raw_segment_client(const std::string& rendezvous, Holes holes = Holes::sealed) {
  RawSegmentEnd end;
  end.socket = std::move(
      platform::connect_to(platform::unix_address("@shm/" + rendezvous), Deadline::in_ms(120'000)).fd);
  platform::poll(end.socket, platform::kReadable, Deadline::in_ms(120'000));
  shm::Welcome welcome{};
  std::array<Fd, 2> files;
  platform::recv_fds(end.socket, {reinterpret_cast<std::uint8_t*>(&welcome), sizeof welcome}, files,
                     platform::Blocking::no);
  if (holes == Holes::possible)
    fcntl(files[0].get(), F_ADD_SEALS, F_SEAL_SEAL);  // prevents the seal against holes
  auto opened = shm::Segment::open(std::move(files[0]), welcome);
  if (!opened) throw std::runtime_error(opened.error().message);
  end.notifier = std::move(files[1]);
  end.segment = std::move(*opened);
  end.out = end.segment.to_server();
  end.in = end.segment.to_client();
  return end;
}

/// Accepts the next client and sends a new segment to it. Returns the server's end.
RawSegmentEnd raw_server(const Fd& listener) {
  RawSegmentEnd end;
  end.socket = std::move(platform::accept_from(listener, Deadline::in_ms(120'000)).fd);
  auto created = shm::Segment::make(65536);
  if (!end.socket || !created) throw std::runtime_error("no client has connected");
  auto notifier = platform::make_socket_pair();
  const shm::Welcome welcome{shm::kSegmentMagic, shm::kSegmentVersion, created->ring_bytes()};
  const std::array fds{created->file().get(), notifier.second.get()};
  platform::send_fds(end.socket, {reinterpret_cast<const std::uint8_t*>(&welcome), sizeof welcome}, fds,
                     platform::Blocking::no);
  end.notifier = std::move(notifier.first);
  end.segment = std::move(*created);
  end.out = end.segment.to_client();
  end.in = end.segment.to_server();
  return end;
}

struct HostileSegment : ::testing::Test {
  HostileSegment() { server.root->activate_object(servant); }
  std::string reference() { return server.orb->object_to_string(server.root->servant_to_reference(servant)); }

  CallLogPage call_log;
  const CORBA::object_reference<TargetServant> servant = CORBA::make_reference<TargetServant>(*call_log);
  TestOrb server{Options{"-ORBTune", "ring-bytes=65536", "-ORBLog", "off"}};
  TestOrb client{Options{"-ORBTransportPreference", "shm", "-ORBLog", "off", "-ORBCallTimeout", "120000"}};
};

TEST_F(HostileSegment, IsolatesAClientThatFlipsTheHeader) {
  const auto server_address = orbtest::where(reference());
  const BackgroundCaller other(reference_to_target(client, reference()));
  const Octets call = orbtest::request(1, server_address.key, "twice").ulong(4).bytes();
  int served = 0, ended = 0;
  for (std::size_t word = 0; word < 448 / 4; ++word) {
    for (const std::uint32_t bits : kBitMasks) {
      const RawSegmentEnd raw = raw_segment_client(server_address.shm);
      raw.header_word(word) ^= bits;
      raw.send_first(call);
      for (int i = 0; i < 20 && !raw.has_answer() && !raw.is_closed(); ++i) std::this_thread::yield();
      raw.header_word(word) ^= bits;
      raw.wake();
      served += raw.has_answer();
      ended += raw.is_closed();
    }
    ASSERT_TRUE(other.is_served_again()) << "word " << word;
  }
  EXPECT_GT(served + ended, 0);
}

TEST_F(HostileSegment, IsolatesAClientThatFlipsFrames) {
  const auto server_address = orbtest::where(reference());
  const BackgroundCaller other(reference_to_target(client, reference()));
  // A plain call, a call with a payload, and a description of a block in a region that was never announced.
  const std::vector<Octets> calls = {
      orbtest::request(1, server_address.key, "twice").ulong(4).bytes(),
      orbtest::request(1, server_address.key, "echo").octets(Octets(300, 1)).bytes(),
      orbtest::request(1, server_address.key, "keep")
          .ulong(0xffffffff)
          .ulong(0)
          .ulong(1024)
          .align(8)
          .ulong(0)
          .ulong(0)
          .ulong(0)
          .ulong(0)
          .ulong(8192)
          .ulong(0)
          .ulong(0)
          .ulong(0)
          .bytes(),
  };
  for (const Octets& call : calls) {
    for (std::size_t at = 0; at < std::min<std::size_t>(call.size(), 160); at += 4) {
      for (const std::uint32_t bits : kBitMasks) {
        Octets flipped = call;
        flip(flipped, at, bits);
        const RawSegmentEnd raw = raw_segment_client(server_address.shm);
        raw.send_first(flipped);
        for (int i = 0; i < 5 && !raw.has_answer() && !raw.is_closed(); ++i) std::this_thread::yield();
      }
      ASSERT_TRUE(other.is_served_again()) << "byte " << at;
    }
  }
}

/// Punches holes into the whole segment: header and rings, with frames that are being read. Returns errno.
int punch_all(const RawSegmentEnd& end) {
  std::uint8_t* const begin = end.segment.to_server().data - shm::kHeaderBytes;
  return madvise(begin, shm::kHeaderBytes + 4 * end.segment.ring_bytes(), MADV_REMOVE) == 0 ? 0 : errno;
}

TEST_F(HostileSegment, IsolatesAClientThatPunchesHoles) {
  const auto server_address = orbtest::where(reference());
  const BackgroundCaller other(reference_to_target(client, reference()));
  const Octets call = orbtest::request(1, server_address.key, "echo").octets(Octets(20'000, 1)).bytes();
  for (int round = 0; round < 100; ++round) {
    const RawSegmentEnd raw = raw_segment_client(server_address.shm, Holes::possible);
    if (round % 2 == 0) {
      ASSERT_EQ(punch_all(raw), 0) << "before the server has read anything";
    }
    raw.send_first(call);
    for (int i = 0; i < 50; ++i) {
      ASSERT_EQ(punch_all(raw), 0);
      raw.wake();
    }
  }
  ASSERT_TRUE(other.is_served_again());
}

TEST_F(HostileSegment, IsSealedAgainstHoles) {
  EXPECT_EQ(punch_all(raw_segment_client(orbtest::where(reference()).shm)), EPERM);
}

/// A frame for ring_image.
struct Piece {
  Octets bytes;
  shm::FrameKind kind = shm::FrameKind::frame;
};
/// The contents of a ring after a writer has published these frames.
Octets ring_image(const std::vector<Piece>& pieces) {
  shm::RingWords words;
  alignas(shm::kLine) static std::array<std::uint8_t, 65536> data;
  data.fill(0);
  const orbweaver::transport::shm::RingConnectionState connection;
  shm::RingWriter writer({&words, data.data(), data.size(), false}, orbweaver::transport::WaitStrategy::block,
                         connection);
  std::size_t used = 0;
  for (const Piece& piece : pieces) {
    auto buffer = writer.claim(piece.bytes.size(), Deadline::never());
    std::memcpy(buffer->data(), piece.bytes.data(), piece.bytes.size());
    writer.publish(piece.bytes.size(), piece.kind);
    std::uint32_t length;
    std::memcpy(&length, data.data() + used, sizeof length);
    used += orbweaver::round_up(length, shm::kLine);
  }
  return {data.begin(), data.begin() + static_cast<std::ptrdiff_t>(used)};
}

TEST_F(HostileSegment, IsolatesAClientThatFlipsItsRing) {
  const auto server_address = orbtest::where(reference());
  const BackgroundCaller other(reference_to_target(client, reference()));
  const Octets small = orbtest::request(1, server_address.key, "twice").ulong(4).bytes();
  const Octets large = orbtest::request(1, server_address.key, "echo").octets(Octets(40, 1)).bytes();
  const auto middle = large.begin() + 56;
  const std::vector<Octets> images = {
      // Equal frames: the second announces their prefix, the third is sent without it.
      ring_image({{small}, {small}, {small}}),
      // A frame in parts, followed by a whole frame.
      ring_image({{{large.begin(), middle}, shm::FrameKind::part},
                  {{middle, large.end()}, shm::FrameKind::last},
                  {small}}),
  };
  ASSERT_EQ(images[0].size(), 5 * shm::kLine) << "the third is a line";
  for (const Octets& image : images) {
    for (std::size_t at = 0; at < image.size(); at += 4) {
      for (const std::uint32_t bits : kBitMasks) {
        Octets flipped = image;
        flip(flipped, at, bits);
        const RawSegmentEnd raw = raw_segment_client(server_address.shm);
        raw.write(flipped);
        for (int i = 0; i < 5 && !raw.has_answer() && !raw.is_closed(); ++i) std::this_thread::yield();
      }
      if (at % shm::kLine == 0) {
        ASSERT_TRUE(other.is_served_again()) << "byte " << at;
      }
    }
    ASSERT_TRUE(other.is_served_again());
  }
  const RawSegmentEnd unchanged = raw_segment_client(server_address.shm);
  unchanged.write(images[0]);
  EXPECT_TRUE(becomes_true([&] { return unchanged.has_answer(); }))
      << "the image without flipped bits is not served";
}

/// A hostile server, while the client ORB calls a well-behaved one.
TEST_F(HostileSegment, IsolatesAServerThatFlipsWords) {
  TestOrb caller({"-ORBTransportPreference", "shm", "-ORBLog", "off", "-ORBCallTimeout", "40"});
  const BackgroundCaller other(reference_to_target(client, reference()));
  const std::string name = "orbweaver-test-hostile-" + std::to_string(getpid());
  auto listener = platform::listen_on(platform::unix_address("@shm/" + name), 8);
  ASSERT_TRUE(listener);
  const std::string false_reference = orbtest::reference_to(1, {1, 2, 3}, name);
  const Octets answer = orbtest::reply(1).align(8).ulong(8).bytes();
  int results = 0, exceptions = 0;
  const auto attack = [&](auto&& change, TestOrb& by) {
    std::thread serving([&] {
      const RawSegmentEnd raw = raw_server(listener.fd);
      while (!raw.has_answer() && !raw.is_closed()) std::this_thread::yield();
      Octets message = answer;
      change(raw, message);
      raw.send_first(message);
      // Until the client disconnects: within one process, only its end of the socket shows that.
      platform::poll(raw.socket, platform::kReadable, Deadline::in_ms(120'000));
    });
    try {
      // A private connection for each call: a successful one remains usable.
      const auto own = orbweaver::with_private_connection(by.orb->string_to_object(false_reference));
      TargetRef::adopt(Faults::Target::_make(own->_reference()))->twice(4) == 8 ? ++results : ++exceptions;
    } catch (const CORBA::SystemException&) {
      ++exceptions;
    }
    serving.join();
  };
  attack([](const RawSegmentEnd&, Octets&) {}, client);
  EXPECT_EQ(results, 1) << "an unchanged reply is accepted";
  for (std::size_t at = 0; at < answer.size(); at += 4) {
    for (const std::uint32_t bits : kBitMasks) {
      attack([&](const RawSegmentEnd&, Octets& message) { flip(message, at, bits); }, caller);
    }
    ASSERT_TRUE(other.is_served_again());
  }
  for (const std::size_t word :
       {16 / 4, 20 / 4, 64 / 4, 68 / 4, 128 / 4, 192 / 4, 256 / 4, 260 / 4, 320 / 4, 384 / 4}) {
    for (const std::uint32_t bits : {~0u, 1u}) {
      attack([&](const RawSegmentEnd& raw, Octets&) { raw.header_word(word) ^= bits; }, caller);
    }
    ASSERT_TRUE(other.is_served_again());
  }
  EXPECT_GT(exceptions, 20);
}

}  // namespace
}  // namespace faulttest
