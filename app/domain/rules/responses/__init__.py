"""How people respond: invitations as they age, shares and delays of acceptances and replies."""
