// Block descriptions with false words, over shared memory: each raises MARSHAL at its sender, while a
// well-behaved client lends blocks to the same server.
#include <atomic>
#include <cstring>
#include <functional>
#include <optional>
#include <random>

#include "giop/reply.h"
#include "giop/request.h"
#include "testing.h"
#include "testing/giop_builder.h"
#include "transport/transport.h"

namespace blocktest {
namespace {

namespace giop = orbweaver::giop;
namespace transport = orbweaver::transport;
using orbweaver::Deadline;

/// A block description in a request, from its mark on.
struct DescriptionWords {
  std::uint32_t mark, region, elements, padding;
  std::uint64_t grant, offset, bytes, begin;
};
static_assert(sizeof(DescriptionWords) == 48);

/// A client that encodes its requests itself and changes the block descriptions in them.
class RawBlockSender {
 public:
  explicit RawBlockSender(const std::string& reference) : there_(orbtest::where(reference)) {
    transport::ChannelOptions options;
    options.frame_length = &giop::frame_length;
    auto connected = transport::shm_transport().connect(there_.shm, options, Deadline::in_ms(120'000));
    if (!connected) throw std::runtime_error(connected.error().message);
    channel_ = std::move(*connected);
  }

  /// Lends `view` to `operation`, with words changed by `change`. Returns "served", the repository id of the
  /// exception, or an error message.
  std::string send_block(const char* operation, orbweaver::span<const double> view,
                         const std::function<void(DescriptionWords&)>& change) {
    auto buffer = channel_->claim(512, Deadline::in_ms(120'000));
    if (!buffer) return buffer.error().message;
    orbweaver::cdr::Encoder out(buffer->data(), buffer->size());
    giop::encode_request(out, giop::kGiop12, ++id_, giop::response::kWithTarget, there_.key, operation, {},
                         giop::Body::follows);
    const std::size_t at = out.size();
    out.blocks(channel_->capabilities().block_sender);
    orbweaver::cdr::encode(out, view);
    if (!giop::finish_message(out) || out.size() != at + sizeof(DescriptionWords))
      return "the view could not be described";
    DescriptionWords words;
    std::memcpy(&words, buffer->data() + at, sizeof words);
    change(words);
    std::memcpy(buffer->data() + at, &words, sizeof words);
    if (auto sent = channel_->commit(out.size(), Deadline::in_ms(120'000)); !sent)
      return sent.error().message;
    return answer();
  }

 private:
  std::string answer() {
    auto frame = channel_->receive(Deadline::in_ms(120'000));
    if (!frame) return frame.error().message;
    giop::MessageHeader header;
    if (!giop::read_header(*frame, header)) return "not GIOP";
    auto in = giop::open_body(*frame, header);
    giop::ReplyHeader reply;
    std::string result = "no reply";
    giop::SystemException raised;
    if (giop::decode_reply(in, header.version, reply)) {
      if (reply.status == giop::ReplyStatus::no_exception) result = "served";
      if (reply.status == giop::ReplyStatus::system_exception && giop::decode(in, raised))
        result = raised.repository_id;
    }
    channel_->release();
    return result;
  }

  orbtest::Where there_;
  std::unique_ptr<transport::Channel> channel_;
  std::uint32_t id_ = 0;
};

const std::string kMarshal = "IDL:omg.org/CORBA/MARSHAL:1.0";
constexpr std::uint64_t kMaxWord = ~std::uint64_t{0};

/// A server, a well-behaved client which lends blocks to it during the whole test, and a hostile client.
class HostileExporter : public BlockCalls {
 protected:
  void SetUp() override {
    BlockCalls::SetUp();
    block_.emplace(filled(3, 1024));
    process_ = std::make_unique<StageProcess>();
    sender = std::make_unique<RawBlockSender>(process_->reference());
    good_ = std::thread([this] {
      try {
        const StageRef stage = at(*process_);
        for (double n = 1; !done_; ++n) {
          const auto loan = filled(n, 2048);
          if (stage->sum(loan.view()) != 2048 * n) ++wrong_;
          ++served_;
        }
      } catch (const CORBA::Exception& e) {
        ADD_FAILURE() << "exception in the well-behaved client: " << e.what();
      }
    });
  }
  void TearDown() override {
    const int before = served_;
    EXPECT_TRUE(becomes_true([&] { return served_ >= before + 3; }))
        << "the well-behaved client is not served any more";
    done_ = true;
    good_.join();
    EXPECT_EQ(wrong_, 0);
    sender.reset();
    block_.reset();
    process_.reset();
    EXPECT_TRUE(pool_becomes_empty());
    BlockCalls::TearDown();
  }
  std::string send_block(const std::function<void(DescriptionWords&)>& change) {
    return sender->send_block("push", view(), change);
  }
  /// Expects MARSHAL for the changed description, and success for a valid one after it.
  void expect_refused(const char* what, const std::function<void(DescriptionWords&)>& change) {
    EXPECT_EQ(send_block(change), kMarshal) << what;
    EXPECT_EQ(send_block([](DescriptionWords&) {}), "served") << "after " << what;
  }

  orbweaver::span<const double> view() const { return block_->view(); }
  std::unique_ptr<RawBlockSender> sender;

 private:
  std::optional<orbweaver::Loan<double>> block_;
  std::unique_ptr<StageProcess> process_;
  std::thread good_;
  std::atomic<bool> done_{false};
  std::atomic<int> wrong_{0}, served_{0};
};

TEST_F(HostileExporter, RejectsAnUnknownRegion) {
  for (const std::uint32_t region : {1u, 2u, 15u, 16u, 0x7fffffffu, 0xffffffffu}) {
    expect_refused("an unknown region", [&](DescriptionWords& w) { w.region = region; });
  }
}

TEST_F(HostileExporter, RejectsAGrantOutOfOrder) {
  expect_refused("a grant far ahead", [](DescriptionWords& w) { w.grant += 256; });
  expect_refused("the largest grant", [](DescriptionWords& w) { w.grant = kMaxWord; });
  expect_refused("a grant that was imported before", [](DescriptionWords& w) { w.grant = 0; });
  std::uint64_t last = 0;
  EXPECT_EQ(send_block([&](DescriptionWords& w) { last = w.grant; }), "served");
  expect_refused("the last grant again", [&](DescriptionWords& w) { w.grant = last; });
}

TEST_F(HostileExporter, RejectsABlockBeyondTheRegion) {
  expect_refused("an offset at the end", [](DescriptionWords& w) { w.offset = kPool; });
  expect_refused("an offset behind the end", [](DescriptionWords& w) { w.offset = kPool + 4096; });
  expect_refused("the largest offset", [](DescriptionWords& w) { w.offset = kMaxWord; });
  expect_refused("a block that reaches beyond the end", [](DescriptionWords& w) { w.offset = kPool - 4096; });
  expect_refused("offset and bytes that add up to little",
                 [](DescriptionWords& w) { w.offset = 8192, w.bytes = kMaxWord - 4095; });
  expect_refused("more bytes than there are", [](DescriptionWords& w) { w.bytes = kPool + 1; });
}

TEST_F(HostileExporter, RejectsAViewBeyondItsBlock) {
  expect_refused("a view that begins behind the block", [](DescriptionWords& w) { w.begin = w.bytes + 8; });
  expect_refused("a view that ends behind the block", [](DescriptionWords& w) { w.begin = 8; });
  expect_refused("begin and bytes that add up to little",
                 [](DescriptionWords& w) { w.begin = kMaxWord - 8191; });
  expect_refused("one element too many", [](DescriptionWords& w) { w.elements = 1025; });
  expect_refused("the largest element count", [](DescriptionWords& w) { w.elements = 0xffffffff; });
  expect_refused("a block smaller than the view", [](DescriptionWords& w) { w.bytes = 8191; });
  expect_refused("no block at all", [](DescriptionWords& w) { w.bytes = 0; });
}

TEST_F(HostileExporter, RejectsAMisalignedView) {
  expect_refused("a begin of 4", [](DescriptionWords& w) { w.begin = 4, w.elements = 512; });
  expect_refused("an offset of 4", [](DescriptionWords& w) { w.offset += 4, w.elements = 512; });
}

TEST_F(HostileExporter, SurvivesRandomWords) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 400; ++i) {
    const std::string result = send_block([&](DescriptionWords& w) {
      std::uint8_t* const at = reinterpret_cast<std::uint8_t*>(&w) + 4 + random() % 11 * 4;
      const auto word = static_cast<std::uint32_t>(random() >> random() % 64);
      std::memcpy(at, &word, 4);
    });
    // A description that happens to be valid is served: it refers to memory of its sender.
    ASSERT_TRUE(result == kMarshal || result == "served") << result;
  }
}

TEST_F(HostileExporter, SurvivesADescriptionWhereNoViewIsExpected) {
  EXPECT_EQ(sender->send_block("pushed_sum", view(), [](DescriptionWords&) {}), "served")
      << "an operation without arguments";
  EXPECT_EQ(sender->send_block("echo", view(), [](DescriptionWords& w) { w.mark = 0; }), "served")
      << "a number with trailing bytes";
  EXPECT_EQ(send_block([](DescriptionWords&) {}), "served");
}

}  // namespace
}  // namespace blocktest
