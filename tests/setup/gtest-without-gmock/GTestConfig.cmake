# Result of find_package(GTest) with Debian's libgtest-dev, but without libgmock-dev.
add_library(GTest::gtest INTERFACE IMPORTED)
add_library(GTest::gtest_main INTERFACE IMPORTED)
set(GTest_FOUND TRUE)
