#include "sca/files/transfer.h"

#include <functional>

#include "sca/files/testing/served_folder.h"

namespace orbweaver::sca {
namespace {

using testing::listed;
using testing::octets;
using testing::raised_by;
using testing::text;

constexpr std::uint64_t kLimit = 100u << 20;

std::string pattern_of(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
  return bytes;
}

/// Two file systems over temporary folders, called from another ORB.
class TransferTest : public ::testing::Test {
 protected:
  testing::TemporaryFolder near_folder, far_folder;
  testing::TestOrb server, client;
  testing::FileSystemRef near = client.use(make_file_system(near_folder.path().string(), server.poa)),
                         far = client.use(make_file_system(far_folder.path().string(), server.poa));
};

TEST_F(TransferTest, ReadsAndWritesWholeFiles) {
  for (const std::size_t size : {0u, 5u, 256u << 10, (256u << 10) + 1, 3u << 20}) {
    const std::string bytes = pattern_of(size);
    far_folder.write("file", bytes);
    EXPECT_TRUE(text(read_file(far, "/file", kLimit)) == bytes) << size;
    write_file(near, "/file", octets(bytes));
    EXPECT_TRUE(near_folder.content("file") == bytes) << size;
  }
  EXPECT_EQ(raised_by([&] { read_file(far, "/file", 100); }), "FileException CF_EFBIG");
  EXPECT_EQ(raised_by([&] { read_file(far, "/none", 100); }), "FileException CF_ENOENT");
}

TEST_F(TransferTest, CopiesAFileBetweenFileSystems) {
  const std::string bytes = pattern_of(2'500'000);
  far_folder.write("file", bytes);
  near_folder.write("copy", "another, that is replaced");
  EXPECT_EQ(copy_file(far, "/file", near, "/copy", kLimit), bytes.size());
  EXPECT_TRUE(near_folder.content("copy") == bytes);
  EXPECT_EQ(raised_by([&] { copy_file(far, "/file", near, "/copy", 100); }), "FileException CF_EFBIG");
  EXPECT_TRUE(near->exists("/copy"));  // its size was known to be too large
}

TEST_F(TransferTest, CopiesAFolder) {
  far_folder.write("app/app.sad.xml", "sad");
  far_folder.write("app/bin/component", pattern_of(1'200'000));
  far_folder.write("app/bin/empty", "");
  std::filesystem::create_directory(far_folder.path("app/none"));
  const CopiedFolder copied = copy_folder(far, "/app", near, "/cache/app");
  EXPECT_EQ(copied.files, 5u);
  EXPECT_EQ(copied.bytes, 1'200'003u);
  EXPECT_EQ(listed(near, "/cache/app/"), "app.sad.xml bin/ none/");
  EXPECT_TRUE(near_folder.content("cache/app/bin/component") == pattern_of(1'200'000));
  copy_folder(far, "/app", near, "/cache/app");  // again
  EXPECT_EQ(raised_by([&] { copy_folder(far, "/app", far, "/app/below"); }), "InvalidFileName CF_EINVAL");
}

TEST_F(TransferTest, LimitsAFolder) {
  for (const char* const name : {"app/a", "app/b", "app/c/d/e"}) far_folder.write(name, "1234");
  FolderLimits limits;
  limits.files = 4;
  EXPECT_EQ(raised_by([&] { copy_folder(far, "/app", near, "/1", limits); }), "FileException CF_E2BIG");
  limits = {};
  limits.depth = 2;
  EXPECT_EQ(raised_by([&] { copy_folder(far, "/app", near, "/2", limits); }), "FileException CF_E2BIG");
  limits = {};
  limits.bytes = 11;
  EXPECT_EQ(raised_by([&] { copy_folder(far, "/app", near, "/3", limits); }), "FileException CF_EFBIG");
}

/// A file whose size and octets are those that a test invents.
class LyingFile final : public virtual CORBA::servant_traits<CF::File>::base_type {
 public:
  LyingFile(std::uint32_t size, std::function<std::size_t(std::uint32_t)> octets_read)
      : size_(size), octets_read_(std::move(octets_read)) {}

  std::string fileName() override { return "/file"; }
  std::uint32_t filePointer() override { return 0; }
  void read(CF::OctetSequence& data, std::uint32_t length) override {
    ++reads;
    data.resize(octets_read_(length));
  }
  void write(const CF::OctetSequence&) override {
    throw CF::File::IOException(CF::ErrorNumberType::CF_ENOSPC, "full");
  }
  std::uint32_t sizeOf() override { return size_; }
  void close() override { ++closed; }
  void setFilePointer(std::uint32_t) override {}

  int reads = 0, closed = 0;

