"""`torch.distributed.checkpoint`: state dicts of modules of which each process keeps a part."""
