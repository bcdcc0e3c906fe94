"""The use cases and views: the only place where the parts meet. Every front end calls these and nothing below."""
