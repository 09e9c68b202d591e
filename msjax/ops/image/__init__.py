"""Images: resizing, crops, boxes, non-maximum suppression, colours, grid sampling."""
