// Library that a component depends on. It needs another library itself.
extern "C" double run_test_base_value();
extern "C" double run_test_table_value() { return 2 * run_test_base_value(); }
