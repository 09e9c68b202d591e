"""Sources of rows: generators, arrays, text, TFRecord and MindRecord files, folders."""
