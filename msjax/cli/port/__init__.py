"""`msjax port`: rewrites programs written for PyTorch into MindSpore's API."""
