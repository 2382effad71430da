"""What happens to kept records: export, import, enrichment, search, review, delivery."""
