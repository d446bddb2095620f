"""How records are shown: tables for notebooks and pages, text for terminals. Everything passes through one sanitiser first."""
