// Library that another library depends on, which is in no folder that the dynamic linker searches by itself.
extern "C" double run_test_base_value() { return 2.5; }
