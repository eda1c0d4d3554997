"""Gaming days played through the desk with everything going wrong, and every figure of their reports summed again by a
program of its own."""
