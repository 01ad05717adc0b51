#include "giop/fragment.h"

#include "giop/control_messages.h"
#include "giop/request.h"
#include "giop/testing.h"
#include "platform/testing/kept_memory.h"

namespace orbweaver::giop::testing {
namespace {

/// A message of GIOP 1.`minor` in either byte order. `body` follows the header.
Octets message(int minor, bool little, bool more, MessageType type, const Octets& body) {
  Octets bytes = hex("47494f5001");
  bytes.push_back(static_cast<std::uint8_t>(minor));
  bytes.push_back(static_cast<std::uint8_t>((little ? 1 : 0) | (more ? 2 : 0)));
  bytes.push_back(static_cast<std::uint8_t>(type));
  for (int i = 0; i < 4; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(body.size() >> 8 * (little ? i : 3 - i)));
  }
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

/// The body of a message of GIOP 1.2: the request id and `n` octets of `fill`.
Octets with_id(bool little, std::uint8_t id, std::size_t n, std::uint8_t fill) {
  Octets body = little ? Octets{id, 0, 0, 0} : Octets{0, 0, 0, id};
  body.insert(body.end(), n, fill);
  return body;
}
Octets first(std::uint8_t id, std::size_t n, bool little = true) {
  return message(2, little, true, MessageType::request, with_id(little, id, n, 0xaa));
}
Octets middle(std::uint8_t id, std::size_t n, bool little = true) {
  return message(2, little, true, MessageType::fragment, with_id(little, id, n, 0xbb));
}
Octets last(std::uint8_t id, std::size_t n, bool little = true) {
  return message(2, little, false, MessageType::fragment, with_id(little, id, n, 0xcc));
}

struct AssemblerDriver {
  FragmentAssembler assembler;
  MessageHeader header;
  std::string error;

  explicit AssemblerDriver(std::size_t max_bytes = limits::kMaxMessageBytes, std::size_t max_messages = 16)
      : assembler(max_bytes, max_messages) {}

