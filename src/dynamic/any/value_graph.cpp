#include "dynamic/any/value_graph.h"

#include <utility>

#include "cdr/typecode_graph.h"
#include "dynamic/any/errors.h"
#include "dynamic/any/node.h"

namespace orbweaver::dynamic {

SharedValue::SharedValue(ValueGraph& graph, const CORBA::TypeCode& value_type)
    : type(reference_to(value_type)), graph_(graph) {}

void SharedValue::_remove_ref() const noexcept {
  if (--count_ == 0) graph_.release(const_cast<SharedValue&>(*this));
}

EncodedValue SharedValue::current_state() const {
  if (is_lost)
    raise_limit("the changes of a value of " + typecode::describe(*type) +
                " were too large to be kept without its DynAny");
  return node != nullptr ? node->state() : state;
}

void SharedValue::become(SharedValue& fresh) {
  type = fresh.type;
  ids = fresh.ids;
  is_null = fresh.is_null;
  is_chunked = fresh.is_chunked;
  is_lost = false;
  state = std::exchange(fresh.state, {});
  custom = std::move(fresh.custom);
  _add_ref();
  fresh.same_as = SharedValueRef::adopt(this);
}

void SharedValue::become_initial(bool null) {
  is_null = null;
  is_lost = false;
  ids = nullptr;
  is_chunked = false;
  state = {};
  custom = nullptr;
}

SharedValueRef resolved(const SharedValueRef& value) {
  SharedValueRef each = value;
  while (each != nullptr && each->same_as != nullptr) each = SharedValueRef(each->same_as);
  return each == nullptr || each->is_null ? nullptr : each;
}

SharedValueRef ValueGraph::make(const CORBA::TypeCode& type) {
  auto* const made = new SharedValue(*this, type);
  made->next_ = first_;
  if (first_ != nullptr) first_->previous_ = made;
  first_ = made;
  return SharedValueRef::adopt(made);
}

const std::vector<std::string>* ValueGraph::keep_ids(std::vector<std::string> ids) {
  return &*ids_.insert(std::move(ids)).first;
}

std::vector<NodeRef> ValueGraph::nodes() const {
  std::vector<NodeRef> all;
  for (SharedValue* each = first_; each != nullptr; each = each->next_) {
    if (each->node == nullptr) continue;
    Node& node = each->node->node();
    node._add_ref();
    all.push_back(NodeRef::adopt(&node));
  }
  return all;
}

std::uint64_t ValueGraph::state_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const SharedValue* each = first_; each != nullptr; each = each->next_) {
    if (!each->state.is_initial()) bytes += each->state.buffer->bytes.size();
  }
  return bytes;
}

/// Deletes a value without references, and those that this releases, one after the other.
void ValueGraph::release(SharedValue& value) noexcept {
  value.next_released_ = std::exchange(released_, &value);
  if (releasing_) return;
  releasing_ = true;
  while (released_ != nullptr) {
    SharedValue* const each = std::exchange(released_, released_->next_released_);
    (each->previous_ != nullptr ? each->previous_->next_ : first_) = each->next_;
    if (each->next_ != nullptr) each->next_->previous_ = each->previous_;
    delete each;
  }
  releasing_ = false;
}

ValueGraph::~ValueGraph() {
  // No node is left. Values without references are only listed meanwhile; in the end none has references.
  releasing_ = true;
  for (SharedValue* each = first_; each != nullptr; each = each->next_) {
    each->state = {};
    each->same_as = nullptr;
  }
  while (first_ != nullptr) delete std::exchange(first_, first_->next_);
}

}  // namespace orbweaver::dynamic
