"""thumbindex: opens long documents at the right section."""
