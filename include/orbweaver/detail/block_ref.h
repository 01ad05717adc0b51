#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

/// @file
/// References to blocks of shared memory, for loan.h and for the component framework. Users have loan.h.
namespace orbweaver {

/// Behaviour of `loan` while the pool is full.
enum class PoolFull : std::uint8_t {
  as_configured,  ///< As -ORBTune pool-full: `wait` by default.
  wait,           ///< Waits until receivers have returned enough blocks: back-pressure.
  raise,          ///< Raises CORBA::NO_RESOURCES (0x4f57007d).
};

namespace detail {

/// A counted reference to a block of shared memory. Any thread; may outlive every ORB.
class BlockRef {
 public:
  BlockRef() noexcept = default;
  BlockRef(const BlockRef& other) noexcept;
  BlockRef(BlockRef&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  BlockRef& operator=(BlockRef other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~BlockRef();
  explicit operator bool() const noexcept { return block_ != nullptr; }

  /// Allocates a block in this process's pool. Arguments and exceptions as `loan`; `data` is set to its first
  /// byte.
  static BlockRef allocate(std::size_t bytes, PoolFull when_full, std::int64_t timeout_ms, void*& data);
  /// The block that contains the bytes; empty if there is none.
  static BlockRef find(const void* data, std::size_t bytes) noexcept;

 private:
  friend class BlockAccount;
  void* block_ = nullptr;
};

/// The blocks that one sender has allocated and that have not returned to the pool: at most its share, which
/// is the pool divided by the number of accounts in the process. A sender that is within its share never
/// waits for the receivers of another one. Any thread.
class BlockAccount {
 public:
  enum class Outcome : std::uint8_t {
    allocated,
    share_in_use,  ///< The timeout has passed while the blocks in use left too little of the share.
    /// Others use the pool beyond their shares, it is too small or cannot be created, or the caller would
    /// wait for blocks that it holds itself.
    unavailable,
  };

  /// Throws std::bad_alloc.
  BlockAccount();
  ~BlockAccount();
  BlockAccount(const BlockAccount&) = delete;
  BlockAccount& operator=(const BlockAccount&) = delete;

  /// Allocates a block, which may be larger than the share if no other one of this account is in use. While
  /// it exceeds the share, waits for blocks of this account to be returned, at most `timeout_ms`
  /// milliseconds; 0: does not wait. Sets `block`, and `data` to its first byte.
  Outcome allocate(std::size_t bytes, std::int64_t timeout_ms, BlockRef& block, void*& data) noexcept;

  /// Counts a block as held by the sender, which has not sent it yet, during this object's lifetime: such
  /// blocks are not waited for. Any thread.
  class Hold {
   public:
    Hold() noexcept = default;
    Hold(Hold&& other) noexcept
        : account_(std::move(other.account_)), bytes_(std::exchange(other.bytes_, 0)) {}
    Hold& operator=(Hold other) noexcept {
      std::swap(account_, other.account_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Hold();

   private:
    friend class BlockAccount;
    std::shared_ptr<void> account_;
    std::size_t bytes_ = 0;
  };
  /// `block`: one of this account.
  Hold hold(const BlockRef& block) noexcept;

 private:
  std::shared_ptr<void> account_;  // a transport::blocks::Account
};

/// Bytes of views that the calling thread has sent as descriptions of blocks, over all connections. Modulo
/// 2^64; a description that was withdrawn is subtracted.
std::uint64_t bytes_sent_in_blocks() noexcept;

}  // namespace detail
}  // namespace orbweaver
