#pragma once

#include <cstddef>
#include <cstdint>

/// Sending of blocks of shared memory in place of their bytes. docs/formats/blocks.md has the wire format.
/// For generated code and the ORB; users have loan.h.
namespace orbweaver {

/// Marks a block description in place of a sequence's length: no sequence is that long.
inline constexpr std::uint32_t kBlockMarker = 0xffffffffu;
/// Views of fewer bytes are copied: a description would cost as much.
inline constexpr std::size_t kMinBlockViewBytes = 4096;
/// Upper bound of the bytes of a description in CDR, at any offset.
inline constexpr std::size_t kBlockDescriptionBytes = 3 + 12 + 4 + 32;

/// Returns whether the range may overlap a block: an address check only, for bounds; `export_block` decides.
/// Any thread.
bool may_be_in_block(const void* data, std::size_t bytes) noexcept;

/// Location of a view in an exported region. If received from a peer, it is checked by import_block.
struct BlockDescription {
  std::uint32_t region = 0;        ///< Number of the memory file among those passed over this connection.
  std::uint64_t grant = 0;         ///< Number of the grant, counted for each region.
  std::uint64_t block_offset = 0;  ///< From the start of the file.
  std::uint64_t block_bytes = 0;
  std::uint64_t view_offset = 0;  ///< From the start of the block.
};

/// Exports blocks to the peer of a connection. Used under the connection's send lock.
class BlockSender {
 public:
  virtual ~BlockSender() = default;
  /// If [data, data + bytes) is in a block that can be granted to the peer: grants it, fills in `description`
  /// and returns true. The block is then kept until the peer has returned it or has gone.
  virtual bool export_block(const void* data, std::size_t bytes, BlockDescription& description) noexcept = 0;
};

/// Imports blocks of the peer of a connection. Used by the thread that reads the connection.
class BlockReceiver {
 public:
  virtual ~BlockReceiver() = default;
  /// Returns the described view of `bytes`, read-only, valid until the frame is released; null if the
  /// description is invalid.
  virtual const void* import_block(const BlockDescription& description, std::size_t bytes,
                                   std::size_t alignment) noexcept = 0;
};

}  // namespace orbweaver
