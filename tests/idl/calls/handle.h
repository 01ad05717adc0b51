// The C++ of the native type Calls::Handle, included by the generated header (--cpp-include).
#pragma once

namespace Calls {

using Handle = int*;

}  // namespace Calls
