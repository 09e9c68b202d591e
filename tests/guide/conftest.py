"""The texts are no Markdown files whose blocks could be run by themselves."""

collect_ignore_glob = ["*.md"]