 private:
  const std::uint32_t size_;
  const std::function<std::size_t(std::uint32_t)> octets_read_;
};

/// A file system with one file; what it lists is invented, too.
class LyingFileSystem final : public virtual CORBA::servant_traits<CF::FileSystem>::base_type {
 public:
  void remove(const std::string&) override { ++removed; }
  void copy(const std::string&, const std::string&) override {}
  bool exists(const std::string&) override { return false; }
  CF::FileSystem::FileInformationSequence list(const std::string&) override { return entries; }
  testing::FileRef create(const std::string&) override { return file; }
  testing::FileRef open(const std::string&, bool) override { return file; }
  void mkdir(const std::string&) override {}
  void rmdir(const std::string&) override {}
  void query(CF::Properties&) override {}

  testing::FileRef file;
  CF::FileSystem::FileInformationSequence entries;
  int removed = 0;
};

class HostileFileSystemTest : public ::testing::Test {
 protected:
  std::string raised_by_reading(std::uint32_t size, std::function<std::size_t(std::uint32_t)> octets_read) {
    file = CORBA::make_reference<LyingFile>(size, std::move(octets_read));
    servant->file =
        IDL::traits<CF::File>::narrow(server.poa->id_to_reference(server.poa->activate_object(file)));
    const std::string raised = raised_by([&] { read_file(files, "/file", kLimit); }, &message);
    EXPECT_EQ(file->closed, 1);
    return raised;
  }
  void list(const std::string& name, CF::FileSystem::FileType kind) {
    servant->entries = {{name, kind, std::uint64_t{0}, CF::Properties()}};
  }

  testing::TestOrb server, client;
  CORBA::servant_reference<LyingFileSystem> servant = CORBA::make_reference<LyingFileSystem>();
  CORBA::servant_reference<LyingFile> file;
  testing::FileSystemRef files = client.use(
      IDL::traits<CF::FileSystem>::narrow(server.poa->id_to_reference(server.poa->activate_object(servant))));
  std::string message;
};

TEST_F(HostileFileSystemTest, CannotClaimASizeBeyondTheLimit) {
  EXPECT_EQ(raised_by_reading(0xffffffff, [](std::uint32_t length) { return length; }),
            "FileException CF_EFBIG");
  EXPECT_EQ(file->reads, 0);
}

TEST_F(HostileFileSystemTest, CannotReturnFewerOctetsThanItsSize) {
  EXPECT_EQ(raised_by_reading(50u << 20, [](std::uint32_t) { return 1; }), "FileException CF_EIO");
  EXPECT_EQ(message, "/file: a read of 262144 octets at 0 of 52428800 returned 1");
  EXPECT_EQ(file->reads, 1);
  EXPECT_EQ(raised_by_reading(10, [](std::uint32_t) { return 0; }), "FileException CF_EIO");
}

TEST_F(HostileFileSystemTest, CannotReturnMoreOctetsThanWanted) {
  EXPECT_EQ(raised_by_reading(10, [](std::uint32_t) { return 1'000'000; }), "FileException CF_EIO");
}

TEST_F(HostileFileSystemTest, CannotReturnNoFile) {
  EXPECT_EQ(raised_by([&] { read_file(files, "/file", kLimit); }), "FileException CF_EIO");
  EXPECT_EQ(raised_by([&] { write_file(files, "/file", octets("x")); }), "FileException CF_EIO");
}

TEST_F(HostileFileSystemTest, CannotNameFilesOutsideACopiedFolder) {
  const testing::TemporaryFolder folder;
  const auto to = client.use(make_file_system(folder.path().string(), server.poa));
  for (const char* const name : {"../escaped", "..", "/etc/passwd", "", "a/b"}) {
    list(name, CF::FileSystem::FileType::PLAIN);
    EXPECT_EQ(raised_by([&] { copy_folder(files, "/app", to, "/app"); }), "FileException CF_EINVAL") << name;
  }
  EXPECT_EQ(listed(to, "/") + listed(to, "/app/"), "app/");
}

TEST_F(HostileFileSystemTest, CannotListFoldersWithoutEnd) {
  const testing::TemporaryFolder folder;
  const auto to = client.use(make_file_system(folder.path().string(), server.poa));
  list("again", CF::FileSystem::FileType::DIRECTORY);
  EXPECT_EQ(raised_by([&] { copy_folder(files, "/app", to, "/app"); }), "FileException CF_E2BIG");
}

TEST_F(HostileFileSystemTest, RemovesAFileThatItCannotWrite) {
  file = CORBA::make_reference<LyingFile>(0, [](std::uint32_t) { return 0; });
  servant->file =
      IDL::traits<CF::File>::narrow(server.poa->id_to_reference(server.poa->activate_object(file)));
  EXPECT_EQ(raised_by([&] { write_file(files, "/file", octets("x")); }), "FileException CF_ENOSPC");
  EXPECT_EQ(servant->removed, 1);
  EXPECT_EQ(file->closed, 1);
}

}  // namespace
}  // namespace orbweaver::sca
