// Givers that lie, over shared memory: each false word of a description raises MARSHAL at them, while a client that
// behaves lends to the same server.
#include <atomic>
#include <cstring>
#include <functional>
#include <optional>
#include <random>

#include "giop/reply.h"
#include "giop/request.h"
#include "testing.h"
#include "testing/giop_bytes.h"
#include "transport/transport.h"

namespace blocktest {
namespace {

namespace giop = orbweaver::giop;
namespace transport = orbweaver::transport;
using orbweaver::Deadline;

/// A description as it lies in a request, from its mark on.
struct Words {
  std::uint32_t mark, link, elements, padding;
  std::uint64_t gift, offset, bytes, begin;
};
static_assert(sizeof(Words) == 48);

/// A client that writes its requests itself, and changes the description in them.
class Giver {
 public:
  explicit Giver(const std::string& reference) : there_(orbtest::where(reference)) {
    transport::ChannelOptions options;
    options.frame_length = &giop::frame_length;
    auto connected = transport::shm().connect(there_.shm, options, Deadline::in_ms(120'000));
    if (!connected) throw std::runtime_error(connected.error().message);
    channel_ = std::move(*connected);
  }

  /// Lends the view to `operation`, with words changed by `change`. "served", or the repository id of what was raised.
  std::string gives(const char* operation, orbweaver::span<const double> view, const std::function<void(Words&)>& change) {
    auto room = channel_->claim(512, Deadline::in_ms(120'000));
    if (!room) return room.error().message;
    orbweaver::cdr::Encoder out(room->data(), room->size());
    giop::encode_request(out, giop::kGiop12, ++id_, giop::response::kWithTarget, there_.key, operation, {}, giop::Body::follows);
    const std::size_t at = out.size();
    out.blocks(channel_->block_sender());
    orbweaver::cdr::encode(out, view);
    if (!giop::finish_message(out) || out.size() != at + sizeof(Words)) return "the view could not be described";
    Words words;
    std::memcpy(&words, room->data() + at, sizeof words);
    change(words);
    std::memcpy(room->data() + at, &words, sizeof words);
    if (auto sent = channel_->commit(out.size(), Deadline::in_ms(120'000)); !sent) return sent.error().message;
    return answer();
  }

 private:
  std::string answer() {
    auto frame = channel_->receive(Deadline::in_ms(120'000));
    if (!frame) return frame.error().message;
    giop::MessageHeader header;
    if (!giop::read_header(*frame, header)) return "no GIOP";
    auto in = giop::open_body(*frame, header);
    giop::ReplyHeader reply;
    std::string said = "no reply";
    giop::SystemException raised;
    if (giop::decode_reply(in, header.version, reply)) {
      if (reply.status == giop::ReplyStatus::no_exception) said = "served";
      if (reply.status == giop::ReplyStatus::system_exception && giop::decode(in, raised)) said = raised.repository_id;
    }
    channel_->release();
    return said;
  }

  orbtest::Where there_;
  std::unique_ptr<transport::Channel> channel_;
  std::uint32_t id_ = 0;
};

const std::string kMarshal = "IDL:omg.org/CORBA/MARSHAL:1.0";
constexpr std::uint64_t kMost = ~std::uint64_t{0};

/// A server, a client that lends to it all the time, and one that lies.
class HostileGiver : public BlockCalls {
 protected:
  void SetUp() override {
    BlockCalls::SetUp();
    block_.emplace(filled(3, 1024));
    process_ = std::make_unique<StageProcess>();
    giver = std::make_unique<Giver>(process_->reference());
    good_ = std::thread([this] {
      try {
        const StageRef stage = at(*process_);
        for (double n = 1; !done_; ++n) {
          const auto loan = filled(n, 2048);
          if (stage->sum(loan.view()) != 2048 * n) ++wrong_;
          ++served_;
        }
      } catch (const CORBA::Exception& e) {
        ADD_FAILURE() << "the client that behaves was told " << e.what();
      }
    });
  }
  void TearDown() override {
    const int before = served_;
    EXPECT_TRUE(becomes_true([&] { return served_ >= before + 3; })) << "the client that behaves is served no more";
    done_ = true;
    good_.join();
    EXPECT_EQ(wrong_, 0);
    giver.reset();
    block_.reset();
    process_.reset();
    EXPECT_TRUE(pool_empties());
    BlockCalls::TearDown();
  }
  std::string gives(const std::function<void(Words&)>& change) { return giver->gives("push", view(), change); }
  /// Refused, and a good one after it is served.
  void expect_refused(const char* what, const std::function<void(Words&)>& change) {
    EXPECT_EQ(gives(change), kMarshal) << what;
    EXPECT_EQ(gives([](Words&) {}), "served") << "after " << what;
  }

  orbweaver::span<const double> view() const { return block_->view(); }
  std::unique_ptr<Giver> giver;

 private:
  std::optional<orbweaver::Loan<double>> block_;
  std::unique_ptr<StageProcess> process_;
  std::thread good_;
  std::atomic<bool> done_{false};
  std::atomic<int> wrong_{0}, served_{0};
};

TEST_F(HostileGiver, ALinkThatWasNotHandedOverIsRefused) {
  for (const std::uint32_t link : {1u, 2u, 15u, 16u, 0x7fffffffu, 0xffffffffu}) {
    expect_refused("a link of none", [&](Words& w) { w.link = link; });
  }
}

TEST_F(HostileGiver, AGiftOutOfItsTurnIsRefused) {
  expect_refused("a gift long before its turn", [](Words& w) { w.gift += 256; });
  expect_refused("the last gift that there can be", [](Words& w) { w.gift = kMost; });
  expect_refused("a gift that was taken already", [](Words& w) { w.gift = 0; });
  std::uint64_t last = 0;
  EXPECT_EQ(gives([&](Words& w) { last = w.gift; }), "served");
  expect_refused("the last gift once more", [&](Words& w) { w.gift = last; });
}

TEST_F(HostileGiver, ABlockBeyondTheMemoryIsRefused) {
  expect_refused("an offset at the end", [](Words& w) { w.offset = kPool; });
  expect_refused("an offset behind the end", [](Words& w) { w.offset = kPool + 4096; });
  expect_refused("the largest offset", [](Words& w) { w.offset = kMost; });
  expect_refused("a block that reaches beyond the end", [](Words& w) { w.offset = kPool - 4096; });
  expect_refused("offset and bytes that add up to little", [](Words& w) { w.offset = 8192, w.bytes = kMost - 4095; });
  expect_refused("more bytes than there are", [](Words& w) { w.bytes = kPool + 1; });
}

TEST_F(HostileGiver, AViewBeyondItsBlockIsRefused) {
  expect_refused("a view that begins behind the block", [](Words& w) { w.begin = w.bytes + 8; });
  expect_refused("a view that ends behind the block", [](Words& w) { w.begin = 8; });
  expect_refused("begin and bytes that add up to little", [](Words& w) { w.begin = kMost - 8191; });
  expect_refused("one element too many", [](Words& w) { w.elements = 1025; });
  expect_refused("as many elements as a word can say", [](Words& w) { w.elements = 0xffffffff; });
  expect_refused("a block smaller than the view", [](Words& w) { w.bytes = 8191; });
  expect_refused("no block at all", [](Words& w) { w.bytes = 0; });
}

TEST_F(HostileGiver, AViewThatIsNotAlignedIsRefused) {
  expect_refused("a begin of 4", [](Words& w) { w.begin = 4, w.elements = 512; });
  expect_refused("an offset of 4", [](Words& w) { w.offset += 4, w.elements = 512; });
}

TEST_F(HostileGiver, AnyWordMayBeAnything) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 400; ++i) {
    const std::string said = gives([&](Words& w) {
      std::uint8_t* const at = reinterpret_cast<std::uint8_t*>(&w) + 4 + random() % 11 * 4;
      const auto word = static_cast<std::uint32_t>(random() >> random() % 64);
      std::memcpy(at, &word, 4);
    });
    // What happens to be possible is read; it is the giver's own memory.
    ASSERT_TRUE(said == kMarshal || said == "served") << said;
  }
}

TEST_F(HostileGiver, WhatIsDescribedMayGoWhereNoViewIsExpected) {
  EXPECT_EQ(giver->gives("pushed_sum", view(), [](Words&) {}), "served") << "an operation without arguments";
  EXPECT_EQ(giver->gives("echo", view(), [](Words& w) { w.mark = 0; }), "served") << "a number, and more than is read";
  EXPECT_EQ(gives([](Words&) {}), "served");
}

}  // namespace
}  // namespace blocktest