  /// The complete message after adding `bytes`; empty while fragments are missing or after an error.
  Octets add(const Octets& bytes) {
    EXPECT_TRUE(read_header(bytes, header));
    const auto whole = assembler.add(bytes, header);
    if (!whole) {
      EXPECT_EQ(whole.error().kind, ErrorKind::disconnected);
      error = whole.error().message;
      return {};
    }
    return octets(*whole);
  }
};

TEST(FragmentAssembler, LimitsEmptyFragments) {
  AssemblerDriver stream;
  stream.add(first(1, 16));
  int added = 0;
  for (; stream.error.empty() && added < 1000; ++added) stream.add(middle(1, 0));
  EXPECT_EQ(added, 17);
  EXPECT_EQ(stream.error, "more than 16 empty fragments of request 1");
}

TEST(FragmentAssembler, AcceptsAFewEmptyFragments) {
  AssemblerDriver stream;
  stream.add(first(1, 16));
  for (int i = 0; i < 16; ++i) stream.add(middle(1, 0));
  EXPECT_EQ(stream.add(last(1, 4)).size(), 12u + 4 + 16 + 4) << stream.error;
}

TEST(FragmentAssembler, PassesACompleteMessageWithoutACopy) {
  FragmentAssembler assembler;
  const Octets bytes = message(2, true, false, MessageType::reply, with_id(true, 1, 20, 0));
  MessageHeader header;
  ASSERT_TRUE(read_header(bytes, header));
  const auto whole = assembler.add(bytes, header);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->data(), bytes.data());
}

TEST(FragmentAssembler, ReassemblesFragmentsOfEitherByteOrder) {
  for (const bool little : {true, false}) {
    AssemblerDriver stream;
    EXPECT_TRUE(stream.add(first(7, 8, little)).empty());
    EXPECT_TRUE(stream.add(middle(7, 16, little)).empty());
    const Octets whole = stream.add(last(7, 3, little));
    Octets body = with_id(little, 7, 8, 0xaa);
    body.insert(body.end(), 16, 0xbb);
    body.insert(body.end(), 3, 0xcc);
    EXPECT_EQ(whole, message(2, little, false, MessageType::request, body));
    EXPECT_EQ(stream.header.type, MessageType::request);
    EXPECT_EQ(stream.header.message_bytes(), whole.size());
    EXPECT_FALSE(stream.header.more_fragments);
    EXPECT_EQ(stream.assembler.pending(), 0u);
    EXPECT_EQ(stream.assembler.pending_bytes(), 0u);
  }
}

// omniORB sends a request of 2,000 strings in fragments of 8,192 bytes, each with the request id.
TEST(FragmentAssembler, ReassemblesARequestOfManyFragments) {
  const std::vector<std::string> strings(2000, "abcdefghi");
  const Octets key = hex("0102030405");
  const Octets whole = encode_message([&](cdr::Encoder& out) {
    encode_request(out, kGiop12, 24, response::kWithTarget, key, "many", {}, Body::follows);
    cdr::encode(out, strings);
  });
  AssemblerDriver stream;
  Octets assembled;
  for (std::size_t at = 0; at < whole.size();) {
    const bool is_first = at == 0;
    const std::size_t max = is_first ? 8192 : 8192 - 16;
    const std::size_t n = std::min(max, whole.size() - at);
    Octets piece;
    if (is_first) {
      piece.assign(whole.begin(), whole.begin() + 8192);
    } else {
      piece = hex("47494f5001020000 00000000");
      piece[6] = kThisMachineIsLittleEndian;
      piece[7] = static_cast<std::uint8_t>(MessageType::fragment);
      piece.insert(piece.end(), whole.begin() + 12, whole.begin() + 16);
      piece.insert(piece.end(), whole.begin() + static_cast<std::ptrdiff_t>(at),
                   whole.begin() + static_cast<std::ptrdiff_t>(at + n));
    }
    at += n;
    if (at < whole.size()) piece[6] |= 2;
    const auto size = static_cast<std::uint32_t>(piece.size() - kHeaderBytes);
    std::memcpy(piece.data() + 8, &size, 4);
    assembled = stream.add(piece);
    EXPECT_EQ(assembled.empty(), at < whole.size()) << stream.error;
  }
  EXPECT_EQ(assembled, whole);
}

TEST(FragmentAssembler, InterleavesRequestsById) {
  AssemblerDriver stream;
  stream.add(first(1, 8));
  stream.add(first(2, 16));
  EXPECT_EQ(stream.assembler.pending(), 2u);
  const Octets between = message(2, true, false, MessageType::reply, with_id(true, 9, 4, 0));
  EXPECT_EQ(stream.add(between), between);
  EXPECT_EQ(stream.add(last(1, 0)).size(), 12u + 4 + 8);
  EXPECT_EQ(stream.add(last(2, 0)).size(), 12u + 4 + 16);
}

TEST(FragmentAssembler, AllowsOneFragmentedMessageAtATimeInGiop11) {
  AssemblerDriver stream;
  EXPECT_TRUE(stream.add(message(1, true, true, MessageType::request, Octets(5, 1))).empty());
  EXPECT_TRUE(stream.add(message(1, true, true, MessageType::fragment, Octets(3, 2))).empty());
  const Octets whole = stream.add(message(1, true, false, MessageType::fragment, Octets(2, 3)));
  EXPECT_EQ(whole, message(1, true, false, MessageType::request, hex("0101010101 020202 0303")));
  stream.add(message(1, true, true, MessageType::request, Octets(5, 1)));
  stream.add(message(1, true, true, MessageType::reply, Octets(5, 1)));
  EXPECT_EQ(stream.error, "new message before the last fragment");
}

TEST(FragmentAssembler, DropsACancelledMessage) {
  AssemblerDriver stream;
  stream.add(first(1, 8));
  stream.add(first(2, 8));
  const auto cancel = octets(Bytes(cancel_request(kGiop12, 1)));
  EXPECT_EQ(stream.add(cancel), cancel);
  EXPECT_EQ(stream.assembler.pending(), 1u);
  EXPECT_EQ(stream.assembler.pending_bytes(), 24u);
  EXPECT_EQ(stream.add(last(2, 0)).size(), 24u);
}

TEST(FragmentAssembler, RejectsInvalidFragments) {
  const auto error_after = [](std::initializer_list<Octets> messages) {
    AssemblerDriver stream;
    for (const Octets& bytes : messages) stream.add(bytes);
    return stream.error;
  };
  EXPECT_EQ(error_after({last(5, 0)}), "fragment without a first fragment of request 5");
  EXPECT_EQ(error_after({first(5, 8), last(5, 0), last(5, 0)}),
            "fragment without a first fragment of request 5");
  EXPECT_EQ(error_after({first(5, 8), first(5, 8)}), "new message before the last fragment of request 5");
  EXPECT_EQ(error_after({first(5, 7)}),
            "first fragment of 23 bytes: must have a request id and a multiple of 8 bytes (GIOP 1.2)");
  EXPECT_EQ(error_after({first(5, 8), middle(5, 7)}),
            "fragment of 23 bytes: all but the last must have a multiple of 8 bytes (GIOP 1.2)");
  EXPECT_EQ(error_after({first(5, 8), last(5, 0, false)}),
            "byte order differs from that of the first fragment of request 5");
  EXPECT_EQ(error_after({message(2, true, true, MessageType::close_connection, {})}),
            "CloseConnection cannot be fragmented");
  EXPECT_EQ(error_after({first(5, 8), message(2, true, true, MessageType::cancel_request, {5, 0, 0, 0})}),
            "CancelRequest cannot be fragmented");
  EXPECT_EQ(error_after({message(2, true, false, MessageType::fragment, {1, 2})}),
            "fragment too short for its request id");
}

TEST(FragmentAssembler, EnforcesItsLimits) {
  AssemblerDriver few(limits::kMaxMessageBytes, 2);
  few.add(first(1, 8));
  few.add(first(2, 8));
  few.add(first(3, 8));
  EXPECT_EQ(few.error, "more than 2 incomplete fragmented messages");

  AssemblerDriver small(40);
  small.add(first(1, 8));
  small.add(first(2, 8));
  EXPECT_EQ(small.error, "fragments beyond the limit of 40 bytes (-ORBMaxMessageBytes) of request 2");
  EXPECT_TRUE(small.add(middle(1, 16)).empty());
  small.add(middle(1, 8));
  EXPECT_EQ(small.error, "fragments beyond the limit of 40 bytes (-ORBMaxMessageBytes) of request 1");
}

/// An assembler with a receive budget.
struct BudgetedAssembler {
  explicit BudgetedAssembler(std::size_t max_bytes) : budget(std::make_shared<ReceiveBudget>(max_bytes)) {}
  std::size_t add(const Octets& bytes) {
    MessageHeader header;
    EXPECT_TRUE(read_header(bytes, header));
    const auto whole = assembler.add(bytes, header);
    EXPECT_TRUE(whole);
    return whole ? whole->size() : 0;
  }
  std::shared_ptr<ReceiveBudget> budget;
  bool ended = false;
  ReceiveBudget::Share share{budget, [this](const std::string&) { ended = true; }};
  FragmentAssembler assembler{limits::kMaxMessageBytes, 16, &share};
};

TEST(FragmentAssembler, CountsAllocatedStorage) {
  BudgetedAssembler budgeted(100'000);
  budgeted.add(first(1, 984));
  EXPECT_EQ(budgeted.budget->bytes(), 1000u);
  budgeted.add(middle(1, 8));  // exceeds the capacity, which doubles
  EXPECT_EQ(budgeted.budget->bytes(), 2000u);
  EXPECT_EQ(budgeted.add(last(1, 0)), 1008u);
  EXPECT_EQ(budgeted.budget->bytes(), 0u) << "complete";
  EXPECT_EQ(budgeted.budget->cached_bytes(), 992u);
  budgeted.assembler.release();
  EXPECT_EQ(budgeted.budget->cached_bytes(), 2000u) << "kept for the next message";
  budgeted.add(first(1, 984));
  EXPECT_EQ(budgeted.budget->bytes(), 2000u);
  EXPECT_EQ(budgeted.budget->cached_bytes(), 0u);
}

TEST(FragmentAssembler, CountsNothingAfterClear) {
  BudgetedAssembler budgeted(100'000);
  budgeted.add(first(1, 984));
  budgeted.add(first(2, 984));
  budgeted.add(last(2, 0));
  budgeted.assembler.release();
  budgeted.add(first(3, 8));
  budgeted.assembler.clear();
  EXPECT_EQ(budgeted.budget->bytes() + budgeted.budget->cached_bytes(), 0u);
  EXPECT_FALSE(budgeted.share.receiving());
  EXPECT_EQ(budgeted.assembler.pending(), 0u);
  EXPECT_EQ(budgeted.assembler.pending_bytes(), 0u);
}

TEST(FragmentAssembler, FreesItsStorageWhenCleared) {
  constexpr std::size_t kBytes = 200'000;  // a mapping of its own
  FragmentAssembler assembler(1'000'000, 4);
  MessageHeader header;
  std::size_t assembled = 0;
  const std::uint8_t* at = nullptr;
  for (const Octets& part : {first(1, kBytes), last(1, 8)}) {
    ASSERT_TRUE(read_header(part, header));
    const auto whole = assembler.add(part, header);
    ASSERT_TRUE(whole);
    assembled = whole->size();
    at = whole->data();
  }
  ASSERT_GT(assembled, kBytes);
  assembler.release();
  EXPECT_TRUE(platform::testing::is_mapped(at)) << "kept for the next message";
  assembler.clear();
  EXPECT_FALSE(platform::testing::is_mapped(at));
}

TEST(FragmentAssembler, FreesCachedStorageBeyondTheLimit) {
  BudgetedAssembler budgeted(3000);
  budgeted.add(first(1, 984));
  budgeted.add(middle(1, 8));
  budgeted.add(last(1, 0));
  budgeted.assembler.release();
  EXPECT_EQ(budgeted.budget->cached_bytes(), 0u) << "over half of the budget";
}

TEST(FragmentAssembler, TimesEachMessageFromItsFirstFragment) {
  BudgetedAssembler budgeted(100);
  bool other_ended = false;
  ReceiveBudget::Share other(budgeted.budget, [&](const std::string&) { other_ended = true; }),
      wanting(budgeted.budget, {});
  budgeted.add(first(1, 8));
  EXPECT_TRUE(other.hold(24, 24));
  budgeted.add(first(2, 8));
  budgeted.add(last(1, 0));
  EXPECT_TRUE(wanting.hold(60, 60));
  EXPECT_TRUE(other_ended) << "started before the message that is left";
  EXPECT_FALSE(budgeted.ended);
}

TEST(FragmentAssembler, RejectsAFrameWhoseLengthDiffersFromItsHeader) {
  AssemblerDriver stream;
  Octets bytes = first(1, 8);
  bytes.resize(20);
  stream.add(bytes);
  EXPECT_EQ(stream.error, "frame of 20 bytes contains a message of 24");
}

}  // namespace
}  // namespace orbweaver::giop::testing
