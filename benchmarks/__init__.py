"""What torchgrade costs, measured in one run each; results are committed beside the scripts as JSON."""
