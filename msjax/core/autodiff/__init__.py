"""Derivatives: grad, backward, jvp, vjp, jacobians, vmap, custom gradients and hooks."""
