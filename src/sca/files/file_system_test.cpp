#include "sca/files/file_system.h"

#include <sys/stat.h>

#include <ctime>
#include <functional>

#include "platform/testing/becomes_true.h"
#include "platform/testing/forked_process.h"
#include "sca/files/testing/served_folder.h"

namespace orbweaver::sca {
namespace {

using ::testing::HasSubstr;
using testing::listed;
using testing::octets;
using testing::raised_by;
using testing::read;

/// A file system over a temporary folder, and a client of an ORB of its own.
class FileSystemTest : public ::testing::Test {
 protected:
  void serve(const FileSystemOptions& options = {}) {
    platform::FdResult root = platform::open_folder(folder.path().string());
    servant =
        CORBA::make_reference<FolderFileSystem>(platform::Folder(std::move(root.fd)), server.poa, options);
    const auto reference = server.poa->id_to_reference(server.poa->activate_object(servant));
    files = client.use(IDL::traits<CF::FileSystem>::narrow(reference));
  }
  FileSystemTest() { serve(); }

  testing::TemporaryFolder folder;
  testing::TestOrb server, client;
  CORBA::servant_reference<FolderFileSystem> servant;
  testing::FileSystemRef files;
};

TEST_F(FileSystemTest, WritesAndReadsAFile) {
  const auto file = files->create("/file");
  EXPECT_EQ(file->fileName(), "/file");
  EXPECT_EQ(file->filePointer(), 0u);
  file->write(octets("Hello, "));
  file->write(octets("radio"));
  EXPECT_EQ(file->filePointer(), 12u);
  EXPECT_EQ(file->sizeOf(), 12u);
  EXPECT_EQ(read(file, 10), "");
  file->setFilePointer(7);
  EXPECT_EQ(read(file, 3), "rad");
  EXPECT_EQ(read(file, 100), "io");
  EXPECT_EQ(file->filePointer(), 12u);
  EXPECT_EQ(raised_by([&] { file->setFilePointer(13); }), "CF::File::InvalidFilePointer");
  EXPECT_EQ(file->filePointer(), 12u);
  file->close();
  EXPECT_EQ(raised_by([&] { file->sizeOf(); }), "CORBA::OBJECT_NOT_EXIST");
  EXPECT_EQ(folder.content("file"), "Hello, radio");
  EXPECT_EQ(servant->open_files(), 0u);
}

TEST_F(FileSystemTest, OpensToReadOnlyOrToWrite) {
  folder.write("file", "one");
  const auto read_only = files->open("/file", true);
  EXPECT_EQ(raised_by([&] { read_only->write(octets("x")); }), "IOException CF_EBADF");
  EXPECT_EQ(read(read_only, 9), "one");
  const auto writable = files->open("/file", false);
  writable->write(octets("two"));
  EXPECT_EQ(folder.content("file"), "two");
  EXPECT_EQ(raised_by([&] { files->open("/none", true); }), "FileException CF_ENOENT");
  EXPECT_EQ(raised_by([&] { files->open("/none", false); }), "FileException CF_ENOENT");
  EXPECT_EQ(raised_by([&] { files->open("/", true); }), "InvalidFileName CF_EISDIR");
  folder.write("dir/file", "");
  EXPECT_EQ(raised_by([&] { files->open("/dir", true); }), "FileException CF_EISDIR");
}

TEST_F(FileSystemTest, CreatesExclusively) {
  files->create("/file")->close();
  EXPECT_EQ(raised_by([&] { files->create("/file"); }), "FileException CF_EEXIST");
  EXPECT_EQ(raised_by([&] { files->create("/none/file"); }), "FileException CF_ENOENT");
}

TEST_F(FileSystemTest, RejectsInvalidNames) {
  std::string message;
  EXPECT_EQ(raised_by([&] { files->open("/../secret", true); }, &message), "InvalidFileName CF_EINVAL");
  EXPECT_EQ(message, "'/../secret': '..' is not allowed in it");
  EXPECT_EQ(raised_by([&] { files->exists("file"); }), "InvalidFileName CF_EINVAL");
  EXPECT_EQ(raised_by([&] { files->create("/" + std::string(41, 'a')); }), "InvalidFileName CF_ENAMETOOLONG");
  EXPECT_EQ(raised_by([&] { files->list("/a*/b"); }), "InvalidFileName CF_EINVAL");
  EXPECT_EQ(raised_by([&] { files->copy("/a", "/a"); }), "InvalidFileName CF_EINVAL");
}

TEST_F(FileSystemTest, DoesNotFollowLinksOutOfTheFolder) {
  const testing::TemporaryFolder other;
  other.write("secret", "secret");
  std::filesystem::create_symlink(other.path(), folder.path("link"));
  std::string message;
  EXPECT_EQ(raised_by([&] { files->open("/link/secret", true); }, &message), "FileException CF_EACCES");
  EXPECT_EQ(message, "/link/secret: a symbolic link in it leads out of the file system");
  EXPECT_EQ(raised_by([&] { files->create("/link/new"); }), "FileException CF_EACCES");
  EXPECT_EQ(raised_by([&] { files->copy("/link/secret", "/copy"); }), "FileException CF_EACCES");
  EXPECT_EQ(raised_by([&] { files->list("/link/"); }), "FileException CF_EACCES");
  EXPECT_FALSE(files->exists("/link/secret"));
  EXPECT_EQ(listed(files, "/"), "");
}

TEST_F(FileSystemTest, ListsByPattern) {
  folder.write("a.xml", "12345");
  folder.write("b.xml", "");
  folder.write("dir/c.xml", "");
  folder.write("not valid.xml", "");
  ASSERT_EQ(mkfifo(folder.path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(listed(files, "/"), "a.xml b.xml dir/");
  EXPECT_EQ(listed(files, "/*.xml"), "a.xml b.xml");
  EXPECT_EQ(listed(files, "/?.xml"), "a.xml b.xml");
  EXPECT_EQ(listed(files, "/dir"), "dir/");
  EXPECT_EQ(listed(files, "/dir/"), "c.xml");
  EXPECT_EQ(listed(files, "/none"), "");
  EXPECT_EQ(listed(files, "/none/*"), "");
  const auto found = files->list("/a.xml");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].size(), 5u);
  ASSERT_EQ(found[0].fileProperties().size(), 3u);
  const char* const ids[] = {"CREATED_TIME", "MODIFIED_TIME", "LAST_ACCESS_TIME"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found[0].fileProperties()[i].id(), ids[i]);
    std::uint64_t seconds = 0;
    EXPECT_TRUE(found[0].fileProperties()[i].value() >>= seconds) << ids[i];
    EXPECT_GE(seconds, static_cast<std::uint64_t>(std::time(nullptr)) - 100'000) << ids[i];
  }
}

TEST_F(FileSystemTest, LimitsTheListedEntries) {
  FileSystemOptions options;
  options.max_listed = 3;
  serve(options);
  for (const char* const name : {"a", "b", "c", "d"}) folder.write(name, "");
  EXPECT_EQ(raised_by([&] { files->list("/"); }), "FileException CF_EMSGSIZE");
  EXPECT_EQ(listed(files, "/a*"), "a");
}

TEST_F(FileSystemTest, CopiesAndReplaces) {
  folder.write("dir/file", "new");
  folder.write("file", "old content");
  std::filesystem::permissions(folder.path("dir/file"), std::filesystem::perms::owner_exec,
                               std::filesystem::perm_options::add);
  files->copy("/dir/file", "/file");
  EXPECT_EQ(folder.content("file"), "new");
  EXPECT_NE(std::filesystem::status(folder.path("file")).permissions() & std::filesystem::perms::owner_exec,
            std::filesystem::perms::none);
  EXPECT_EQ(raised_by([&] { files->copy("/none", "/file"); }), "FileException CF_ENOENT");
  EXPECT_EQ(raised_by([&] { files->copy("/dir", "/new"); }), "FileException CF_EISDIR");
  EXPECT_EQ(raised_by([&] { files->copy("/file", "/dir"); }), "FileException CF_EISDIR");
  EXPECT_EQ(listed(files, "/") + " " + listed(files, "/dir/"), "dir/ file file");  // nothing temporary
}

TEST_F(FileSystemTest, MovesFilesAndDirectories) {
  folder.write("dir/file", "text");
  const auto mover = IDL::traits<::orbweaver::framework::FileMover>::narrow(files);
  ASSERT_TRUE(mover);
  mover->move("/dir/file", "/dir/moved");
  mover->move("/dir", "/other");
  EXPECT_EQ(folder.content("other/moved"), "text");
  EXPECT_EQ(raised_by([&] { mover->move("/other", "/other/below"); }), "FileException CF_EINVAL");
  EXPECT_EQ(raised_by([&] { mover->move("/none", "/x"); }), "FileException CF_ENOENT");
}

TEST_F(FileSystemTest, MakesAndRemovesDirectories) {
  files->mkdir("/a/b/c");
  EXPECT_TRUE(files->exists("/a/b/c"));
  EXPECT_EQ(raised_by([&] { files->mkdir("/a/b"); }), "FileException CF_EEXIST");
  EXPECT_EQ(raised_by([&] { files->rmdir("/a/b"); }), "FileException CF_ENOTEMPTY");
  EXPECT_EQ(raised_by([&] { files->remove("/a/b"); }), "FileException CF_EISDIR");
  files->rmdir("/a/b/c/");
  EXPECT_FALSE(files->exists("/a/b/c"));
  folder.write("file", "");
  EXPECT_EQ(raised_by([&] { files->mkdir("/file/dir"); }), "FileException CF_ENOTDIR");
  EXPECT_EQ(raised_by([&] { files->rmdir("/file"); }), "FileException CF_ENOTDIR");
  files->remove("/file");
  EXPECT_FALSE(files->exists("/file"));
  EXPECT_EQ(raised_by([&] { files->remove("/file"); }), "FileException CF_ENOENT");
  EXPECT_TRUE(files->exists("/"));
}

TEST_F(FileSystemTest, AnswersQueries) {
  CF::Properties properties;
  files->query(properties);
  ASSERT_EQ(properties.size(), 2u);
  std::uint64_t size = 0, available = 0;
  EXPECT_TRUE(properties[0].value() >>= size);
  EXPECT_TRUE(properties[1].value() >>= available);
  EXPECT_GT(size, 0u);
  EXPECT_LE(available, size);
  properties = {CF::DataType("AVAILABLE_SPACE", {}), CF::DataType("COLOUR", {})};
  try {
    files->query(properties);
    ADD_FAILURE();
  } catch (const CF::FileSystem::UnknownFileSystemProperties& e) {
    ASSERT_EQ(e.invalidProperties().size(), 1u);
    EXPECT_EQ(e.invalidProperties()[0].id(), "COLOUR");
  }
}

TEST_F(FileSystemTest, OfReadOnlyFilesChangesNone) {
  folder.write("file", "text");
  FileSystemOptions options;
  options.read_only = true;
  serve(options);
  for (const auto& change : std::vector<std::function<void()>>{
           [&] { files->open("/file", false); }, [&] { files->create("/new"); },
           [&] { files->remove("/file"); }, [&] { files->copy("/file", "/new"); },
           [&] { files->mkdir("/new"); }, [&] { files->rmdir("/new"); }})
    EXPECT_EQ(raised_by(change), "FileException CF_EROFS");
  EXPECT_EQ(read(files->open("/file", true), 10), "text");
  EXPECT_EQ(listed(files, "/"), "file");
}

TEST_F(FileSystemTest, LimitsOneRead) {
  FileSystemOptions options;
  options.max_read_bytes = 10;
  serve(options);
  folder.write("file", std::string(11, 'x'));
  const auto file = files->open("/file", true);
  std::string message;
  EXPECT_EQ(raised_by([&] { read(file, 0xffffffff); }, &message), "IOException CF_EINVAL");
  EXPECT_EQ(message, "/file: a read of 11 octets; at most 10 are read at once");
  EXPECT_EQ(file->filePointer(), 0u);
  EXPECT_EQ(read(file, 10).size(), 10u);
  EXPECT_EQ(read(file, 0xffffffff), "x");  // only what is there counts
}

TEST_F(FileSystemTest, ReadsUpToTheEndOfTheLargestFile) {
  folder.write("file", "");
  std::filesystem::resize_file(folder.path("file"), 0xffffffff);  // sparse
  const auto file = files->open("/file", false);
  EXPECT_EQ(file->sizeOf(), 0xffffffffu);
  file->setFilePointer(0xfffffffc);
  file->write(octets("end"));
  EXPECT_EQ(file->filePointer(), 0xffffffffu);
  EXPECT_EQ(read(file, 100), "");
  EXPECT_EQ(raised_by([&] { file->write(octets("x")); }), "IOException CF_EFBIG");
  file->setFilePointer(0xfffffff0);
  EXPECT_EQ(read(file, 100), std::string(12, '\0') + "end");
  EXPECT_EQ(raised_by([&] {
              file->setFilePointer(0);
              read(file, 0xffffffff);
            }),
            "IOException CF_EINVAL");
}

TEST_F(FileSystemTest, SaysThatAFileIsTooLargeForThirtyTwoBits) {
  folder.write("file", "");
  std::filesystem::resize_file(folder.path("file"), 0x100000010);
  const auto file = files->open("/file", true);
  EXPECT_EQ(raised_by([&] { file->sizeOf(); }), "FileException CF_EFBIG");
  file->setFilePointer(0xfffffffd);
  EXPECT_EQ(read(file, 100).size(), 2u);
  EXPECT_EQ(raised_by([&] { read(file, 100); }), "IOException CF_EFBIG");
  EXPECT_EQ(files->list("/file").at(0).size(), 0x100000010u);
}

TEST_F(FileSystemTest, ReadsFilesThatShrinkOrDisappear) {
  folder.write("file", std::string(1000, 'x'));
  const auto file = files->open("/file", true);
  EXPECT_EQ(read(file, 500).size(), 500u);
  std::filesystem::resize_file(folder.path("file"), 600);
  EXPECT_EQ(read(file, 500).size(), 100u);
  std::filesystem::resize_file(folder.path("file"), 0);
  EXPECT_EQ(read(file, 500), "");
  files->remove("/file");
  EXPECT_EQ(file->sizeOf(), 0u);
}

TEST_F(FileSystemTest, ClosesIdleFilesOfAClientThatNeverDoes) {
  FileSystemOptions options;
  options.max_open_files = 4;
  options.idle_ns = 0;
  serve(options);
  folder.write("file", "text");
  std::vector<testing::FileRef> open;
  for (int i = 0; i < 4; ++i) open.push_back(files->open("/file", true));
  EXPECT_EQ(read(open[0], 1), "t");  // now the second has not been used for the longest time
  open.push_back(files->open("/file", true));
  EXPECT_EQ(servant->open_files(), 4u);
  EXPECT_EQ(raised_by([&] { read(open[1], 1); }), "CORBA::OBJECT_NOT_EXIST");
  EXPECT_EQ(read(open[0], 1), "e");
}

TEST_F(FileSystemTest, RaisesAnExceptionWhileAllOpenFilesAreInUse) {
  FileSystemOptions options;
  options.max_open_files = 2;
  serve(options);
  const auto first = files->create("/1"), second = files->create("/2");
  std::string message;
  EXPECT_EQ(raised_by([&] { files->create("/3"); }, &message), "FileException CF_EMFILE");
  EXPECT_THAT(message, HasSubstr("2 files are open"));
  EXPECT_FALSE(files->exists("/3"));
  second->close();
  files->create("/3");
}

TEST_F(FileSystemTest, LeavesHalfOfTheOpenFilesToOtherPeers) {
  testing::TestOrb tcp_server({"-ORBListen", "inproc,tcp"});
  testing::TestOrb remote({"-ORBTransportPreference", "tcp"});
  FileSystemOptions options;
  options.max_open_files = 4;
  const auto served = make_file_system(folder.path().string(), tcp_server.poa, options);
  const auto peer = remote.use(served);
  peer->create("/1");
  peer->create("/2");
  EXPECT_EQ(raised_by([&] { peer->create("/3"); }), "FileException CF_EMFILE");
  served->create("/4");  // within this process
}

TEST_F(FileSystemTest, ClosesItsFilesWithItself) {
  folder.write("file", "text");
  const auto file = files->open("/file", true);
  server.poa->deactivate_object(server.poa->servant_to_id(servant));
  servant = nullptr;
  EXPECT_EQ(raised_by([&] { read(file, 1); }), "CORBA::OBJECT_NOT_EXIST");
}

TEST(FilesOfADeadClient, AreClosedForOtherClients) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path().string();
  // Before there are other threads. It opens half of the files, twice.
  platform::testing::ForkedProcess child([&] {
    platform::testing::becomes_true(
        [&] { return folder.content("reference").find('\n') != std::string::npos; });
    testing::TestOrb orb;
    const std::string reference = folder.content("reference");
    const auto files = IDL::traits<CF::FileSystem>::narrow(
        orb.orb->string_to_object(reference.substr(0, reference.find('\n'))));
    std::vector<testing::FileRef> open;
    for (int i = 0; i < 4; ++i) open.push_back(files->open("/reference", true));
    folder.write("opened", raised_by([&] { read(open[0], 1); }) + "\n");
    platform::testing::ForkedProcess::pause_forever();
  });
  testing::TestOrb orb;
  FileSystemOptions options;
  options.max_open_files = 4;
  options.idle_ns = 0;
  platform::FdResult root = platform::open_folder(path);
  const auto servant =
      CORBA::make_reference<FolderFileSystem>(platform::Folder(std::move(root.fd)), orb.poa, options);
  const auto files =
      IDL::traits<CF::FileSystem>::narrow(orb.poa->id_to_reference(orb.poa->activate_object(servant)));
  folder.write("reference", orb.orb->object_to_string(files) + "\n");
  ASSERT_TRUE(platform::testing::becomes_true(
      [&] { return folder.content("opened").find('\n') != std::string::npos; }));
  EXPECT_EQ(folder.content("opened"),
            "CORBA::OBJECT_NOT_EXIST\n");  // its own third file has closed its first
  EXPECT_EQ(servant->open_files(), 2u);
  child.kill();
  child.reap();
  std::vector<testing::FileRef> open;
  for (int i = 0; i < 4; ++i) open.push_back(files->open("/reference", true));
  EXPECT_EQ(servant->open_files(), 4u);
  for (const auto& file : open) EXPECT_EQ(read(file, 3), "IOR");
}

TEST(MakeFileSystem, NamesAFolderThatDoesNotExist) {
  testing::TestOrb orb;
  std::string message;
  EXPECT_EQ(raised_by([&] { make_file_system("/none/folder", orb.poa); }, &message),
            "FileException CF_ENOENT");
  EXPECT_THAT(message, HasSubstr("/none/folder"));
}

}  // namespace
}  // namespace orbweaver::sca
