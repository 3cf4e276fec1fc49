"""The annual report of an invented company: its figures, its text and its layout."""
