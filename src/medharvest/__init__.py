"""From a journal issue, or a medical topic, to validated citation records with evidence for every field."""

__version__ = "0.1.0"
