"""What commands have in common: finding them, printing, errors, and the logic that is worth a test of its own."""
