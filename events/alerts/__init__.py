"""Alerts for surveillance: rules over recorded events, each pure, each with its proofs.

A detector (`detector_base.py`) keeps a small state, takes events in the store's order, and returns its alerts. Only
events count: no clock and no setting of today. So the same events raise the same alerts, with the same ids, whenever
they are read. The read model (`projections/alerts`) runs the detectors and keeps their states and alerts.
"""
