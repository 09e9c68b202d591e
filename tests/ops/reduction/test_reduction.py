from golden import golden_tests

test_golden, test_golden_under_jit, test_second_order, test_lowers = golden_tests("reduction")
