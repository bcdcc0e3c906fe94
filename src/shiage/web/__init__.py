"""The dashboard: server-rendered pages over the same `app` calls as the command line. It holds no rule.

routes     the one table of paths: who may, and what answers
guard      Host, Origin, credentials and security headers, before any page is asked
site       what the pages share
server     the application, and serving it
words      templates, languages, safe Markdown, escape sequences as text
pages/     one module per page
actions    what a person can do; the same as plain form and as a call
live       the feed of entries, as a stream and as a long poll
"""
