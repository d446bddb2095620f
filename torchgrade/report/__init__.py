"""Records as pictures: tables for notebooks and pages, text for terminals. One sanitiser stands before all of them."""
