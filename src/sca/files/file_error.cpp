#include "sca/files/file_error.h"

#include <cerrno>
#include <utility>

#include "platform/fd.h"

namespace orbweaver::sca {
namespace {

using Number = CF::ErrorNumberType;

constexpr std::pair<int, Number> kNumbers[] = {
    {E2BIG, Number::CF_E2BIG},
    {EACCES, Number::CF_EACCES},
    {EAGAIN, Number::CF_EAGAIN},
    {EBADF, Number::CF_EBADF},
    {EBADMSG, Number::CF_EBADMSG},
    {EBUSY, Number::CF_EBUSY},
    {ECANCELED, Number::CF_ECANCELED},
    {ECHILD, Number::CF_ECHILD},
    {EDEADLK, Number::CF_EDEADLK},
    {EDOM, Number::CF_EDOM},
    {EEXIST, Number::CF_EEXIST},
    {EFAULT, Number::CF_EFAULT},
    {EFBIG, Number::CF_EFBIG},
    {EINPROGRESS, Number::CF_EINPROGRESS},
    {EINTR, Number::CF_EINTR},
    {EINVAL, Number::CF_EINVAL},
    {EIO, Number::CF_EIO},
    {EISDIR, Number::CF_EISDIR},
    {EMFILE, Number::CF_EMFILE},
    {EMLINK, Number::CF_EMLINK},
    {EMSGSIZE, Number::CF_EMSGSIZE},
    {ENAMETOOLONG, Number::CF_ENAMETOOLONG},
    {ENFILE, Number::CF_ENFILE},
    {ENODEV, Number::CF_ENODEV},
    {ENOENT, Number::CF_ENOENT},
    {ENOEXEC, Number::CF_ENOEXEC},
    {ENOLCK, Number::CF_ENOLCK},
    {ENOMEM, Number::CF_ENOMEM},
    {ENOSPC, Number::CF_ENOSPC},
    {ENOSYS, Number::CF_ENOSYS},
    {ENOTDIR, Number::CF_ENOTDIR},
    {ENOTEMPTY, Number::CF_ENOTEMPTY},
    {ENOTSUP, Number::CF_ENOTSUP},
    {ENOTTY, Number::CF_ENOTTY},
    {ENXIO, Number::CF_ENXIO},
    {EPERM, Number::CF_EPERM},
    {EPIPE, Number::CF_EPIPE},
    {ERANGE, Number::CF_ERANGE},
    {EROFS, Number::CF_EROFS},
    {ESPIPE, Number::CF_ESPIPE},
    {ESRCH, Number::CF_ESRCH},
    {ETIMEDOUT, Number::CF_ETIMEDOUT},
    // Errors without a number of their own. EXDEV is only raised for links that lead out.
    {EXDEV, Number::CF_EACCES},
    {ELOOP, Number::CF_EINVAL},
    {ETXTBSY, Number::CF_EBUSY},
    {EDQUOT, Number::CF_ENOSPC},
    {EOVERFLOW, Number::CF_EFBIG},
};

std::string text(int error, const std::string& what) {
  if (error == EXDEV) return what + ": a symbolic link in it leads out of the file system";
  if (error == ENODEV) return what + ": it is neither a file nor a directory";
  return what + ": " + platform::error_text(error);
}

std::string checked(FileName name) {
  if (name.error != 0) throw_invalid_name(name.error, name.message);
  return std::move(name.path);
}

}  // namespace

CF::ErrorNumberType error_number(int error) noexcept {
  for (const auto& [from, to] : kNumbers)
    if (from == error) return to;
  return Number::CF_NOTSET;
}

void throw_file_exception(int error, const std::string& what) {
  throw CF::FileException(error_number(error), text(error, what));
}

void throw_io_exception(int error, const std::string& what) {
  throw CF::File::IOException(error_number(error), text(error, what));
}

void throw_invalid_name(int error, const std::string& message) {
  throw CF::InvalidFileName(error_number(error), message);
}

std::string checked_path(const std::string& name, FileNameRules rules, bool folder) {
  FileName read = parse_file_name(name, rules);
  if (read.error == 0 && read.ends_with_slash && !folder)
    throw_invalid_name(EISDIR, "'" + name + "': a name of a file does not end with '/'");
  return checked(std::move(read));
}

std::string checked_pattern(const std::string& pattern, FileNameRules rules) {
  return checked(parse_file_pattern(pattern, rules));
}

}  // namespace orbweaver::sca
