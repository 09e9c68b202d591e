"""Where rows come from: generators, arrays, text, TFRecord and MindRecord files, folders."""
