#include "sca/files/file_manager.h"

#include <atomic>
#include <functional>
#include <thread>

#include "platform/testing/becomes_true.h"
#include "sca/files/testing/served_folder.h"

namespace orbweaver::sca {
namespace {

using ::testing::HasSubstr;
using testing::listed;
using testing::octets;
using testing::raised_by;
using testing::read;
using ManagerRef = IDL::traits<CF::FileManager>::ref_type;

/// A file manager in one ORB, with a file system of another ORB mounted at /one and another of its own ORB at
/// /nodes/two; called from a third.
class FileManagerTest : public ::testing::Test {
 protected:
  FileManagerTest() {
    manager->mount("/one", home.use(one));
    manager->mount("/nodes/two", two);
  }
  static ManagerRef make_manager(testing::TestOrb& orb, const FileManagerOptions& options = {}) {
    const auto servant = CORBA::make_reference<MountedFileManager>(options);
    return IDL::traits<CF::FileManager>::narrow(orb.poa->id_to_reference(orb.poa->activate_object(servant)));
  }

  testing::TemporaryFolder one_folder, two_folder;
  testing::TestOrb node, home, client;
  testing::FileSystemRef one = make_file_system(one_folder.path().string(), node.poa),
                         two = make_file_system(two_folder.path().string(), home.poa);
  ManagerRef manager = client.use(make_manager(home));
  std::string message;
};

TEST_F(FileManagerTest, DelegatesToTheMountedFileSystems) {
  manager->mkdir("/one/dir");
  manager->create("/one/dir/file")->write(octets("text"));
  EXPECT_EQ(one_folder.content("dir/file"), "text");
  EXPECT_EQ(read(manager->open("/one/dir/file", true), 10), "text");
  EXPECT_TRUE(manager->exists("/one/dir/file"));
  EXPECT_FALSE(manager->exists("/nodes/two/dir/file"));
  manager->remove("/one/dir/file");
  manager->rmdir("/one/dir");
  EXPECT_EQ(listed(one, "/"), "");
  EXPECT_EQ(raised_by([&] { manager->open("/one/none", true); }, &message), "FileException CF_ENOENT");
  EXPECT_THAT(message, HasSubstr("file system '/one': /none: "));
  EXPECT_EQ(raised_by([&] { manager->open("/three/file", true); }, &message), "FileException CF_ENOENT");
  EXPECT_EQ(message, "/three/file: no file system is mounted at a directory above it");
  EXPECT_EQ(raised_by([&] { manager->open("one/file", true); }), "InvalidFileName CF_EINVAL");
}

TEST_F(FileManagerTest, ListsMountPoints) {
  one_folder.write("file", "");
  EXPECT_EQ(listed(manager, "/"), "nodes/ one@");
  EXPECT_EQ(listed(manager, "/o*"), "one@");
  EXPECT_EQ(listed(manager, "/nodes/"), "two@");
  EXPECT_EQ(listed(manager, "/one/*"), "file");
  EXPECT_EQ(listed(manager, "/one/"), "file");
  EXPECT_EQ(listed(manager, "/none/"), "");
  for (const char* const name : {"/", "/one", "/nodes", "/nodes/two"})
    EXPECT_TRUE(manager->exists(name)) << name;
  EXPECT_FALSE(manager->exists("/two"));
}

TEST_F(FileManagerTest, PrefersTheLongestMountPoint) {
  const testing::TemporaryFolder root_folder;
  root_folder.write("one/hidden", "");
  root_folder.write("file", "at the root");
  manager->mount("/", home.use(make_file_system(root_folder.path().string(), node.poa)));
  EXPECT_EQ(listed(manager, "/"), "file nodes/ one@");
  EXPECT_EQ(listed(manager, "/one/"), "");
  EXPECT_EQ(read(manager->open("/file", true), 20), "at the root");
  manager->unmount("/one");
  EXPECT_EQ(listed(manager, "/one/"), "hidden");
}

TEST_F(FileManagerTest, MountsAndUnmounts) {
  EXPECT_EQ(raised_by([&] { manager->mount("/one", two); }), "CF::FileManager::MountPointAlreadyExists");
  EXPECT_EQ(raised_by([&] { manager->mount("/x", nullptr); }), "CF::FileManager::InvalidFileSystem");
  EXPECT_EQ(raised_by([&] { manager->mount("x", two); }), "InvalidFileName CF_EINVAL");
  const auto mounts = manager->getMounts();
  ASSERT_EQ(mounts.size(), 2u);
  EXPECT_EQ(mounts[0].mountPoint() + " " + mounts[1].mountPoint(), "/nodes/two /one");
  EXPECT_TRUE(mounts[1].fs()->_is_equivalent(one));
  manager->unmount("/one/");
  EXPECT_EQ(raised_by([&] { manager->unmount("/one"); }), "CF::FileManager::NonExistentMount");
  EXPECT_EQ(raised_by([&] { manager->unmount("/nodes"); }), "CF::FileManager::NonExistentMount");
}

TEST_F(FileManagerTest, LimitsMounts) {
  FileManagerOptions options;
  options.max_mounts = 1;
  const auto small = make_manager(home, options);
  small->mount("/a", two);
  EXPECT_EQ(raised_by([&] { small->mount("/b", two); }), "CORBA::NO_RESOURCES");
}

TEST_F(FileManagerTest, MountsFileSystemsOfItsOwnerWhateverClientsHaveMounted) {
  FileManagerOptions options;
  options.max_mounts = 1;
  options.reserved = "domain/a";
  const auto servant = CORBA::make_reference<MountedFileManager>(options);
  servant->mount("/a", two);
  servant->mount_fixed("/b", two);
  servant->mount_fixed("/domain/a/b", two);
  for (const char* const point : {"/domain/a", "/domain/a/b", "/domain/a/c"})
    EXPECT_EQ(raised_by([&] { servant->mount(point, two); }), "CORBA::NO_PERMISSION") << point;
  EXPECT_EQ(raised_by([&] { servant->mount("/domain/ab", two); }), "CORBA::NO_RESOURCES");
  servant->unmount("/a");
  servant->mount("/domain/ab", two);
}

TEST_F(FileManagerTest, KeepsMountPoints) {
  for (const auto& change : std::vector<std::function<void()>>{
           [&] { manager->remove("/one"); }, [&] { manager->rmdir("/nodes"); },
           [&] { manager->create("/one"); }, [&] { manager->copy("/one/x", "/nodes"); }})
    EXPECT_EQ(raised_by(change), "FileException CF_EBUSY");
  EXPECT_EQ(raised_by([&] { manager->mkdir("/nodes"); }), "FileException CF_EEXIST");
}

TEST_F(FileManagerTest, CopiesAndMovesWithinAndAcrossMounts) {
  const std::string bytes(1'500'000, 'x');
  one_folder.write("file", bytes);
  manager->copy("/one/file", "/one/copy");
  manager->copy("/one/file", "/nodes/two/file");
  EXPECT_TRUE(two_folder.content("file") == bytes && one_folder.content("copy") == bytes);
  const auto mover = IDL::traits<::orbweaver::framework::FileMover>::narrow(manager);
  mover->move("/one/copy", "/one/moved");
  mover->move("/one/moved", "/nodes/two/moved");
  EXPECT_EQ(listed(manager, "/one/") + " " + listed(manager, "/nodes/two/"), "file file moved");
  EXPECT_EQ(raised_by([&] { manager->copy("/one/none", "/nodes/two/file"); }, &message),
            "FileException CF_ENOENT");
  EXPECT_THAT(message, HasSubstr("copy of /one/none to /nodes/two/file: /none: "));
  EXPECT_TRUE(two_folder.content("file") == bytes);
  EXPECT_EQ(raised_by([&] { manager->copy("/one/file", "/one/file"); }), "InvalidFileName CF_EINVAL");
}

TEST_F(FileManagerTest, ReportsADeadFileSystemAndServesTheOthers) {
  two_folder.write("file", "text");
  node.orb->destroy();
  EXPECT_EQ(raised_by([&] { manager->open("/one/file", true); }, &message), "FileException CF_EIO");
  EXPECT_THAT(message, HasSubstr("file system '/one': it cannot be called: "));
  EXPECT_EQ(raised_by([&] { manager->copy("/nodes/two/file", "/one/file"); }), "FileException CF_EIO");
  EXPECT_EQ(listed(manager, "/"), "nodes/ one@");
  EXPECT_EQ(read(manager->open("/nodes/two/file", true), 10), "text");
  CF::Properties properties{{"SIZE", {}}};
  manager->query(properties);
  std::uint64_t size = 0;
  EXPECT_TRUE(properties[0].value() >>= size);
  EXPECT_GT(size, 0u);
  manager->unmount("/one");
}

TEST_F(FileManagerTest, SumsOverFileSystems) {
  const auto size_of = [](const auto& files) {
    CF::Properties properties{{"SIZE", {}}};
    files->query(properties);
    std::uint64_t size = 0;
    EXPECT_TRUE(properties[0].value() >>= size);
    return size;
  };
  manager->mount("/again", two);  // counted once
  EXPECT_EQ(size_of(manager), size_of(one) + size_of(two));
  CF::Properties unknown{{"COLOUR", {}}};
  EXPECT_EQ(raised_by([&] { manager->query(unknown); }), "CF::FileSystem::UnknownFileSystemProperties");
}

TEST_F(FileManagerTest, KeepsAFileThatIsMovedOrCopiedToItself) {
  manager->mount("/again", two);
  const auto mover = IDL::traits<::orbweaver::framework::FileMover>::narrow(manager);
  two->create("/x")->write(octets("x"));
  for (const bool move : {false, true}) {
    EXPECT_EQ(raised_by([&] {
                move ? mover->move("/nodes/two/x", "/again/x") : manager->copy("/nodes/two/x", "/again/x");
              }),
              "InvalidFileName CF_EINVAL");
    EXPECT_TRUE(two->exists("/x"));
  }
}

TEST_F(FileManagerTest, EndsCyclesOfMounts) {
  // Names shrink at each mount of a directory; at "/" they do not.
  const auto other = make_manager(node);
  manager->mount("/", home.use(other));
  other->mount("/", node.use(manager));
  other->mount("/back", node.use(manager));
  manager->mount("/itself", manager);
  EXPECT_EQ(raised_by([&] { manager->open("/none", true); }, &message), "FileException CF_EAGAIN");
  EXPECT_THAT(message, HasSubstr("do mounts form a cycle?"));
  EXPECT_EQ(raised_by([&] { manager->exists("/none"); }), "CORBA::TRANSIENT");
  one_folder.write("file", "text");
  EXPECT_EQ(read(manager->open("/itself/back/itself/one/file", true), 10), "text");
  CF::Properties properties;
  manager->query(properties);
  EXPECT_EQ(properties.size(), 2u);
}

/// A file system whose mkdir() returns when it is released.
class HangingFileSystem final : public virtual CORBA::servant_traits<CF::FileSystem>::base_type {
 public:
  void remove(const std::string&) override {}
  void copy(const std::string&, const std::string&) override {}
  bool exists(const std::string&) override { return false; }
  CF::FileSystem::FileInformationSequence list(const std::string&) override { return {}; }
  testing::FileRef create(const std::string&) override { return nullptr; }
  testing::FileRef open(const std::string&, bool) override { return nullptr; }
  void mkdir(const std::string&) override {
    ++calls;
    is_released.wait(false);
  }
  void rmdir(const std::string&) override {}
  void query(CF::Properties&) override {}
  void release() {
    is_released = true;
    is_released.notify_all();
  }

