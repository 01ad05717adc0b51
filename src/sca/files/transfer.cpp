#include "sca/files/transfer.h"

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "sca/files/file_error.h"

namespace orbweaver::sca {
namespace {

using FileRef = IDL::traits<CF::File>::ref_type;

/// Over shared memory, a mebibyte in blocks of this size takes two thirds of the time that one read takes:
/// larger ones leave the processor's second-level cache between their copies, and do not fit into a ring.
constexpr std::uint32_t kBlock = 256u << 10;

[[noreturn]] void fail(CF::ErrorNumberType number, const std::string& message) {
  throw CF::FileException(number, message);
}

/// An open file, closed by the destructor.
class OpenFile {
 public:
  OpenFile(const FileSystemRef& files, const FileRef& file, std::string name)
      : file_(with_policies_of(*files, file)), name_(std::move(name)) {
    if (!file_) fail(CF::ErrorNumberType::CF_EIO, name_ + ": the file system returned no file");
  }
  ~OpenFile() {
    try {
      if (file_) file_->close();
    } catch (const CORBA::Exception&) {  // the transfer has ended or failed already
    }
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  const std::string& name() const { return name_; }
  CF::File& operator*() { return *file_; }
  /// Closes it now, and raises what close() raises.
  void close() { std::exchange(file_, nullptr)->close(); }

 private:
  FileRef file_;
  const std::string name_;
};

/// Reads a file block by block.
class BlockReader {
 public:
  BlockReader(const FileSystemRef& files, const std::string& name, std::uint64_t limit)
      : file_(files, files->open(name, true), name), size_((*file_).sizeOf()) {
    if (size_ > limit) {
      fail(CF::ErrorNumberType::CF_EFBIG,
           name + ": it has " + std::to_string(size_) + " octets, more than " + std::to_string(limit));
    }
  }

  std::uint64_t size() const { return size_; }

  /// Reads the next block; false at the end.
  bool next(CF::OctetSequence& block) {
    if (read_ == size_) return false;
    const auto wanted = static_cast<std::uint32_t>(std::min<std::uint64_t>(kBlock, size_ - read_));
    (*file_).read(block, wanted);
    // A read is short at the end only (SCA 2.2.2, 3.1.3.4.1).
    if (block.size() != wanted) {
      fail(CF::ErrorNumberType::CF_EIO,
           file_.name() + ": a read of " + std::to_string(wanted) + " octets at " + std::to_string(read_) +
               " of " + std::to_string(size_) + " returned " + std::to_string(block.size()));
    }
    read_ += wanted;
    return true;
  }

 private:
  OpenFile file_;
  const std::uint64_t size_;
  std::uint64_t read_ = 0;
};

/// Writes a file from the blocks that `next` provides until it returns false, and removes it after an
/// exception.
template <class Next>
void write_blocks(const FileSystemRef& files, const std::string& name, Next next) {
  if (files->exists(name)) files->remove(name);
  OpenFile file(files, files->create(name), name);
  try {
    CF::OctetSequence block;
    while (next(block)) (*file).write(block);
    file.close();
  } catch (...) {
    try {
      files->remove(name);
    } catch (const CORBA::Exception&) {  // the first exception is the cause
    }
    throw;
  }
}

/// Calls `transfer`, and raises a FileException for an IOException.
template <class Transfer>
auto with_file_exceptions(Transfer transfer) {
  try {
    return transfer();
  } catch (const CF::File::IOException& e) {
    throw CF::FileException(e.errorNumber(), e.msg());
  }
}

}  // namespace

CF::OctetSequence read_file(const FileSystemRef& files, const std::string& name, std::uint64_t limit) {
  return with_file_exceptions([&] {
    BlockReader reader(files, name, limit);
    CF::OctetSequence all, block;
    if (reader.size() <= kBlock) {
      reader.next(all);
      return all;
    }
    while (reader.next(block)) all.insert(all.end(), block.begin(), block.end());
    return all;
  });
}

void write_file(const FileSystemRef& files, const std::string& name, std::span<const std::uint8_t> bytes) {
  with_file_exceptions([&] {
    write_blocks(files, name, [&](CF::OctetSequence& block) {
      if (bytes.empty()) return false;
      const std::span<const std::uint8_t> part = bytes.first(std::min<std::size_t>(kBlock, bytes.size()));
      block.assign(part.begin(), part.end());
      bytes = bytes.subspan(part.size());
      return true;
    });
  });
}

std::uint64_t copy_file(const FileSystemRef& from, const std::string& source, const FileSystemRef& to,
                        const std::string& destination, std::uint64_t limit) {
  return with_file_exceptions([&] {
    BlockReader reader(from, source, limit);
    write_blocks(to, destination, [&](CF::OctetSequence& block) { return reader.next(block); });
    return reader.size();
  });
}

CopiedFolder copy_folder(const FileSystemRef& from, const std::string& source, const FileSystemRef& to,
                         const std::string& destination, const FolderLimits& limits) {
  const std::string first = checked_path(source, FileNameRules::ascii, true);
  const std::string second = checked_path(destination, FileNameRules::ascii, true);
  if (from->_is_equivalent(to) &&
      (first.empty() || (second + "/").compare(0, first.size() + 1, first + "/") == 0))
    throw_invalid_name(EINVAL, "'" + destination + "' is in '" + source + "'");
  struct Pending {
    std::string path;  // below both folders
    std::size_t depth;
  };
  std::vector<Pending> pending{{"", 1}};
  CopiedFolder copied;
  while (!pending.empty()) {
    const Pending folder = std::move(pending.back());
    pending.pop_back();
    if (folder.depth > limits.depth) {
      fail(CF::ErrorNumberType::CF_E2BIG, "/" + joined(first, folder.path) + ": more than " +
                                              std::to_string(limits.depth) + " directories in each other");
    }
    const std::string made = "/" + joined(second, folder.path);
    if (!to->exists(made)) to->mkdir(made);
    for (const auto& each : from->list("/" + joined(joined(first, folder.path), "*"))) {
      if (!is_valid_part(each.name(), FileNameRules::ascii)) {
        fail(CF::ErrorNumberType::CF_EINVAL,
             "/" + joined(first, folder.path) + ": the file system lists an invalid file name");
      }
      if (++copied.files > limits.files)
        fail(CF::ErrorNumberType::CF_E2BIG,
             source + ": more than " + std::to_string(limits.files) + " files");
      const std::string path = joined(folder.path, each.name());
      if (each.kind() != CF::FileSystem::FileType::PLAIN) {
        pending.push_back({path, folder.depth + 1});
      } else {
        copied.bytes += copy_file(from, "/" + joined(first, path), to, "/" + joined(second, path),
                                  limits.bytes - copied.bytes);
      }
    }
  }
  return copied;
}

}  // namespace orbweaver::sca
