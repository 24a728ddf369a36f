"""Monitors: searches and signals watched for new people, and how well these people fit."""
