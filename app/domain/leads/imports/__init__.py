"""What files from outside say beyond their columns: who opted out, and which texts stand for an empty cell."""
