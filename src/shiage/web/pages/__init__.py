"""One module per page: ask `app`, fill a template."""
