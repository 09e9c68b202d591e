"""`ms.jit`: guards, compiled programs, their execution, and why they are compiled again."""
