"""What files from outside say, beyond their columns: who opted out, and what stands for nothing."""
