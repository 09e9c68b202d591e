"""MindSpore's `mint`: operators under PyTorch's signatures. Names only."""
