#pragma once

#include <string>

#include "CFC.h"
#include "sca/files/file_name.h"

/// The exceptions of the file services, from errno values. Any thread.
namespace orbweaver::sca {

/// Returns the error number of an errno value; CF_NOTSET if it has none.
CF::ErrorNumberType error_number(int error) noexcept;

/// Raises CF::FileException: "`what`: No such file or directory".
[[noreturn]] void throw_file_exception(int error, const std::string& what);
/// Raises CF::File::IOException in the same way.
[[noreturn]] void throw_io_exception(int error, const std::string& what);
/// Raises CF::InvalidFileName.
[[noreturn]] void throw_invalid_name(int error, const std::string& message);

/// Returns the path of a valid name. Raises CF::InvalidFileName for others, and for a name that ends with "/"
/// unless `folder`.
std::string checked_path(const std::string& name, FileNameRules rules, bool folder = false);
/// Returns the path of a valid pattern. Raises CF::InvalidFileName for others.
std::string checked_pattern(const std::string& pattern, FileNameRules rules);

}  // namespace orbweaver::sca
