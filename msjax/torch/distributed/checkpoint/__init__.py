"""`torch.distributed.checkpoint`: state dicts of modules in parts, one in each process."""
