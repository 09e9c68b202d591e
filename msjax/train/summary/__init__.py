"""Values of a run in files that TensorBoard shows."""

from msjax.train.summary.summary_record import SummaryRecord as SummaryRecord
