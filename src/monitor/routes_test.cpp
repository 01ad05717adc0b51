#include "monitor/routes.h"

#include <gtest/gtest.h>

namespace orbweaver::monitor {
namespace {

TEST(Routes, MatchWholePaths) {
  EXPECT_TRUE(match_path("/a/b", "/a/b"));
  EXPECT_TRUE(match_path("/", "/"));
  for (const char* path : {"/a", "/a/", "/a/b/", "/a/b/c", "/A/b", "", "/a//b", "/a%2Fb"})
    EXPECT_FALSE(match_path("/a/b", path)) << path;
}

TEST(Routes, DecodeSegmentsThatAreNames) {
  EXPECT_EQ(*match_path("/a/{id}/b", "/a/x%2Fy%20z/b"), PathValues{"x/y z"});
  EXPECT_EQ(*match_path("/a/{id}/b", "/a/b/b"), PathValues{"b"});
  EXPECT_FALSE(match_path("/a/{id}/b", "/a/x/y/b"));
  EXPECT_FALSE(match_path("/a/{id}", "/a/"));
  EXPECT_FALSE(match_path("/a/{id}", "/a"));
  for (const char* malformed : {"/a/%", "/a/%2", "/a/%zz"}) EXPECT_FALSE(match_path("/a/{id}", malformed));
}

}  // namespace
}  // namespace orbweaver::monitor
