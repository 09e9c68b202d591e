from msjax.onnx.exporting import export as export