  std::atomic<int> calls{0};
  std::atomic<bool> is_released{false};
};

class HangingMountTest : public FileManagerTest {
 protected:
  ~HangingMountTest() override { hanging->release(); }
  ManagerRef manager_with(const FileManagerOptions& options) {
    const auto reference =
        IDL::traits<CF::FileSystem>::narrow(node.poa->id_to_reference(node.poa->activate_object(hanging)));
    const auto made = make_manager(home, options);
    made->mount("/hanging", home.use(reference));
    made->mount("/two", two);
    return made;
  }

  CORBA::servant_reference<HangingFileSystem> hanging = CORBA::make_reference<HangingFileSystem>();
};

TEST_F(HangingMountTest, CostsTheOthersNothing) {
  FileManagerOptions options;
  options.max_calls = 1;
  const auto small = manager_with(options);
  std::thread waiting([&] { small->mkdir("/hanging/x"); });
  EXPECT_TRUE(platform::testing::becomes_true([&] { return hanging->calls == 1; }));
  EXPECT_EQ(raised_by([&] { small->mkdir("/hanging/y"); }), "FileException CF_EAGAIN");
  small->mkdir("/two/x");
  EXPECT_TRUE(small->exists("/two/x"));
  small->unmount("/hanging");
  hanging->release();
  waiting.join();
}

TEST_F(HangingMountTest, TimesOut) {
  FileManagerOptions options;
  options.call_timeout_ns = 50'000'000;
  const auto impatient = manager_with(options);
  EXPECT_EQ(raised_by([&] { impatient->mkdir("/hanging/x"); }, &message), "FileException CF_ETIMEDOUT");
  EXPECT_THAT(message, HasSubstr("file system '/hanging': no answer in time"));
}

}  // namespace
}  // namespace orbweaver::sca
