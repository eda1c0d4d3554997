"""People and their roles, by opaque ids; authority and approvals. Stream PROPERTY/people."""
