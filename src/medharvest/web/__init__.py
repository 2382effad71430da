"""The review app, where people accept and correct records in the browser; `app.make_review_server` starts it."""
