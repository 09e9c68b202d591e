from msjax.nn.batches import MicroBatchInterleaved as MicroBatchInterleaved
from msjax.nn.batches import PipelineCell as PipelineCell
from msjax.nn.parts import GradAccumulation as GradAccumulation
from msjax.nn.parts import Pipeline as Pipeline
from msjax.nn.parts import PipelineGradReducer as PipelineGradReducer
