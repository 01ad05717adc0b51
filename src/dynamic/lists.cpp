// The lists of the dynamic invocation interface.
#include <orbweaver/dynamic.h>

#include "cdr/typecode_graph.h"
#include "dynamic/minor_codes.h"

namespace CORBA {
namespace {

/// Returns the element of a list. Raises Bounds.
template <class Items>
auto& element(Items& items, std::uint32_t index) {
  if (index < items.size()) return items[index];
  throw Bounds("there is no element " + std::to_string(index) + "; the list has " +
               std::to_string(items.size()));
}

template <class Items>
void remove_element(Items& items, std::uint32_t index) {
  element(items, index);
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace

UnknownUserException::UnknownUserException(Any exception)
    : UserExceptionWithDetail(
          orbweaver::typecode::Access::id(orbweaver::typecode::resolved(*exception.type()))),
      exception_(std::move(exception)) {}

object_reference<NamedValue> NVList::add_value(const std::string& name, const Any& value, Flags flags) {
  return items_.emplace_back(make_reference<NamedValue>(name, value, flags));
}
object_reference<NamedValue> NVList::item(std::uint32_t index) const { return element(items_, index); }
void NVList::remove(std::uint32_t index) { remove_element(items_, index); }

void ExceptionList::add(const typecode_reference& exception) {
  if (exception == nullptr || orbweaver::typecode::resolved(*exception).kind() != TCKind::tk_except)
    throw BAD_TYPECODE(orbweaver::dynamic::minor::kUntypedArgument, CompletionStatus::COMPLETED_NO,
                       "a list of exceptions has TypeCodes of exceptions only");
  items_.push_back(exception);
}
typecode_reference ExceptionList::item(std::uint32_t index) const { return element(items_, index); }
void ExceptionList::remove(std::uint32_t index) { remove_element(items_, index); }

std::string ContextList::item(std::uint32_t index) const { return element(items_, index); }
void ContextList::remove(std::uint32_t index) { remove_element(items_, index); }

}  // namespace CORBA
