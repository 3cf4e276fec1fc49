"""Results as lines of text for people; `json_output` holds the form for programs."""
