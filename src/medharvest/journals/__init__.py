"""What is known and taught of a journal: titles, policy, link examples, layout templates, and the inputs to teach from.

Import from its modules: reading a file must not load the database.
"""
