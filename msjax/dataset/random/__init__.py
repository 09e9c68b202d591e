"""Random numbers as MindSpore draws them, and samplers."""
