#pragma once

#include <cstddef>
#include <cstdint>

/// How a connection carries a block of shared memory in place of its bytes. docs/formats/blocks.md has the
/// wire's side. Generated code and the ORB use this; users have loan.h.
namespace orbweaver {

/// Stands where a sequence's length would: no sequence is so long. A description follows.
inline constexpr std::uint32_t kBlockMark = 0xffffffffu;
/// Smaller views are copied: a description would cost as much.
inline constexpr std::size_t kSmallestBlockView = 4096;
/// No fewer bytes than a description takes in CDR, wherever it starts.
inline constexpr std::size_t kDescriptionBytes = 3 + 12 + 4 + 32;

/// May these bytes lie in a block? No more than a look at the addresses, for bounds: only giving it tells. Any thread.
bool may_lie_in_block(const void* data, std::size_t bytes) noexcept;

/// Where the elements are. From a peer it is a claim, checked by whoever takes it.
struct BlockDescription {
  std::uint32_t link = 0;    ///< Which of the memory files that this connection has handed over.
  std::uint64_t gift = 0;    ///< Counts what was given over that link.
  std::uint64_t offset = 0;  ///< The whole block, in the file.
  std::uint64_t bytes = 0;
  std::uint64_t begin = 0;   ///< The view, from the block's beginning.
};

/// The sending end's part. Used under the connection's send lock.
class BlockSender {
 public:
  virtual ~BlockSender() = default;
  /// Is [data, data + bytes) in a block that can be given to the peer? Then it is given: it stays as it is
  /// until the peer has returned it or has gone.
  virtual bool give(const void* data, std::size_t bytes, BlockDescription& description) noexcept = 0;
};

/// The receiving end's part. Used by the thread that reads the connection.
class BlockReceiver {
 public:
  virtual ~BlockReceiver() = default;
  /// Where `bytes` of what is described lie, for reading, until the frame is released; null where the
  /// description cannot be true.
  virtual const void* take(const BlockDescription& description, std::size_t bytes, std::size_t alignment) noexcept = 0;
};

}  // namespace orbweaver
