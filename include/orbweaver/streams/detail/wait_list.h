#pragma once

#include <cstddef>

namespace orbweaver::streams::detail {

/// Doubly linked list of calls that wait, in the order in which they began to. A node is a local variable of
/// its call, with members `next` and `previous`: nothing is allocated. One thread at a time.
template <class Node>
class WaitList {
 public:
  /// The call that has waited for the longest time; null if there is none.
  Node* first() const noexcept { return first_; }
  /// Number of calls.
  std::size_t size() const noexcept { return size_; }

  void append(Node& node) noexcept {
    node.previous = last_;
    (last_ != nullptr ? last_->next : first_) = &node;
    last_ = &node;
    ++size_;
  }
  void remove(Node& node) noexcept {
    (node.previous != nullptr ? node.previous->next : first_) = node.next;
    (node.next != nullptr ? node.next->previous : last_) = node.previous;
    --size_;
  }

 private:
  Node* first_ = nullptr;
  Node* last_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace orbweaver::streams::detail
