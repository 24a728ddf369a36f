"""What every page stands on: sign-in, safety, compression, permissions, assets, shell, wording, charts."""
