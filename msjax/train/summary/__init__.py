"""Summaries: values of a run in TensorBoard files."""

from msjax.train.summary.summary_record import SummaryRecord as SummaryRecord
