"""What every endpoint stands on: declaration, dispatch, bodies, responses, authorization, OpenAPI."""
