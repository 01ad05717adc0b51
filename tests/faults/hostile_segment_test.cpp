// One end of a shared-memory connection flips every word that the other one reads, while a third is served.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <orbweaver/object.h>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "platform/futex.h"
#include "platform/socket.h"
#include "testing/giop_bytes.h"
#include "transport/shm/ring_writer.h"
#include "transport/shm/segment.h"
#include "well_behaved.h"

namespace faulttest {
namespace {

namespace giop = orbweaver::giop;
namespace platform = orbweaver::platform;
namespace shmem = orbweaver::transport::shmem;
using orbtest::Octets;
using platform::Deadline;
using platform::Fd;

/// One raw end of a segment: the header and what it writes into the ring.
struct RawEnd {
  Fd socket, bell;
  shmem::Segment segment;
  shmem::RingMemory out, in;

  std::atomic<std::uint32_t>& header_word(std::size_t index) const {
    return reinterpret_cast<std::atomic<std::uint32_t>*>(segment.to_server().data - shmem::kHeaderBytes)[index];
  }
  /// As a writer that never used its ring would: one frame at its beginning.
  void send_first(const Octets& message) const {
    Octets image(shmem::kWordBytes + message.size());
    const std::uint64_t word = std::uint64_t{1} << 32 | image.size();
    std::memcpy(image.data(), &word, sizeof word);
    std::copy(message.begin(), message.end(), image.begin() + shmem::kWordBytes);
    write(image);
  }
  /// The ring's beginning, frames and words, of which the first is stored last.
  void write(const Octets& image) const {
    std::memset(out.data, 0, 4096);
    std::memcpy(out.data + shmem::kWordBytes, image.data() + shmem::kWordBytes, image.size() - shmem::kWordBytes);
    std::uint64_t word;
    std::memcpy(&word, image.data(), sizeof word);
    reinterpret_cast<std::atomic<std::uint64_t>*>(out.data)->store(word, std::memory_order_release);
    wake();
  }
  void wake() const {
    std::uint32_t asleep = shmem::kAsleep;
    out.words->reader.compare_exchange_strong(asleep, shmem::kAwake);
    platform::futex_wake(&out.words->reader, 1, true);
  }
  bool has_answer() const { return reinterpret_cast<std::atomic<std::uint64_t>*>(in.data)->load() != 0; }
  bool is_closed() const { return platform::poll(socket, platform::kReadable, Deadline::in_ns(0)) != 0; }
};

enum class Holes : bool { sealed, possible };

/// A client that has done the rendezvous and holds the segment.
RawEnd raw_client(const std::string& rendezvous, Holes holes = Holes::sealed) {
  RawEnd end;
  end.socket = std::move(platform::connect_to(platform::unix_address("@shm/" + rendezvous), Deadline::in_ms(120'000)).fd);
  platform::poll(end.socket, platform::kReadable, Deadline::in_ms(120'000));
  shmem::Welcome welcome{};
  std::array<Fd, 2> files;
  platform::recv_fds(end.socket, {reinterpret_cast<std::uint8_t*>(&welcome), sizeof welcome}, files, platform::Block::no);
  if (holes == Holes::possible) fcntl(files[0].get(), F_ADD_SEALS, F_SEAL_SEAL);  // no seal against them any more
  auto opened = shmem::Segment::open(std::move(files[0]), welcome);
  if (!opened) throw std::runtime_error(opened.error().message);
  end.bell = std::move(files[1]);
  end.segment = std::move(*opened);
  end.out = end.segment.to_server();
  end.in = end.segment.to_client();
  return end;
}

/// A server's end, handed to the client that connects next.
RawEnd raw_server(const Fd& listener) {
  RawEnd end;
  end.socket = std::move(platform::accept_from(listener, Deadline::in_ms(120'000)).fd);
  auto made = shmem::Segment::make(65536);
  if (!end.socket || !made) throw std::runtime_error("nobody connected");
  auto bell = platform::make_socket_pair();
  const shmem::Welcome welcome{shmem::kSegmentMagic, shmem::kSegmentVersion, made->ring_bytes()};
  const std::array fds{made->file().get(), bell.there.get()};
  platform::send_fds(end.socket, {reinterpret_cast<const std::uint8_t*>(&welcome), sizeof welcome}, fds, platform::Block::no);
  end.bell = std::move(bell.here);
  end.segment = std::move(*made);
  end.out = end.segment.to_client();
  end.in = end.segment.to_server();
  return end;
}

struct HostileSegment : ::testing::Test {
  HostileSegment() { server.root->activate_object(servant); }
  std::string reference() { return server.orb->object_to_string(server.root->servant_to_reference(servant)); }

  LedgerPage ledger;
  const CORBA::object_reference<TargetServant> servant = CORBA::make_reference<TargetServant>(*ledger);
  Broker server{Options{"-ORBRingBytes", "65536", "-ORBLog", "off"}};
  Broker client{Options{"-ORBTransportPreference", "shm", "-ORBLog", "off", "-ORBCallTimeout", "120000"}};
};

TEST_F(HostileSegment, AClientThatFlipsEveryWordOfTheHeaderHarmsOnlyItself) {
  const auto there = orbtest::where(reference());
  const WellBehaved other(reference_to_target(client, reference()));
  const Octets call = orbtest::request(1, there.key, "twice").ulong(4).bytes();
  int served = 0, ended = 0;
  for (std::size_t word = 0; word < 448 / 4; ++word) {
    for (const std::uint32_t bits : kFlips) {
      const RawEnd raw = raw_client(there.shm);
      raw.header_word(word) ^= bits;
      raw.send_first(call);
      for (int i = 0; i < 20 && !raw.has_answer() && !raw.is_closed(); ++i) std::this_thread::yield();
      raw.header_word(word) ^= bits;
      raw.wake();
      served += raw.has_answer();
      ended += raw.is_closed();
    }
    ASSERT_TRUE(other.goes_on()) << "word " << word;
  }
  EXPECT_GT(served + ended, 0);
}

TEST_F(HostileSegment, AClientThatFlipsEveryWordOfAFrameHarmsOnlyItself) {
  const auto there = orbtest::where(reference());
  const WellBehaved other(reference_to_target(client, reference()));
  // A plain call, one with a payload, and a description of a block where none was ever announced.
  const std::vector<Octets> calls = {
      orbtest::request(1, there.key, "twice").ulong(4).bytes(),
      orbtest::request(1, there.key, "echo").octets(Octets(300, 1)).bytes(),
      orbtest::request(1, there.key, "keep").ulong(0xffffffff).ulong(0).ulong(1024).align(8).ulong(0).ulong(0).ulong(0)
          .ulong(0).ulong(8192).ulong(0).ulong(0).ulong(0).bytes(),
  };
  for (const Octets& call : calls) {
    for (std::size_t at = 0; at < std::min<std::size_t>(call.size(), 160); at += 4) {
      for (const std::uint32_t bits : kFlips) {
        Octets flipped = call;
        flip(flipped, at, bits);
        const RawEnd raw = raw_client(there.shm);
        raw.send_first(flipped);
        for (int i = 0; i < 5 && !raw.has_answer() && !raw.is_closed(); ++i) std::this_thread::yield();
      }
      ASSERT_TRUE(other.goes_on()) << "byte " << at;
    }
  }
}

/// Takes all memory out of the segment: header, rings, what was sent and what is being read.
int punch_all(const RawEnd& end) {
  std::uint8_t* const begin = end.segment.to_server().data - shmem::kHeaderBytes;
  return madvise(begin, shmem::kHeaderBytes + 4 * end.segment.ring_bytes(), MADV_REMOVE) == 0 ? 0 : errno;
}

TEST_F(HostileSegment, AClientThatPunchesHolesUnderItsCallHarmsOnlyItself) {
  const auto there = orbtest::where(reference());
  const WellBehaved other(reference_to_target(client, reference()));
  const Octets call = orbtest::request(1, there.key, "echo").octets(Octets(20'000, 1)).bytes();
  for (int round = 0; round < 100; ++round) {
    const RawEnd raw = raw_client(there.shm, Holes::possible);
    if (round % 2 == 0) {
      ASSERT_EQ(punch_all(raw), 0) << "before the server has read anything";
    }
    raw.send_first(call);
    for (int i = 0; i < 50; ++i) {
      ASSERT_EQ(punch_all(raw), 0);
      raw.wake();
    }
  }
  ASSERT_TRUE(other.goes_on());
}

TEST_F(HostileSegment, NobodyPunchesHolesOnceAClientHasSealedIt) {
  EXPECT_EQ(punch_all(raw_client(orbtest::where(reference()).shm)), EPERM);
}

/// What a writer leaves in its ring after these frames, each of this kind and with so long a head.
struct Piece {
  Octets bytes;
  shmem::Kind kind = shmem::Kind::frame;
  std::size_t head = 0;
};
Octets ring_image(const std::vector<Piece>& pieces) {
  shmem::RingWords words;
  alignas(shmem::kLine) static std::array<std::uint8_t, 65536> data;
  data.fill(0);
  const orbweaver::transport::shmem::RingLife life;
  shmem::RingWriter writer({&words, data.data(), data.size(), false}, orbweaver::transport::Wait::block, life);
  std::size_t used = 0;
  for (const Piece& piece : pieces) {
    auto room = writer.claim(piece.bytes.size(), Deadline::never());
    if (piece.head != 0) writer.put_head(*room, {piece.head, orbweaver::Bytes(piece.bytes).first(piece.head)}, true);
    std::memcpy(room->data(), piece.bytes.data(), piece.bytes.size());
    writer.publish(piece.bytes.size(), piece.kind);
    std::uint32_t length;
    std::memcpy(&length, data.data() + used, sizeof length);
    used += orbweaver::round_up(length, shmem::kLine);
  }
  return {data.begin(), data.begin() + static_cast<std::ptrdiff_t>(used)};
}

TEST_F(HostileSegment, AClientThatFlipsEveryWordOfItsRingHarmsOnlyItself) {
  const auto there = orbtest::where(reference());
  const WellBehaved other(reference_to_target(client, reference()));
  const Octets small = orbtest::request(1, there.key, "twice").ulong(4).bytes();
  const Octets large = orbtest::request(1, there.key, "echo").octets(Octets(40, 1)).bytes();
  const auto middle = large.begin() + 56;
  const std::vector<Octets> images = {
      // Frames with a head, and then without it.
      ring_image({{small, shmem::Kind::frame, 64}, {small, shmem::Kind::frame, 64}, {small, shmem::Kind::frame, 64}}),
      // One in parts, and another behind it.
      ring_image({{{large.begin(), middle}, shmem::Kind::part}, {{middle, large.end()}, shmem::Kind::last}, {small}}),
  };
  ASSERT_EQ(images[0].size(), 4 * shmem::kLine) << "the second and the third are a line each";
  for (const Octets& image : images) {
    for (std::size_t at = 0; at < image.size(); at += 4) {
      for (const std::uint32_t bits : kFlips) {
        Octets flipped = image;
        flip(flipped, at, bits);
        const RawEnd raw = raw_client(there.shm);
        raw.write(flipped);
        for (int i = 0; i < 5 && !raw.has_answer() && !raw.is_closed(); ++i) std::this_thread::yield();
      }
      if (at % shmem::kLine == 0) {
        ASSERT_TRUE(other.goes_on()) << "byte " << at;
      }
    }
    ASSERT_TRUE(other.goes_on());
  }
  const RawEnd honest = raw_client(there.shm);
  honest.write(images[0]);
  EXPECT_TRUE(becomes_true([&] { return honest.has_answer(); })) << "what was flipped was understood before";
}

/// The other way round: references lead to a false server, and the same ORB calls a good one beside it.
TEST_F(HostileSegment, AServerThatFlipsEveryWordHarmsOnlyThatCall) {
  Broker caller({"-ORBTransportPreference", "shm", "-ORBLog", "off", "-ORBCallTimeout", "40"});
  const WellBehaved other(reference_to_target(client, reference()));
  const std::string name = "orbweaver-test-hostile-" + std::to_string(getpid());
  auto listener = platform::listen_on(platform::unix_address("@shm/" + name), 8);
  ASSERT_TRUE(listener);
  const std::string false_reference = orbtest::reference_to(1, {1, 2, 3}, name);
  const Octets answer = orbtest::reply(1).align(8).ulong(8).bytes();
  int results = 0, exceptions = 0;
  const auto attack = [&](auto&& change, Broker& by) {
    std::thread serving([&] {
      const RawEnd raw = raw_server(listener.fd);
      while (!raw.has_answer() && !raw.is_closed()) std::this_thread::yield();
      Octets message = answer;
      change(raw, message);
      raw.send_first(message);
      // Until the client has gone: in this process, only its end of the socket tells.
      platform::poll(raw.socket, platform::kReadable, Deadline::in_ms(120'000));
    });
    try {
      // A connection for each: the first one stays good.
      const auto own = orbweaver::with_private_connection(by.orb->string_to_object(false_reference));
      TargetRef::adopt(Faults::Target::_make(own->_reference()))->twice(4) == 8 ? ++results : ++exceptions;
    } catch (const CORBA::SystemException&) {
      ++exceptions;
    }
    serving.join();
  };
  attack([](const RawEnd&, Octets&) {}, client);
  EXPECT_EQ(results, 1) << "the false server can be a true one";
  for (std::size_t at = 0; at < answer.size(); at += 4) {
    for (const std::uint32_t bits : kFlips) {
      attack([&](const RawEnd&, Octets& message) { flip(message, at, bits); }, caller);
    }
    ASSERT_TRUE(other.goes_on());
  }
  for (const std::size_t word : {16 / 4, 20 / 4, 64 / 4, 68 / 4, 128 / 4, 192 / 4, 256 / 4, 260 / 4, 320 / 4, 384 / 4}) {
    for (const std::uint32_t bits : {~0u, 1u}) {
      attack([&](const RawEnd& raw, Octets&) { raw.header_word(word) ^= bits; }, caller);
    }
    ASSERT_TRUE(other.goes_on());
  }
  EXPECT_GT(exceptions, 20);
}

}  // namespace
}  // namespace faulttest
